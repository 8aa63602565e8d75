/** Rows and columns of the tile of C that the micro-kernel keeps in registers. */
export const TILE = 4;

/**
 * C ← C + A·B for one 4×4 tile of C, A packed as `depth` columns of 4 and B as `depth` rows of 4. The sixteen sums stay in
 * registers for the whole loop; unrolling it further makes V8 spill them.
 */
export function microKernel(
  depth: number,
  a: Float64Array,
  aStart: number,
  b: Float64Array,
  bStart: number,
  c: Float64Array,
  cStart: number,
  rowStride: number,
  columnStride: number,
): void {
  let c00 = 0;
  let c01 = 0;
  let c02 = 0;
  let c03 = 0;
  let c10 = 0;
  let c11 = 0;
  let c12 = 0;
  let c13 = 0;
  let c20 = 0;
  let c21 = 0;
  let c22 = 0;
  let c23 = 0;
  let c30 = 0;
  let c31 = 0;
  let c32 = 0;
  let c33 = 0;
  for (let p = 0, i = aStart, j = bStart; p < depth; p++, i += 4, j += 4) {
    const b0 = b[j]!;
    const b1 = b[j + 1]!;
    const b2 = b[j + 2]!;
    const b3 = b[j + 3]!;
    let x = a[i]!;
    c00 += x * b0;
    c01 += x * b1;
    c02 += x * b2;
    c03 += x * b3;
    x = a[i + 1]!;
    c10 += x * b0;
    c11 += x * b1;
    c12 += x * b2;
    c13 += x * b3;
    x = a[i + 2]!;
    c20 += x * b0;
    c21 += x * b1;
    c22 += x * b2;
    c23 += x * b3;
    x = a[i + 3]!;
    c30 += x * b0;
    c31 += x * b1;
    c32 += x * b2;
    c33 += x * b3;
  }
  let row = cStart;
  c[row]! += c00;
  c[row + columnStride]! += c01;
  c[row + 2 * columnStride]! += c02;
  c[row + 3 * columnStride]! += c03;
  row += rowStride;
  c[row]! += c10;
  c[row + columnStride]! += c11;
  c[row + 2 * columnStride]! += c12;
  c[row + 3 * columnStride]! += c13;
  row += rowStride;
  c[row]! += c20;
  c[row + columnStride]! += c21;
  c[row + 2 * columnStride]! += c22;
  c[row + 3 * columnStride]! += c23;
  row += rowStride;
  c[row]! += c30;
  c[row + columnStride]! += c31;
  c[row + 2 * columnStride]! += c32;
  c[row + 3 * columnStride]! += c33;
}
