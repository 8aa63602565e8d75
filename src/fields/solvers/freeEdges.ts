import { type FieldProblem, violationOf } from '../density/kktResidual.ts';

/** Edges between their bounds or pulled off one, ascending. */
export function freeEdges(problem: FieldProblem, weights: Float64Array, R: Float64Array): Int32Array {
  const free: number[] = [];
  for (let e = 0; e < weights.length; e++) {
    const between = weights[e]! > 0 && weights[e]! < problem.upper;
    if (between || violationOf(problem, weights[e]!, R[e]!, problem.squaredDistances[e]!) !== 0) free.push(e);
  }
  return Int32Array.from(free);
}

/** Weights moved along a step of some edges, within their bounds. */
export function movedWithin(
  { upper }: FieldProblem,
  weights: Float64Array,
  edges: Int32Array,
  step: (a: number, e: number) => number,
): Float64Array {
  const moved = weights.slice();
  for (let a = 0; a < edges.length; a++) {
    const e = edges[a]!;
    moved[e] = Math.max(0, Math.min(upper, weights[e]! + step(a, e)));
  }
  return moved;
}
