import {
  defineDensity,
  defineModel,
  describe,
  evaluate,
  fit,
  gaussianProcess,
  latent,
  linearMap,
  Matrix,
  mapped,
  markov,
  mixture,
  observed,
  positive,
  rbf,
  seededRandom,
  standardNormal,
} from 'latentfield';
import { defineTransform } from 'latentfield/model';
import * as op from 'latentfield/ops';
import { checkDensity, checkGradient, checkModel } from 'latentfield/testing';
import { expect, it } from 'vitest';

const { normal } = seededRandom(1);
const Y = Matrix.from(
  Array.from({ length: 20 }, (_, i) => [Math.sin(i / 3) + 0.1 * normal(), Math.cos(i / 3) + 0.1 * normal()]),
);
const process = () => gaussianProcess({ kernel: rbf() });

const mixedPrior = () => mixture([standardNormal({ precision: 0.5 }), standardNormal({ precision: 4 })]);
const mixed = defineModel({
  name: 'mixed',
  variables: (data: Matrix) => {
    const z = latent({ dim: 2, density: mixedPrior() });
    return { z, y: observed(data, { density: process(), given: z }) };
  },
});

it('mixtures of built-in priors pass the conformance kit', { tags: 'long' }, () => {
  expect(checkDensity(mixedPrior(), { columns: 2 }).passed).toBe(true);
  expect(checkModel(mixed(Y), { models: { mixed } }).passed).toBe(true);
});

it('built-in priors mix as a prior of latents', async () => {
  const model = mixed(Y);
  const z = Matrix.from(Array.from({ length: 20 }, (_, i) => [0.1 * i - 1, Math.cos(i)]));
  let byHand = 0;
  for (const [a, b] of z.toArrays() as [number, number][]) {
    const under = (t: number) => (t / (2 * Math.PI)) * Math.exp(-0.5 * t * (a * a + b * b));
    byHand += Math.log(0.5 * under(0.5) + 0.5 * under(4));
  }
  expect(Math.abs(evaluate(model, { z } as never).terms.z! / byHand - 1)).toBeLessThan(1e-12);
  const result = await fit(model, { maxIterations: 10 });
  expect((await result.project(Y.toArrays().slice(0, 2))).latents.rows).toBe(2);
});

it('forecasts of several observed variables come by their names', async () => {
  const two = defineModel({
    name: 'two',
    variables: (data: Matrix) => {
      const z = latent({ dim: 1, density: markov() });
      return {
        z,
        a: observed(data, { density: process(), given: z }),
        b: observed(data, { density: process(), given: z }),
      };
    },
  });
  const result = await fit(two(Y), { maxIterations: 5 });
  const { latents, a, b } = result.forecast(3);
  const at = result.predict({ z: latents });
  expect([latents.rows, a.mean.rows, b.mean.columns]).toEqual([3, 3, 2]);
  // A walk goes nowhere on average: the paths of both variables are the same.
  const last = result.latents.at(result.latents.rows - 1, 0);
  for (const entry of latents.data) expect(entry).toBeCloseTo(last, 12);
  const noise = (name: 'a' | 'b') =>
    at[name].variance.data[0]! + (result.parameters as Record<string, number>)[`${name}.noise`]!;
  expect(a.variance.data[0]).toBeGreaterThan(noise('a'));
  expect(b.variance.data[0]).toBeGreaterThan(noise('b'));
});

it('gradients of inverse hyperbolic functions agree with differences', () => {
  const x = Matrix.from([[0.3, -0.6, 0.9]]);
  for (const f of [op.asinh, op.atanh, (x: op.Tensor2D) => op.acosh(op.add<op.Tensor2D>(op.square(x), 1.5))]) {
    const sum = ({ x }: Record<string, op.Tensor>) =>
      op.sum<op.Scalar>(op.mul(f(x as op.Tensor2D), op.tensor<op.Tensor2D>([[1, 2, 3]])));
    expect(checkGradient(sum, { x }, { tolerance: 1e-8 }).passed).toBe(true);
  }
});

it('a gradient that is not a number is of a named term, in batches too', async () => {
  const rooted = defineDensity({
    name: 'rooted',
    parameters: { scale: positive(1) },
    // The square root of 0 has no gradient.
    logDensity: (p, { value, given: [f] }) => {
      const gaps = op.sub<op.Tensor2D>(value, f!);
      const roots = op.sqrt(op.mul(op.square(gaps), 0));
      return op.sum<op.Tensor1D>(
        op.sub(op.mul(-0.5, op.square(op.div(gaps, p.scale))), op.add(roots, op.log(p.scale))),
        1,
      );
    },
  });
  const broken = defineModel({
    name: 'broken',
    variables: (data: Matrix) => {
      const z = latent({ dim: 1, density: standardNormal() });
      const f = mapped(z, linearMap(), { dim: 2 });
      return { z, f, y: observed(data, { density: rooted(), given: f }) };
    },
  });
  await expect(fit(broken(Y), { maxIterations: 5 })).rejects.toThrow("The gradient of term 'y' in");
  await expect(fit(broken(Y), { batchSize: 5, maxEpochs: 2 })).rejects.toThrow("The gradient of term 'y' in");
});

it('describe names custom transforms of parameters', () => {
  const below = defineTransform({
    name: 'belowZero',
    toNatural: (u) => u.map((entry) => -Math.exp(entry)),
    toUnconstrained: (x) => x.map((entry) => Math.log(-entry)),
    pullBack: (gradient, natural) => gradient.map((entry, i) => entry * natural[i]!),
    refuses: (x) => (x.every((entry) => entry < 0) ? undefined : 'below 0'),
  });
  const shifted = defineDensity({
    name: 'shifted',
    parameters: { shift: below(-1) },
    logDensity: (p, { value }) => op.sum<op.Tensor1D>(op.mul(-0.5, op.square(op.sub(value, p.shift))), 1),
    normalized: false,
  });
  const model = defineModel({
    name: 'low',
    variables: (data: Matrix) => {
      const z = latent({ dim: 1, density: shifted() });
      return { z, y: observed(data, { density: process(), given: z }) };
    },
  });
  expect(describe(model(Y))).toContain('  z.shift: belowZero');
});
