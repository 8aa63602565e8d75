import * as op from '../../../src/engine/tensors/ops.ts';
import {
  circle,
  defineDensity,
  defineLikelihood,
  defineModel,
  embedded,
  fixed,
  gaussian,
  gaussianProcess,
  knnGraph,
  known,
  laplacian,
  latent,
  type Matrix,
  mapped,
  maxEntropy,
  mlpMap,
  observed,
  positive,
  quadratic,
  type Random,
  rbf,
  real,
  sphere,
  squaredDifferences,
  standardNormal,
} from '../../../src/index.ts';

type Tensor2D = op.Tensor2D;
type Tensor1D = op.Tensor1D;
interface Data {
  readonly y: Matrix;
}

/** log N(x | m, s²) of each row. */
const normalRows = (x: Tensor2D, m: op.TensorOrNumber, s: op.TensorOrNumber) =>
  op.sum<Tensor1D>(
    op.sub(op.mul(-0.5, op.square(op.div(op.sub(x, m), s))), op.add(op.log(s), 0.5 * Math.log(2 * Math.PI))),
    1,
  );
const rows = (x: Tensor2D, from: number, to: number) => op.slice<Tensor2D>(x, [from, 0], [to - from, x.shape[1]]);

// 1. Outlying entries: a Student-t with 4 degrees of freedom around a decoder.
const tails = ({ normal }: Random, shape: readonly [number, number]) => {
  const entry = () => normal() / Math.hypot(normal() / 2, normal() / 2, normal() / 2, normal() / 2);
  return op.tensor<Tensor2D>(Float64Array.from({ length: shape[0] * shape[1] }, entry), shape);
};
export const heavyTails = defineDensity({
  name: 'heavyTails',
  parameters: { scale: positive(0.3) },
  takesMissing: true,
  logDensity: (p, { value, given, present }) => {
    const drop = op.mul(2.5, op.log1p(op.square(op.div(op.sub(value, given[0]!), op.mul(2, p.scale)))));
    const entries = op.sub(op.sub(Math.log(3 / 8), op.log(p.scale)), drop);
    return op.sum<Tensor1D>(present === undefined ? entries : op.mul(present, entries), 1);
  },
  condition: (p) => ({
    moments: ([f]) => ({ mean: f!, variance: op.zerosLike(f!), noise: op.mul(2, op.square(p.scale)) }),
    sample: ([f], random) => op.add<Tensor2D>(f!, op.mul(p.scale, tails(random, f!.shape))),
  }),
  sample: (p, random, shape, [f]) => op.add(f!, op.mul(p.scale, tails(random, shape))),
});
export const robust = defineModel({
  name: 'robust',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 2, density: standardNormal() });
    const f = mapped(z, mlpMap({ hidden: 4 }), { dim: y.columns });
    return { z, f, y: observed(y, { density: heavyTails(), given: f, missing: 'ignore' }) };
  },
});

// 2. Noise that changes from place to place: a likelihood of two functions, mean and log deviation.
const changingNoise = defineLikelihood({
  name: 'changingNoise',
  functions: 2,
  logDensity: (_, [f, s], y) =>
    op.sub<Tensor2D>(
      op.mul(-0.5, op.square(op.mul(op.sub(y, f!), op.exp(op.neg(s!))))),
      op.add(s!, 0.5 * Math.log(2 * Math.PI)),
    ),
  sample: (_, [f, s], { normal }) => {
    const normals = op.tensor<Tensor2D>(Float64Array.from({ length: f!.size }, normal), f!.shape);
    return op.add(f!, op.mul(op.exp(s!), normals));
  },
  momentsAt: (_, [f, s]) => ({ mean: f!, variance: op.exp(op.mul<Tensor2D>(2, s!)) }),
});
export const heteroscedastic = defineModel({
  name: 'heteroscedastic',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const f = mapped(z, mlpMap({ hidden: 3 }));
    return { z, f, y: observed(y, { density: changingNoise(), given: f, missing: 'ignore' }) };
  },
});

// 3. Groups that are learned: two Gaussians of one width, which is held, as a point's own density needs.
const groups = defineDensity({
  name: 'groups',
  parameters: { first: real([-1, 0]), second: real([1, 0]), width: fixed(0.5) },
  logDensity: (p, { value }) => {
    const [a, b] = [normalRows(value, p.first, p.width), normalRows(value, p.second, p.width)];
    const most = op.maximum<Tensor1D>(a, b);
    const sum = op.add(op.exp(op.sub(a, most)), op.exp(op.sub(b, most)));
    return op.add<Tensor1D>(op.add(most, op.log(sum)), Math.log(0.5));
  },
});
export const grouped = defineModel({
  name: 'grouped',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 2, density: groups() });
    return {
      z,
      y: observed(y, { density: gaussianProcess({ kernel: rbf(), noise: 0.1 }), given: z, missing: 'ignore' }),
    };
  },
});

// 4. A process of a process.
export const deep = defineModel({
  name: 'deep',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const layer = gaussianProcess({ kernel: rbf({ variance: fixed(1) }), noise: fixed(0.01) });
    const h = latent({ dim: 2, density: layer, given: z });
    return { z, h, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: h, missing: 'ignore' }) };
  },
});

// 5. A neural decoder whose latents lie along the graph of neighbors.
export const alongGraph = defineModel({
  name: 'alongGraph',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 2, density: standardNormal(), factors: laplacian(knnGraph(y, 3), { strength: 0.5 }) });
    const f = mapped(z, mlpMap({ hidden: 4 }));
    return { z, f, y: observed(y, { density: gaussian({ variance: 0.1 }), given: f, missing: 'ignore' }) };
  },
});

// 6. A variational autoencoder, by minibatches.
export const autoencoder = defineModel({
  name: 'autoencoder',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 1, density: standardNormal(), posterior: gaussian({ encoder: mlpMap({ hidden: 3 }) }) });
    const f = mapped(z, mlpMap({ hidden: 3 }));
    return { z, f, y: observed(y, { density: gaussian({ variance: 0.2 }), given: f }) };
  },
});

// 7. Latents that go on as they went: x_t ~ N(2x_{t−1} − x_{t−2}, s²), the first two standard normal.
const inertia = defineDensity({
  name: 'inertia',
  parameters: { spread: fixed(0.2) },
  logDensity: (p, { value }) => {
    const n = value.shape[0];
    const expected = op.sub(op.mul(2, rows(value, 1, n - 1)), rows(value, 0, n - 2));
    return op.add<op.Scalar>(
      op.sum(normalRows(rows(value, 2, n), expected, p.spread)),
      op.sum(normalRows(rows(value, 0, 2), 0, op.scalar(1))),
    );
  },
  condition: (p) => ({
    next: (before) => ({
      mean: op.sub<Tensor2D>(op.mul(2, before(1)), before(2)),
      variance: op.square(p.spread),
    }),
  }),
});
export const secondOrder = defineModel({
  name: 'secondOrder',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 2, density: inertia() });
    return { z, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: z, missing: 'ignore' }) };
  },
});

// 8. Latents on a circle, and on a sphere.
export const onCircle = defineModel({
  name: 'onCircle',
  variables: ({ y }: Data) => {
    const angle = latent({ dim: 1 });
    const x = mapped(angle, circle());
    return { angle, x, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: x, missing: 'ignore' }) };
  },
});
export const onSphere = defineModel({
  name: 'onSphere',
  variables: ({ y }: Data) => {
    const v = latent({ dim: 3, density: standardNormal() });
    const x = mapped(v, sphere());
    return { v, x, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: x, missing: 'ignore' }) };
  },
});

// 9. A time that is known beside a latent that is not.
export const timed = defineModel({
  name: 'timed',
  variables: ({ y, t }: Data & { readonly t: Matrix }) => {
    const time = known(t);
    const z = latent({ dim: 1, density: standardNormal() });
    const density = gaussianProcess({ kernel: rbf({ lengthscale: [1, 0.5] }) });
    return { time, z, y: observed(y, { density, given: [z, time], missing: 'ignore' }) };
  },
});

// 10. Columns with latents of their own (LV-MOGP): the covariance of entries is k(x, x′)·k(h, h′) + σ².
const squared = (x: Tensor2D, y: Tensor2D) => op.exp(op.mul<Tensor2D>(-0.5, op.squaredDistances(x, y)));
const column = (x: Tensor2D) => op.reshape<Tensor2D>(x, [x.size, 1]);
/** Covariances of all entries of the rows at x with those at y. */
const pairs = (x: Tensor2D, y: Tensor2D, h: Tensor2D) => {
  const [n, m, D] = [x.shape[0], y.shape[0], h.shape[0]];
  const all = op.mul(op.reshape(squared(x, y), [n, 1, m, 1]), op.reshape(squared(h, h), [1, D, 1, D]));
  return op.reshape<Tensor2D>(all, [n * D, m * D]);
};
/** K + σ²I of the entries that are there; those that are not are independent, of variance 1. */
const ofEntries = (K: Tensor2D, noise: op.Tensor, there: Tensor2D | undefined) => {
  const all = op.addDiagonal(K, noise as op.Scalar);
  if (there === undefined) return all;
  const both = op.mul<Tensor2D>(all, op.matMul(there, there, false, true));
  return op.add<Tensor2D>(both, op.mul(op.eye(there.size), op.sub(1, there)));
};
/** log N(r | 0, S) of the entries that are there. */
const normalEntries = (r: Tensor2D, S: Tensor2D, there: Tensor2D | undefined) => {
  const whitened = op.triangularSolve(op.cholesky(S), there === undefined ? r : op.mul<Tensor2D>(there, r));
  const all = op.sub<op.Scalar>(op.normalLogDensity(whitened, op.scalar(1)), op.mul(0.5, op.logDeterminant(S)));
  if (there === undefined) return all;
  return op.add<op.Scalar>(all, op.mul(0.5 * Math.log(2 * Math.PI), op.sum(op.sub(1, there))));
};
const drawn = (S: Tensor2D, { normal }: Random) =>
  op.matMul<Tensor2D>(op.cholesky(S), op.tensor(Float64Array.from({ length: S.shape[0] }, normal), [S.shape[0], 1]));
const products = defineDensity({
  name: 'products',
  parameters: { noise: positive(0.1) },
  centered: true,
  takesMissing: true,
  logDensity: (p, { value, given: [x, h], present }) => {
    const there = present && column(present);
    return normalEntries(column(value), ofEntries(pairs(x!, x!, h!), p.noise, there), there);
  },
  condition: (p, { value, given: [x, h], present }) => {
    const there = column(present ?? op.onesLike(value));
    const L = op.cholesky(ofEntries(pairs(x!, x!, h!), p.noise, there));
    const y = op.triangularSolve(L, op.mul<Tensor2D>(there, column(value)));
    const at = (z: Tensor2D) => {
      const A = op.triangularSolve(L, op.mul<Tensor2D>(there, pairs(x!, z, h!)));
      const mean = op.matMul<Tensor2D>(A, y, true);
      return { A, mean, covariance: () => op.sub<Tensor2D>(pairs(z, z, h!), op.matMul(A, A, true)) };
    };
    const D = h!.shape[0];
    return {
      moments: ([z]) => {
        const { A, mean } = at(z!);
        const shape = [z!.shape[0], D];
        const variance = op.reshape<Tensor2D>(op.sub(1, op.sum(op.square(A), 0)), shape);
        return { mean: op.reshape<Tensor2D>(mean, shape), variance, noise: p.noise };
      },
      logPredictive: (all) => {
        const { A, mean } = at(all.given[0]!);
        const one = (i: number) => {
          const own = (tensor: Tensor2D) => column(rows(tensor, i, i + 1));
          const B = op.slice<Tensor2D>(A, [0, i * D], [-1, D]);
          const covariance = op.sub<Tensor2D>(squared(h!, h!), op.matMul(B, B, true));
          const seen = all.present && own(all.present);
          const misfit = op.sub<Tensor2D>(own(all.value), rows(mean, i * D, (i + 1) * D));
          return normalEntries(misfit, ofEntries(covariance, p.noise, seen), seen);
        };
        return op.stack(Array.from({ length: all.value.shape[0] }, (_, i) => one(i))) as Tensor1D;
      },
      sample: ([z], random) => {
        const { mean, covariance } = at(z!);
        const entries = op.add(mean, drawn(op.addDiagonal(covariance(), p.noise as op.Scalar), random));
        return op.reshape<Tensor2D>(entries, [z!.shape[0], D]);
      },
    };
  },
  sample: (p, random, shape, [x, h]) =>
    op.reshape<Tensor2D>(drawn(op.addDiagonal(pairs(x!, x!, h!), p.noise as op.Scalar), random), [...shape]),
});
export const outputs = defineModel({
  name: 'outputs',
  variables: ({ y }: Data) => {
    const z = latent({ dim: 1, density: standardNormal() });
    const h = latent({ dim: 2, rows: 'outputs', density: standardNormal() });
    return { z, h, y: observed(y, { density: products(), given: [z, h], missing: 'ignore' }) };
  },
});

// 11. Few weights that matter (horseshoe): w ~ N(0, (0.1·λ)²), λ half Cauchy, on a plate of the outputs; l = log λ.
const halfCauchy = defineDensity({
  name: 'halfCauchy',
  logDensity: (_, { value }) =>
    op.sum<Tensor1D>(op.add(op.sub(value, op.log1p(op.exp(op.mul(2, value)))), Math.log(2 / Math.PI)), 1),
});
const scaled = defineDensity({
  name: 'scaled',
  parameters: { all: fixed(0.1) },
  logDensity: (p, { value, given: [l] }) => normalRows(value, 0, op.mul(p.all, op.exp(l!))),
});
export const horseshoe = defineModel({
  name: 'horseshoe',
  variables: ({ y, x }: Data & { readonly x: Matrix }) => {
    const inputs = known(x);
    const plate = { dim: x.columns, rows: y.columns };
    const l = latent({ ...plate, density: halfCauchy(), init: 'random' });
    const w = latent({ ...plate, density: scaled(), given: l, init: 'random' });
    const f = mapped([inputs, w], (inputs, w) => op.matMul(inputs, op.transpose(w)));
    return { inputs, l, w, f, y: observed(y, { density: gaussian({ variance: 0.1 }), given: f, missing: 'ignore' }) };
  },
});

// 12. Two sets of constraints at once: squared distances of neighbors, and second differences along the rows.
export const bent = defineModel({
  name: 'bent',
  variables: (data: Data) => {
    const bends = Array.from({ length: data.y.rows - 2 }, (_, i) => ({
      rows: [i, i, i, i + 1, i + 1, i + 2],
      columns: [i, i + 1, i + 2, i + 1, i + 2, i + 2],
      values: [1, -2, 1, 4, -2, 1],
    }));
    const expect = { near: squaredDifferences(knnGraph(data.y, 3)), bend: quadratic(bends) };
    const y = observed(data.y, { density: maxEntropy({ base: 0.5, expect }) });
    return { y, x: embedded(y, { dim: 2 }) };
  },
});

/** All of them by name, for `loadFit` and workers. */
export const models = {
  ...{ robust, heteroscedastic, grouped, deep, alongGraph, autoencoder },
  ...{ secondOrder, onCircle, onSphere, timed, outputs, horseshoe, bent },
};
