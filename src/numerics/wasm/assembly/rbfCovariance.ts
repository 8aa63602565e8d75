import { exponential } from './exponential';
import { mirrorBlock } from './pairBlocks';
import { startInLower } from './parts';
import { distancesFromPoint } from './squaredDistances';
import { isWorthSharing, operands, partsAlong, shareOut } from './team';
import { at } from './vectors';

const BLOCK: i32 = 64;

/**
 * K_ij ← variance·exp(−½·‖x_i − x_j‖²) + bias, + noise where i = j: n×n, row-major; the points divided by their
 * lengthscales and given dimension by dimension (q×n). Block by block, so that exponents never leave the first-level cache; blocks
 * below the diagonal are copied above it.
 */
export function rbfCovariance(n: i32, q: i32, x: usize, variance: f64, bias: f64, noise: f64, k: usize): void {
  if (ASC_FEATURE_THREADS) {
    const parts = partsAlong(n, BLOCK);
    if (parts > 1 && isWorthSharing(MULTIPLICATIONS * n * n)) {
      const task = changetype<Covariance>(operands());
      task.parts = parts;
      task.n = n;
      task.q = q;
      task.x = x;
      task.variance = variance;
      task.bias = bias;
      task.noise = noise;
      task.k = k;
      shareOut(covariancePart, parts);
      return;
    }
  }
  covarianceRows(0, n, n, q, x, variance, bias, noise, k);
}

/** What an entry costs, an exponential above all, in multiplications of a product. */
const MULTIPLICATIONS: f64 = 20.0;

/** A covariance as the threads of a team find it. */
@unmanaged
class Covariance {
  variance: f64;
  bias: f64;
  noise: f64;
  parts: i32;
  n: i32;
  q: i32;
  x: usize;
  k: usize;
}

function covariancePart(number: i32): void {
  const t = changetype<Covariance>(operands());
  const start = startInLower(number, t.parts, t.n, BLOCK);
  const end = startInLower(number + 1, t.parts, t.n, BLOCK);
  covarianceRows(start, end, t.n, t.q, t.x, t.variance, t.bias, t.noise, t.k);
}

/** Rows i0 … i1 − 1 of the lower triangle; i0 is a multiple of the block. */
function covarianceRows(
  i0: i32,
  i1: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  bias: f64,
  noise: f64,
  k: usize,
): void {
  const rowBytes = n << 3;
  for (let ib = i0; ib < i1; ib += BLOCK) {
    const rows = min(ib + BLOCK, i1);
    for (let jb = 0; jb <= ib; jb += BLOCK) {
      for (let i = ib; i < rows; i++) {
        const width = min(BLOCK, i - jb);
        const entries: usize = at(k + i * rowBytes, jb);
        distancesFromPoint(width, q, at(x, i), rowBytes, at(x, jb), rowBytes, -0.5, entries);
        exponential(width, entries, entries);
        scaleAndShift(width, variance, bias, entries);
      }
      mirrorBlock(ib, rows, jb, BLOCK, k, rowBytes);
    }
    for (let i = ib; i < rows; i++) store<f64>(at(k + i * rowBytes, i), variance + bias + noise);
  }
}

function scaleAndShift(length: i32, factor: f64, shift: f64, x: usize): void {
  const factors = f64x2.splat(factor);
  const shifts = f64x2.splat(shift);
  let i = 0;
  for (; i + 2 <= length; i += 2) {
    v128.store(at(x, i), f64x2.add(f64x2.mul(factors, v128.load(at(x, i))), shifts));
  }
  if (i < length) store<f64>(at(x, i), factor * load<f64>(at(x, i)) + shift);
}
