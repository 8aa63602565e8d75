/** A number and the two halves of its bits, the same memory; every machine that runs JavaScript engines of today has the low half first. */
export const double = new Float64Array(1);
export const halves = new Int32Array(double.buffer);

/** Exponent and the upper 20 bits of the fraction, without the sign. */
function highBits(x: number): number {
  double[0] = x;
  return halves[1]! & 0x7fffffff;
}

/** x·2ⁿ by adding n to the exponent: both x and the result are normal numbers. */
export function timesPower(x: number, n: number): number {
  double[0] = x;
  halves[1]! += n << 20;
  return double[0]!;
}

/** 2ⁿ, −1022 ≤ n ≤ 1023. */
export const powerOfTwo = (n: number): number => timesPower(1, n);

/** ⌊log₂ x⌋ for x > 0 and finite, exactly. */
export function binaryExponent(x: number): number {
  const exponent = highBits(x) >>> 20;
  // A denormal number times 2⁵⁴ is normal.
  return exponent > 0 ? exponent - 1023 : (highBits(x * 18014398509481984) >>> 20) - 1077;
}
