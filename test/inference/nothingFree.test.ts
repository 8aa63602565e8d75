import { describe, expect, it } from 'vitest';
import { fixed, fixedAt, gamma, latentVariableModel, positive } from '../../src/index.ts';
import { type Checkpoint, type FitStep, fit } from '../../src/inference/index.ts';
import { rbf } from '../../src/kernels/index.ts';
import { evaluate } from '../../src/model/open.ts';
import type { Parameter } from '../../src/model/parameter.ts';

const X = [[0], [1], [3]];
const Y = [
  [0.5, 1],
  [-0.5, 2],
  [1, 0],
];

/** A GPLVM whose latents are held, too. */
const held = (noise: Parameter = fixed(0.1), variance = 1) =>
  latentVariableModel({
    observations: Y,
    latentDim: 1,
    center: false,
    posterior: fixedAt(X),
    kernel: rbf({ variance: fixed(variance), lengthscale: fixed(1) }),
    noise,
    priors: [],
  });

/** Σ_d log N(y_d | 0, K + noise·I), by the explicit inverse and determinant of 3×3. */
function logDensity(noise: number): number {
  const k = (i: number, j: number) => Math.exp(-0.5 * (X[i]![0]! - X[j]![0]!) ** 2) + (i === j ? noise : 0);
  const cofactor = (i: number, j: number) => {
    const [a, b] = [0, 1, 2].filter((r) => r !== i) as [number, number];
    const [c, d] = [0, 1, 2].filter((r) => r !== j) as [number, number];
    return (-1) ** (i + j) * (k(a, c) * k(b, d) - k(a, d) * k(b, c));
  };
  const determinant = [0, 1, 2].reduce((sum, j) => sum + k(0, j) * cofactor(0, j), 0);
  let quadratic = 0;
  for (let d = 0; d < 2; d++) {
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) quadratic += (Y[i]![d]! * Y[j]![d]! * cofactor(j, i)) / determinant;
    }
  }
  return -3 * Math.log(2 * Math.PI) - Math.log(determinant) - quadratic / 2;
}

describe('a model with nothing free', () => {
  it('is evaluated', () => {
    const { objective, gradients } = evaluate(held());
    expect(objective).toBeCloseTo(logDensity(0.1), 12);
    expect(gradients).toEqual({});
  });

  it('is fitted by its one point, for any number of starts', async () => {
    const steps: FitStep[] = [];
    const result = await fit(held(), { onProgress: (step) => void steps.push(step) });
    expect(result.objective).toBeCloseTo(logDensity(0.1), 12);
    expect(result.status).toBe('converged');
    expect(result.message).toContain('Every parameter of the model is fixed');
    expect(result.diagnostics).toMatchObject({ iterations: 0, evaluations: 1, gradientNorm: 0 });
    expect(result.latents.toArrays()).toEqual(X);
    expect(steps.map(({ iteration, objective }) => [iteration, objective])).toEqual([[0, result.objective]]);
    expect(result.predict([[0.5]]).mean.toArrays()).toEqual(
      (await fit(held(), { restarts: 2 })).predict([[0.5]]).mean.toArrays(),
    );
  });

  it('can be saved on the way and resumed', async () => {
    const saved: Checkpoint[] = [];
    const { objective } = await fit(held(), { checkpoint: (state) => void saved.push(state) });
    expect((await fit(held(), { resume: JSON.parse(JSON.stringify(saved.at(-1)!)) })).objective).toBe(objective);
  });

  it('reports where its density is not finite', async () => {
    await expect(fit(held(fixed(1e308), 1e308))).rejects.toThrow(/not finite at the start/);
  });

  it('is not one with a free parameter', async () => {
    const prior = gamma({ shape: 2, rate: 10 });
    const { parameters, diagnostics } = await fit(held(positive(0.1, { prior })), { maxIterations: 50 });
    expect(parameters['mapping.noise']).not.toBe(0.1);
    expect(diagnostics.iterations).toBeGreaterThan(0);
  });
});
