import { fit, Matrix, mvu, seededRandom } from 'latentfield';
import { swissRoll as generatedRoll } from 'latentfield/data';
import { describe, expect, it } from 'vitest';
import { completed } from '../../../src/core/progressiveWork.ts';
import { neighborLengths } from '../../../src/models/spectral/neighborhood/neighborhood.ts';
import {
  augmentedLagrangian,
  edgeForces,
  hessianProduct,
} from '../../../src/models/spectral/unfolding/augmentedLagrangian.ts';
import { unfoldingNewton } from '../../../src/models/spectral/unfolding/unfoldingMinimum.ts';
import { center, unfoldingProblem } from '../../../src/models/spectral/unfolding/unfoldingProblem.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from './columns.ts';

describe('the search for an unfolding', () => {
  const points = Matrix.from(swissRoll(60));
  const { problem } = unfoldingProblem(
    completed(neighborLengths({ points, input: 'points' }, { neighbors: 5 }, 'mvu')),
    'inequality',
    1,
  );
  const { normal, uniform } = seededRandom(4);
  const r = 3;
  const Y = Float64Array.from({ length: 60 * r }, () => 0.6 * normal());
  center(Y, r);
  const multipliers = Float64Array.from(problem.sources, () => 2 * uniform());
  const weight = 1.7;

  it('has the gradient and the Hessian that differences of its objective have', () => {
    const objective = augmentedLagrangian(problem, Y, r, multipliers, weight);
    const edges = edgeForces(problem, Y, r, multipliers, weight);
    // Some edges are slack, some are not.
    const slack = edges.stiffness.filter((stiffness) => stiffness === 0).length;
    expect(slack).toBeGreaterThan(10);
    expect(slack).toBeLessThan(problem.sources.length - 10);
    const v = Float64Array.from({ length: 60 * r }, () => normal());
    center(v, r);
    const h = 1e-6;
    const at = (length: number) => {
      const { value, gradient } = objective(v.map((entry) => length * entry));
      return { value, gradient: Float64Array.from(gradient) };
    };
    const [before, here, after] = [at(-h), at(0), at(h)];
    const slope = here.gradient.reduce((sum, entry, p) => sum + entry * v[p]!, 0);
    expectClose((after.value - before.value) / (2 * h), slope, 1e-8);
    expectClose(
      after.gradient.map((entry, p) => (entry - before.gradient[p]!) / (2 * h)),
      hessianProduct(problem, r, Y, edges, v),
      1e-7,
    );
  });

  it('pauses within a Newton direction, where it stays where it is', () => {
    const whole = unfoldingNewton(problem)(Y, r, multipliers, weight, 1e-6);
    // The first evaluation and the first product; the step has not been taken.
    for (const evaluations of [2, 3]) {
      const { value, done } = whole.next();
      if (done) throw new Error('It should pause.');
      expect(value).toMatchObject({ iterations: 0, evaluations });
      expect(value.standing().Y).toBe(Y);
    }
  });

  it.each([1, 2])(
    'takes hundreds of evaluations, not tens of thousands, for a Swiss roll (seed %s)',
    { tags: 'long' },
    async (seed) => {
      const { observations } = generatedRoll({ points: 120, seed });
      const result = await fit(mvu(observations, { neighbors: 6 }));
      expect(result.status).toBe('converged');
      expect(result.diagnostics.kktResidual).toBeLessThan(1.1e-8);
      expect(result.diagnostics.evaluations).toBeLessThan(2000);
    },
  );
});
