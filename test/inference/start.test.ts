import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar } from '../../src/engine/tensors/tensorflow.ts';
import {
  backConstrained,
  bayesianGplvm,
  evaluate,
  fit,
  fitAt,
  fixed,
  gplvm,
  InvalidInputError,
  kernelRegression,
  latentVariableModel,
  loadFit,
  logDensityOf,
  Matrix,
  meu,
  pca,
  rbf,
  real,
} from '../../src/index.ts';
import { positive } from '../../src/model/parameter.ts';
import { bundled } from '../bundled.ts';
import { densityModel } from './densityModel.ts';

const Y = Array.from({ length: 12 }, (_, i) => [Math.sin(i), Math.cos(i), Math.sin(2 * i) + i / 20]);
const model = gplvm(Y, { latentDim: 2 });

describe('the option start of fit', () => {
  it('begins at explicit natural values, with the values of the model for all other paths', async () => {
    const latents = Y.map(([a, b]) => [a!, b! / 2]);
    const values = { latents, 'mapping.noise': 0.3 };
    const result = await fit(model, { start: values, maxIterations: 0 });
    expect(result.objective).toBeCloseTo(evaluate(model, values).objective, 10);
    expect(result.latents.toArrays()).toEqual(latents);
    expect(result.parameters['mapping.noise']).toBeCloseTo(0.3, 14);
  });

  it('continues from a fit that reached its limit, to the optimum of a fit without interruption', async () => {
    const noisy = gplvm(Y, { latentDim: 2, noise: fixed(0.05) });
    const early = await fit(noisy, { maxIterations: 15 });
    const late = await fit(noisy, { start: early });
    expect(late.trace[0]!.objective).toBeCloseTo(early.objective, 9);
    expect(late.objective).toBeGreaterThan(early.objective);
    const whole = await fit(noisy);
    expect(late.status).toBe('converged');
    expect(late.objective).toBeCloseTo(whole.objective, 4);
  });

  it('continues from a fit with back-constraints, whose latents are computed', async () => {
    const own = latentVariableModel({
      ...{ observations: Y, latentDim: 2, kernel: rbf(), noise: 0.1 },
      posterior: backConstrained(kernelRegression()),
    });
    const early = await fit(own, { maxIterations: 3 });
    const again = await fit(own, { start: early, maxIterations: 0 });
    expect(again.objective).toBeCloseTo(early.objective, 9);
  });

  it('continues from a loaded fit of a model with bounds, which has converged there', async () => {
    const field = meu(Y, { latentDim: 2, neighbors: 4 });
    const early = await fit(field);
    const again = await fit(field, { start: loadFit<typeof field>(JSON.parse(JSON.stringify(early.toJSON()))) });
    expect(again.status).toBe('converged');
    expect(again.diagnostics.evaluations).toBeLessThan(early.diagnostics.evaluations);
    expect(again.objective).toBeCloseTo(early.objective, 9);
  });

  it('is where restarts are moved from', async () => {
    const parabola = densityModel(
      { x: real([0, 0]), latents: fixed(Matrix.zeros(1, 1)) },
      (v) => op.neg(op.sum(op.square(v.x!))) as Scalar,
    );
    const at = await fit(parabola, { start: { x: [1e6, 1e6] }, maxIterations: 0, restarts: 2 });
    // Moves are half of the root mean square, 5e5: from the model's own start they would be of the order of 1.
    for (const objective of at.diagnostics.restarts!) expect(objective).toBeLessThan(-1e9);
  });

  it('starts workers of restarts there too', { tags: 'long' }, async () => {
    const options = { start: { 'mapping.noise': 0.2 }, restarts: 1, maxIterations: 3 } as const;
    const alone = await fit(model, options);
    const url = await bundled('src/app/workers/fitWorker.ts');
    const shared = await fit(model, { ...options, workers: { count: 2, start: () => new Worker(url) } });
    expect(shared.objective).toBe(alone.objective);
  });

  it.each([
    ['an unknown path', { 'mapping.noize': 1 }, /no parameter 'mapping\.noize'/],
    ['a wrong shape', { latents: [[1, 2]] }, /'latents' has shape \[12, 2\]/],
    ['a value outside its support', { 'mapping.noise': -1 }, /'mapping\.noise'/],
    ['a number', 3, /Option 'start' of fit must be values by path, or a fit/],
  ])('refuses %s', async (_, start, message) => {
    const error = await fit(model, { start: start as never }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(message);
  });

  it('refuses another value of a parameter that the model fixes', async () => {
    const held = gplvm(Y, { latentDim: 2, noise: fixed(0.1) });
    await expect(fit(held, { start: { 'mapping.noise': 0.2 } })).rejects.toThrow(/'mapping\.noise'.*fixes/);
    await expect(fit(held, { start: { 'mapping.noise': 0.1 }, maxIterations: 1 })).resolves.toBeDefined();
  });

  it('refuses a model that computes its solution', async () => {
    await expect(fit(pca(Y, { latentDim: 2 }), { start: {} } as never)).rejects.toThrow(
      /computes its solution directly.*'start'/,
    );
  });
});

describe('fitAt', () => {
  it('is the fit at exactly these values: its objective and predictions agree with the fit they come from', async () => {
    const result = await fit(model, { maxIterations: 30 });
    const at = fitAt(model, { latents: result.latents, ...result.parameters });
    expect(at.objective).toBe(result.objective);
    expect(at.terms).toEqual(result.terms);
    expect(at.predict([[0.1, 0.2]])).toEqual(result.predict([[0.1, 0.2]]));
    expect(at.parameters).toEqual(result.parameters);
    expect(at.status).toBe('stopped');
    expect(at.diagnostics.gradientNorm).toBeCloseTo(result.diagnostics.gradientNorm, 6);
    expect(fitAt(model, result).objective).toBe(result.objective);
  });

  it('has the objective of evaluate, and can be saved and loaded', () => {
    const values = { 'mapping.noise': 0.05 };
    const at = fitAt(model, values);
    expect(at.objective).toBe(evaluate(model, values).objective);
    const again = loadFit<typeof model>(JSON.parse(JSON.stringify(at.toJSON())));
    expect(again.predict([[0, 1]])).toEqual(at.predict([[0, 1]]));
  });

  it('accepts values of parameters that the model fixes, as evaluate does', () => {
    const held = gplvm(Y, { latentDim: 2, noise: fixed(0.1) });
    expect(fitAt(held, { 'mapping.noise': 0.2 }).objective).toBe(evaluate(held, { 'mapping.noise': 0.2 }).objective);
  });

  it('gives the evidence of a variational model, and the violation of a field', async () => {
    const variational = bayesianGplvm(Y, { latentDim: 1, inducing: 5 });
    expect(fitAt(variational).evidence).toBe(evaluate(variational).objective);
    const field = meu(Y, { latentDim: 2, neighbors: 4 });
    const result = await fit(field);
    expect(fitAt(field, result).diagnostics.kktResidual).toBe(result.diagnostics.kktResidual);
    expect(fitAt(field, result).diagnostics.gradientNorm).toBeLessThan(1e-6);
  });

  it('refuses a model that computes its solution, and unknown options', () => {
    expect(() => fitAt(pca(Y, { latentDim: 2 }))).toThrow(/'pca' computes its solution/);
    expect(() => fitAt(model, {}, { maxIterations: 1 } as never)).toThrow(/fitAt has no option 'maxIterations'/);
    expect(() => fitAt(model, { latents: [[1, Number.NaN]] })).toThrow(InvalidInputError);
  });
});

describe('hessianVector of an open model', () => {
  // log p = −½·(x₁² + 3x₁x₂ + 4x₂²) − s, s = exp(u): the Hessian in (x₁, x₂, u) is known.
  const quadratic = densityModel({ x: real([0.4, -0.7]), s: positive(2), latents: fixed(Matrix.zeros(1, 1)) }, (v) => {
    const A = op.tensor([
      [1, 1.5],
      [1.5, 4],
    ]);
    const x = op.reshape(v.x!, [2, 1]);
    return op.sub(op.mul(-0.5, op.sum(op.mul(x, op.matMul(A, x)))), op.sum(v.s!)) as Scalar;
  });

  it('is the product with the Hessian of the log density in the variables', () => {
    const density = logDensityOf(quadratic);
    const { start } = density;
    const product = density.hessianVector(start, [1, 2, 3]);
    expect(product[0]).toBeCloseTo(-(1 + 3), 8);
    expect(product[1]).toBeCloseTo(-(1.5 + 8), 8);
    expect(product[2]).toBeCloseTo(-2 * 3, 8);
    density.dispose();
  });

  it('is linear in the vector, 0 for 0, and symmetric, at a model of a Gaussian process', () => {
    const density = logDensityOf(model);
    const { start, size } = density;
    const v = Float64Array.from({ length: size }, (_, i) => Math.sin(3 * i));
    const w = Float64Array.from({ length: size }, (_, i) => Math.cos(5 * i));
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
    const Hv = density.hessianVector(start, v);
    const Hw = density.hessianVector(start, w);
    expect(Math.abs(dot(Hv, w) - dot(v, Hw))).toBeLessThan(1e-7 * Math.sqrt(dot(Hv, Hv) * dot(w, w)));
    const twice = density.hessianVector(
      start,
      v.map((entry) => 1e8 * entry),
    );
    for (const [i, entry] of twice.entries()) expect(entry / 1e8).toBeCloseTo(Hv[i]!, 6);
    expect(density.hessianVector(start, new Float64Array(size))).toEqual(new Float64Array(size));
    density.dispose();
  });

  it('refuses a vector of another length', () => {
    const density = logDensityOf(model);
    expect(() => density.hessianVector(density.start, [1])).toThrow(/variables, but 1 were given/);
    density.dispose();
  });
});
