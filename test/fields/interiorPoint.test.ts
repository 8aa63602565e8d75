import { knnGraph, Matrix } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { completed } from '../../src/core/progressiveWork.ts';
import { seededRandom } from '../../src/core/random.ts';
import { laplacianFactor } from '../../src/engine/sparse/index.ts';
import { edgeDistances } from '../../src/fields/density/edgeSquaredDistances.ts';
import type { FieldProblem } from '../../src/fields/solvers/fieldProblem.ts';
import { interiorPoint, supportNewton } from '../../src/fields/solvers/interiorPoint.ts';
import { expectClose } from '../tolerance.ts';
import { fieldMaximum } from './fieldObjective.ts';

/** A noisy rolled strip; `twice` points lie on others, `nearly` a small gap away. */
function problemOf(
  points: number,
  options: Partial<FieldProblem> = {},
  twice = 0,
  nearly = 0,
  gap = 1e-6,
): FieldProblem {
  const { uniform } = seededRandom(3);
  const Y = Matrix.zeros(points, 3);
  for (let i = 0; i < points; i++) {
    const t = 1.5 * Math.PI * (1 + 2 * uniform());
    Y.data.set([t * Math.cos(t) + 0.1 * uniform(), 21 * uniform(), t * Math.sin(t)], 3 * i);
  }
  for (let i = 0; i < twice; i++) Y.data.copyWithin(3 * (points - 1 - i), 3 * i, 3 * i + 3);
  for (let i = 0; i < nearly; i++) {
    Y.data.copyWithin(3 * (points - 1 - i), 3 * i, 3 * i + 3);
    Y.data[3 * i]! += gap;
  }
  const graph = knnGraph(Y, 6);
  const { size, sources, targets } = graph;
  const squaredDistances = edgeDistances(Y, graph);
  return { size, sources, targets, squaredDistances, basePrecision: 1e-4, copies: 3, upper: Infinity, ...options };
}

const zeros = ({ sources }: FieldProblem) => new Float64Array(sources.length);

function solved(problem: FieldProblem, start: Float64Array = zeros(problem)) {
  return completed(interiorPoint(problem, laplacianFactor(problem), start));
}

/** Where the search stands after so many steps. */
function solvedUpTo(problem: FieldProblem, iterations: number) {
  for (const step of interiorPoint(problem, laplacianFactor(problem), zeros(problem))) {
    if (step !== undefined && step.iterations === iterations) return step;
  }
  throw new Error(`It has fewer than ${iterations} steps.`);
}

function valueAt(problem: FieldProblem, weights: Float64Array): number {
  const factor = laplacianFactor(problem);
  factor.update(weights, problem.basePrecision);
  const cost = weights.reduce((sum, w, e) => sum + w * problem.squaredDistances[e]!, 0);
  return 0.5 * (problem.copies * factor.logDeterminant - cost);
}

describe('the interior-point method on a sparse graph', () => {
  it.each<[string, Partial<FieldProblem>, number]>([
    ['no upper bound', {}, 0],
    ['an upper bound that some weights are at', { upper: 0.4 }, 0],
    ['points that are the same', { upper: 2 }, 5],
    ['a base precision that keeps points apart', { basePrecision: 0.5 }, 0],
  ])('reaches the maximum of quadratic approximation, with %s', (_, options, twice) => {
    const problem = problemOf(260, options, twice);
    const { weights, kktResidual } = solved(problem);
    expect(kktResidual).toBeLessThan(1e-11);
    const wanted = fieldMaximum(problem).x;
    expectClose(weights, wanted, 1e-8);
    expect(Array.from(weights, (w) => w > 0)).toEqual(Array.from(wanted, (w) => w > 0));
    if (problem.upper < 1) expect(weights.filter((w) => w === problem.upper).length).toBeGreaterThan(10);
  });

  it('lets weights on the support that start at 0 come back', () => {
    const problem = problemOf(60);
    const { weights } = solved(problem);
    const positive = Array.from(weights.keys()).filter((e) => weights[e]! > 0);
    const start = weights.slice();
    for (const e of [positive[3]!, positive[20]!]) start[e] = 0;
    const found = completed(supportNewton(problem, laplacianFactor(problem), start));
    expect(found.kktResidual).toBeLessThan(1e-11);
    expectClose(found.weights, weights, 1e-8);
  });

  it.each([1e-12, 1e12])('takes the same steps with distances in units of %s', (unit) => {
    const problem = problemOf(260);
    const inUnit = { squaredDistances: problem.squaredDistances.map((d) => d * unit), basePrecision: 1e-4 / unit };
    const [there, here] = [solved({ ...problem, ...inUnit }), solved(problem)];
    expect(there.kktResidual).toBeLessThan(1e-11);
    expect(there.iterations).toBe(here.iterations);
    expectClose(
      there.weights.map((w) => w * unit),
      here.weights,
      1e-9,
    );
  });

  it('ends, where rounding lets it, with points a billionth apart', () => {
    const { kktResidual, evaluations } = solved(problemOf(400, {}, 0, 20, 1e-9));
    expect(kktResidual).toBeLessThan(1e-8);
    expect(evaluations).toBeLessThan(600);
  });

  it('takes no more evaluations on a graph eight times as large', { tags: 'long' }, () => {
    const small = solved(problemOf(500));
    const large = solved(problemOf(4000));
    expect(large.kktResidual).toBeLessThan(1e-10);
    expect(small.kktResidual).toBeLessThan(1e-10);
    expect(large.evaluations).toBeLessThan(1.6 * small.evaluations);
    expect(large.evaluations).toBeLessThan(200);
  });

  it('solves parts that nothing joins as if each were alone', () => {
    const [first, second] = [problemOf(220), problemOf(240)];
    const both: FieldProblem = {
      ...first,
      size: first.size + second.size,
      sources: Int32Array.from([...first.sources, ...second.sources.map((i) => i + first.size)]),
      targets: Int32Array.from([...first.targets, ...second.targets.map((i) => i + first.size)]),
      squaredDistances: Float64Array.from([...first.squaredDistances, ...second.squaredDistances]),
    };
    const { weights, kktResidual } = solved(both);
    expect(kktResidual).toBeLessThan(1e-11);
    const edges = first.sources.length;
    expectClose(weights.slice(0, edges), solved(first).weights, 1e-9);
    expectClose(weights.slice(edges), solved(second).weights, 1e-9);
  });

  it('gives the edges of a tree, and those that a tree hangs on, the weights that meet their constraints alone', () => {
    const { uniform, integer } = seededRandom(5);
    const ring = 220;
    const hanging = 60;
    const around = Array.from({ length: ring }, (_, i) => [i, (i + 1) % ring] as const);
    const across = Array.from({ length: ring }, (_, i) => [i, (i + 2) % ring] as const);
    const tree = Array.from({ length: hanging }, (_, k) => [integer(ring + k), ring + k] as const);
    const pairs = [...around, ...across, ...tree].map(([i, j]) => (i < j ? [i, j] : [j, i]));
    const problem: FieldProblem = {
      size: ring + hanging,
      sources: Int32Array.from(pairs, ([i]) => i!),
      targets: Int32Array.from(pairs, ([, j]) => j!),
      squaredDistances: Float64Array.from(pairs, () => 1 + uniform()),
      basePrecision: 1e-12,
      copies: 3,
      upper: Infinity,
    };
    const { weights, kktResidual } = solved(problem);
    expect(kktResidual).toBeLessThan(1e-11);
    const first = 2 * ring;
    // Nothing else joins the ends of such an edge, so that R = 1/w but for the base precision.
    const alone = problem.squaredDistances.slice(first).map((distance) => 3 / distance);
    expectClose(weights.slice(first), alone, 1e-8);
    const path = {
      ...problem,
      size: 260,
      sources: Int32Array.from({ length: 259 }, (_, i) => i),
      targets: Int32Array.from({ length: 259 }, (_, i) => i + 1),
      squaredDistances: Float64Array.from({ length: 259 }, () => 1 + uniform()),
    };
    expectClose(
      solved(path).weights,
      path.squaredDistances.map((distance) => 3 / distance),
      1e-8,
    );
  });

  it('joins points that are nearly the same, C = ∞', () => {
    const problem = problemOf(250, { basePrecision: 1e-3 }, 0, 6);
    const { weights, kktResidual } = solved(problem);
    expect(kktResidual).toBeLessThan(1e-8);
    const close = Int32Array.from(problem.squaredDistances.keys()).filter((e) => problem.squaredDistances[e]! < 1e-9);
    expect(close.length).toBe(6);
    // All that joins the two beside their own edge is as nothing to its weight.
    for (const e of close) expect(Math.abs((weights[e]! * problem.squaredDistances[e]!) / 3 - 1)).toBeLessThan(1e-8);
  });

  it('begins again from a start that is near the maximum but whose support leads no further', () => {
    const problem = problemOf(230, { basePrecision: 1e-3 }, 0, 12);
    const cold = solved(problem);
    const near = solvedUpTo(problem, cold.iterations - 1);
    expect(near.kktResidual).toBeGreaterThan(1e-8);
    expect(near.kktResidual).toBeLessThan(1e-6);
    const warm = solved(problem, near.weights);
    expect(warm.kktResidual).toBeLessThan(1e-8);
    expectClose(warm.weights, cold.weights, 1e-6);
  });

  it('gives the same bits again', () => {
    const problem = problemOf(300);
    expect(solved(problem)).toEqual(solved(problem));
  });

  it('finds that no weight is above 0 where no constraint binds', () => {
    const problem = problemOf(250, { basePrecision: 1e4 });
    const { weights, kktResidual } = solved(problem);
    expect(weights).toEqual(zeros(problem));
    expect(kktResidual).toBe(0);
  });

  it('stays where the maximum is', () => {
    const problem = problemOf(250);
    const { weights } = solved(problem);
    const again = solved(problem, weights);
    expect(again.weights).toEqual(weights);
    expect(again.evaluations).toBe(2);
  });

  it('gives the best point so far at every step', () => {
    const problem = problemOf(250);
    const values = [1, 4, 8].map((steps) => {
      const { weights, value } = solvedUpTo(problem, steps);
      expectClose(value, valueAt(problem, weights), 1e-10);
      return value;
    });
    const best = valueAt(problem, solved(problem).weights);
    expect(values[0]).toBeGreaterThan(valueAt(problem, zeros(problem)));
    expect(values[1]).toBeGreaterThan(values[0]!);
    expect(values[2]).toBeGreaterThan(values[1]!);
    expect(best).toBeGreaterThan(values[2]!);
  });
});
