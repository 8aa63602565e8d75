import { describe, expect, it } from 'vitest';
import { cubicOrSecantStep, type Interval } from '../../src/inference/solvers/lineSearch.ts';

/** A function and its slope. */
type Line = (t: number) => readonly [value: number, slope: number];

/** Slope −3 at 0, minimum at 1, grows ever faster. */
const steep: Line = (t) => [t ** 3 - 3 * t, 3 * t * t - 3];
/** Slope −3 at 0, minimum at 1, maximum at 3. */
const wave: Line = (t) => [t - (t - 2) ** 3 / 3, 1 - (t - 2) ** 2];
/** As that, with a minimum at 2 − √1.2, and higher at 3 than at 0. */
const tiltedWave: Line = (t) => [1.2 * t - (t - 2) ** 3 / 3, 1.2 - (t - 2) ** 2];
/** Falls all the way, least at 2. */
const endless: Line = (t) => [-t - (t - 2) ** 3 / 3, -1 - (t - 2) ** 2];

interface Example {
  readonly line: Line;
  readonly best: number;
  readonly step: number;
  readonly other?: number;
  readonly limits?: readonly [least: number, most: number];
}

/** The next step, and the interval that is left; `mirror` turns the line round, `tilt` adds tilt·t and has it taken off again. */
function next({ line, best, step, other, limits = [0, 10] }: Example, { mirror = 1, tilt = 0 } = {}) {
  const at = (t: number) => {
    const [value, slope] = line(mirror * t);
    return [value + tilt * t, mirror * slope + tilt] as const;
  };
  const [b, o, s] = [mirror * best, mirror * (other ?? best), mirror * step];
  const interval: Interval = {
    best: b,
    bestValue: at(b)[0],
    bestSlope: at(b)[1],
    other: o,
    otherValue: at(o)[0],
    otherSlope: at(o)[1],
    bracketed: other !== undefined,
  };
  const [least, most] = mirror > 0 ? limits : [-limits[1], -limits[0]];
  return { next: mirror * cubicOrSecantStep(interval, s, ...at(s), tilt, least, most), interval };
}

// The cubic through values and slopes of a cubic is the cubic itself: its minimum is known.
const examples: Record<string, readonly [expected: number, Example]> = {
  'higher, cubic farther than the parabola: their mean': [(1 + 0.5) / 2, { line: steep, best: 0, step: 3 }],
  'higher, cubic nearer than the parabola: the cubic': [2 - Math.sqrt(1.2), { line: tiltedWave, best: 0, step: 3 }],
  'slopes of opposite sign, secant farther: the secant': [2 / 3, { line: steep, best: 0, step: 1.5 }],
  'slopes of opposite sign, cubic farther: the cubic': [1, { line: wave, best: 0, step: 1.5 }],
  'flatter, secant farther: the secant': [2, { line: steep, best: 0, step: 0.5 }],
  'flatter, cubic farther: the cubic': [1, { line: wave, best: 0, step: 0.5 }],
  'flatter, beyond the limit: the limit': [1.5, { line: steep, best: 0, step: 0.5, limits: [0, 1.5] }],
  'flatter, without a minimum ahead: the limit': [10, { line: endless, best: 0, step: 1 }],
  'flatter, in a bracket, cubic nearer: the cubic': [1, { line: steep, best: 0, step: 0.5, other: 4 }],
  'flatter, in a bracket, secant nearer: the secant': [6 / 7, { line: wave, best: 0, step: 0.5, other: 2.5 }],
  'flatter, in a bracket without a minimum ahead: the secant': [5 / 3, { line: endless, best: 0, step: 1, other: 3 }],
  'flatter, in a narrow bracket: two thirds of the way': [
    0.5 + 0.66 * 0.3,
    { line: steep, best: 0, step: 0.5, other: 0.8 },
  ],
  'steeper, in a bracket: the cubic toward its other end': [1, { line: steep, best: -0.5, step: 0, other: 2 }],
  'steeper, without a bracket: the limit': [10, { line: steep, best: -0.5, step: 0 }],
};

describe.each(Object.entries(examples))('the step after a point that is %s', (_, [expected, example]) => {
  it('is the same whichever way the line is looked at', () => {
    expect(next(example).next).toBeCloseTo(expected, 13);
    expect(next(example, { mirror: -1 }).next).toBeCloseTo(expected, 13);
    // The auxiliary function of the first stage is the line less a slope.
    expect(next(example, { tilt: -0.25 }).next).toBeCloseTo(expected, 13);
  });
});

describe('the interval that is left', () => {
  const ends = ({ interval }: ReturnType<typeof next>) => [interval.best, interval.other, interval.bracketed];

  it('ends at a higher point', () => {
    expect(ends(next(examples['higher, cubic farther than the parabola: their mean']![1]))).toEqual([0, 3, true]);
  });

  it('turns round where the slope changes its sign', () => {
    const { interval } = next({ line: steep, best: 0, step: 1.5 });
    expect(interval).toEqual({
      ...{ best: 1.5, bestValue: -1.125, bestSlope: 3.75 },
      ...{ other: 0, otherValue: 0, otherSlope: -3, bracketed: true },
    });
  });

  it('begins at a lower point', () => {
    expect(ends(next({ line: steep, best: 0, step: 0.5 }))).toEqual([0.5, 0, false]);
    expect(ends(next({ line: steep, best: 0, step: 0.5, other: 4 }))).toEqual([0.5, 4, true]);
  });
});
