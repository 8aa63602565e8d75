/** Rows that are worked on together once they lie side by side. */
export const GROUP: i32 = 8;
export const GROUP_BYTES: i32 = 64;

/** Copies a group of rows so that the entries of a column lie side by side: target[k][r] = source[r, k]. */
export function gatherRows(n: i32, source: usize, rowBytes: i32, columnBytes: i32, target: usize): void {
  for (let r = 0; r < GROUP; r += 2) {
    let p: usize = source + r * rowBytes;
    let q: usize = target + (r << 3);
    for (let k = 0; k < n; k++) {
      v128.store(q, v128.load64_lane(p + rowBytes, v128.load64_zero(p), 1));
      p += columnBytes;
      q += GROUP_BYTES;
    }
  }
}

/** Copies them back. */
export function scatterRows(n: i32, source: usize, target: usize, rowBytes: i32, columnBytes: i32): void {
  for (let r = 0; r < GROUP; r += 2) {
    let p: usize = source + (r << 3);
    let q: usize = target + r * rowBytes;
    for (let k = 0; k < n; k++) {
      const pair = v128.load(p);
      v128.store64_lane(q, pair, 0);
      v128.store64_lane(q + rowBytes, pair, 1);
      p += GROUP_BYTES;
      q += columnBytes;
    }
  }
}
