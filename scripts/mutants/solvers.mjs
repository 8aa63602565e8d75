const search = [
  'test/inference/moreThuenteStep.test.ts',
  'test/inference/moreThuente.test.ts',
  'test/inference/minimize.test.ts',
];
const counts = [
  'test/inference/solverParts.test.ts',
  'test/inference/minimize.test.ts',
  'test/inference/convergence.test.ts',
];
const model = ['test/inference/cauchyPoint.test.ts', ...counts];

/** Line searches and solvers: many faults only cost evaluations, which is what their tests count. */
export default [
  {
    file: 'src/inference/solvers/moreThuenteStep.ts',
    tests: search,
    faults: [
      ['const cubic = best + ratio * (step - best);', 'const cubic = best - ratio * (step - best);'],
      ['next = closer ? cubic : cubic + (quadratic - cubic) / 2;', 'next = cubic;'],
      ['next = Math.abs(cubic - step) > Math.abs(secant - step) ? cubic : secant;', 'next = cubic;'],
      [
        'const ratio = (gamma - g + theta) / (gamma + (bestSlope - g) + gamma);',
        'const ratio = (gamma + g + theta) / (gamma + (bestSlope - g) + gamma);',
      ],
      ['const cubic = ratio < 0 && gamma !== 0 ? step + ratio * (best - step) : limit;', 'const cubic = limit;'],
      ['next = cubicCloser ? cubic : secant;', 'next = cubicCloser ? secant : cubic;'],
      ['const guard = step + 0.66 * (other - step);', 'const guard = other;'],
      [
        'next = Math.max(least, Math.min(most, cubicCloser ? secant : cubic));',
        'next = Math.max(least, Math.min(most, cubicCloser ? cubic : secant));',
      ],
      [
        'const theta = (3 * (f - otherValue)) / (other - step) + otherSlope + g;',
        'const theta = (2 * (f - otherValue)) / (other - step) + otherSlope + g;',
      ],
      ['next = step > best ? most : least;', 'next = step;'],
      ['const bestSlope = interval.bestSlope - tilt;', 'const bestSlope = interval.bestSlope;'],
      ['square(theta / scale) - (a / scale) * (b / scale)', 'square(theta / scale) + (a / scale) * (b / scale)'],
    ],
  },
  {
    file: 'src/inference/solvers/moreThuente.ts',
    tests: search,
    faults: [
      ['const enough = value <= startValue + step * testSlope;', 'const enough = value <= startValue;'],
      ['Math.abs(slope) <= -curvature * startSlope', 'slope >= curvature * startSlope'],
      ["if (enough && step >= longest && slope <= testSlope) return 'found';", ''],
      ['if (current >= 0.66 * widthBefore) step =', 'if (false) step ='],
      ['longest = best + 0.9 * reach;', 'longest = best + 2 * reach;'],
      ['least = step + 1.1 * (step - interval.best);', 'least = step;'],
    ],
  },
  {
    file: 'src/inference/solvers/correctionPairs.ts',
    tests: [...counts, 'test/inference/resume.test.ts'],
    faults: [
      [
        'slot: (k) => (ring.newest - ring.count + 1 + k + 2 * history) % history',
        'slot: (k) => (ring.newest - ring.count + k + 2 * history) % history',
      ],
      ['if (!(curvature > Number.EPSILON * Math.abs(slope)) || !(changeNorm > 0)) return -1;', ''],
      ['ring.inverseScale = curvature / changeNorm;', ''],
      ['ring.count = Math.min(ring.count + 1, history);', 'ring.count = 1;'],
    ],
  },
  {
    file: 'src/inference/solvers/lbfgs.ts',
    tests: counts,
    faults: [
      ['addRow(direction, weights[k]! - correction, steps,', 'addRow(direction, weights[k]! + correction, steps,'],
      ['addRow(direction, -weight, changes,', 'addRow(direction, 0, changes,'],
      [
        'if (steepest) return yield* cannotDescend(iterate, expected, tried);',
        'if (steepest) return yield* cannotDescend(iterate, 0);',
      ],
    ],
  },
  {
    file: 'src/inference/solvers/scg.ts',
    tests: [...counts, 'test/inference/resume.test.ts'],
    faults: [
      ['(dot(direction, gradient) - slope) / reach', '(dot(direction, gradient) + slope) / reach'],
      ['if (comparison < 0.25) damping += (damped * (1 - comparison)) / length;', ''],
      ['if (comparison > 0.75) damping = Math.max(damping / 4, LEAST_DAMPING);', ''],
      ['const beta = (dot(next, next) - dot(next, gradient)) / -slope;', 'const beta = dot(next, next) / -slope;'],
      ['damping = 2 * (damping - damped / length) || FIRST_DAMPING;', 'damping = FIRST_DAMPING;'],
    ],
  },
  {
    file: 'src/inference/solvers/compactHessian.ts',
    tests: model,
    faults: [
      ['const lower = i > j ? at(stepChanges, i, j) : 0;', 'const lower = i < j ? at(stepChanges, i, j) : 0;'],
      ['return 1 / pairs.inverseScale;', 'return pairs.inverseScale;'],
    ],
  },
  {
    file: 'src/inference/solvers/subspaceMinimum.ts',
    tests: model,
    faults: [
      ['reduced[i] = gradient[i]! + theta * (cauchy.point[i]! - x[i]!);', 'reduced[i] = gradient[i]!;'],
      ['if (i > j) stepChange = allFree ? 0 : overFixed(', 'if (i > j) stepChange = allFree ? 0 : overFree('],
      ['if (projectStep(iterate, cauchy.point) > 0) shortenStep(cauchy.point);', 'projectStep(iterate, cauchy.point);'],
    ],
  },
  {
    file: 'src/inference/solvers/cauchyPoint.ts',
    tests: model,
    faults: [
      [
        'const distance = g < 0 ? box.upper[i]! - x[i]! : x[i]! - box.lower[i]!;',
        'const distance = g < 0 ? x[i]! - box.lower[i]! : box.upper[i]! - x[i]!;',
      ],
      [
        'slope += interval * curvature + g * g + theta * g * moved - g * throughMiddle(row, displacement);',
        'slope += interval * curvature + g * g + theta * g * moved;',
      ],
      [
        'curvature -= theta * g * g + 2 * g * throughMiddle(row, projection) + g * g * throughMiddle(row, row);',
        'curvature -= theta * g * g;',
      ],
      ['point[b] = g < 0 ? box.upper[b]! : box.lower[b]!;', 'point[b] = g < 0 ? box.lower[b]! : box.upper[b]!;'],
      ['if (toMinimum < interval) break;', ''],
    ],
  },
  {
    file: 'src/inference/solvers/breakpoints.ts',
    tests: counts,
    faults: [
      ['if (child + 1 < count && before(heap[child + 1]!, heap[child]!)) child++;', ''],
      [
        'if (times[i]! > 0 && times[i]! < Number.POSITIVE_INFINITY) heap[count++] = i;',
        'if (times[i]! >= 0 && times[i]! < Number.POSITIVE_INFINITY) heap[count++] = i;',
      ],
    ],
  },
  {
    file: 'src/inference/solvers/lbfgsb.ts',
    tests: counts,
    faults: [
      ['if (d < 0) longest = Math.min(longest, (lower[i]! - x[i]!) / d);', 'if (d < 0) longest = Infinity;'],
      ['return Math.max(longest, 1);', 'return longest / 2;'],
      ['if (slot >= 0) newtonTarget.learn(slot);', ''],
    ],
  },
  {
    file: 'src/inference/minimize/termination.ts',
    tests: ['test/inference/minimize.test.ts', 'test/inference/convergence.test.ts'],
    faults: [
      ['if (gradientNorm > tolerance) return undefined;', 'if (gradientNorm > 10 * tolerance) return undefined;'],
      ['Math.max(Math.abs(previous), Math.abs(value), 1)', 'Math.max(Math.abs(previous), Math.abs(value))'],
      [
        'if (!decreases.every((decrease) => decrease <= least)) return undefined;',
        'if (!decreases.some((decrease) => decrease <= least)) return undefined;',
      ],
      ['if (evaluations >= maxEvaluations) {', 'if (evaluations > maxEvaluations) {'],
      ['if (iterations < maxIterations) return undefined;', 'if (iterations <= maxIterations) return undefined;'],
    ],
  },
  {
    file: 'src/inference/fit/bestOf.ts',
    tests: ['test/inference/fitSteps.test.ts', 'test/inference/restarts.test.ts'],
    faults: [
      [
        '(run.solution.value < kept.solution.value ? run : kept)',
        '(run.solution.value > kept.solution.value ? run : kept)',
      ],
      ['- evaluations,', ','],
      ['ended.map(({ solution }) => -solution.value)', 'ended.map(({ solution }) => solution.value)'],
      ["filter(({ solution }) => solution.status !== 'stopped')", 'filter(() => true)'],
    ],
  },
  {
    file: 'src/inference/hessian.ts',
    tests: ['test/inference/uncertainty.test.ts'],
    faults: [
      ['(upper[j]! - lower[j]!) / (above[i]! - below[i]!)', '(upper[j]! - lower[j]!) / (above[i]! - x[i]!)'],
      ['(vectors.at(i, k) * vectors.at(j, k)) / values[k]!', 'vectors.at(i, k) * vectors.at(j, k) * values[k]!'],
    ],
  },
  {
    file: 'src/inference/laplaceApproximation.ts',
    tests: ['test/inference/uncertainty.test.ts'],
    faults: [
      ['J.at(i, a) * S.at(a, b) * J.at(j, b)', 'S.at(i, j) / n / n'],
      ['const row = transform.pullBack(unit, value, x.subarray(start, start + size));', 'const row = unit;'],
      ['else covariances.push(inverse);', 'else covariances.unshift(inverse);'],
    ],
  },
  {
    file: 'src/inference/projectionStarts.ts',
    tests: ['test/inference/projection.test.ts', 'test/models/project.test.ts'],
    faults: [
      [
        'sum -= 0.5 * (logVariance[at]! + square(entry - mean.data[at]!) / variance.data[at]!);',
        'sum -= 0.5 * square(entry - mean.data[at]!);',
      ],
      ['density[i]! > density[j]! ||', 'density[i]! < density[j]! ||'],
      ['if (Number.isNaN(entry)) continue;', ''],
    ],
  },
  {
    file: 'src/inference/projectionSearch.ts',
    tests: ['test/inference/projection.test.ts', 'test/models/project.test.ts'],
    faults: [
      ['rank(a) - rank(b)', 'rank(b) - rank(a)'],
      ['(Number.isNaN(value) ? Number.POSITIVE_INFINITY : value)', 'value'],
      ['searches = yield* descended(false, searches', 'searches = yield* descended(true, searches'],
    ],
  },
  {
    file: 'src/inference/localCoordinates.ts',
    tests: ['test/inference/localCoordinates.test.ts'],
    faults: [
      ['(sign * entry) / (4 * step)', '(sign * entry) / (2 * step)'],
      ['1 / Math.sqrt(Math.abs(value))', '1 / Math.abs(value)'],
    ],
  },
  {
    file: 'src/mapping/covariance/spanningInputs.ts',
    tests: ['test/mapping/quickProcess.test.ts'],
    faults: [
      ['variance > left[best]!', 'variance < left[best]!'],
      ['if (chosen.length === most) return undefined;', ''],
      ['=> variance - noise', '=> variance'],
    ],
  },
  {
    file: 'src/inference/checkpoint/checkpoint.ts',
    tests: ['test/inference/checkpoint.test.ts'],
    faults: [
      ['if (Math.abs(value - best.value) <= ROUNDING * Math.max(1, Math.abs(best.value))) return;', 'return;'],
      ['if (model !== problem.model.name) {', 'if (false) {'],
      ['if (version !== 1 && version !== 2) {', 'if (false) {'],
      ['if (JSON.stringify(saved) === JSON.stringify(own)) continue;', 'continue;'],
      ['if (state.best.x.length === problem.layout.size) checkValue(state, problem);', ''],
    ],
  },
  {
    file: 'src/inference/checkpoint/resumedFrom.ts',
    tests: ['test/inference/startKinds.test.ts', 'test/inference/checkpoint.test.ts'],
    faults: [
      ['if (value !== undefined && value !== saved) {', 'if (false) {'],
      [
        'if (origins === undefined || JSON.stringify(origins) === JSON.stringify(originsIn(checkpoint))) return;',
        'return;',
      ],
    ],
  },
  {
    file: 'src/inference/checkpoint/checkpointFile.ts',
    tests: ['test/inference/checkpoint.test.ts'],
    faults: [
      ['await rename(temporary, file);', "await (await open(file, 'w')).close();"],
      ['if (writer === undefined || isAlive(Number(writer))) continue;', 'if (writer === undefined) continue;'],
      ["=== 'EPERM'", "!== 'EPERM'"],
    ],
  },
  {
    file: 'src/inference/checkpoint/stateJson.ts',
    tests: ['test/inference/checkpoint.test.ts', 'test/inference/resume.test.ts'],
    faults: [
      ['view.setFloat64(8 * i, value, true);', 'view.setFloat64(8 * i, Math.fround(value), true);'],
      ['base64.length % 4 === 0 &&', ''],
    ],
  },
];
