import { mirrorLower } from './choleskyInverse';
import { divideAndConquer, divideAndConquerWorkspace, LEAF } from './divideAndConquer';
import { implicitQl, implicitQlWorkspace } from './implicitQl';
import { applyReflections } from './reflections';
import { PANEL, tridiagonalize } from './tridiagonal';
import { at, scaleVector } from './vectors';

/** Outside this range of magnitudes the squares of entries may leave that of doubles; such a matrix is scaled. */
const SMALLEST: f64 = 1e-30;
const LARGEST: f64 = 1e30;
/** Relative to the largest entry: far below rounding, far above where squares underflow. */
const NEGLIGIBLE: f64 = 1e-90;

/** Numbers of workspace that `symmetricEigen` takes: eigenvectors, e, tau, and the largest of its steps. */
export function symmetricEigenWorkspace(n: i32): i32 {
  return (
    n * n +
    2 * n +
    max(2 * PANEL * (3 * n + 4 * PANEL), n > LEAF ? divideAndConquerWorkspace(n) : implicitQlWorkspace(n))
  );
}

/**
 * w ← eigenvalues of A (lower triangle given, row-major, overwritten) in no order, rows of `work` ← unit eigenvectors.
 * Returns 0, or 1 when the iteration did not converge, as it never does with entries that are not finite.
 */
export function symmetricEigen(n: i32, a: usize, w: usize, work: usize): i32 {
  const vectors = work;
  const e: usize = vectors + ((n * n) << 3);
  const tau: usize = at(e, n);
  const rest: usize = at(tau, n);
  const largest = largestEntry(n, a);
  if (!(largest < Infinity)) return 1;
  // Halves are put together by tolerances that hold for entries of about 1.
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

/** The largest modulus in the lower triangle, or NaN when there is one. */
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

/** Column j of `target` ← row order[j] of `rows` (both n×n), its entry of largest modulus made positive. */
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
