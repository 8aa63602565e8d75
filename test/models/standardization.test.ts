import { describe, expect, it } from 'vitest';
import {
  add,
  bias,
  fit,
  fixed,
  latentVariableModel,
  loadFit,
  Matrix,
  matern32,
  seededRandom,
} from '../../src/index.ts';
import { expectClose } from '../tolerance.ts';

const { normal } = seededRandom(3);
const X = Matrix.from(Array.from({ length: 15 }, () => [normal(), normal()]));
const Y = Matrix.from(
  X.toArrays().map(([a, b]) => [Math.sin(a!), Math.cos(b!), a! * b!].map((entry) => entry + 0.1 * normal())),
);
const OFFSET = [100, -3, 0];
const FACTOR = [20, 0.01, 1];
const changed = Matrix.from(Y.toArrays().map((row) => row.map((entry, j) => FACTOR[j]! * entry + OFFSET[j]!)));
const at = [
  [0.3, -0.2],
  [2, 1],
];

function fitted(observations: Matrix, options: { center?: boolean; scale?: boolean }) {
  const model = latentVariableModel({
    observations,
    latentDim: 2,
    init: X,
    kernel: add(matern32({ variance: 1.2 }), bias({ variance: 0.1 })),
    noise: fixed(0.01),
    ...options,
  });
  return fit(model, { maxIterations: 0 });
}

const column = (matrix: Matrix, j: number) => matrix.column(j);

describe('means and scales of the observations', () => {
  it('are removed before fitting and put back by predict: a change of units changes the units of predictions, and nothing else', async () => {
    const [plain, other] = [await fitted(Y, { scale: true }), await fitted(changed, { scale: true })];
    expectClose(other.objective, plain.objective, 1e-12, 'objective');
    for (const noise of [false, true]) {
      const [expected, actual] = [plain.predict(at, { noise }), other.predict(at, { noise })];
      for (let j = 0; j < 3; j++) {
        const mean = column(expected.mean, j).map((entry) => FACTOR[j]! * entry + OFFSET[j]!);
        expectClose(column(actual.mean, j), mean, 1e-12, `mean of column ${j}`);
        const variance = column(expected.variance, j).map((entry) => FACTOR[j]! ** 2 * entry);
        expectClose(column(actual.variance, j), variance, 1e-11, `variance of column ${j}`);
      }
    }
  });

  it('follow the columns: the model of standardized columns with both off has the same predictions up to them', async () => {
    const N = Y.rows;
    const means = OFFSET.map((_, j) => column(changed, j).reduce((sum, entry) => sum + entry, 0) / N);
    const deviations = means.map((mean, j) =>
      Math.sqrt(column(changed, j).reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / N),
    );
    const standard = Matrix.from(
      changed.toArrays().map((row) => row.map((entry, j) => (entry - means[j]!) / deviations[j]!)),
    );
    const expected = (await fitted(standard, { center: false })).predict(at);
    const actual = (await fitted(changed, { scale: true })).predict(at);
    for (let j = 0; j < 3; j++) {
      const mean = column(expected.mean, j).map((entry) => deviations[j]! * entry + means[j]!);
      expectClose(column(actual.mean, j), mean, 1e-12, `mean of column ${j}`);
      const variance = column(expected.variance, j).map((entry) => deviations[j]! ** 2 * entry);
      expectClose(column(actual.variance, j), variance, 1e-11, `variance of column ${j}`);
    }
  });

  it('far from the data, predictions go back to the means, when these are removed, and to 0 when not', async () => {
    const far = [[1e3, 1e3]];
    const mean = (await fitted(changed, { scale: true })).predict(far).mean.at(0, 0);
    const average = column(changed, 0).reduce((sum, entry) => sum + entry, 0) / Y.rows;
    // The bias keeps its share of what is left of the centered column, which is little.
    expect(Math.abs(mean - average)).toBeLessThan(1);
    const uncentered = (await fitted(changed, { center: false })).predict(far).mean.at(0, 0);
    expect(Math.abs(uncentered - average)).toBeGreaterThan(10);
  });

  it('are saved with the fit', async () => {
    const result = await fitted(changed, { scale: true });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(Array.from(again.predict(at).mean.data)).toEqual(Array.from(result.predict(at).mean.data));
    expect(Array.from(again.predict(at).variance.data)).toEqual(Array.from(result.predict(at).variance.data));
  });
});
