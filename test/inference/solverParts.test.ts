import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { activeVariables, violation } from '../../src/inference/solvers/boundedNewton.ts';
import { breakpoints } from '../../src/inference/solvers/compactHessian.ts';
import { correctionPairs } from '../../src/inference/solvers/lbfgs.ts';

describe('breakpoints', () => {
  it('come in order, the first of equal ones first, without those at 0 and those that never come', () => {
    const random = seededRandom(3);
    const times = Array.from({ length: 60 }, () => Math.ceil(20 * random.uniform()));
    times.splice(7, 3, 0, Number.POSITIVE_INFINITY, 0);
    const breaks = breakpoints(times.length);
    breaks.times.set(times);
    breaks.order();
    const found: number[] = [];
    for (let b = breaks.peek(); b >= 0; b = breaks.peek()) {
      found.push(b);
      breaks.pop();
    }
    const expected = times.flatMap((time, i) => (time > 0 && time < Number.POSITIVE_INFINITY ? [i] : []));
    expect(found).toEqual(expected.sort((a, b) => times[a]! - times[b]! || a - b));
  });
});

describe('the Karush–Kuhn–Tucker conditions at bounds', () => {
  const box = { lower: Float64Array.of(0, 0, 0), upper: Float64Array.of(1, 1, Infinity) };
  const at = (x: number, g: number) => ({ x: Float64Array.of(x, 0.5, 7), gradient: Float64Array.of(g, 0, 0) });

  it.each([
    ['between the bounds the gradient is 0', 0.5, -0.3, 0.3],
    ['at the lower bound it may push down', 0, 0.3, 0],
    ['not up', 0, -0.3, 0.3],
    ['at the upper bound it may push up', 1, -0.3, 0],
    ['not down', 1, 0.3, 0.3],
  ])('%s', (_, x, gradient, expected) => {
    expect(violation(at(x, gradient), box)).toBe(expected);
    expect([...activeVariables(at(x, gradient), box)]).toEqual(x === 0.5 || expected > 0 ? [0, 1, 2] : [1, 2]);
  });

  it('let those leave a bound that most want to, three for each between the bounds and two hundred at least, the first of equals', () => {
    const { uniform } = seededRandom(4);
    for (const inner of [10, 90]) {
      const size = 1500;
      const bounds = { lower: new Float64Array(size), upper: new Float64Array(size).fill(1) };
      const x = Float64Array.from({ length: size }, (_, i) => (i % 16 < inner / 90 ? 0.5 : i % 2));
      const gradient = Float64Array.from({ length: size }, () => Math.round(40 * uniform()) - 20);
      const between = [...x.keys()].filter((i) => x[i] === 0.5);
      const pull = (i: number) => (x[i] === 0 ? -gradient[i]! : gradient[i]!);
      const leaving = [...x.keys()]
        .filter((i) => x[i] !== 0.5 && pull(i) > 0)
        .sort((a, b) => pull(b) - pull(a) || a - b)
        .slice(0, Math.max(200, 3 * between.length));
      const expected = [...between, ...leaving].sort((a, b) => a - b);
      expect([...activeVariables({ x, gradient }, bounds)]).toEqual(expected);
    }
  });
});

describe('correction pairs', () => {
  const iterate = (x: number[], gradient: number[]) => ({
    x: Float64Array.from(x),
    gradient: Float64Array.from(gradient),
    value: 0,
  });

  it('are kept where the curvature along the step is positive, and set the scale of the inverse', () => {
    const pairs = correctionPairs({}, 3, 2);
    expect(pairs.add(iterate([0, 0], [-4, 0]), iterate([1, 0], [0, 2]))).toBe(0);
    // sᵀy/yᵀy = 4/20.
    expect([pairs.count, pairs.inverseScale]).toEqual([1, 0.2]);
  });

  it('are left out where it is not: negative, none, or no more than rounding', () => {
    const pairs = correctionPairs({}, 3, 2);
    expect(pairs.add(iterate([0, 0], [-1, 0]), iterate([1, 0], [-2, 0]))).toBe(-1);
    expect(pairs.add(iterate([0, 0], [-1, 0]), iterate([1, 0], [-1, 5]))).toBe(-1);
    expect(pairs.add(iterate([0, 0], [-1, 0]), iterate([1, 0], [-1 + 1e-16, 0]))).toBe(-1);
    expect([pairs.count, pairs.inverseScale]).toEqual([0, 1]);
  });

  it('of a full history replace the oldest', () => {
    const pairs = correctionPairs({}, 2, 1);
    for (const length of [1, 2, 3]) pairs.add(iterate([0], [-1]), iterate([length], [length]));
    expect([0, 1].map((k) => pairs.steps[pairs.slot(k)])).toEqual([2, 3]);
  });
});
