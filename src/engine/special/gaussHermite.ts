import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';

/** Nodes and weights of a quadrature rule. */
export interface QuadratureRule {
  readonly nodes: Float64Array;
  /** Weights, which sum to 1. */
  readonly weights: Float64Array;
}

const rules = new Map<number, QuadratureRule>();

/**
 * Gauss–Hermite quadrature for a standard normal: E[f(x)] ≈ Σ_k w_k·f(x_k), exact for polynomials of degree 2n − 1. The nodes are the zeros
 * of the n-th Hermite polynomial, by Newton's method on its normalized recurrence √(k+1)·h_{k+1} = x·h_k − √k·h_{k−1}, each started beyond the
 * previous zero; w_k = 1/(n·h_{n−1}(x_k)²).
 *
 * @param count - n, 1 … 100
 * @returns nodes in ascending order
 * @throws InvalidInputError unless count is a whole number from 1 to 100
 * @see Press et al., Numerical Recipes, 3rd ed., §4.6.1
 */
export function gaussHermite(count: number): QuadratureRule {
  if (!Number.isInteger(count) || count < 1 || count > 100) {
    throw new InvalidInputError(`A Gauss–Hermite rule has 1 to 100 nodes, but ${describe(count)} was given.`);
  }
  let rule = rules.get(count);
  if (rule === undefined) {
    rule = Object.freeze(ruleOf(count));
    rules.set(count, rule);
  }
  return rule;
}

function ruleOf(n: number): QuadratureRule {
  const nodes = new Float64Array(n);
  const weights = new Float64Array(n);
  // From beyond the largest zero, with known zeros divided out, Newton's method descends to the next one.
  const found: number[] = [];
  let x = 2 * Math.sqrt(n) + 1;
  for (let k = 0; k < n / 2; k++) {
    const isMiddle = 2 * k === n - 1;
    x = isMiddle ? 0 : zeroBelow(n, x, found);
    found.push(x);
    const weight = 1 / (n * square(hermite(n, x).before));
    nodes[k] = -x;
    nodes[n - 1 - k] = x;
    weights[k] = weight;
    weights[n - 1 - k] = weight;
  }
  return { nodes, weights };
}

/** Upper bound on the steps of Newton's method. */
const STEPS = 200;

function zeroBelow(n: number, start: number, found: readonly number[]): number {
  let x = start;
  for (let step = 0; step < STEPS; step++) {
    const { value, before } = hermite(n, x);
    const slope = Math.sqrt(n) * before;
    // Zeros come in pairs of both signs; a search that would begin at a known zero begins slightly below.
    const others = found.reduce((sum, zero) => sum + 1 / (x - zero) + 1 / (x + zero), 0);
    const change = Number.isFinite(others) ? value / (slope - value * others) : 1e-3;
    x -= change;
    if (Math.abs(change) <= 4 * Number.EPSILON * Math.abs(x)) break;
  }
  // Dividing by the known zeros is smooth but rounds, so one plain step follows.
  const { value, before } = hermite(n, x);
  return x - value / (Math.sqrt(n) * before);
}

/** The normalized Hermite polynomials h_n and h_{n−1} at x; h_n' = √n·h_{n−1}. */
function hermite(n: number, x: number): { value: number; before: number } {
  let before = 0;
  let value = 1;
  for (let k = 0; k < n; k++) {
    const next = (x * value - Math.sqrt(k) * before) / Math.sqrt(k + 1);
    before = value;
    value = next;
  }
  return { value, before };
}

/** A point in several dimensions with its weight. */
export interface QuadraturePoint {
  readonly at: readonly number[];
  readonly weight: number;
}

/** Product of one-dimensional Gauss–Hermite rules with `count` nodes per dimension; the last dimension changes fastest. */
export function productRule(count: number, dimensions: number): readonly QuadraturePoint[] {
  const { nodes, weights } = gaussHermite(count);
  let points: QuadraturePoint[] = [{ at: [], weight: 1 }];
  for (let d = 0; d < dimensions; d++) {
    points = points.flatMap(({ at, weight }) =>
      Array.from(nodes, (node, k) => ({ at: [...at, node], weight: weight * weights[k]! })),
    );
  }
  return points;
}
