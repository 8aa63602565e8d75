import {
  type Batch,
  bayesianGplvm,
  bernoulli,
  defineModel,
  evaluate,
  fit,
  fixed,
  gaussian,
  gaussianLatents,
  gaussianProcess,
  known,
  latent,
  latentVariableModel,
  loadFit,
  Matrix,
  type Model,
  mapped,
  observed,
  poisson,
  rbf,
  standardNormal,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import { valueTensors } from '../../../src/model/valueTensors.ts';

const random = seededRandom(11);
const X = Matrix.from(Array.from({ length: 24 }, () => [random.normal(), random.normal()]));
const Y = Matrix.from(
  X.toArrays().map(([a, b]) => [Math.sin(a!) + 0.1 * random.normal(), a! * b!, Math.cos(b!) + 0.1 * random.normal()]),
);
const counts = Matrix.from(X.toArrays().map(([a, b]) => [Math.round(Math.exp(1 + a!)), Math.round(2 + b! * b!)]));
const Z = Matrix.from(X.toArrays().slice(0, 7));
const relative = (a: number, b: number) => Math.abs(a - b) / Math.max(1, Math.abs(b));

/** A Bayesian GPLVM, said as its variables. */
const ownBayesian = defineModel({
  name: 'ownBayesian',
  variables: (data: { readonly y: Matrix; readonly inducing: number | Matrix }) => {
    const z = latent({ dim: 2, density: standardNormal(), posterior: gaussianLatents({ variance: 0.3 }) });
    const kernel = rbf({ variance: 1.3, lengthscale: [0.8, 1.4] });
    const y = observed(data.y, {
      density: gaussianProcess({ kernel, noise: 0.05, inducing: data.inducing }),
      given: z,
      missing: 'ignore',
    });
    return { z, y };
  },
});
const namedBayesian = (y: Matrix) =>
  bayesianGplvm(y, {
    latentDim: 2,
    kernel: rbf({ variance: 1.3, lengthscale: [0.8, 1.4] }),
    noise: 0.05,
    inducing: Z,
    latentVariance: 0.3,
    missing: 'ignore',
    scale: false,
  });
/** Values of the named model under the paths of the own one. */
const renamed = (values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([path, value]) => [
      path.replace('latents', 'z.posterior').replace('mapping', 'y'),
      value,
    ]),
  );

describe('a process through inducing inputs, given Gaussian rows', () => {
  const holed = Matrix.from(Y.toArrays().map((row, i) => row.map((y, j) => (i === 4 && j === 1 ? Number.NaN : y))));

  it.each([
    ['complete', Y],
    ['with a missing entry', holed],
  ])('has the bound of bayesianGplvm and its gradients: observations %s', async (_, y) => {
    const named = await evaluate(namedBayesian(y));
    const own = await evaluate(ownBayesian({ y, inducing: Z }));
    expect(relative(own.objective, named.objective)).toBeLessThan(1e-12);
    const gradients = renamed(named.gradients) as Record<string, number | number[] | Matrix>;
    const numbers = (of: unknown) => (of instanceof Matrix ? Array.from(of.data) : [of].flat(2)) as number[];
    for (const [path, gradient] of Object.entries(gradients)) {
      const right = numbers(gradient);
      const size = Math.max(1, ...right.map(Math.abs));
      numbers(own.gradients[path]).forEach((entry, i) => {
        expect([path, Math.abs(entry - right[i]!) / size < 1e-10]).toEqual([path, true]);
      });
    }
  });

  it('places new rows, predicts and imputes as bayesianGplvm does at the same values', async () => {
    const limits = { maxIterations: 30 };
    const named = await fit(namedBayesian(Y), limits);
    const own = await fit(ownBayesian({ y: Y, inducing: Z }), limits);
    const json = own.toJSON() as { values: object };
    const again = loadFit(JSON.parse(JSON.stringify({ ...json, values: json.values })), {
      models: { ownBayesian },
    }) as unknown as typeof own;
    expect(again.objective).toBe(own.objective);
    const rows = [
      [0.3, Number.NaN, 0.8],
      [-0.5, 0.2, 0.6],
    ];
    // The two fits went the same way: their bounds differ by rounding.
    expect(relative(own.objective, named.objective)).toBeLessThan(1e-6);
    const [a, b] = [await own.project({ y: rows }), await named.project(rows)];
    for (let i = 0; i < 4; i++) {
      expect(Math.abs(a.latents.data[i]! - b.latents.data[i]!)).toBeLessThan(1e-3);
      expect(relative(a.latentVariances!.data[i]!, b.latentVariances!.data[i]!)).toBeLessThan(1e-3);
    }
    const [filled, right] = [await own.impute({ y: rows }), await named.impute(rows)];
    expect(Math.abs(filled.y!.mean.at(0, 1) - right.mean.at(0, 1))).toBeLessThan(1e-3);
    expect(relative(filled.y!.variance.at(0, 1), right.variance.at(0, 1))).toBeLessThan(1e-2);
  });
});

describe('a process under a likelihood that is not Gaussian', () => {
  it('is the one of latentVariableModel, bit for bit', async () => {
    const own = defineModel({
      name: 'counted',
      variables: (data: { readonly y: Matrix }) => {
        const z = latent({ dim: 2, factors: standardNormal() });
        return {
          z,
          y: observed(data.y, {
            density: gaussianProcess({ kernel: rbf(), likelihood: poisson(), inducing: 6 }),
            given: z,
          }),
        };
      },
    });
    const named = latentVariableModel({
      observations: counts,
      latentDim: 2,
      kernel: rbf(),
      likelihood: poisson(),
      inducing: 6,
      priors: [standardNormal()],
    });
    const [a, b] = [await evaluate(own({ y: counts })), await evaluate(named)];
    expect(a.objective).toBe(b.objective);
    expect(Object.keys(a.terms)).toEqual(['y', 'z.standardNormal', 'y.divergence']);
  });

  it('bounds the evidence of labels from below, and comes within a hundredth of it', async () => {
    const model = defineModel({
      name: 'labelled',
      variables: (data: { readonly x: Matrix; readonly y: Matrix }) => {
        const x = known(data.x);
        const kernel = rbf({ variance: fixed(2), lengthscale: fixed(1) });
        const density = gaussianProcess({ kernel, likelihood: bernoulli(), inducing: [[0.5]] });
        const z = mapped(x, (rows) => op.mul(1, rows));
        return { x, z, y: observed(data.y, { density, given: z }) };
      },
    });
    const { objective, status } = await fit(model({ x: Matrix.from([[0.5], [0.5]]), y: Matrix.from([[1], [1]]) }));
    // Both labels are of one function value f ~ N(0, 2).
    const step = 1e-3;
    let evidence = 0;
    for (let f = -20; f < 20; f += step) {
      evidence += (step * (1 / (1 + Math.exp(-f))) ** 2 * Math.exp((-f * f) / 4)) / Math.sqrt(4 * Math.PI);
    }
    expect(status).toBe('converged');
    expect(objective).toBeLessThan(Math.log(evidence));
    expect(objective).toBeGreaterThan(Math.log(evidence) - 0.01);
  });

  it('is worked out some rows at a time: the batches of a partition add up to the whole', () => {
    const model = defineModel({
      name: 'inBatches',
      variables: (data: { readonly x: Matrix; readonly y: Matrix }) => {
        const x = known(data.x);
        const density = gaussianProcess({ kernel: rbf(), likelihood: gaussian({ variance: 0.1 }), inducing: 6 });
        const z = mapped(x, (rows) => op.mul(1, rows));
        return { x, z, y: observed(data.y, { density, given: z }) };
      },
    })({ x: X, y: Y }) as unknown as Model;
    expect(model.points).toBe(24);
    const valueAt = (batch: Batch | undefined) =>
      withFloat64(() => {
        const assembly = model.assemble(0, { batched: true });
        const values = Object.fromEntries(
          Object.entries(assembly.parameters).map(([path, own]) => [path, own.initial]),
        );
        const context = {
          iteration: 0,
          random: seededRandom(1),
          onJitter: () => {},
          onRank: () => {},
          ...(batch && { batch }),
        };
        const terms = assembly.terms(valueTensors(values), context);
        const found = { y: op.valueOf(terms.y!), lost: op.valueOf(terms['y.divergence']!) };
        assembly.dispose();
        return found;
      });
    const whole = valueAt(undefined);
    const parts = [0, 1, 2].map((k) =>
      valueAt({ rows: Int32Array.from({ length: 8 }, (_, i) => k + 3 * i), scale: 3 }),
    );
    const mean = parts.reduce((sum, { y }) => sum + y / 3, 0);
    expect(relative(mean, whole.y)).toBeLessThan(1e-13);
    for (const { lost } of parts) expect(lost).toBe(whole.lost);
  });

  it('has no moments of its own, and needs inducing inputs', () => {
    expect(() => gaussianProcess({ kernel: rbf(), likelihood: poisson() })).toThrow(/Give inducing inputs too/);
    expect(() => gaussianProcess({ kernel: rbf(), inducing: 0.5 })).toThrow(/whole number of inducing inputs from 1/);
  });
});
