import { powerOfTwo, timesPower } from './bits.ts';

/** Adding it rounds to an integer. */
const ROUNDER = 6755399441055744;
/** ln 2 in two parts, the first with so few bits that its multiples are exact. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** Up to here both the result and the scaling by 2ⁿ are normal numbers. */
const SAFE = 708;
const OVERFLOW = 709.782712893384;
const UNDERFLOW = -745.1332191019412;

/** eʳ − 1 of the remainder r, |r| ≤ ½·ln 2, by a polynomial of degree 12 in Estrin's order. */
function ofRemainder(r: number): number {
  const r2 = r * r;
  const r4 = r2 * r2;
  const p01 = 0.5 + r * 0.16666666666666685;
  const p23 = 0.041666666666666505 + r * 0.008333333333316527;
  const p45 = 0.001388888888897745 + r * 0.0001984126989605092;
  const p67 = 2.4801587159235473e-5 + r * 2.7557236291192883e-6;
  const p89 = 2.7557391123490047e-7 + r * 2.5111293089287652e-8;
  const p03 = p01 + r2 * p23;
  const p47 = p45 + r2 * p67;
  const p8 = p89 + r2 * 2.088606211072837e-9;
  const p = p03 + (r4 * p47 + r4 * r4 * p8);
  return r + r2 * p;
}

/** eˣ: the same bits as the compiled one for arrays. Error below 1 unit in the last place. */
export function exp(x: number): number {
  const n = x * Math.LOG2E + ROUNDER - ROUNDER;
  if (Math.abs(x) <= SAFE) return timesPower(1 + ofRemainder(x - n * LN2_HIGH - n * LN2_LOW), n);
  if (x > OVERFLOW) return Number.POSITIVE_INFINITY;
  if (x < UNDERFLOW) return 0;
  if (Number.isNaN(x)) return x;
  // Two factors, so that results beyond 2¹⁰²³ and denormal ones round once, at the end.
  const half = n >> 1;
  return (1 + ofRemainder(x - n * LN2_HIGH - n * LN2_LOW)) * powerOfTwo(half) * powerOfTwo(n - half);
}

/** eˣ − 1 = 2ⁿ·(eʳ − 1) + (2ⁿ − 1), without cancellation near 0. Error below 2 units in the last place. */
export function expm1(x: number): number {
  if (x === 0) return x;
  if (!(Math.abs(x) < 36)) return exp(x) - 1;
  const n = x * Math.LOG2E + ROUNDER - ROUNDER;
  const scale = powerOfTwo(n);
  return scale * ofRemainder(x - n * LN2_HIGH - n * LN2_LOW) + (scale - 1);
}
