/** A number for a sentence: three significant digits. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}
