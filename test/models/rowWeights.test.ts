import {
  bayesianGplvm,
  evaluate,
  fit,
  fixed,
  fixedAt,
  gplvm,
  InvalidInputError,
  loadFit,
  Matrix,
  rbf,
  tpslvm,
} from 'latentfield';
import { byKind } from 'latentfield/models';
import { expect, it } from 'vitest';

const X = Matrix.from([[-1.2], [0.3], [0.9], [1.6]]);
const Y = Matrix.from([
  [0.2, 1, 0.4],
  [0.9, -0.3, 0.1],
  [1.7, 0.1, 0.6],
  [-2.4, 0.4, 0.2],
]);
const WEIGHTS = [1, 2, 0, 3];
const repeated = (rows: Matrix) => Matrix.from(WEIGHTS.flatMap((count, i) => new Array(count).fill(rows.row(i))));
const inducing = [[-1], [0.2], [1.4]];
const scales = { latentDim: 1, center: false, scale: false, inducing, kernel: rbf({ variance: 1.3 }) } as const;
const plain = { ...scales, priors: [], noise: fixed(0.2) } as const;

it.each(['gplvm', 'tpslvm'] as const)(
  '%s at fixed latents counts rows like repeated rows, and is saved with its weights',
  async (name) => {
    const make = { gplvm, tpslvm }[name];
    const weighed = make(Y, { ...plain, posterior: fixedAt(X), rowWeights: WEIGHTS });
    const many = make(repeated(Y), { ...plain, posterior: fixedAt(repeated(X)) });
    const [a, b] = [evaluate(weighed), evaluate(many)];
    expect(a.objective).toBeCloseTo(b.objective, 9);
    expect(Math.abs(a.objective - evaluate(make(Y, { ...plain, posterior: fixedAt(X) })).objective)).toBeGreaterThan(1);
    const [one, other] = [await fit(weighed, { maxIterations: 5 }), await fit(many, { maxIterations: 5 })];
    const at = [[0], [1]];
    const [p, q] = [one.predict(at), other.predict(at)];
    for (const part of ['mean', 'variance'] as const) {
      p[part].data.forEach((entry, k) => {
        expect(entry).toBeCloseTo(q[part].data[k]!, 6);
      });
    }
    const saved = JSON.parse(JSON.stringify(one));
    expect(saved.model.rowWeights).toEqual(WEIGHTS);
    expect(loadFit(saved).predict!(at).mean.data).toEqual(p.mean.data);
  },
);

it('a weight of 0 removes a row from the bound of a Bayesian GPLVM, and keeps the divergence of its latents', () => {
  const noise = fixed(0.2);
  const weighed = evaluate(bayesianGplvm(Y, { ...scales, noise, init: X, rowWeights: [1, 1, 0, 1] }));
  const [rows, places] = [Y, X].map((all) => Matrix.from([0, 1, 3].map((i) => all.row(i)))) as [Matrix, Matrix];
  const kept = evaluate(bayesianGplvm(rows, { ...scales, noise, init: places }));
  expect(weighed.terms.mapping).toBeCloseTo(kept.terms.mapping!, 9);
  expect(Math.abs(weighed.terms.divergence! - kept.terms.divergence!)).toBeGreaterThan(0.01);
});

it('densities by the kinds of columns count rows by their weights, and are saved with them', () => {
  const table = { columns: ['a', 'b', 'c'], observations: Y };
  const options = { latentDim: 1, inducing: 3, columns: byKind() };
  const model = bayesianGplvm(table, { ...options, rowWeights: Float64Array.from(WEIGHTS) });
  expect(model.toJSON()).toMatchObject({ model: 'byKind', rowWeights: WEIGHTS });
  const [weighed, equal] = [model, bayesianGplvm(table, options)].map((each) => evaluate(each).objective);
  expect(Math.abs(weighed! - equal!)).toBeGreaterThan(1);
});

it('weights are refused for an exact process, for another number of rows, below 0, and if all are 0', () => {
  const { inducing: _, ...exact } = plain;
  expect(() => evaluate(gplvm(Y, { ...exact, rowWeights: WEIGHTS }))).toThrow(/use inducing inputs/);
  expect(() => gplvm(Y, { ...plain, rowWeights: [1, 2] })).toThrow(InvalidInputError);
  expect(() => gplvm(Y, { ...plain, rowWeights: [1, 2, -1, 1] })).toThrow(/^Row weights .* row index 2 has -1/);
  expect(() => gplvm(Y, { ...plain, rowWeights: [0, 0, 0, 0] })).toThrow(/All row weights are 0/);
});
