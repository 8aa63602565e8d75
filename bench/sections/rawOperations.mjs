import { fromDist } from '../context.mjs';
import { enginesFor, onThreads, peerContenders } from '../engines.mjs';
import { peakWork } from '../peak.mjs';
import { compare, sampler } from '../rounds.mjs';

const FLOPS = {
  gemm: (n) => 2 * n ** 3,
  cholesky: (n) => n ** 3 / 3,
  inverse: (n) => (2 * n ** 3) / 3,
  eigh: (n) => 9 * n ** 3,
};

/** Products, Cholesky factors, inverses from them, and all eigenvectors, compared with the peak of 128-bit vectors on one thread. */
export async function rawOperations(context) {
  const rows = await peaks(context);
  for (const n of context.sizes([100, 300, 1000], [100])) {
    const ours = await ourOperations(context, n);
    const theirs = mlMatrixOperations(context, n);
    for (const task of Object.keys(FLOPS)) {
      const contenders = [
        ...ours.map(({ operations, ...engine }) => ({ ...engine, measure: operations[task] })),
        ...(theirs ? [{ name: 'ml-matrix', threads: 1, once: true, measure: theirs[task] }] : []),
        ...peerContenders(context, task, [n]),
      ];
      const of = { section: 'raw', task, n, flops: FLOPS[task](n) };
      rows.push(...(await compare(context, of, contenders)));
    }
  }
  return rows;
}

/** Operations of a sample of the peak, which is a median of runs in a median of rounds like all else. */
const PEAK_FLOPS = 1e7;

async function peaks(context) {
  const of = { section: 'raw', task: 'peak of f64x2 multiply and add', flops: PEAK_FLOPS };
  return compare(context, of, [await peakContender(context)]);
}

async function peakContender({ seconds }) {
  const samples = (await peakWork()).map(({ flops, run }) => {
    const measure = sampler(seconds, run);
    return () => (measure().ms * PEAK_FLOPS) / flops;
  });
  return { name: 'wasm', threads: 1, measure: () => ({ ms: Math.min(...samples.map((sample) => sample())) }) };
}

async function ourOperations(context, n) {
  const { Float64Memory } = await fromDist('engine/memory.js');
  const { seededRandom } = context.library;
  const { wasmEngine } = await fromDist('engine/wasm/wasmEngine.js');
  const factories = {
    wasm: wasmEngine,
    typescript: (await fromDist('engine/dense/index.js')).typescriptEngine,
    native: context.native?.engine,
  };
  const { normal } = seededRandom(1);
  const random = Float64Array.from({ length: n * n }, normal);
  const { startTeam } = await fromDist('engine/wasm/team.js');
  const prepare = ({ engine: kind, threads, use }) => {
    const memory = new Float64Memory();
    const engine = factories[kind](memory);
    const [a, b, c, w] = [n * n, n * n, n * n, n].map((length) => memory.allocate(8 * length));
    const fill = (offset, values) => memory.float64(offset, n * n).set(values);
    const plain = (offset) => ({ offset, rowStride: n, columnStride: 1 });
    fill(a, random);
    engine.gemm(n, n, n, 1, plain(a), { offset: a, rowStride: 1, columnStride: n }, 0, plain(b));
    const definite = memory.float64(b, n * n).slice();
    for (let i = 0; i < n; i++) definite[i * n + i] += n;
    fill(b, definite);
    engine.cholesky(n, b);
    const factor = memory.float64(b, n * n).slice();
    fill(b, random);
    const sample = (run, fillFirst) => {
      let onThem;
      const measure = sampler(context.seconds, () => onThem(run), fillFirst);
      return () =>
        onThreads(
          { engine: kind, threads },
          (count) => startTeam(memory, count),
          (given) => {
            onThem = given;
            use();
            return measure();
          },
        );
    };
    return {
      gemm: sample(() => engine.gemm(n, n, n, 1, plain(a), plain(b), 0, plain(c))),
      cholesky: sample(
        () => engine.cholesky(n, c),
        () => fill(c, definite),
      ),
      inverse: sample(
        () => engine.choleskyInverse(n, c),
        () => fill(c, factor),
      ),
      eigh: sample(
        () => engine.symmetricEigen(n, c, w),
        () => fill(c, definite),
      ),
    };
  };
  return enginesFor(context, n, 1000, { shared: true }).map(({ name, threads, peer, once, ...engine }) => {
    let prepared;
    const measure = (task) => () => {
      prepared ??= prepare({ threads, ...engine });
      return prepared[task]();
    };
    return {
      name,
      threads,
      against: peer,
      once,
      operations: Object.fromEntries(Object.keys(FLOPS).map((task) => [task, measure(task)])),
    };
  });
}

/** The same by ml-matrix, which allocates its results. */
function mlMatrixOperations({ mlMatrix, library, seconds }, n) {
  if (mlMatrix === undefined) return undefined;
  const { Matrix, CholeskyDecomposition, EigenvalueDecomposition } = mlMatrix;
  const { normal } = library.seededRandom(1);
  const A = new Matrix(Array.from({ length: n }, () => Float64Array.from({ length: n }, normal)));
  const definite = A.mmul(A.transpose()).add(Matrix.eye(n).mul(n));
  const cholesky = new CholeskyDecomposition(definite);
  const identity = Matrix.eye(n);
  return {
    gemm: sampler(seconds, () => A.mmul(A)),
    cholesky: sampler(seconds, () => new CholeskyDecomposition(definite)),
    inverse: sampler(seconds, () => cholesky.solve(identity)),
    eigh: sampler(seconds, () => new EigenvalueDecomposition(definite, { assumeSymmetric: true })),
  };
}
