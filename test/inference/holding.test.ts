import { bayesianGplvm, type Checkpoint, fit, lbfgs, minimize, scg } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { solve } from '../../src/inference/minimize/minimize.ts';
import { withFrozenVariables } from '../../src/inference/solvers/frozenVariables.ts';
import { reference } from '../reference.ts';

const { Y } = reference<Record<'Y', number[][]>>('gpy-bayesian.json');

/** ½Σ_i a_i(x_i − i)² + x_0·x_2/2, and how often each value of x_1 was asked for. */
function quadratic() {
  const asked: number[] = [];
  const curvatures = [1, 4, 9];
  const objective = (x: Float64Array) => {
    asked.push(x[1]!);
    const gradient = x.map((entry, i) => curvatures[i]! * (entry - i));
    const value = x.reduce((sum, entry, i) => sum + 0.5 * curvatures[i]! * (entry - i) ** 2, 0) + 0.5 * x[0]! * x[2]!;
    gradient[0]! += 0.5 * x[2]!;
    gradient[2]! += 0.5 * x[0]!;
    return { value, gradient };
  };
  return { objective, asked };
}
const held = (iterations: number) => ({ variables: Int32Array.of(1), iterations });

describe.each([lbfgs(), scg()])('a solver that fixes some variables, $name', (solver) => {
  it('moves them after so many iterations, to the same minimum', () => {
    const { objective, asked } = quadratic();
    const { x, status, iterations } = minimize(objective, [3, 5, -2], withFrozenVariables(solver, held(3)));
    expect(status).toBe('converged');
    expect(iterations).toBeGreaterThan(3);
    const free = minimize(quadratic().objective, [3, 5, -2], solver);
    for (let i = 0; i < 3; i++) expect(Math.abs(x[i]! - free.x[i]!)).toBeLessThan(1e-4);
    const moved = asked.findIndex((entry) => entry !== 5);
    expect(moved).toBeGreaterThanOrEqual(3);
  });

  it('continues with all of them where it can go no further without', () => {
    const { objective } = quadratic();
    const { x, status } = minimize(objective, [3, 5, -2], withFrozenVariables(solver, held(500)), {
      maxIterations: 1000,
    });
    expect(status).toBe('converged');
    expect(Math.abs(x[1]! - 1)).toBeLessThan(1e-4);
  });

  it('continues from any of its states with the same bits', () => {
    const { objective } = quadratic();
    const given = withFrozenVariables(solver, held(3));
    const run = solve(objective, [3, 5, -2], given);
    const states = [];
    let step = run.next();
    while (!step.done) {
      states.push(step.value.state);
      step = run.next();
    }
    for (const state of states) {
      expect(minimize(objective, [3, 5, -2], given, { state }).x).toEqual(step.value.x);
    }
  });
});

describe('a fit of bayesianGplvm', () => {
  it('fixes the noise for a fifth of its iterations, also when it is resumed', async () => {
    const model = bayesianGplvm(Y, { latentDim: 3, inducing: 6 });
    const noises: number[] = [];
    const checkpoints: Checkpoint[] = [];
    const whole = await fit(model, {
      maxIterations: 20,
      onProgress: (step) => {
        noises.push(step.result().parameters['mapping.noise'] as number);
      },
      checkpoint: (checkpoint) => checkpoints.push(JSON.parse(JSON.stringify(checkpoint))),
      checkpointInterval: 0,
    });
    expect(new Set(noises.slice(0, 5)).size).toBe(1);
    expect(noises[6]).not.toBe(noises[0]);
    const early = checkpoints.find(({ starts }) => starts[0]!.trace.length === 3)!;
    const resumed = await fit(model, { maxIterations: 20, resume: early });
    expect(resumed.objective).toBe(whole.objective);
    expect(resumed.latents).toEqual(whole.latents);
  });
});
