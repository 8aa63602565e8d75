import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { cauchyPoint, compactHessian } from '../../src/inference/solvers/compactHessian.ts';
import { correctionPairs } from '../../src/inference/solvers/lbfgs.ts';
import { subspaceMinimum } from '../../src/inference/solvers/lbfgsb.ts';

const SIZE = 7;
const HISTORY = 3;

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, entry, i) => sum + entry * b[i]!, 0);
const times = (B: readonly number[][], vector: ArrayLike<number>) => B.map((row) => dot(row, vector));

/** An iterate within a box, pairs of a convex quadratic function, and the matrix that BFGS makes of them, in full. */
function problem(seed: number) {
  const random = seededRandom(seed);
  const normals = () => Float64Array.from({ length: SIZE }, () => random.normal());
  const factor = Array.from({ length: SIZE }, () => [...normals()]);
  /** (I + FFᵀ)·s. */
  const curved = (s: Float64Array) => {
    const projected = s.map((_, j) =>
      dot(
        factor.map((row) => row[j]!),
        s,
      ),
    );
    return s.map((entry, i) => entry + dot(factor[i]!, projected));
  };
  const pairs = correctionPairs({}, HISTORY, SIZE);
  const known: { s: Float64Array; y: Float64Array }[] = [];
  while (known.length < HISTORY) {
    const s = normals();
    const y = curved(s);
    const at = (x: Float64Array, gradient: Float64Array) => ({ x, gradient, value: 0 });
    expect(pairs.add(at(new Float64Array(SIZE), new Float64Array(SIZE)), at(s, y))).toBeGreaterThanOrEqual(0);
    known.push({ s, y });
  }
  const newest = known.at(-1)!;
  const theta = dot(newest.y, newest.y) / dot(newest.s, newest.y);
  // B ← B − B·s·sᵀ·B/sᵀBs + y·yᵀ/sᵀy from θI, oldest pair first.
  let B = Array.from({ length: SIZE }, (_, i) => Array.from({ length: SIZE }, (_, j) => (i === j ? theta : 0)));
  for (const { s, y } of known) {
    const Bs = times(B, s);
    B = B.map((row, i) => row.map((b, j) => b - (Bs[i]! * Bs[j]!) / dot(s, Bs) + (y[i]! * y[j]!) / dot(s, y)));
  }
  const x = normals();
  const gradient = normals().map((entry, i) => (i === 3 ? 0 : 4 * entry));
  // Some at a bound, some without one.
  const lower = x.map((entry, i) => (i === 0 ? entry : i === 4 ? Number.NEGATIVE_INFINITY : entry - random.uniform()));
  const upper = x.map((entry, i) => (i === 1 ? entry : i === 5 ? Number.POSITIVE_INFINITY : entry + random.uniform()));
  return { pairs, B, iterate: { x, gradient, value: 0 }, box: { lower, upper } };
}

type Problem = ReturnType<typeof problem>;

/** P(x − t·g). */
const onPath = ({ iterate: { x, gradient }, box }: Problem, t: number) =>
  x.map((entry, i) => Math.max(box.lower[i]!, Math.min(box.upper[i]!, entry - t * gradient[i]!)));

/** The first minimum of the model along the projected path, one straight piece after another. */
function firstMinimum(given: Problem): Float64Array {
  const { B, box } = given;
  const { x, gradient } = given.iterate;
  const ends = x.map((entry, i) => {
    const g = gradient[i]!;
    return g === 0 ? Number.POSITIVE_INFINITY : ((g < 0 ? box.upper[i]! : box.lower[i]!) - entry) / -g;
  });
  const pieces = [...new Set([0, ...ends])].sort((a, b) => a - b);
  for (const [k, from] of pieces.entries()) {
    const start = onPath(given, from);
    const direction = gradient.map((g, i) => (ends[i]! > from ? -g : 0));
    const slope =
      dot(direction, gradient) +
      dot(
        direction,
        times(
          B,
          start.map((entry, i) => entry - x[i]!),
        ),
      );
    if (slope >= 0) return start;
    const step = -slope / dot(direction, times(B, direction));
    if (from + step < (pieces[k + 1] ?? Number.POSITIVE_INFINITY)) return onPath(given, from + step);
  }
  throw new Error('a model of this kind has a minimum');
}

describe.each(Array.from({ length: 30 }, (_, seed) => seed))('quadratic model %i', (seed) => {
  const given = problem(seed);
  const hessian = compactHessian(given.pairs);
  const cauchy = cauchyPoint(hessian, given.box);
  hessian.prepare();
  cauchy.find(given.iterate);

  it('has its Cauchy point where a search piece by piece over the matrix itself finds it', () => {
    const expected = firstMinimum(given);
    cauchy.point.forEach((entry, i) => {
      expect(Math.abs(entry - expected[i]!)).toBeLessThanOrEqual(1e-10);
    });
  });

  it('is least over the variables that are free there, or stops at the box without going up', () => {
    const { B, box } = given;
    const { x, gradient } = given.iterate;
    const subspace = subspaceMinimum(hessian, box);
    expect(subspace.find(given.iterate, cauchy)).toBe(true);
    const step = subspace.point.map((entry, i) => entry - x[i]!);
    const pull = times(B, step).map((entry, i) => entry + gradient[i]!);
    const isFree = Array.from(cauchy.point, (entry, i) => entry > box.lower[i]! && entry < box.upper[i]!);
    const isInside = isFree.every(
      (free, i) => !free || (subspace.point[i]! > box.lower[i]! && subspace.point[i]! < box.upper[i]!),
    );
    isFree.forEach((free, i) => {
      if (!free) expect(subspace.point[i]).toBe(cauchy.point[i]);
      else if (isInside) expect(Math.abs(pull[i]!)).toBeLessThanOrEqual(1e-9);
    });
    expect(dot(step, gradient)).toBeLessThanOrEqual(0);
  });
});
