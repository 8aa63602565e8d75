import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import { swissRoll } from '../../src/data/index.ts';
import { type Fit, type FitOptions, type FitStep, fit, fitSteps, lbfgs } from '../../src/inference/index.ts';
import type { Model } from '../../src/model/model.ts';
import { mvu, pca } from '../../src/models/index.ts';

const { observations } = swissRoll({ points: 60, seed: 3 });
const closed = () => pca(observations, { latentDim: 2 });
const search = () => mvu(observations, { neighbours: 5 });
const bitsOf = ({ latents, objective, status, message, diagnostics }: Fit) => {
  const { seconds: _, ...rest } = diagnostics;
  return JSON.stringify([latents, objective, status, message, rest]);
};

describe('a model that finds its solution by itself', () => {
  it.each<[string, FitOptions]>([
    ["'solver'", { solver: lbfgs() }],
    ["'restarts'", { restarts: 2 }],
    ["'workers'", { workers: 2 }],
    ["'checkpoint'", { checkpoint: 'a.json' }],
    ["'resume'", { resume: 'a.json' }],
    ["'restarts', 'workers'", { restarts: 2, workers: 2 }],
  ])('refuses %s at once', (names, options) => {
    for (const model of [closed(), search()]) {
      expect(() => fitSteps(model, options)).toThrow(InvalidInputError);
      expect(() => fitSteps(model, options)).toThrow(
        `The model '${model.name}' finds its solution by itself, so fit can do nothing with ${names}: leave `,
      );
    }
  });

  it('gives its result as the only step, to the loop and to the callback', async () => {
    const models: Model[] = [closed(), search()];
    for (const model of models) {
      const reported: FitStep[] = [];
      const steps: FitStep[] = [];
      const restarts = model.name === 'pca' ? 0 : { count: 0 };
      for await (const step of fitSteps(model, { restarts, onProgress: (step) => reported.push(step) })) {
        steps.push(step);
      }
      const result = await fit(model);
      expect(steps).toHaveLength(1);
      expect(reported).toEqual(steps);
      expect(steps[0]!.latents).toEqual(result.latents);
      expect(bitsOf(steps[0]!.result())).toBe(bitsOf(result));
      expect([steps[0]!.iteration, steps[0]!.objective]).toEqual([result.diagnostics.iterations, result.objective]);
    }
  });

  it('keeps to limits on its search, and says so', async () => {
    const whole = await fit(search());
    expect(whole.status).toBe('converged');
    expect(whole.diagnostics.iterations).toBeGreaterThan(100);
    const few = await fit(search(), { maxIterations: 30 });
    expect([few.status, few.diagnostics.iterations]).toEqual(['maxIterations', 30]);
    expect(few.message).toMatch(
      /^Reached the limit of maxIterations = 30 before converging\. The semidefinite program is not/,
    );
    expect(few.diagnostics.kktResidual).toBeGreaterThan(whole.diagnostics.kktResidual!);
    const short = await fit(search(), { maxEvaluations: 40 });
    expect([short.status, short.diagnostics.evaluations]).toEqual(['maxIterations', 40]);
    expect(short.message).toMatch(/^Reached the limit of maxEvaluations = 40 before converging\. /);
    const none = await fit(search(), { maxSeconds: 0 });
    expect(none.status).toBe('stopped');
    expect(none.message).toMatch(/^Stopped by the limit of maxSeconds = 0\. /);
    const ample = await fit(search(), { maxIterations: 1e6, maxEvaluations: 1e6, maxSeconds: 1e6 });
    expect(bitsOf(ample)).toBe(bitsOf(whole));
  });

  it('in closed form meets any limit', async () => {
    const limited = await fit(closed(), { maxIterations: 0, maxSeconds: 0 });
    expect(limited.latents).toEqual((await fit(closed())).latents);
    expect(limited.status).toBe('converged');
  });
});
