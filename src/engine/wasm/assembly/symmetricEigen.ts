import { mirrorLower } from './choleskyInverse';
import { divideAndConquer, divideAndConquerWorkspace, LEAF } from './divideAndConquer';
import { FULL, multiply, UPPER } from './multiply';
import { implicitQl, implicitQlWorkspace, PANEL, tridiagonalize } from './tridiagonal';
import { at, scaleVector } from './vectors';

/** Outside this range of magnitudes, the squares of entries may leave the range of doubles; such a matrix is scaled. */
const SMALLEST: f64 = 1e-30;
const LARGEST: f64 = 1e30;
/** Threshold relative to the largest entry: far below rounding, and far above underflow of squares. */
const NEGLIGIBLE: f64 = 1e-90;

/** Size of the workspace of `symmetricEigen`: eigenvectors, e, tau, and the largest workspace of its steps. */
export function symmetricEigenWorkspace(n: i32): i32 {
  return (
    n * n +
    2 * n +
    max(2 * PANEL * (3 * n + 4 * PANEL), n > LEAF ? divideAndConquerWorkspace(n) : implicitQlWorkspace(n))
  );
}

/**
 * w ← unsorted eigenvalues of A (lower triangle, row-major, overwritten), rows of `work` ← unit eigenvectors. Returns 0, or 1 if the iteration did
 * not converge, which always happens with entries that are not finite.
 */
export function symmetricEigen(n: i32, a: usize, w: usize, work: usize): i32 {
  const vectors = work;
  const e: usize = vectors + ((n * n) << 3);
  const tau: usize = at(e, n);
  const rest: usize = at(tau, n);
  const largest = largestEntry(n, a);
  if (!(largest < Infinity)) return 1;
  // Halves are merged with tolerances for entries of about 1.
  const scaled = largest > 0.0 && (n > LEAF || largest < SMALLEST || largest > LARGEST);
  // A power of two, so that scaling is exact; in two factors, because the inverse of a denormal number is infinite.
  const exponent = scaled ? -exponentOf(largest) : 0;
  if (scaled) scaleByPower(n * n, exponent, a);
  mirrorLower(n, a);
  tridiagonalize(n, a, w, e, tau, rest);
  const floor = NEGLIGIBLE * (scaled ? 1.0 : largest);
  let failed: i32;
  if (n > LEAF) {
    failed = divideAndConquer(n, w, e, floor, vectors, rest);
    applyReflections(n, a, tau, vectors, 2 * PANEL, rest);
  } else {
    memory.fill(vectors, 0, (n * n) << 3);
    for (let i = 0; i < n; i++) store<f64>(at(vectors, i * (n + 1)), 1.0);
    applyReflections(n, a, tau, vectors, PANEL, rest);
    failed = implicitQl(n, w, e, floor, vectors, n, rest);
  }
  if (scaled) scaleByPower(n, -exponent, w);
  return failed;
}

/** The largest modulus in the lower triangle, or NaN if an entry is NaN. */
function largestEntry(n: i32, a: usize): f64 {
  let largest = 0.0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const modulus = abs(load<f64>(a + ((i * n + j) << 3)));
      if (!(modulus <= largest)) largest = modulus;
      if (modulus != modulus) return modulus;
    }
  }
  return largest;
}

function exponentOf(x: f64): i32 {
  return <i32>((reinterpret<u64>(x) >> 52) & 0x7ff) - 1023;
}

function scaleByPower(n: i32, exponent: i32, x: usize): void {
  const half = exponent >> 1;
  scaleVector(n, power(half), x);
  scaleVector(n, power(exponent - half), x);
}

/** 2^exponent for an exponent of a normal number. */
function power(exponent: i32): f64 {
  return reinterpret<f64>((<u64>(exponent + 1023)) << 52);
}

/** Column j of `target` ← row order[j] of `rows` (both n×n), with its entry of largest modulus made positive. */
export function placeEigenvectors(n: i32, rows: usize, order: usize, target: usize): void {
  for (let j = 0; j < n; j += 8) {
    const end = min(j + 8, n);
    for (let c = j; c < end; c++) {
      const row: usize = rows + ((load<i32>(order + (c << 2)) * n) << 3);
      if (largestIsNegative(n, row)) scaleVector(n, -1.0, row);
    }
    // Eight columns at a time fill whole cache lines of the target.
    for (let i = 0; i < n; i++) {
      const line: usize = target + ((i * n) << 3);
      for (let c = j; c < end; c++) {
        store<f64>(at(line, c), load<f64>(at(rows, load<i32>(order + (c << 2)) * n + i)));
      }
    }
  }
}

function largestIsNegative(n: i32, x: usize): bool {
  let largest = 0.0;
  for (let i = 0; i < n; i++) {
    const value = load<f64>(at(x, i));
    if (abs(value) > abs(largest)) largest = value;
  }
  return largest < 0.0;
}

/** Number of rows that are multiplied a second time while they are in the cache. */
const ROWS: i32 = 128;

/**
 * Multiplies each row of `q` by Q, the product of the reflections that `tridiagonalize` left in A and tau: row ← Q·row. Panels of
 * `width` reflections are applied as I − V·T·Vᵀ (Schreiber & Van Loan 1989). `work` has width·(3n + 2·width) numbers.
 */
function applyReflections(n: i32, a: usize, tau: usize, q: usize, width: i32, work: usize): void {
  if (n < 2) return;
  const v = work;
  const qv: usize = v + ((n * width) << 3);
  const qvt: usize = qv + ((n * width) << 3);
  const inner: usize = qvt + ((n * width) << 3);
  const t: usize = inner + ((width * width) << 3);
  for (let first = ((n - 2) / width) * width; first >= 0; first -= width) {
    const columns = min(width, n - 1 - first);
    const top = first + 1;
    const m = n - top;
    for (let j = 0; j < columns; j++) {
      memory.fill(v + ((j * m) << 3), 0, j << 3);
      memory.copy(v + ((j * m + j) << 3), a + (((first + j) * n + top + j) << 3), (m - j) << 3);
    }
    multiply(columns, columns, m, 1.0, v, m, 1, v, 1, m, inner, width, 1, UPPER, false);
    triangularFactor(columns, at(tau, first), inner, t, width);
    const touched: usize = at(q, top);
    for (let i = 0, rows = ROWS; i < n; i += rows) {
      if (n - i < 2 * ROWS) rows = n - i;
      const some: usize = at(touched, i * n);
      multiply(rows, columns, m, 1.0, some, n, 1, v, 1, m, qv, columns, 1, FULL, false);
      multiply(rows, columns, columns, 1.0, qv, columns, 1, t, 1, width, qvt, columns, 1, FULL, false);
      multiply(rows, m, columns, -1.0, qvt, columns, 1, v, m, 1, some, n, 1, FULL, true);
    }
  }
}

/** The upper triangular T of I − V·T·Vᵀ, from VᵀV and tau. */
function triangularFactor(columns: i32, tau: usize, inner: usize, t: usize, width: i32): void {
  memory.fill(t, 0, (width * width) << 3);
  for (let j = 0; j < columns; j++) {
    const tauJ = load<f64>(at(tau, j));
    for (let i = 0; i < j; i++) {
      let s = 0.0;
      for (let k = i; k < j; k++) s += load<f64>(at(t, i * width + k)) * load<f64>(at(inner, k * width + j));
      store<f64>(at(t, i * width + j), -tauJ * s);
    }
    store<f64>(at(t, j * width + j), tauJ);
  }
}
