import {
  add,
  bias,
  type EngineChoice,
  expectedMoments,
  fit,
  fixed,
  gplvm,
  InvalidInputError,
  knnGraph,
  laplacian,
  latentVariableModel,
  linear,
  matern52,
  maxEntropy,
  normal,
  positive,
  rbf,
  seededRandom,
  squaredDifferences,
  standardNormal,
  white,
} from 'latentfield';
import { bestMultipliers } from 'latentfield/fields';
import { newton } from 'latentfield/inference';
import { describe, expect, it } from 'vitest';
import { openProblem } from '../../src/inference/fit/fitProblem.ts';
import type { Model } from '../../src/model/model.ts';
import { swissRoll } from '../models/spectral/columns.ts';
import { expectClose } from '../tolerance.ts';

const Y = swissRoll(14);
const graph = knnGraph(Y, 4);
const kernel = add(matern52({ lengthscale: [1, 0.7] }), bias(), white({ variance: 0.1 }));
const second = { observations: Y.map((row) => [row[0]! ** 2, Math.sin(row[1]!)]), kernel: rbf(), noise: 0.3 };

const models = {
  'a GPLVM': gplvm(Y, { latentDim: 2 }),
  'lengthscales of columns and a white noise': gplvm(Y, { latentDim: 2, kernel }),
  'parameters that are held or of another kind': gplvm(Y, {
    latentDim: 3,
    kernel: add(rbf({ lengthscale: fixed(0.8), variance: positive(2, { transform: 'softplus' }) }), bias()),
    priors: [standardNormal({ precision: 2 })],
  }),
  'two views': latentVariableModel({
    latentDim: 2,
    views: { a: { observations: Y, kernel }, b: second },
    priors: [standardNormal()],
  }),
  'a field of distances': gplvm(Y, {
    latentDim: 2,
    priors: [
      maxEntropy({ copies: 1, slack: 25, multipliers: bestMultipliers(), expect: { near: squaredDifferences(graph) } }),
    ],
  }),
  'a field of distances with weights at their bound': gplvm(Y, {
    latentDim: 2,
    priors: [
      maxEntropy({
        copies: 2,
        slack: 0.7,
        multipliers: bestMultipliers(),
        expect: { near: squaredDifferences(graph) },
      }),
      standardNormal({ precision: 0.1 }),
    ],
  }),
  'a field of moments': gplvm(Y, { latentDim: 2, priors: [expectedMoments({ graph, copies: 2 })] }),
};

/** The Hessian of a model's objective beside its start, and its central differences. */
function hessians(model: unknown, engine: EngineChoice) {
  const problem = openProblem(model as Model, { seed: 0, engine });
  try {
    return problem.compute(() => {
      const x = problem.start.map((entry, i) => entry + 0.1 * Math.sin(7 * i));
      const gradientAt = (i: number, step: number) =>
        Float64Array.from(problem.objective(x.with(i, x[i]! + step)).gradient);
      const gradient = Float64Array.from(problem.objective(x).gradient);
      const rows = Array.from(x, (_, i) => {
        const [above, below] = [gradientAt(i, 1e-5), gradientAt(i, -1e-5)];
        return above.map((entry, j) => (entry - below[j]!) / 2e-5);
      });
      return { H: problem.objective.curvature!(x, gradient)?.hessian(), differences: rows };
    });
  } finally {
    problem.dispose();
  }
}

describe('the Hessian of the objective', () => {
  it.each(Object.entries(models))('agrees with differences of its gradient: %s', (_, model) => {
    const { H, differences } = hessians(model, 'wasm');
    expectClose(H!, differences, 1e-7);
  });

  it('has weights at both bounds where the option tries it there', async () => {
    const { graph: learned } = await fit(models['a field of distances with weights at their bound'], {
      maxIterations: 1,
    });
    expect(learned.weights.some((weight) => weight === 2.8)).toBe(true);
    expect(learned.weights.some((weight) => weight < 2.8)).toBe(true);
  });

  it('is the same of all engines', () => {
    const at = (engine: EngineChoice) => hessians(models['a field of distances'], engine).H!;
    expectClose(at('typescript'), at('wasm'), 1e-9);
  });

  it.each([
    ['a kernel of features', gplvm(Y, { latentDim: 2, kernel: add(rbf(), linear(), bias()) })],
    ['two radial kernels', gplvm(Y, { latentDim: 2, kernel: add(rbf(), matern52()) })],
    ['a prior that does not know its own', gplvm(Y, { latentDim: 2, priors: [laplacian(graph)] })],
    ['a prior with a free parameter', gplvm(Y, { latentDim: 2, priors: [standardNormal({ precision: positive(1) })] })],
    ['missing entries', gplvm([[Number.NaN, 1, 2], ...Y.slice(1)], { latentDim: 2, missing: 'ignore' })],
    ['inducing inputs', gplvm(Y, { latentDim: 2, inducing: 5 })],
    ['a variance per column', gplvm(Y, { latentDim: 2, noise: [0.1, 0.2, 0.3] })],
    [
      'a parameter with a prior',
      gplvm(Y, {
        latentDim: 2,
        kernel: rbf({ lengthscale: positive(1, { prior: normal({ mean: 1, deviation: 0.1 }) }) }),
      }),
    ],
  ])('is not known with %s, which newton reports', async (_, model) => {
    const run = fit(model as ReturnType<typeof gplvm>, { solver: newton() });
    await expect(run).rejects.toThrow(InvalidInputError);
    await expect(run).rejects.toThrow(/asks for the curvature of the objective, which gives none/);
  });
});

describe('fits by newton()', () => {
  const { normal: draw } = seededRandom(3);
  const data = Array.from({ length: 25 }, () => {
    const [a, b] = [draw(), draw()];
    return [a, b, a * b, Math.sin(a), b - a].map((entry) => entry + 0.1 * draw());
  });

  it('take a quarter of the evaluations of L-BFGS to a stationary point', async () => {
    const model = gplvm(data, { latentDim: 2 });
    const settings = { tolerance: 1e-5, relativeDecrease: 0, maxIterations: 5000 };
    const found = await fit(model, { ...settings, solver: newton() });
    const usual = await fit(model, settings);
    expect(found.status).toBe('converged');
    expect(found.diagnostics.gradientNorm).toBeLessThanOrEqual(1e-5);
    expect(4 * found.diagnostics.evaluations).toBeLessThan(usual.diagnostics.evaluations);
  });
});
