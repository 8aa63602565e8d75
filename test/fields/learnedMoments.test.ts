import { knnGraph, Matrix, seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { pointMoments } from '../../src/fields/density/momentDensity.ts';
import { centralPath } from '../../src/fields/solvers/centralPath.ts';
import { learnedMoments } from '../../src/fields/solvers/learnedMoments.ts';
import type { MomentProblem } from '../../src/fields/solvers/momentProblem.ts';
import { measuredMoments } from '../../src/fields/solvers/penalizedNewton.ts';
import { penaltyPath } from '../../src/fields/solvers/penaltyPath.ts';
import { expectClose } from '../tolerance.ts';

const { normal } = seededRandom(4);
const N = 30;
const X = Array.from({ length: N }, () => [normal(), normal()]);
const graph = knnGraph(X, 5);

/** Moments of latents of two columns, which have rank 2 but for what is added to the diagonal. */
const problemOf = (penalty: number): MomentProblem => ({
  ...graph,
  ...pointMoments(Matrix.from(X), graph, 1, penalty),
  penalty,
});

function alongPath(problem: MomentProblem) {
  const apart = {
    diagonal: problem.variances.map((variance) => 1 / variance),
    edges: new Float64Array(problem.covariances.length),
  };
  const path = penaltyPath(problem, apart);
  for (;;) {
    const step = withFloat64(() => path.next());
    if (step.done) return step.value;
  }
}

const zerosOf = (edges: Float64Array) => Array.from(edges, (entry) => Math.sign(entry));

describe('the precision given second moments', () => {
  it.each([1e-3, 0.01, 0.3, 10])('is that at the end of the path of penalties, ρ = %s', (penalty) => {
    const problem = problemOf(penalty);
    const found = withFloat64(() => learnedMoments(problem));
    const wanted = alongPath(problem);
    expect(found.kktResidual).toBeLessThan(1e-9);
    expectClose(found.value, wanted.value, 1e-12);
    expectClose(found.entries.edges, wanted.entries.edges, 1e-8);
    expectClose(found.entries.diagonal, wanted.entries.diagonal, 1e-8);
    expect(zerosOf(found.entries.edges)).toEqual(zerosOf(wanted.entries.edges));
  });

  it('is nearly on the central path, which identifies nearly all entries that are 0', () => {
    const problem = problemOf(0.01);
    const near = withFloat64(() => centralPath(problem))!;
    const wanted = alongPath(problem);
    const [signs, wantedSigns] = [zerosOf(near.edges), zerosOf(wanted.entries.edges)];
    expect(signs.filter((sign, e) => sign !== wantedSigns[e]).length).toBeLessThan(0.05 * signs.length);
    expect(near.edges.filter((entry) => entry === 0).length).toBeGreaterThan(5);
    expect(withFloat64(() => measuredMoments(problem, near)).kktResidual).toBeLessThan(1e-3);
  });
});
