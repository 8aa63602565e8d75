const engines = 'test/numerics/wasm/engineAgreement.test.ts';
const conformance = 'test/numerics/wasm/wasmEngine.test.ts';
const radial = 'test/numerics/wasm/radialOperations.test.ts';
const fused = 'test/numerics/wasm/fusedOperations.test.ts';
const elementary = [
  'test/numerics/wasm/elementaryFunctions.test.ts',
  'test/numerics/dense/elementaryFunctions.test.ts',
];
const typescript = 'test/numerics/dense/typescriptEngine.test.ts';
const wasm = 'src/numerics/wasm/assembly';
const single = 'test/numerics/neighbours/singlePrecision.isolated.test.ts';

/** WebAssembly kernels, which are compiled anew, and the TypeScript that they are held to; sparse matrices, graphs, neighbours. */
export default [
  {
    file: `${wasm}/radialProfiles.ts`,
    tests: [radial, 'test/kernels/thinPlateSpline.test.ts'],
    faults: [
      ['scaledRoot(pairs, 2.25, s, s);', 'scaledRoot(pairs, 1.5, s, s);'],
      ['halfLogarithm(pairs, s, work, false, 1.0);', 'halfLogarithm(pairs, s, work, false, 0.0);'],
      ['halfReciprocal(pairs, true, s);', 'halfReciprocal(pairs, false, s);'],
      ['polynomialTimes(pairs, 1.0, 1.0, 1.0 / 3.0, s, work);', 'polynomialTimes(pairs, 1.0, 1.0, 0.5, s, work);'],
      [
        'polynomialTimes(pairs, -5.0 / 6.0, -5.0 / 6.0, 0.0, s, work);',
        'polynomialTimes(pairs, -5.0 / 6.0, 0.0, 0.0, s, work);',
      ],
      ['const half = f64x2.splat(-0.5);', 'const half = f64x2.splat(0.5);'],
      ['v128.store(a, v128.and(value, f64x2.gt(x, f64x2.splat(0))));', 'v128.store(a, value);'],
      ['const weight = times ? f64x2.mul(half, x) : half;', 'const weight = half;'],
    ],
  },
  {
    file: `${wasm}/exponential.ts`,
    tests: elementary,
    faults: [
      ['const LN2_LOW: f64 = 1.90821492927058770002e-10;', 'const LN2_LOW: f64 = 0.0;'],
      ['if (x > OVERFLOW) return Infinity;', ''],
      ['if (x < UNDERFLOW) return 0.0;', ''],
      ['const SAFE: f64 = 708.0;', 'const SAFE: f64 = 720.0;'],
      ['f64x2.splat(2.08860621107283687536341e-9)', 'f64x2.splat(0)'],
    ],
  },
  {
    file: `${wasm}/radialRows.ts`,
    tests: [fused, radial, 'test/kernels/radialGramMatrix.test.ts'],
    faults: [
      [
        'if (j < width) store<f64>(at(k, j), variance * load<f64>(at(values, j)) + shift);',
        'if (j < width) store<f64>(at(k, j), variance * load<f64>(at(values, j)));',
      ],
      ['if (width & 1) store<f64>(at(target, width), 1.0);\n  return (width + 1) >> 1;', 'return width >> 1;'],
    ],
  },
  {
    file: 'src/numerics/wasm/wasmFusedOperations.ts',
    tests: [fused, 'test/kernels/radialGramMatrix.test.ts'],
    faults: [['PROFILE_NUMBERS.rbf, variance + bias + noise];', 'PROFILE_NUMBERS.rbf, variance + bias];']],
  },
  {
    file: 'src/numerics/dense/pivotedCholesky.ts',
    tests: 'test/numerics/dense/pivotedCholesky.test.ts',
    faults: [
      ['if (rest <= remainder) return rank;', 'if (rest <= 2 * remainder) return rank;'],
      ['|| rank > most) return undefined;', ') return undefined;'],
      ['rank * digits < most * log(rest / whole)', 'false'],
      ['corners[i * m + k] = factor[a * count + k]!;', 'corners[i * m + k] = factor[i * count + k]!;'],
    ],
  },
  {
    file: 'src/tensors/linearAlgebra/operations/lowRankLogDensity.ts',
    tests: 'test/tensors/ops/lowRankLogDensity.test.ts',
    faults: [
      ['square[i * (rank + 1)]! += noise;', 'square[i * (rank + 1)]! += 2 * noise;'],
      ['(n - rank) * log(noise)', 'n * log(noise)'],
      ['G[i * (n + 1)]! -= share;', ''],
      ['noise * sumOfSquares(memory.float64(solved, n * width))', 'sumOfSquares(memory.float64(solved, n * width))'],
    ],
  },
  {
    file: 'src/tensors/ops/radialRoot.ts',
    tests: 'test/tensors/ops/lowRankLogDensity.test.ts',
    faults: [
      ["profile.compiled !== 'rbf' || ", ''],
      [' || !(variance >= 0 && bias >= 0)', ''],
      ['noise > 0 && noise < Infinity && ', ''],
      ['REMAINDER = 1e-10', 'REMAINDER = 1e-8'],
      ['remainder >= ROUNDING * n * diagonal', 'remainder >= Number.EPSILON * n * diagonal'],
      ['if (!Number.isFinite(entry)) return undefined;', ''],
      ['K[i]! += bias;', 'K[i]! += 0;'],
    ],
  },
  {
    file: `${wasm}/rbfGradient.ts`,
    tests: [fused, 'test/kernels/radialGramMatrix.test.ts'],
    faults: [
      ['store<f64>(sums, load<f64>(sums, 8) + trace, 8);', ''],
      ['store<f64>(sums, trace, 16);', 'store<f64>(sums, 2.0 * trace, 16);'],
      ['const weighted = both * (load<f64>(k) - bias);', 'const weighted = both * load<f64>(k);'],
      ['    total += both;\n', ''],
    ],
  },
  {
    file: `${wasm}/radialGram.ts`,
    tests: radial,
    faults: [
      ['-2.0 * variance, weights, work);', '2.0 * variance, weights, work);'],
      ['mirrorBlock(ib, rows, jb, GRAM_BLOCK, k, rowBytes);', ''],
      ['store<f64>(at(k + i * rowBytes, i), diagonal);', 'store<f64>(at(k + i * rowBytes, i), variance);'],
      [
        'sum += load<f64>(at(g + i * rowBytes, i)) * load<f64>(at(k + i * rowBytes, i));',
        'sum += load<f64>(at(g + i * rowBytes, i));',
      ],
    ],
  },
  {
    file: `${wasm}/squaredDistances.ts`,
    tests: [fused, 'test/tensors/ops/squaredDistances.test.ts', engines],
    faults: [
      ['store<f64>(at(target, j), factor * s);', 'store<f64>(at(target, j), s);'],
      ['store<f64>(at(da, d * n + i), 2.0 * pull);', 'store<f64>(at(da, d * n + i), pull);'],
      ['store<f64>(at(db, j), load<f64>(at(db, j)) - t);', 'store<f64>(at(db, j), load<f64>(at(db, j)) + t);'],
      ['store<f64>(at(db, k), 2.0 * load<f64>(at(db, k)));', 'store<f64>(at(db, k), load<f64>(at(db, k)));'],
    ],
  },
  {
    file: `${wasm}/tridiagonal.ts`,
    tests: ['test/numerics/wasm/symmetricEigen.test.ts', conformance],
    faults: [
      ['addScaled(m, -0.5 * t * dot(m, w, v), v, w);', 'addScaled(m, -t * dot(m, w, v), v, w);'],
      ['tau = (image - head) / image;', 'tau = (image + head) / image;'],
      ['const x1 = f64x2.splat(-load<f64>(x + bytes));', 'const x1 = f64x2.splat(-load<f64>(x));'],
      ['sum -= load<f64>(x + bytes) * load<f64>(v1);', ''],
      ['addScaled(m, -load<f64>(z), w, y);', ''],
      ['t += load<f64>(y) * load<f64>(z);', ''],
      ['const NEGLIGIBLE: f64 = 1e-280;', 'const NEGLIGIBLE: f64 = 1e-10;'],
    ],
  },
  {
    file: `${wasm}/divideAndConquer.ts`,
    tests: ['test/numerics/wasm/symmetricEigen.test.ts', conformance],
    faults: [
      [
        'const tolerance = 8.0 * EPSILON * max(largest, largestZ);',
        'const tolerance = 8.0e5 * EPSILON * max(largest, largestZ);',
      ],
      ['if (abs((d2 - d1) * c * s) > tolerance) return false;', ''],
      ['store<i32>(halves + (second << 2), BOTH);', 'store<i32>(halves + (second << 2), UPPER_HALF);'],
      ['copysign(sqrt(abs(load<f64>(at(refined, j)))), load<f64>(at(z, j)))', 'load<f64>(at(z, j))'],
      ['store<f64>(at(d, first), d1 * c * c + d2 * s * s);', ''],
    ],
  },
  {
    file: `${wasm}/secularEquation.ts`,
    tests: ['test/numerics/wasm/symmetricEigen.test.ts', conformance],
    faults: [
      ['low = -high;', 'low = 0.0;'],
      ['origin = load<f64>(at(d, i + 1));', ''],
      ['if (!(next > low && next < high)) next = 0.5 * (low + high);', ''],
    ],
  },
  {
    file: 'src/numerics/neighbours/singleCandidates.ts',
    tests: single,
    faults: [
      ['const part = 2 * (roundings / 2 / (1 - roundings * UNIT) + 6) * UNIT;', 'const part = 12 * UNIT;'],
      ['while (commonDivisor(step, n) > 1) step++;', ''],
    ],
  },
  {
    file: `${wasm}/nearestPairs.ts`,
    tests: single,
    faults: [
      ['store<f32>(place(row, i), -Infinity);', ''],
      ['const after = min(n, (first + count + GROUP - 1) & -GROUP);', 'const after = first + GROUP;'],
      ['if (load<f32>(place(values, child)) <= distance) break;', ''],
      ['min(p + 3, count - 1)', 'min(p + 2, count - 1)'],
    ],
  },
  {
    file: `${wasm}/nearestPairs.ts`,
    tests: 'test/numerics/neighbours/manyDimensions.test.ts',
    faults: [
      ['s31 = f64x2.add(s31, squared(f64x2.sub(value, y1)));', ''],
      ['load<i32>(place(list, min(p, count - 1)))', 'load<i32>(list)'],
    ],
  },
  {
    file: 'src/numerics/neighbours/productSearch.ts',
    tests: ['test/numerics/neighbours/manyDimensions.test.ts', single],
    faults: [
      ['if (!(nearest.worst < others)) unproven.push(i);', ''],
      ['< bound.worst && j !== own)', '< bound.worst)'],
    ],
  },
  {
    file: 'src/numerics/neighbours/ownCandidates.ts',
    tests: ['test/numerics/neighbours/manyDimensions.test.ts', single],
    faults: [
      ['if (distance < worst[j]!) offer(j, distance, i);', ''],
      ['worst[i]! - slacks[i]!', 'worst[i]!'],
      ['if (squares[start + child]! <= square) break;', ''],
    ],
  },
  {
    file: `${wasm}/cholesky.ts`,
    tests: [conformance, engines],
    faults: [
      ['return failed2 < 0 ? -1 : failed2 + n1;', 'return failed2;'],
      ['return k < j ? rest - load<f64>(at(rowI, k)) * load<f64>(at(rowJ, k)) : rest;', 'return rest;'],
      ['if (!(rest > 0.0)) {', 'if (!(rest >= 0.0)) {'],
      ['lanes(s2) - load<f64>(p2) * y', 'lanes(s2)'],
    ],
  },
  {
    file: `${wasm}/choleskyInverse.ts`,
    tests: [conformance, engines],
    faults: [
      ['scaleVector(n1, -1.0, l21 + ((i * stride) << 3));', ''],
      ['for (let k = i; k < n; k++) s +=', 'for (let k = i + 1; k < n; k++) s +='],
      ['multiply(n1, n1, n2, 1.0, m21', 'multiply(n1, n1, n2, -1.0, m21'],
    ],
  },
  {
    file: `${wasm}/triangularSolve.ts`,
    tests: [conformance, engines],
    faults: [
      ['return ((n >> 1) + 15) & ~15;', 'return (n >> 1) & ~15;'],
      ['multiply(m, n - n1, n1, -1.0, b, bRow', 'multiply(m, n - n1, n1, 1.0, b, bRow'],
    ],
  },
  {
    file: 'src/numerics/wasm/typescript/pairs.ts',
    tests: [fused, 'test/tensors/ops/squaredDistances.test.ts', engines],
    faults: [
      [
        'const weight = 2 * weights[at++]!;\n      for (let d = 0; d < q; d++) {\n        const pull = weight * (x',
        'const weight = weights[at++]!;\n      for (let d = 0; d < q; d++) {\n        const pull = weight * (x',
      ],
      ['dx[other + d]! -= pull;', 'dx[other + d]! += pull;'],
      ['db[other + d]! -= pull;', 'db[other + d]! += pull;'],
    ],
  },
  {
    file: 'src/numerics/wasm/typescript/radialOperations.ts',
    tests: radial,
    faults: [
      ['variance * diagonal[0]!', 'diagonal[0]!'],
      ['memory.float64(k, n * n)) / variance;', 'memory.float64(k, n * n));'],
      ['weights[i]! *= variance * G[i]!;', 'weights[i]! *= G[i]!;'],
    ],
  },
  {
    file: 'src/numerics/dense/cholesky.ts',
    tests: typescript,
    faults: [
      ['for (let k = 0; k < j; k++) rest -=', 'for (let k = 1; k < j; k++) rest -='],
      ['} else if (rest > 0) {', '} else if (rest >= 0) {'],
    ],
  },
  {
    file: 'src/numerics/dense/choleskyInverse.ts',
    tests: typescript,
    faults: [
      ['data[row + k] = value * data[other + k]!;', 'data[row + k] = value;'],
      ['for (let j = 0; j <= i; j++) data[row + j]! *= diagonal;', ''],
    ],
  },
  {
    file: 'src/numerics/dense/implicitQl.ts',
    tests: typescript,
    faults: [
      ['const t = (d[i]! - g) * s + 2 * c * b;', 'const t = (d[i]! - g) * s + c * b;'],
      ['d[first]! -= p;', ''],
      ['slope < 0 ? -root : root', 'root'],
    ],
  },
  {
    file: 'src/numerics/dense/factorize.ts',
    tests: ['test/tensors/linearAlgebra/opsFailures.test.ts', 'test/tensors/linearAlgebra/opsValues.test.ts'],
    faults: [
      ['[0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4]', '[0, 1e-10, 1e-9, 1e-8, 1e-6, 1e-5, 1e-4]'],
      ['[0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4]', '[0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5]'],
      ['if (jitter > 0) onJitter?.(jitter);', ''],
      ['const jitter = relative * meanDiagonal(n, matrix);', 'const jitter = relative;'],
      ['return 2 * sum;', 'return sum;'],
    ],
  },
  {
    file: 'src/numerics/sparse/laplacianFactor.ts',
    tests: 'test/numerics/sparse/laplacianFactor.test.ts',
    faults: [
      ['return 0.5 * (R[i]! + R[j]! - R[p]!);', 'return 0.5 * (R[i]! + R[j]! + R[p]!);'],
      ['ahead[e] = (R[e]! - ahead[e]!) / reach;', 'ahead[e] = (ahead[e]! - R[e]!) / reach;'],
      ["eliminate(symbolic, blocks, stack, 'rowSums');", "eliminate(symbolic, blocks, stack, 'diagonal');"],
      ['if (!(base > 0 && base < Infinity)) {', 'if (!(base >= 0 && base < Infinity)) {'],
      ['edgeResistances = undefined;\n      state', 'state'],
    ],
  },
  {
    file: 'src/numerics/sparse/selectedInverse.ts',
    tests: ['test/numerics/sparse/sparseCholesky.test.ts', 'test/numerics/sparse/laplacianFactor.test.ts'],
    faults: [
      [
        "inverse[block + j * (width + 1)] = selected === 'resistance' ? 0 : diagonal + sum;",
        "inverse[block + j * (width + 1)] = selected === 'resistance' ? 0 : diagonal;",
      ],
      ['diagonal - 0.5 * sum', 'diagonal - sum'],
      ['column.fill(0, j + 1, width);', ''],
      ['1 / (pivot * pivot)', '1 / pivot'],
    ],
  },
  {
    file: 'src/numerics/sparse/eliminationTree.ts',
    tests: ['test/numerics/sparse/sparseCholesky.test.ts', 'test/numerics/sparse/minimumDegree.test.ts'],
    faults: [['counts[i]!++;', 'counts[i]! += 2;']],
  },
  {
    file: 'src/numerics/sparse/sparseSymmetric.ts',
    tests: 'test/numerics/sparse/sparseCholesky.test.ts',
    faults: [
      ['sums[i]! += termValues[q]!;', 'sums[i] = termValues[q]!;'],
      ['y[i]! += values[p]! * xj;', ''],
      ['termRows[q] = Math.max(rows[e]!, columns[e]!);', 'termRows[q] = rows[e]!;'],
    ],
  },
  {
    file: 'src/numerics/sparse/outerProduct.ts',
    tests: 'test/numerics/sparse/outerProduct.test.ts',
    faults: [
      ['lastColumn[i] = j;\n          sums[i] = 0;', 'lastColumn[i] = j;'],
      ['q > starts[i]! && sorted.rows[q - 1]! > row', 'q > 0 && sorted.rows[q - 1]! > row'],
    ],
  },
  {
    file: 'src/numerics/sparse/sparseCholesky.ts',
    tests: 'test/numerics/sparse/sparseCholesky.test.ts',
    faults: [
      ['return 2 * sum;', 'return sum;'],
      ['if (free !== top) stack.copyWithin(free, top, top + below * below);', ''],
      ['const stop = i < columns ? i + 1 : columns;', 'const stop = i < columns ? i : columns;'],
    ],
  },
  {
    file: 'src/numerics/sparse/bottomEigenpairs.ts',
    tests: 'test/numerics/sparse/bottomEigenpairs.test.ts',
    faults: [
      ['1 / value - shift', '1 / value'],
      ['v[i]! /= root[i]!;', 'v[i]! *= root[i]!;'],
      ['q > size - known.length', 'q > size'],
    ],
  },
  {
    file: 'src/numerics/graph/edges.ts',
    tests: 'test/numerics/graph/graphs.test.ts',
    faults: [
      ['(i < j ? i * size + j : j * size + i)', '(i * size + j)'],
      ['order === 0 ? both(a.weights[i]!, b.weights[j]!) : from.weights[e]!', 'from.weights[e]!'],
    ],
  },
  {
    file: 'src/numerics/graph/neighbourhoodGraph.ts',
    tests: 'test/numerics/graph/graphs.test.ts',
    faults: [
      ['/ (2 * width * width)', '/ (width * width)'],
      ["if (weights !== 'heat') return () => 1;", ''],
      ['k >= 1 && k < N', 'k >= 1 && k <= N'],
    ],
  },
  {
    file: 'src/numerics/graph/connectedComponents.ts',
    tests: 'test/numerics/graph/connectedComponents.test.ts',
    faults: [
      ['parent[Math.max(a, b)] = Math.min(a, b);', 'parent[a] = b;'],
      ['if (root === i) labels[i] = sizes.push(0) - 1;', 'if (root === i) labels[i] = sizes.push(1) - 1;'],
    ],
  },
  {
    file: 'src/numerics/graph/graphUnion.ts',
    tests: 'test/numerics/graph/graphs.test.ts',
    faults: [
      ['(within(e) ? weight - 1 : weight)', 'weight'],
      [
        'return Object.freeze({ size: a.size, ...mergedEdges(a, b, Math.max) });',
        'return Object.freeze({ size: a.size, ...mergedEdges(a, b, Math.min) });',
      ],
    ],
  },
  {
    file: 'src/numerics/graph/incidentEdges.ts',
    tests: 'test/numerics/graph/incidentEdges.test.ts',
    faults: [['add(targets[e]!, e, sources[e]!);', 'add(targets[e]!, e, targets[e]!);']],
  },
];
