/** Rows of A and columns of B in one packed sliver: the micro-kernel computes a 4×4 tile of C from one of each. */
export const SLIVER: i32 = 4;

/**
 * Copies a panel of `length` vectors of `depth` entries into slivers of four, so that the micro-kernel reads memory in
 * order: target[sliver][p][0..3] = factor · source[4·sliver + 0..3, p]. The last sliver is filled up with zeros.
 */
export function pack(
  target: usize,
  source: usize,
  length: i32,
  depth: i32,
  vectorStride: i32,
  entryStride: i32,
  factor: f64,
): void {
  const vectorBytes = vectorStride << 3;
  let i = 0;
  for (; i + SLIVER <= length; i += SLIVER) {
    const first: usize = source + i * vectorBytes;
    if (entryStride == 1) packByTransposing(target, first, depth, vectorBytes, factor);
    else if (vectorStride == 1) packByCopying(target, first, depth, entryStride << 3, factor);
    else packEntries(target, first, SLIVER, depth, vectorBytes, entryStride << 3, factor);
    target += depth << 5;
  }
  if (i < length)
    packEntries(target, source + i * vectorBytes, length - i, depth, vectorBytes, entryStride << 3, factor);
}

/** Four vectors whose entries are contiguous: 2×2 blocks are transposed in registers. */
function packByTransposing(target: usize, source: usize, depth: i32, vectorBytes: i32, factor: f64): void {
  const factors = f64x2.splat(factor);
  let p0 = source;
  let p1: usize = p0 + vectorBytes;
  let p2: usize = p1 + vectorBytes;
  let p3: usize = p2 + vectorBytes;
  let p = 0;
  for (; p + 2 <= depth; p += 2) {
    const r0 = f64x2.mul(v128.load(p0), factors);
    const r1 = f64x2.mul(v128.load(p1), factors);
    const r2 = f64x2.mul(v128.load(p2), factors);
    const r3 = f64x2.mul(v128.load(p3), factors);
    v128.store(target, f64x2.shuffle(r0, r1, 0, 2));
    v128.store(target, f64x2.shuffle(r2, r3, 0, 2), 16);
    v128.store(target, f64x2.shuffle(r0, r1, 1, 3), 32);
    v128.store(target, f64x2.shuffle(r2, r3, 1, 3), 48);
    target += 64;
    p0 += 16;
    p1 += 16;
    p2 += 16;
    p3 += 16;
  }
  if (p < depth) {
    store<f64>(target, load<f64>(p0) * factor);
    store<f64>(target, load<f64>(p1) * factor, 8);
    store<f64>(target, load<f64>(p2) * factor, 16);
    store<f64>(target, load<f64>(p3) * factor, 24);
  }
}

/** Four vectors that lie side by side. */
function packByCopying(target: usize, source: usize, depth: i32, entryBytes: i32, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (let p = 0; p < depth; p++) {
    v128.store(target, f64x2.mul(v128.load(source), factors));
    v128.store(target, f64x2.mul(v128.load(source, 16), factors), 16);
    target += 32;
    source += entryBytes;
  }
}

function packEntries(
  target: usize,
  source: usize,
  length: i32,
  depth: i32,
  vectorBytes: i32,
  entryBytes: i32,
  factor: f64,
): void {
  for (let p = 0; p < depth; p++) {
    for (let i = 0; i < SLIVER; i++) {
      store<f64>(target + (i << 3), i < length ? load<f64>(source + i * vectorBytes) * factor : 0.0);
    }
    target += 32;
    source += entryBytes;
  }
}

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
