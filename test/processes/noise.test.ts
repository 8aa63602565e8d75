import { describe, expect, it } from 'vitest';
import { doublesOf, matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  add,
  bias,
  covariance,
  evaluate,
  fit,
  gaussian,
  type Kernel,
  type Likelihood,
  latentVariableModel,
  linear,
  loadFit,
  Matrix,
  matern32,
  polynomial,
  rbf,
  scale,
  seededRandom,
  thinPlateSpline,
  white,
} from '../../src/index.ts';
import { valueTensors } from '../../src/model/part.ts';
import { structureOf } from '../../src/processes/approximations.ts';
import { expectClose } from '../tolerance.ts';
import { logDensityOf, momentsOf } from './denseGaussian.ts';

const [N, D, Q] = [14, 5, 2];
const random = seededRandom(3);
const drawn = (rows: number, columns: number) =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));
const X = drawn(N, Q);
const Y = drawn(N, D);
const A = drawn(4, Q);
/** Two patterns of missing entries, and a column of its own. */
const withHoles = Y.map((row, i) =>
  row.map((entry, j) => (((j === 1 || j === 3) && i % 4 === 0) || (j === 4 && i < 3) ? Number.NaN : entry)),
);

const centers = [
  [0, 0],
  [0.5, -1],
  [-0.7, 0.4],
];
const kernels: Record<string, [Kernel, 'dense' | 'lowRank' | 'symmetricBasis']> = {
  'rbf + bias': [add(rbf({ lengthscale: [0.8, 1.5] }), bias({ variance: 0.3 })), 'dense'],
  'matern32 + white': [add(matern32(), white({ variance: 0.2 })), 'dense'],
  'linear + bias': [add(linear({ variance: 1.4 }), bias({ variance: 0.3 })), 'lowRank'],
  'linear + white': [add(linear({ variance: [0.6, 1.4] }), white({ variance: 0.2 })), 'lowRank'],
  'quadratic polynomial': [polynomial({ scale: 0.7, offset: 0.4 }), 'lowRank'],
  'scaled thin plate spline with centers': [scale(thinPlateSpline({ centers }), 2), 'lowRank'],
  'scaled thin plate spline': [add(scale(thinPlateSpline(), 2), white({ variance: 0.1 })), 'symmetricBasis'],
};
const ofEachStructure = ['rbf + bias', 'linear + bias', 'scaled thin plate spline'];
/** The variance of the noise in row i and column j. */
type Variances = (i: number, j: number) => number;
const columnVariances = [0.1, 0.02, 0.5, 0.1, 0.3];
const rowVariances = Array.from({ length: N }, (_, i) => 0.05 + 0.04 * i);
const noises: Record<string, [Likelihood, Variances]> = {
  'one variance': [gaussian({ variance: 0.07 }), () => 0.07],
  'a variance per column': [gaussian({ variance: columnVariances }), (_, j) => columnVariances[j]!],
  'a variance per row': [gaussian({ variance: rowVariances, per: 'row' }), (i) => rowVariances[i]!],
};
const average = rowVariances.reduce((sum, entry) => sum + entry / N, 0);

const modelOf = (kernel: Kernel, likelihood: Likelihood, observations: number[][]) =>
  latentVariableModel({ observations, latentDim: Q, kernel, likelihood, center: false, missing: 'ignore' });

/** The observed rows of column j, and what the plain formulas need of them. */
function columnOf(kernel: Kernel, noise: Variances, data: number[][], j: number) {
  const rows = data.flatMap((row, i) => (Number.isNaN(row[j]) ? [] : [i]));
  const K = covariance(kernel, X).toArrays();
  return {
    rows,
    K: rows.map((i) => rows.map((k) => K[i]![k]!)),
    noise: rows.map((i) => noise(i, j)),
    y: rows.map((i) => data[i]![j]!),
  };
}

it('kernels have the structures that these tests are of', () => {
  for (const [kernel, kind] of Object.values(kernels)) expect(structureOf(kernel, N, Q).kind).toBe(kind);
  expect(structureOf(linear(), 2, Q).kind).toBe('dense');
});

describe.each(Object.keys(kernels))('of a mapping with %s', (kernelName) => {
  const [kernel] = kernels[kernelName]!;
  describe.each(Object.keys(noises))('and %s', (noiseName) => {
    const [likelihood, noise] = noises[noiseName]!;
    // Each kernel with one noise, and each noise with a kernel of each structure.
    const tags = noiseName === 'one variance' || ofEachStructure.includes(kernelName) ? [] : ['long'];
    describe.each([
      ['complete', Y],
      ['incomplete', withHoles],
    ] as const)('%s observations', { tags }, (_name, data) => {
      const model = modelOf(kernel, likelihood, data);

      it('have the log density of their columns', () => {
        const expected = Array.from({ length: D }, (_, j) => {
          const { K, noise: own, y } = columnOf(kernel, noise, data, j);
          return logDensityOf(K, own, y);
        });
        const { objective } = evaluate(model, { latents: X });
        expectClose([objective], [expected.reduce((sum, part) => sum + part, 0)], 1e-10, 'log density');
      });

      it('have gradients that agree with differences', () => {
        const start: Record<string, number | readonly number[] | number[][]> = {
          latents: X,
          'mapping.noise': initialOf(likelihood),
        };
        const { gradients } = evaluate(model, start);
        const h = 2e-4;
        const slope = (moved: (sign: number) => typeof start) => {
          const at = (step: number) => evaluate(model, { ...start, ...moved(step) }).objective;
          return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        };
        const noiseStart = start['mapping.noise']!;
        if (typeof noiseStart === 'number') {
          expectClose(
            [gradients['mapping.noise'] as number],
            [slope((step) => ({ 'mapping.noise': noiseStart + step }))],
            1e-7,
          );
        } else {
          const own = gradients['mapping.noise'] as number[];
          for (const k of [0, 3]) {
            const moved = (step: number) => ({
              'mapping.noise': (noiseStart as number[]).map((entry, i) => (i === k ? entry + step : entry)),
            });
            expectClose([own[k]!], [slope(moved)], 1e-8, `variance ${k}`);
          }
        }
        const dX = gradients.latents as Matrix;
        for (const [i, d] of [
          [0, 0],
          [5, 1],
        ] as const) {
          const moved = (step: number) => ({
            latents: X.map((row, k) => row.map((entry, e) => (k === i && e === d ? entry + step : entry))),
          });
          // Relative to the largest entry of the gradient.
          const most = Math.max(...dX.data.map(Math.abs));
          expectClose([most, dX.at(i, d)], [most, slope(moved)], 1e-8, `latent ${i}, ${d}`);
        }
        for (const path of Object.keys(gradients).filter(
          (key) => key.startsWith('mapping.kernel.') && key.endsWith('variance'),
        )) {
          const value = kernel.parameters[path.slice('mapping.kernel.'.length)]!.initial;
          if (typeof value !== 'number') continue;
          expectClose([gradients[path] as number], [slope((step) => ({ [path]: value + step }))], 1e-7, path);
        }
      });

      it('are predicted, placed, drawn and saved', async () => {
        const options = {
          observations: data,
          latentDim: Q,
          kernel,
          likelihood,
          center: false,
          missing: 'ignore',
        } as const;
        const result = await fit(latentVariableModel({ ...options, init: X }), { maxIterations: 0 });
        const expected = momentsAt(kernel, noise, data, A);
        const ofNew = (j: number) => (noiseName === 'a variance per row' ? average : noise(0, j));
        const predicted = result.predict(A);
        const means = expected.map((row) => row.map(({ mean }) => mean));
        const variances = expected.map((row) => row.map(({ variance }) => variance));
        expectClose(predicted.mean, means, 1e-9, 'mean');
        expectClose(predicted.variance, variances, 1e-9, 'variance');
        const noisy = result.predict(A, { noise: true });
        const added = variances.map((row) => row.map((variance, j) => variance + ofNew(j)));
        expectClose(noisy.variance, added, 1e-9, 'variance of observations');

        const Ynew = Y.slice(0, 2).map((row, i) => row.map((entry, j) => (i === 0 && j === 2 ? Number.NaN : entry)));
        const projection = await result.project(Ynew);
        const placed = momentsAt(kernel, noise, data, projection.latents.toArrays());
        const densities = placed.map((row, i) =>
          row.reduce((sum, { mean, variance }, j) => {
            const v = variance + ofNew(j);
            const y = Ynew[i]![j]!;
            return Number.isNaN(y) ? sum : sum - 0.5 * (Math.log(2 * Math.PI * v) + (y - mean) ** 2 / v);
          }, 0),
        );
        expectClose(projection.logDensityAtPlace!, densities, 1e-8, 'log density of new observations');

        const again = await loadFit(JSON.parse(JSON.stringify(result)));
        expect(again.predict(A, { noise: true })).toEqual(noisy);
        const draws = { seed: 5, noise: true };
        expect(again.sample(A, draws)).toEqual(result.sample(A, draws));
      });
    });
  });
});

const initialOf = (likelihood: Likelihood) => likelihood.parameters.noise!.initial as number | readonly number[];

/** k(a, x) of every new input to every point, and k(a, a), of a process with inputs X. */
function acrossOf(kernel: Kernel, at: readonly (readonly number[])[]) {
  const points = Matrix.from(at.map((row) => [...row]));
  const to = covariance(kernel, points, X).toArrays();
  const own = withFloat64(() => {
    const values = Object.entries(kernel.parameters).map(([key, { initial }]) => [key, initial]);
    return doublesOf(kernel.diagonal(valueTensors(Object.fromEntries(values)), matrixTensor(points), op.tensor(X)));
  });
  return { to, own };
}

/** Mean and variance of the function of every column at every input. */
function momentsAt(kernel: Kernel, noise: Variances, data: number[][], at: readonly (readonly number[])[]) {
  const { to, own } = acrossOf(kernel, at);
  return at.map((_, n) =>
    Array.from({ length: D }, (_, j) => {
      const { rows, K, noise: variances, y } = columnOf(kernel, noise, data, j);
      const k = rows.map((i) => to[n]![i]!);
      return momentsOf(K, variances, y, k, own[n]!);
    }),
  );
}
