import { LOWER, multiply } from './multiply';
import { half, solveTransposed } from './triangular';
import { at, lanes, multiplyAdd } from './vectors';

const BASE: i32 = 32;

/**
 * Lower triangle of A ← L with A = LLᵀ, row-major with rows `stride` numbers apart; the upper triangle is neither read nor written.
 * Halves recursively: [A₁₁ ·; A₂₁ A₂₂] → L₁₁, L₂₁ = A₂₁L₁₁⁻ᵀ, then A₂₂ − L₂₁L₂₁ᵀ. Returns −1, or the index of the first pivot that
 * is not positive, which is then on the diagonal.
 */
export function cholesky(n: i32, a: usize, stride: i32): i32 {
  if (n <= BASE) return choleskyBase(n, a, stride << 3);
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

/** Column by column; the sums of four rows at a time hide each other's latencies. */
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

/** a_ij less the product of the first j entries of rows i and j. */
function remainder(j: i32, rowI: usize, rowJ: usize): f64 {
  let s = f64x2.splat(0);
  let k = 0;
  for (; k + 2 <= j; k += 2) s = multiplyAdd(v128.load(at(rowI, k)), v128.load(at(rowJ, k)), s);
  const rest = load<f64>(at(rowI, j)) - lanes(s);
  return k < j ? rest - load<f64>(at(rowI, k)) * load<f64>(at(rowJ, k)) : rest;
}

/** Entries j of four rows ← what remains of them, times the inverse of the pivot. */
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
