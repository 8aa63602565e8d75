import { double, halves } from './bits.ts';

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const SMALLEST_NORMAL = 2.2250738585072014e-308;

/**
 * log(2^offset·x) of a normal x > 0: x = 2ᵏ·(1 + f) with √½ ≤ 1 + f < √2, and log(1 + f) = f − (½f² − s·(½f² + R(s²))),
 * s = f / (2 + f), with the polynomial R of FDLIBM's e_log.c.
 */
function ofNormal(x: number, offset: number): number {
  double[0] = x;
  const high = halves[1]!;
  // Bits of 1 less those of √½ are added, which makes the exponent jump at √½ instead of at 1.
  const exponent = (high + 0x00095f61 + (halves[0]! >>> 0 >= 0x667f3bcd ? 1 : 0)) >>> 20;
  halves[1] = high - ((exponent - 1023) << 20);
  const f = double[0]! - 1;
  const k = exponent - 1023 + offset;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const t1 = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd = 0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605106586);
  const t2 = z * (0.6666666666666735 + w * odd);
  const half = 0.5 * (f * f);
  return k * LN2_HIGH - (half - (s * (half + (t1 + t2)) + k * LN2_LOW) - f);
}

/** ln x: the same bits as the compiled one for arrays. Error below 1 unit in the last place; −∞ at ±0, NaN below. */
export function log(x: number): number {
  if (x >= SMALLEST_NORMAL && x <= Number.MAX_VALUE) return ofNormal(x, 0);
  if (x === 0) return Number.NEGATIVE_INFINITY;
  // Times 2⁵⁴, which makes it normal.
  if (x > 0) return x === Number.POSITIVE_INFINITY ? x : ofNormal(x * 18014398509481984, -54);
  return Number.NaN;
}

/** ln(1 + x) without cancellation near 0, after W. Kahan: the rounding of 1 + x is undone by a factor. Error below 3 units in the last place. */
export function log1p(x: number): number {
  const u = 1 + x;
  if (u === 1 || u === Number.POSITIVE_INFINITY) return x;
  return u <= 0 ? log(u) : log(u) * (x / (u - 1));
}
