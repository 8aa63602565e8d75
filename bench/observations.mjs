import { fromDist } from './context.mjs';

const cached = new Map();

/** n×12 observations: the peers' own (oil flow) where they are, otherwise simulated ones of the same kind. */
export async function observations({ library, peers }, n) {
  if (!cached.has(n)) cached.set(n, await read(library, peers, n));
  return cached.get(n);
}

async function read({ Matrix }, peers, n) {
  if (peers !== undefined) return new Matrix(peers.points('oil', n), n, 12);
  const { pipeFlow } = await fromDist('app/data/index.js');
  return pipeFlow({ points: n, seed: 1 }).observations;
}

const MANIFOLDS = { circle: { columns: 2, generator: 'circle' }, swiss: { columns: 3, generator: 'swissRoll' } };

/** n points about a 'circle' or a 'swiss' roll: the peers' own where they are, otherwise ours of the same distribution. */
export async function manifoldPoints({ library, peers }, kind, n) {
  const key = `${kind} ${n}`;
  const { columns, generator } = MANIFOLDS[kind];
  if (!cached.has(key)) {
    const points =
      peers === undefined
        ? (await fromDist('app/data/index.js'))[generator]({ points: n }).observations
        : new library.Matrix(peers.points(kind, n), n, columns);
    cached.set(key, points);
  }
  return cached.get(key);
}
