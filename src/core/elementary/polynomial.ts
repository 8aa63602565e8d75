/** A polynomial with coefficients in ascending order of powers, by Horner's rule. */
export function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) value = coefficients[k]! + x * value;
  return value;
}
