import { seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { fieldFactor } from '../../src/fields/density/fieldFactor.ts';
import { type FieldProblem, kktResidual, weightScale } from '../../src/fields/density/kktResidual.ts';
import type { MomentProblem } from '../../src/fields/density/secondMoments.ts';
import type { FieldResult, FieldSearch } from '../../src/fields/solvers/fieldSearch.ts';
import { inexactNewton } from '../../src/fields/solvers/inexactNewton.ts';
import { penalizedNewton } from '../../src/fields/solvers/penalizedNewton.ts';
import { penaltyPath } from '../../src/fields/solvers/penaltyPath.ts';
import { projectedNewton } from '../../src/fields/solvers/projectedNewton.ts';
import { withFloat64 } from '../../src/tensors/float64/scope.ts';
import { expectClose } from '../tolerance.ts';

/** Every pair of points of the plane. */
function planeProblem(points: number): FieldProblem {
  const { normal } = seededRandom(4);
  const Y = Array.from({ length: points }, () => [normal(), normal()]);
  const pairs = Y.flatMap((_, i) => Y.slice(i + 1).map((_, k) => [i, i + 1 + k] as const));
  return {
    size: points,
    sources: Int32Array.from(pairs, ([i]) => i),
    targets: Int32Array.from(pairs, ([, j]) => j),
    squaredDistances: Float64Array.from(pairs, ([i, j]) =>
      Y[i]!.reduce((sum, entry, d) => sum + (entry - Y[j]![d]!) ** 2, 0),
    ),
    basePrecision: 0.1,
    copies: 2,
    upper: 40,
  };
}

function ended<S extends FieldSearch | ReturnType<typeof penalizedNewton>>(search: S, stopAfter = Infinity) {
  let told = 0;
  for (;;) {
    const step = withFloat64(() => search.next(told > stopAfter));
    if (step.done)
      return step.value as Extract<ReturnType<S['next']>, { done?: true }> extends { value: infer R } ? R : never;
    told++;
  }
}

const problem = planeProblem(30);
const start = problem.squaredDistances.map((distance, e) => (e % 9 === 0 ? 0.3 * weightScale(problem, distance) : 0));
/** Where it is known which weights are 0. */
const near = (ended(projectedNewton(problem, start, 7)) as FieldResult).weights;
const searches: [string, (steps: number) => FieldSearch][] = [
  ['projected', (steps) => projectedNewton(problem, start, steps)],
  ['inexact', (steps) => inexactNewton(problem, fieldFactor(problem), near, steps)],
];

describe('projected Newton steps', () => {
  it.each([12, 20, 30, 40])('go on from each of them, the last too, to the same end (%i points)', (points) => {
    const plane = planeProblem(points);
    const from = plane.squaredDistances.map((distance, e) => (e % 9 === 0 ? 0.3 * weightScale(plane, distance) : 0));
    const search = projectedNewton(plane, from, 100);
    const resumed: FieldResult[] = [];
    let step = withFloat64(() => search.next(false));
    while (!step.done) {
      const { weights, memory } = step.value!;
      resumed.push(ended(projectedNewton(plane, weights, 100, memory())) as FieldResult);
      step = withFloat64(() => search.next(false));
    }
    expect(resumed.length).toBeGreaterThan(3);
    for (const result of resumed) expect(result).toEqual(step.value);
  });
});

describe.each(searches)('%s Newton steps', (name, search) => {
  it('end at the best point so far when they are told to, measured', () => {
    const whole = ended(search(100)) as FieldResult;
    expect(whole.stopped).toBe(false);
    for (const pauses of [0, 1, 3]) {
      const stopped = ended(search(100), pauses) as FieldResult;
      expect(stopped.stopped).toBe(true);
      expect(stopped.iterations).toBeLessThan(whole.iterations);
      const { resistances } = fieldFactor(problem).evaluate(stopped.weights, problem.basePrecision);
      expectClose(stopped.kktResidual, kktResidual(problem, stopped.weights, resistances), 1e-12);
      if (name === 'projected') expect(stopped.value).toBeLessThan(whole.value);
    }
  });

  it('end where they have to', () => {
    const two = ended(search(2)) as FieldResult;
    expect(two.iterations).toBe(2);
    const none = ended(search(0)) as FieldResult;
    expect(none.weights).toEqual(name === 'projected' ? start : near);
    expect(two.kktResidual).toBeLessThan(none.kktResidual);
  });
});

it('a projected step to where the precision has no factor is halved', () => {
  // Two pairs of points and a bridge, of four times the weight that is best: the whole step takes it to 0, where both pairs are
  // held by the base precision alone, which is nothing beside the weights.
  const bridged: FieldProblem = {
    size: 4,
    sources: Int32Array.of(0, 1, 2),
    targets: Int32Array.of(1, 2, 3),
    squaredDistances: Float64Array.of(1, 2, 1),
    basePrecision: 1e-30,
    copies: 3,
    upper: Infinity,
  };
  const { weights, kktResidual: residual } = ended(
    projectedNewton(bridged, Float64Array.of(3, 6, 3), 100),
  ) as FieldResult;
  // On a tree R_e = 1/w_e, so that w_e = c/φ_e.
  expectClose(weights, [3, 1.5, 3], 1e-9);
  expect(residual).toBeLessThan(1e-9);
});

describe('the path of penalties', () => {
  const { normal } = seededRandom(9);
  const N = 12;
  const Y = Array.from({ length: N }, () => Array.from({ length: 20 }, () => normal()));
  const moment = (i: number, j: number) => Y[i]!.reduce((sum, entry, d) => sum + entry * Y[j]![d]!, 0) / 20;
  const pairs = Y.flatMap((_, i) => Y.slice(i + 1).map((_, k) => [i, i + 1 + k] as const));
  const moments = (penalty: number): MomentProblem => ({
    size: N,
    sources: Int32Array.from(pairs, ([i]) => i),
    targets: Int32Array.from(pairs, ([, j]) => j),
    variances: Float64Array.from(Y, (_, i) => moment(i, i)),
    covariances: Float64Array.from(pairs, ([i, j]) => moment(i, j)),
    penalty,
  });
  const independent = { diagonal: new Float64Array(N).fill(1), edges: new Float64Array(pairs.length) };

  it('takes no more steps in all than it may', () => {
    const whole = ended(penaltyPath(moments(0.01), independent, 1000));
    expect(whole.kktResidual).toBeLessThan(1e-11);
    for (const steps of [0, 1, 4, whole.iterations - 1]) {
      const some = ended(penaltyPath(moments(0.01), independent, steps));
      expect(some.iterations).toBe(steps);
      expect(some.value).toBeLessThan(whole.value);
      // Measured with the last penalty, wherever on the path it ended.
      const again = ended(penalizedNewton(moments(0.01), some.entries, 0));
      expectClose(some.value, again.value, 1e-12);
      expectClose(some.kktResidual, again.kktResidual, 1e-10);
    }
  });

  it('ends when it is told to', () => {
    const stopped = ended(penaltyPath(moments(0.01), independent, 1000), 2);
    expect(stopped.stopped).toBe(true);
    expect(stopped.iterations).toBe(3);
  });

  it('is saved by a start near the maximum', () => {
    const whole = ended(penaltyPath(moments(0.01), independent, 1000));
    const near = { ...whole.entries, diagonal: whole.entries.diagonal.map((entry) => entry * (1 + 1e-4)) };
    const again = ended(penaltyPath(moments(0.01), near, 1000));
    expect(again.iterations).toBeLessThan(4);
    expectClose(again.entries.edges, whole.entries.edges, 1e-9);
  });

  it('jumps to a penalty of 0, where all entries are joined and Θ = S⁻¹', () => {
    const whole = ended(penaltyPath(moments(0), independent, 1000));
    expect(whole.kktResidual).toBeLessThan(1e-11);
    expect(whole.iterations).toBeLessThan(40);
    const S = moments(0);
    const theta = Array.from({ length: N }, (_, i) =>
      Array.from({ length: N }, (_, j) => (i === j ? whole.entries.diagonal[i]! : 0)),
    );
    pairs.forEach(([i, j], e) => {
      theta[i]![j] = whole.entries.edges[e]!;
      theta[j]![i] = whole.entries.edges[e]!;
    });
    const full = (i: number, j: number) => (i === j ? S.variances[i]! : moment(i, j));
    const product = theta.map((row) => row.map((_, j) => row.reduce((sum, entry, k) => sum + entry * full(k, j), 0)));
    expectClose(
      product,
      theta.map((_, i) => theta.map((_, j) => (i === j ? 1 : 0))),
      1e-9,
    );
  });
});
