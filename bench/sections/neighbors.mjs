import { fromDist } from '../context.mjs';
import { enginesFor, onThreads } from '../engines.mjs';
import { compare, sampler } from '../rounds.mjs';

const K = 10;
/** Largest relative difference of the mean distances: the peer's come from products. */
const EQUAL = 1e-9;

/** The ten nearest neighbors of every point, exactly, compared with scikit-learn's brute force: points near a curved set of ten dimensions in many, with noise. */
export async function nearestOfAll(context) {
  const { nearestNeighbors } = await fromDist('engine/neighbors/index.js');
  const { sharedMemory } = await fromDist('engine/memory.js');
  const { withEngine } = await fromDist('engine/dense/index.js');
  const rows = [];
  for (const n of context.sizes([5000], [500])) {
    for (const D of context.short ? [256] : [256, 784]) {
      const Y = curvedPoints(context.library, n, D);
      const search = (engine) => {
        const { distances } = withEngine(sharedMemory(), engine, () => nearestNeighbors(Y, K));
        return distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
      };
      const ours = enginesFor(context, n, 0, { shared: true }).map(({ engine, name, threads, peer, use }) => {
        let value;
        let onThem;
        const sample = sampler(context.seconds, () => {
          value = onThem(() => search(engine));
        });
        const measure = () =>
          onThreads({ engine, threads }, context.library.startThreads, (run) => {
            use();
            onThem = run;
            return { ...sample(), value };
          });
        return { name, threads, against: peer?.replace('peers.py', 'neighbors.py'), measure };
      });
      const peers = (context.peers === undefined ? [] : context.threads).map((threads) => ({
        name: `neighbors.py ×${threads}`,
        threads,
        measure() {
          const printed = context.peers.neighbors(threads, Y, K);
          return printed && { ms: printed.ms, value: printed.value };
        },
      }));
      const found = await compare(context, { section: 'neighbors', task: `D = ${D}`, n }, [...ours, ...peers]);
      noteDifferences(context, found);
      rows.push(...found);
    }
  }
  return rows;
}

function curvedPoints({ seededRandom, Matrix }, n, D) {
  const [q, h] = [10, 64];
  const { normal } = seededRandom(1);
  const into = Float64Array.from({ length: q * h }, normal);
  const out = Float64Array.from({ length: h * D }, normal);
  const data = Float64Array.from({ length: n * D }, () => 0.3 * normal());
  for (let i = 0; i < n; i++) {
    const z = Array.from({ length: q }, normal);
    for (let a = 0; a < h; a++) {
      const value = Math.tanh(z.reduce((sum, entry, p) => sum + entry * into[p * h + a], 0));
      for (let d = 0; d < D; d++) data[i * D + d] += value * out[a * D + d];
    }
  }
  return new Matrix(data, n, D);
}

function noteDifferences({ disagreements }, rows) {
  const [first, ...others] = rows;
  for (const { n, task, contender, value } of others) {
    if (Math.abs(value - first.value) <= EQUAL * first.value) continue;
    disagreements.push(
      `neighbors ${n}, ${task}: the mean distance is ${value} by ${contender}, ${first.value} by ${first.contender}.`,
    );
  }
}
