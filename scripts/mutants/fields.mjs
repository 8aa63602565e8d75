const interior = ['test/fields/interior.test.ts', 'test/fields/interiorPoint.test.ts'];
const lasso = [
  'test/fields/secondMoments.test.ts',
  'test/fields/expectedMoments.test.ts',
  'test/fields/quadraticApproximation.test.ts',
];
const dual = ['test/fields/quadraticApproximation.test.ts'];

/** Fields over points: what their optimum is, the solvers that find it, and how further points join. */
export default [
  {
    file: 'src/fields/density/connectingPenalty.ts',
    tests: 'test/models/field/defaults.test.ts',
    faults: [['return smallest / 2;', 'return smallest * 2;']],
  },
  {
    file: 'src/fields/density/kktResidual.ts',
    tests: [...interior, ...dual],
    faults: [
      ['Math.min(copies / squaredDistance, upper)', 'copies / squaredDistance'],
      ['if (weight <= 0 && violation < 0) return 0;', ''],
      ['if (weight >= problem.upper && violation > 0) return 0;', ''],
      ['(resistance - squaredDistance / problem.copies)', '(resistance - squaredDistance)'],
    ],
  },
  {
    file: 'src/fields/density/fieldDensity.ts',
    tests: 'test/models/field/layer.test.ts',
    faults: [
      ['(copies / 2) * logDeterminant', 'copies * logDeterminant'],
      ['(copies / 2) * slope', 'copies * slope'],
      ['- 0.5 * cost', '- cost'],
      ['-0.5 * slope * weight', '-slope * weight'],
    ],
  },
  {
    file: 'src/fields/density/connectingPrecision.ts',
    tests: 'test/models/field/defaults.test.ts',
    faults: [['(2 * copies) / (edges.size * longest)', '(2 * copies) / longest']],
  },
  {
    file: 'src/fields/density/momentResidual.ts',
    tests: lasso,
    faults: [
      ['return gradient - penalty * Math.sign(entry);', 'return gradient + penalty * Math.sign(entry);'],
      ['Math.max(0, Math.abs(gradient) - penalty)', 'Math.abs(gradient)'],
      ['Math.sqrt(variances[i]! * variances[j]!)', 'variances[i]!'],
      ['wanted(attraction?.[v - N], -gradient - penalty)', 'wanted(attraction?.[v - N], gradient - penalty)'],
    ],
  },
  {
    file: 'src/fields/solvers/interior.ts',
    tests: interior,
    faults: [
      ['shift[a] = lower[e]! / weights[e]! / (R * R);', 'shift[a] = 0;'],
      ['shift[a]! += upper[e]! / slack / (R * R);', ''],
      ['if (staying[e] === 1 || weights[e]! > 0 || R[e]! <= squaredDistances[e]! / copies) continue;', 'continue;'],
      ['result[e] = problem.upper;', 'result[e] = 0;'],
      ['R[e]! * scale[e]!, 0.5 * (weights[e]! + problem.upper)', 'R[e]! * scale[e]!, Infinity'],
      ['(target - lower[e]! * change) / w - lower[e]!', '(target + lower[e]! * change) / w - lower[e]!'],
    ],
  },
  {
    file: 'src/fields/solvers/localInverse.ts',
    tests: 'test/fields/localInverse.test.ts',
    faults: [['x[columns[p]!]! += entries[p]! * sum;', 'x[columns[p]!]! += sum;']],
  },
  {
    file: 'src/fields/placement/joiningWeights.ts',
    tests: 'test/models/field/placement.test.ts',
    faults: [
      ['value += log1p(common * information);', ''],
      ['const remaining = 1 / (1 / common + information);', 'const remaining = 1 / (common + information);'],
      ['if ((t[j]! <= 0 && g < 0) || (t[j]! >= most[j]! && g > 0)) continue;', 'if (t[j]! <= 0 && g < 0) continue;'],
      ['gain: (copies / 2) * at.value', 'gain: copies * at.value'],
    ],
  },
  {
    file: 'src/fields/placement/joiningEntries.ts',
    tests: 'test/fields/secondMoments.test.ts',
    faults: [
      ['return moments[j]! + variance * sum;', 'return moments[j]! - variance * sum;'],
      ['return 1 / variance + sum;', 'return 1 / variance;'],
      ['(Math.max(0, Math.abs(pull) - penalty) /', '(Math.abs(pull) /'],
    ],
  },
  {
    file: 'src/inference/solvers/activeVariables.ts',
    tests: 'test/inference/solverParts.test.ts',
    faults: [
      ['if (x <= lower[i]!) return Math.max(0, -g);', 'if (x <= lower[i]!) return Math.max(0, g);'],
      ['if (x >= upper[i]!) return Math.max(0, g);', ''],
    ],
  },
  {
    file: 'src/inference/solvers/quadraticApproximation.ts',
    tests: [...dual, ...lasso],
    faults: [
      ['if (residual <= GOAL * unit) return CONVERGED;', 'if (residual <= 1e-3 * unit) return CONVERGED;'],
      ['upper[a] = box.upper[i]! - iterate.x[i]!;', 'upper[a] = box.upper[i]!;'],
      ['lower[a] = box.lower[i]! - iterate.x[i]!;', 'lower[a] = box.lower[i]!;'],
    ],
  },
  {
    file: 'src/inference/solvers/quadraticMinimum.ts',
    tests: 'test/inference/quadraticMinimum.test.ts',
    faults: [['const right = slopes.map((slope) => -slope);', 'const right = slopes;']],
  },
  {
    file: 'src/inference/solvers/conjugateGradients.ts',
    tests: ['test/inference/conjugateGradients.test.ts'],
    faults: [
      ['residual[a]! -= length * image[a]!;', 'residual[a]! += length * image[a]!;'],
      ['(energy / before) * direction[a]!', '(before / energy) * direction[a]!'],
      ["products === 1 && indefinite === 'follow'", "indefinite === 'follow'"],
      ['const goal = part * part * energy;', 'const goal = part * energy;'],
    ],
  },
  {
    file: 'src/inference/solvers/inverseDiagonal.ts',
    tests: 'test/inference/inverseDiagonal.test.ts',
    faults: [
      ['entries[i] = entries[i]! * factor;', ''],
      ['square(b * steps[start + i]!) / lengthOfStep', '0'],
      ['if (next > Number.EPSILON * b) entries[i]', 'entries[i]'],
    ],
  },
];
