import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { breakpoints, cauchyPoint, compactHessian } from '../../src/inference/solvers/compactHessian.ts';
import { correctionPairs } from '../../src/inference/solvers/lbfgs.ts';
import { subspaceMinimum } from '../../src/inference/solvers/lbfgsb.ts';
import type { Box, Iterate } from '../../src/model/solver.ts';
import { expectClose } from '../tolerance.ts';

const SIZE = 12;
const HISTORY = 4;
type Rows = number[][];

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);
const times = (A: Rows, x: ArrayLike<number>) => A.map((row) => dot(row, x));

/** Solves by Gauss–Jordan elimination. */
function solve(A: Rows, b: number[]): number[] {
  const rows = A.map((row, i) => [...row, b[i]!]);
  rows.forEach((_, k) => {
    const pivot = rows
      .slice(k)
      .reduce((best, row, i) => (Math.abs(row[k]!) > Math.abs(rows[best]![k]!) ? k + i : best), k);
    [rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!];
    rows.forEach((row, i) => {
      if (i === k) return;
      const factor = row[k]! / rows[k]![k]!;
      row.forEach((_entry, j) => {
        row[j] = row[j]! - factor * rows[k]![j]!;
      });
    });
  });
  return rows.map((row, i) => row.at(-1)! / row[i]!);
}

/** More pairs than the history holds, of a quadratic with a known Hessian; and the dense BFGS matrix of those kept. */
function example(seed: number) {
  const random = seededRandom(seed);
  const vector = () => Float64Array.from({ length: SIZE }, () => random.normal());
  const curvatures = vector().map((entry) => Math.exp(entry));
  const mixing = vector();
  const hessian = (s: Float64Array) => s.map((entry, i) => curvatures[i]! * entry + mixing[i]! * dot(mixing, s));

  const pairs = correctionPairs({}, HISTORY, SIZE);
  const compact = compactHessian(pairs);
  const kept: { s: Float64Array; y: Float64Array }[] = [];
  let from: Iterate = { x: vector(), value: 0, gradient: new Float64Array(SIZE) };
  from.gradient.set(hessian(from.x));
  for (let k = 0; k < HISTORY + 2; k++) {
    const x = vector();
    const to: Iterate = { x, value: 0, gradient: hessian(x) };
    compact.add(pairs.add(from, to));
    kept.push({
      s: x.map((entry, i) => entry - from.x[i]!),
      y: to.gradient.map((entry, i) => entry - from.gradient[i]!),
    });
    from = to;
  }
  const newest = kept.at(-1)!;
  const theta = dot(newest.y, newest.y) / dot(newest.s, newest.y);
  let B: Rows = Array.from({ length: SIZE }, (_, i) => Array.from({ length: SIZE }, (_v, j) => (i === j ? theta : 0)));
  for (const { s, y } of kept.slice(-HISTORY)) {
    const Bs = times(B, s);
    const sBs = dot(s, Bs);
    const sy = dot(s, y);
    B = B.map((row, i) => row.map((entry, j) => entry - (Bs[i]! * Bs[j]!) / sBs + (y[i]! * y[j]!) / sy));
  }
  const box: Box = { lower: new Float64Array(SIZE), upper: new Float64Array(SIZE) };
  const x = vector();
  x.forEach((entry, i) => {
    // Some variables start at a bound, some have none.
    box.lower[i] = i % 5 === 4 ? Number.NEGATIVE_INFINITY : entry - (i % 4 === 0 ? 0 : random.uniform());
    box.upper[i] = i % 6 === 5 ? Number.POSITIVE_INFINITY : entry + (i % 4 === 2 ? 0 : random.uniform());
  });
  const iterate: Iterate = { x, value: 0, gradient: vector().map((entry) => 3 * entry) };
  return { pairs, compact, B, theta, box, iterate };
}

/** First local minimizer along P(x − t·g) of gᵀd + dᵀBd/2, from the dense matrix, segment by segment. */
function denseCauchyPoint(B: Rows, { x, gradient }: Iterate, { lower, upper }: Box): number[] {
  const stop = Array.from(x, (entry, i) => {
    const g = gradient[i]!;
    return g < 0 ? (entry - upper[i]!) / g : g > 0 ? (entry - lower[i]!) / g : Number.POSITIVE_INFINITY;
  });
  const at = (t: number) => Array.from(x, (entry, i) => entry - Math.min(t, stop[i]!) * gradient[i]!);
  const knots = [0, ...stop.filter((t) => t > 0).sort((a, b) => a - b)];
  for (let k = 0; k < knots.length; k++) {
    const start = knots[k]!;
    const z = at(start).map((entry, i) => entry - x[i]!);
    const d = Array.from(gradient, (g, i) => (stop[i]! > start ? -g : 0));
    const Bd = times(B, d);
    const move = -(dot(gradient, d) + dot(z, Bd)) / dot(d, Bd);
    if (!(move > 0)) return at(start);
    if (start + move < (knots[k + 1] ?? Number.POSITIVE_INFINITY)) return at(start + move);
  }
  return at(Number.POSITIVE_INFINITY);
}

describe.each([1, 2, 3, 4, 5])('quadratic model of L-BFGS-B against dense algebra, seed %i', (seed) => {
  const { pairs, compact, B, theta, box, iterate } = example(seed);
  const cauchy = cauchyPoint(compact, box);
  expect(compact.prepare()).toBe(true);
  cauchy.find(iterate);

  test('the compact form is the BFGS matrix', () => {
    const columns = B.map((_, j) => {
      const unit = Float64Array.from({ length: SIZE }, (_v, i) => (i === j ? 1 : 0));
      const through = new Float64Array(2 * HISTORY);
      const row = new Float64Array(2 * HISTORY);
      compact.project(unit, through);
      compact.row(j, row);
      expectClose(through, row, 1e-15, 'Wᵀ·unit vector and row of W');
      compact.applyMiddle(through);
      return Array.from(unit, (entry, i) => {
        compact.row(i, row);
        return theta * entry - dot(row, through);
      });
    });
    expectClose(columns, B, 1e-12, 'B');
    expect(pairs.count).toBe(HISTORY);
  });

  test('the generalized Cauchy point', () => {
    expectClose(cauchy.point, denseCauchyPoint(B, iterate, box), 1e-12, 'Cauchy point');
    const displacement = new Float64Array(2 * HISTORY);
    compact.project(
      cauchy.point.map((entry, i) => entry - iterate.x[i]!),
      displacement,
    );
    expectClose(cauchy.displacement, displacement, 1e-12, 'Wᵀ(point − x)');
  });

  test('the subspace minimizer', () => {
    const subspace = subspaceMinimum(compact, box);
    expect(subspace.find(iterate, cauchy)).toBe(true);
    const point = Array.from(cauchy.point);
    const free = point.flatMap((entry, i) => (entry > box.lower[i]! && entry < box.upper[i]! ? [i] : []));
    const model = times(
      B,
      point.map((entry, i) => entry - iterate.x[i]!),
    ).map((entry, i) => entry + iterate.gradient[i]!);
    const step = solve(
      free.map((i) => free.map((j) => B[i]![j]!)),
      free.map((i) => -model[i]!),
    );
    const clamp = (value: number, i: number) => Math.max(box.lower[i]!, Math.min(box.upper[i]!, value));
    const projected = [...point];
    free.forEach((i, k) => {
      projected[i] = clamp(point[i]! + step[k]!, i);
    });
    const slope = dot(
      projected.map((entry, i) => entry - iterate.x[i]!),
      iterate.gradient,
    );
    const room = free.map((i, k) => ((step[k]! < 0 ? box.lower[i]! : box.upper[i]!) - point[i]!) / step[k]!);
    const shortened = [...point];
    free.forEach((i, k) => {
      shortened[i] = clamp(point[i]! + Math.min(1, ...room) * step[k]!, i);
    });
    expectClose(subspace.point, slope > 0 ? shortened : projected, 1e-10, 'subspace minimizer');
  });
});

test('breakpoints come in order of time, then of number, and only finite ones', () => {
  const breaks = breakpoints(7);
  breaks.times.set([3, 0, 1, Number.POSITIVE_INFINITY, 1, 2, -1]);
  breaks.order();
  const order: number[] = [];
  for (let i = breaks.peek(); i >= 0; i = breaks.peek()) {
    order.push(i);
    breaks.pop();
  }
  expect(order).toEqual([2, 4, 5, 0]);
});
