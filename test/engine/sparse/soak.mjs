/**
 * Factorizes L(w) + λI on 6-nearest-neighbor graphs of a rolled strip, and prints seconds (fastest of five), stored entries, memory,
 * the growth exponent between sizes, and how well Σ w·R + λ·tr U = N holds.
 *
 *   npm run build && node test/engine/sparse/soak.mjs [--sizes 10000,100000] [--dist dist]
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../../dist', import.meta.url)) },
  },
});
const from = (path) => import(new URL(path, `file://${resolve(options.dist)}/`));
const { nearestNeighbors } = await from('engine/neighbors/index.js');
const { bottomEigenpairs, laplacianFactor } = await from('engine/sparse/index.js');
const { Matrix } = await from('core/matrix.js');
const { seededRandom } = await from('core/random.js');

const BASE = 1e-4;
const print = (line) => process.stdout.write(`${line}\n`);

function roll(points) {
  const { uniform } = seededRandom(1);
  const Y = Matrix.zeros(points, 3);
  for (let i = 0; i < points; i++) {
    const t = 1.5 * Math.PI * (1 + 2 * uniform());
    Y.data.set([t * Math.cos(t), 21 * uniform(), t * Math.sin(t)], 3 * i);
  }
  return Y;
}

function graphOf({ indices, distances }, points) {
  const k = indices.length / points;
  const edges = new Map();
  for (let p = 0; p < indices.length; p++) {
    const i = Math.floor(p / k);
    edges.set(Math.min(i, indices[p]) * points + Math.max(i, indices[p]), distances[p]);
  }
  const keys = [...edges.keys()].sort((a, b) => a - b);
  return {
    size: points,
    sources: Int32Array.from(keys, (key) => Math.floor(key / points)),
    targets: Int32Array.from(keys, (key) => key % points),
    weights: Float64Array.from(keys, (key) => 3 / (edges.get(key) ** 2 + 1e-3)),
  };
}

function seconds(work, times = 1) {
  let fastest = Number.POSITIVE_INFINITY;
  let result;
  for (let t = 0; t < times; t++) {
    const before = performance.now();
    result = work();
    fastest = Math.min(fastest, (performance.now() - before) / 1000);
  }
  return [fastest, result];
}

const sum = (length, term) => {
  let total = 0;
  for (let i = 0; i < length; i++) total += term(i);
  return total;
};

let before;
for (const points of options.sizes.split(',').map(Number)) {
  const Y = roll(points);
  const [searching, neighbors] = seconds(() => nearestNeighbors(Y, 6));
  const graph = graphOf(neighbors, points);
  const [analyzing, factor] = seconds(() => laplacianFactor(graph));
  // An evaluation as an optimizer makes it: new weights, the log-determinant, all resistances.
  const [factorizing] = seconds(() => factor.update(graph.weights, BASE), 5);
  const [evaluating, R] = seconds(() => {
    factor.update(graph.weights, BASE);
    return factor.resistances();
  }, 5);
  const U = factor.variances();
  const total = sum(R.length, (e) => graph.weights[e] * R[e]) + sum(points, (i) => BASE * U[i]);
  const ones = new Float64Array(points).fill(1);
  const [solving] = seconds(() => bottomEigenpairs(points, factor.solve, 2, { shift: BASE, known: [ones] }));
  print(`${points} points, ${R.length} edges`);
  print(
    `  neighbors ${searching.toFixed(3)} s, analysis ${analyzing.toFixed(3)} s, two eigenvectors ${solving.toFixed(3)} s`,
  );
  print(`  factorization ${factorizing.toFixed(4)} s, with resistances ${evaluating.toFixed(4)} s`);
  print(
    `  ${factor.storedEntries} stored entries, ${(factor.storedEntries / (R.length + points)).toFixed(2)} for each of Q's`,
  );
  print(
    `  resident memory ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB, (Σ w·R + λ·tr U)/N − 1 = ${total / points - 1}`,
  );
  if (before !== undefined) {
    const exponent = Math.log(evaluating / before.evaluating) / Math.log(points / before.points);
    print(`  growth exponent of an evaluation since ${before.points} points: ${exponent.toFixed(2)}`);
  }
  before = { points, evaluating };
}
