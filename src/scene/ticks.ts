import { tickStep, ticks } from 'd3-array';
import { format, precisionFixed, precisionRound } from 'd3-format';

/** A tick of an axis: its value and text. */
export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Limits beyond which numbers (first) or steps (second) are written with exponents. */
const LARGE = 1e6;
const SMALL = 1e-4;

/** Ticks at 1, 2 or 5 times a power of ten between two ends, about `count` of them, ascending. */
export function ticksOf(from: number, to: number, count: number): Tick[] {
  const [low, high] = from < to ? [from, to] : [to, from];
  const text = textOf(Math.max(Math.abs(low), Math.abs(high)), tickStep(low, high, count));
  return ticks(low, high, count).map((value) => ({ value, text: text(value) }));
}

/** Writes numbers up to a largest one with as many digits as a step needs, and a proper minus sign. */
function textOf(largest: number, step: number): (value: number) => string {
  if (largest < LARGE && step >= SMALL) return format(`.${precisionFixed(step)}f`);
  const exponential = format(`.${Math.max(0, precisionRound(step, largest) - 1)}~e`);
  return (value) => (value === 0 ? '0' : exponential(value).replace('e+', 'e'));
}
