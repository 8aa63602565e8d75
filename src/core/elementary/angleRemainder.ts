/** What is left of the angle, at most π/4 from 0, and what lies beyond its last digit. */
export const remainder = new Float64Array(2);

/** Multiples up to 2²⁰ of these parts of π/2, 33 bits each, are exact (FDLIBM's e_rem_pio2.c). */
const PART_1 = 1.5707963267341256;
const PART_2 = 6.077100506303966e-11;
const PART_2_REST = 2.0222662487959506e-21;
const PART_3 = 2.0222662487111665e-21;
const PART_3_REST = 8.4784276603689e-32;
const TWO_OVER_PI = 0.6366197723675814;
const LARGEST = 823549;
const ROUNDER = 6755399441055744;

/**
 * Takes the nearest multiple of π/2 from a finite x, and leaves the {@link remainder}.
 *
 * @returns the multiple modulo 4
 */
export function angleRemainder(x: number): number {
  if (Math.abs(x) > LARGEST) return ofLarge(x);
  const n = x * TWO_OVER_PI + ROUNDER - ROUNDER;
  const first = x - n * PART_1;
  let taken = n * PART_2;
  let left = first - taken;
  let rest = n * PART_2_REST - (first - left - taken);
  if (Math.abs(left - rest) < Math.abs(x) * 2 ** -49) {
    const second = left;
    taken = n * PART_3;
    left = second - taken;
    rest = n * PART_3_REST - (second - left - taken);
  }
  const angle = left - rest;
  remainder[0] = angle;
  remainder[1] = left - angle - rest;
  return n & 3;
}

/** Binary digits after the point: those of the largest double and 170 more. */
const DIGITS = 1200n;
let halfTurn: bigint | undefined;

/** By whole numbers: x·2^DIGITS modulo π/2·2^DIGITS. */
function ofLarge(x: number): number {
  halfTurn ??= 2n * (4n * inverseTangent(5n) - inverseTangent(239n));
  // Below 2⁵³ there are up to 33 digits after the point.
  const scaled = Math.abs(x) < 2 ** 53 ? BigInt(x * 2 ** 33) << (DIGITS - 33n) : BigInt(x) << DIGITS;
  const sign = x < 0 ? -1n : 1n;
  const multiple = (scaled + (sign * halfTurn) / 2n) / halfTurn;
  // 170 digits are left, more than twice those of a double.
  const left = (scaled - multiple * halfTurn) >> (DIGITS - 170n);
  remainder[0] = Number(left) * 2 ** -170;
  remainder[1] = Number(left - BigInt(Number(left))) * 2 ** -170;
  return Number(BigInt.asUintN(2, multiple));
}

/** atan(1/n)·2^DIGITS by its series, for π/4 = 4·atan(1/5) − atan(1/239) (Machin). */
function inverseTangent(n: bigint): bigint {
  let power = (1n << (DIGITS + 16n)) / n;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power /= -(n * n);
    sum += power / k;
  }
  return sum >> 16n;
}
