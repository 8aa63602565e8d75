import { type Checkpoint, completeGraph, fit, lbfgsb, maxEntropy, minimize, mpme, seededRandom } from 'latentfield';
import { expect, it } from 'vitest';
import { fieldFactor } from '../../../src/fields/density/fieldFactor.ts';
import { kktResidual } from '../../../src/fields/density/kktResidual.ts';
import { growingSupport } from '../../../src/fields/solvers/growingSupport.ts';
import { expectClose } from '../../tolerance.ts';

function circle(N: number): number[][] {
  const { uniform, normal } = seededRandom(3);
  return Array.from({ length: N }, () => {
    const angle = 2 * Math.PI * uniform();
    return [Math.cos(angle) + 0.1 * normal(), Math.sin(angle) + 0.1 * normal()];
  });
}

it.each([Infinity, 1])('reaches the maximum that L-BFGS-B over all pairs reaches, C = %s', async (slackPenalty) => {
  const model = mpme(circle(210), { slackPenalty });
  const grown = await fit(model);
  const all = await fit(model, { solver: lbfgsb() });
  expect(grown.message).toMatch(/\d+ of 21945 weights moved, in [1-9]\d* rounds? with \d+ evaluations of their own/);
  expect(all.message).not.toContain('weights moved');
  expectClose(grown.objective, all.objective, 1e-13);
  expectClose(grown.parameters['field.weights'], all.parameters['field.weights'] as number[], 1e-8);
  expect(grown.diagnostics.kktResidual).toBeLessThan(1e-10);
});

it('gets from one likely edge to all that matter, and stops by itself', () => {
  const points = circle(40);
  const graph = completeGraph(points.length);
  const squaredDistances = Float64Array.from(graph.sources, (i, e) => {
    const [a, b] = [points[i]!, points[graph.targets[e]!]!];
    return (a[0]! - b[0]!) ** 2 + (a[1]! - b[1]!) ** 2;
  });
  const problem = maxEntropy({ graph, squaredDistances, copies: 2, slackPenalty: 5 }).problem!;
  const factor = fieldFactor(problem);
  const objective = (weights: Float64Array) => {
    const { logDeterminant, resistances } = factor.evaluate(weights, 1);
    const cost = weights.reduce((sum, weight, e) => sum + weight * squaredDistances[e]!, 0);
    return {
      value: cost / 2 - logDeterminant,
      gradient: resistances.map((R, e) => squaredDistances[e]! / 2 - R),
    };
  };
  const scale = squaredDistances.map((distance) => Math.min(2 / distance, 20));
  const limits = { bounds: { lower: 0, upper: 20 }, scale, relativeDecrease: 0 };
  const solver = growingSupport(problem, [7]);
  const start = new Float64Array(scale.length);
  const whole = minimize(objective, start, solver, { ...limits, tolerance: 0, maxIterations: 100 });
  expect(whole.status).toBe('converged');
  expect(whole.message).toContain('no weight can be moved any further');
  const { resistances } = factor.evaluate(whole.x, 1);
  expect(kktResidual(problem, whole.x, resistances)).toBeLessThan(1e-7);

  const stopped = minimize(objective, start, solver, { ...limits, tolerance: 0, maxIterations: 2 });
  const resumed = minimize(objective, start, solver, {
    ...limits,
    tolerance: 0,
    maxIterations: 100,
    state: stopped.state,
  });
  expect(resumed.x).toEqual(whole.x);
  expect(resumed.message).toBe(whole.message);
});

it('goes on from a checkpoint to the same bits', async () => {
  const model = mpme(circle(60), { slackPenalty: 2 });
  let checkpoint: Checkpoint | undefined;
  const whole = await fit(model);
  await fit(model, {
    maxIterations: 1,
    checkpoint: (state) => {
      checkpoint = state;
    },
  });
  const resumed = await fit(model, { resume: JSON.parse(JSON.stringify(checkpoint)) });
  expect(resumed.parameters).toEqual(whole.parameters);
});
