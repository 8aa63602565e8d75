import { GROUP, LOWER, multiply } from './multiply';
import { partsAlong, sharedRecord, shareOut, startInLower } from './team';
import { half, multiplyTriangular, solveTransposed } from './triangular';
import { at, lanes, multiplyAdd, scaleVector } from './vectors';

const CHOLESKY_BASE: i32 = 32;

/**
 * Lower triangle of A ← L with A = LLᵀ, row-major with rows `stride` numbers apart; the upper triangle is neither read nor written.
 * Halves recursively: [A₁₁ ·; A₂₁ A₂₂] → L₁₁, L₂₁ = A₂₁L₁₁⁻ᵀ, then A₂₂ − L₂₁L₂₁ᵀ. Returns −1, or the index of the first pivot that
 * is not positive, which is then on the diagonal.
 */
export function cholesky(n: i32, a: usize, stride: i32): i32 {
  if (n <= CHOLESKY_BASE) return choleskyBase(n, a, stride << 3);
  const n1 = half(n);
  const n2 = n - n1;
  const a21: usize = a + ((n1 * stride) << 3);
  const a22: usize = a21 + (n1 << 3);
  const failed = cholesky(n1, a, stride);
  if (failed >= 0) return failed;
  solveTransposed(n2, n1, a21, stride, 1, a, stride, 1);
  multiply(n2, n2, n1, -1.0, a21, stride, 1, a21, 1, stride, a22, stride, 1, LOWER, true);
  const failed2 = cholesky(n2, a22, stride);
  return failed2 < 0 ? -1 : failed2 + n1;
}

/** Computes one column after another, with the sums of four rows at a time to hide each other's latencies. */
function choleskyBase(n: i32, a: usize, rowBytes: i32): i32 {
  for (let j = 0; j < n; j++) {
    const rowJ: usize = a + j * rowBytes;
    const rest = remainder(j, rowJ, rowJ);
    if (!(rest > 0.0)) {
      store<f64>(at(rowJ, j), rest);
      return j;
    }
    const pivot = sqrt(rest);
    store<f64>(at(rowJ, j), pivot);
    const inverse = 1.0 / pivot;
    let i = j + 1;
    for (; i + 4 <= n; i += 4) {
      const row: usize = a + i * rowBytes;
      fourRemainders(j, row, rowBytes, rowJ, inverse);
    }
    for (; i < n; i++) {
      const row: usize = a + i * rowBytes;
      store<f64>(at(row, j), remainder(j, row, rowJ) * inverse);
    }
  }
  return -1;
}

/** a_ij minus the product of the first j entries of rows i and j. */
function remainder(j: i32, rowI: usize, rowJ: usize): f64 {
  let s = f64x2.splat(0);
  let k = 0;
  for (; k + 2 <= j; k += 2) s = multiplyAdd(v128.load(at(rowI, k)), v128.load(at(rowJ, k)), s);
  const rest = load<f64>(at(rowI, j)) - lanes(s);
  return k < j ? rest - load<f64>(at(rowI, k)) * load<f64>(at(rowJ, k)) : rest;
}

/** Entries j of four rows ← their remainders, times the inverse of the pivot. */
function fourRemainders(j: i32, row: usize, rowBytes: i32, rowJ: usize, inverse: f64): void {
  let p0 = row;
  let p1: usize = p0 + rowBytes;
  let p2: usize = p1 + rowBytes;
  let p3: usize = p2 + rowBytes;
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  let k = 0;
  for (; k + 2 <= j; k += 2) {
    const y = v128.load(rowJ);
    s0 = multiplyAdd(v128.load(p0), y, s0);
    s1 = multiplyAdd(v128.load(p1), y, s1);
    s2 = multiplyAdd(v128.load(p2), y, s2);
    s3 = multiplyAdd(v128.load(p3), y, s3);
    p0 += 16;
    p1 += 16;
    p2 += 16;
    p3 += 16;
    rowJ += 16;
  }
  if (k < j) {
    const y = load<f64>(rowJ);
    store<f64>(p0, (load<f64>(p0, 8) - lanes(s0) - load<f64>(p0) * y) * inverse, 8);
    store<f64>(p1, (load<f64>(p1, 8) - lanes(s1) - load<f64>(p1) * y) * inverse, 8);
    store<f64>(p2, (load<f64>(p2, 8) - lanes(s2) - load<f64>(p2) * y) * inverse, 8);
    store<f64>(p3, (load<f64>(p3, 8) - lanes(s3) - load<f64>(p3) * y) * inverse, 8);
  } else {
    store<f64>(p0, (load<f64>(p0) - lanes(s0)) * inverse);
    store<f64>(p1, (load<f64>(p1) - lanes(s1)) * inverse);
    store<f64>(p2, (load<f64>(p2) - lanes(s2)) * inverse);
    store<f64>(p3, (load<f64>(p3) - lanes(s3)) * inverse);
  }
}

const BASE: i32 = 16;
const BLOCK: i32 = 32;

/**
 * Lower triangle of L ← (LLᵀ)⁻¹ in place, row-major with rows `stride` numbers apart: first M = L⁻¹, then MᵀM. Entries above the diagonal are
 * undefined.
 */
export function choleskyInverse(n: i32, l: usize, stride: i32): void {
  invertTriangular(n, l, stride);
  multiplyByTranspose(n, l, stride);
}

/** L ← L⁻¹: [L₁₁ 0; L₂₁ L₂₂]⁻¹ has −L₂₂⁻¹L₂₁L₁₁⁻¹ below the diagonal. */
function invertTriangular(n: i32, l: usize, stride: i32): void {
  if (n <= BASE) {
    invertTriangularBase(n, l, stride << 3);
    return;
  }
  const n1 = half(n);
  const n2 = n - n1;
  const l21: usize = l + ((n1 * stride) << 3);
  const l22: usize = l21 + (n1 << 3);
  solveTransposed(n1, n2, l21, 1, stride, l22, stride, 1);
  invertTriangular(n1, l, stride);
  multiplyTriangular(n2, n1, l21, stride, 1, l, stride, 1);
  for (let i = 0; i < n2; i++) scaleVector(n1, -1.0, l21 + ((i * stride) << 3));
  invertTriangular(n2, l22, stride);
}

/** Computes one row after another: row i of the inverse is −L_i·L⁻¹ / L_ii, based on the rows above. Entries above the diagonal are set to zero. */
function invertTriangularBase(n: i32, l: usize, rowBytes: i32): void {
  for (let i = 0; i < n; i++) {
    const row: usize = l + i * rowBytes;
    const pivot = load<f64>(at(row, i));
    const pivots = f64x2.splat(pivot);
    memory.fill(at(row, i), 0, (n - i) << 3);
    let j = 0;
    for (; j < i && j + 4 <= n; j += 4) {
      let s0 = f64x2.splat(0);
      let s1 = f64x2.splat(0);
      let above: usize = at(l + j * rowBytes, j);
      for (let k = j; k < i; k++) {
        const x = v128.load_splat<f64>(at(row, k));
        s0 = f64x2.add(s0, f64x2.mul(x, v128.load(above)));
        s1 = f64x2.add(s1, f64x2.mul(x, v128.load(above, 16)));
        above += rowBytes;
      }
      v128.store(at(row, j), f64x2.div(f64x2.neg(s0), pivots));
      v128.store(at(row, j), f64x2.div(f64x2.neg(s1), pivots), 16);
    }
    for (; j < i; j++) {
      let s = 0.0;
      for (let k = j; k < i; k++) s += load<f64>(at(row, k)) * load<f64>(at(l + k * rowBytes, j));
      store<f64>(at(row, j), -s / pivot);
    }
    store<f64>(at(row, i), 1.0 / pivot);
  }
}

/** Lower triangle of M ← MᵀM, M lower triangular. */
function multiplyByTranspose(n: i32, m: usize, stride: i32): void {
  if (n <= BASE) {
    multiplyByTransposeBase(n, m, stride << 3);
    return;
  }
  const n1 = half(n);
  const n2 = n - n1;
  const m21: usize = m + ((n1 * stride) << 3);
  const m22: usize = m21 + (n1 << 3);
  multiplyByTranspose(n1, m, stride);
  multiply(n1, n1, n2, 1.0, m21, 1, stride, m21, stride, 1, m, stride, 1, LOWER, true);
  multiplyTriangular(n1, n2, m21, 1, stride, m22, stride, 1);
  multiplyByTranspose(n2, m22, stride);
}

/** Computes four columns at a time, and thus up to three entries above the diagonal, which are never read. */
function multiplyByTransposeBase(n: i32, m: usize, rowBytes: i32): void {
  for (let i = 0; i < n; i++) {
    const row: usize = m + i * rowBytes;
    let j = 0;
    for (; j <= i && j + 4 <= n; j += 4) {
      let s0 = f64x2.splat(0);
      let s1 = f64x2.splat(0);
      let below = row;
      for (let k = i; k < n; k++) {
        const x = v128.load_splat<f64>(at(below, i));
        s0 = f64x2.add(s0, f64x2.mul(x, v128.load(at(below, j))));
        s1 = f64x2.add(s1, f64x2.mul(x, v128.load(at(below, j), 16)));
        below += rowBytes;
      }
      v128.store(at(row, j), s0);
      v128.store(at(row, j), s1, 16);
    }
    for (; j <= i; j++) {
      let s = 0.0;
      for (let k = i; k < n; k++) s += load<f64>(at(m + k * rowBytes, i)) * load<f64>(at(m + k * rowBytes, j));
      store<f64>(at(row, j), s);
    }
  }
}

/** Cost of mirroring an entry, in multiplications of a product. */
const ENTRY: f64 = 3.0;

/** A matrix, as passed to the threads that mirror it. */
@unmanaged
class Mirrored {
  a: usize;
  n: i32;
  parts: i32;
}

/** Upper triangle of A ← lower triangle, in blocks that fit the cache. */
export function mirrorLower(n: i32, a: usize): void {
  if (ASC_FEATURE_THREADS) {
    const parts = partsAlong(n, 2 * BLOCK, ENTRY * n * n);
    if (parts > 1) {
      const matrix = changetype<Mirrored>(sharedRecord());
      matrix.a = a;
      matrix.n = n;
      matrix.parts = parts;
      shareOut(mirrorPart, parts, sharedRecord());
      return;
    }
  }
  mirrorRows(0, n, n, a);
}

function mirrorPart(number: i32, record: usize): void {
  const m = changetype<Mirrored>(record);
  mirrorRows(startInLower(number, m.parts, m.n, BLOCK), startInLower(number + 1, m.parts, m.n, BLOCK), m.n, m.a);
}

/** Mirrors rows i0 … i1 − 1 of the lower triangle; i0 is a multiple of the block. */
function mirrorRows(i0: i32, i1: i32, n: i32, a: usize): void {
  const rowBytes = n << 3;
  for (let ib = i0; ib < i1; ib += BLOCK) {
    for (let jb = 0; jb <= ib; jb += BLOCK) {
      const rows = min(ib + BLOCK, i1);
      let i = ib;
      if (jb < ib)
        for (; i + GROUP <= rows; i += GROUP) mirrorGroup(at(a + i * rowBytes, jb), at(a + jb * rowBytes, i), rowBytes);
      for (; i < rows; i++) {
        const end = min(jb + BLOCK, i);
        const row: usize = a + i * rowBytes;
        for (let j = jb; j < end; j++) store<f64>(at(a + j * rowBytes, i), load<f64>(at(row, j)));
      }
    }
  }
}

/** A group of rows of a block, interleaved in the columns of its mirror image: one cache line in each. */
function mirrorGroup(source: usize, target: usize, rowBytes: i32): void {
  for (let j = 0; j < BLOCK; j += 2) {
    let row = source;
    for (let r = 0; r < GROUP; r += 2) {
      const one = v128.load(row);
      const two = v128.load(row + rowBytes);
      const entry: usize = target + (r << 3);
      v128.store(entry, f64x2.shuffle(one, two, 0, 2));
      v128.store(entry + rowBytes, f64x2.shuffle(one, two, 1, 3));
      row += rowBytes << 1;
    }
    source += 16;
    target += rowBytes << 1;
  }
}
