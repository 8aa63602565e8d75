import { addParts, firstRow, gradientParts, resultOfPart } from './gradientParts';
import { contract, mirrorBlock, withTransposed } from './pairBlocks';
import { startInLower } from './parts';
import { BLOCK, valuesFromPoint, weighBySlopes } from './radialRows';
import { isWorthSharing, operands, partsAlong, shareOut, threadNumber } from './team';
import { at, dot } from './vectors';

/**
 * K_ij and K_ji ← variance·f(‖x_i − x_j‖²) + shift, `diagonal` at K_ii. Points are given dimension by dimension (q×n), K is n×n, row-major;
 * `work` holds 64 numbers a thread. Block by block, so that values never leave the first-level cache; blocks below the diagonal are
 * copied above it when it is to be `mirrored`; otherwise what is above means nothing.
 */
export function radialGram(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  shift: f64,
  diagonal: f64,
  k: usize,
  mirrored: bool,
  work: usize,
): void {
  if (ASC_FEATURE_THREADS) {
    const parts = partsAlong(n, GRAM_BLOCK);
    if (parts > 1 && isWorthSharing(VALUE * n * n)) {
      const task = changetype<RadialTask>(operands());
      task.profile = profile;
      task.parts = parts;
      task.n = n;
      task.q = q;
      task.x = x;
      task.variance = variance;
      task.shift = shift;
      task.diagonal = diagonal;
      task.k = k;
      task.mirrored = mirrored;
      task.work = work;
      shareOut(sharedGramPart, parts);
      return;
    }
  }
  gramRows(profile, n, q, x, variance, shift, diagonal, 0, n, k, mirrored, work);
}

/** Columns of a block of K. */
const GRAM_BLOCK: i32 = 64;
/** What an entry costs, an exponential or a logarithm above all, in multiplications of a product. */
const VALUE: f64 = 20.0;
/** What a pair of points costs in the gradient, half of them. */
const MULTIPLICATIONS: f64 = 40.0;

/** A covariance or its gradient as the threads of a team find it. */
@unmanaged
class RadialTask {
  variance: f64;
  shift: f64;
  diagonal: f64;
  profile: i32;
  parts: i32;
  n: i32;
  q: i32;
  x: usize;
  k: usize;
  g: usize;
  work: usize;
  mirrored: bool;
}

function sharedGramPart(part: i32): void {
  const t = changetype<RadialTask>(operands());
  const start = startInLower(part, t.parts, t.n, GRAM_BLOCK);
  const end = startInLower(part + 1, t.parts, t.n, GRAM_BLOCK);
  const work: usize = at(t.work, GRAM_BLOCK * threadNumber());
  gramRows(t.profile, t.n, t.q, t.x, t.variance, t.shift, t.diagonal, start, end, t.k, t.mirrored, work);
}

function gramRows(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  shift: f64,
  diagonal: f64,
  rowStart: i32,
  rowEnd: i32,
  k: usize,
  mirrored: bool,
  work: usize,
): void {
  const rowBytes = n << 3;
  for (let ib = rowStart; ib < rowEnd; ib += GRAM_BLOCK) {
    const rows = min(ib + GRAM_BLOCK, rowEnd);
    for (let jb = 0; jb < rows; jb += GRAM_BLOCK) {
      for (let i = max(ib, jb + 1); i < rows; i++) {
        // A width is odd only where it ends before the diagonal, which is written last: values may be computed in place.
        const width = min(GRAM_BLOCK, i - jb);
        const row: usize = at(k + i * rowBytes, jb);
        valuesFromPoint(profile, width, q, at(x, i), rowBytes, at(x, jb), rowBytes, variance, shift, row, row, work);
      }
      if (mirrored) mirrorBlock(ib, rows, jb, GRAM_BLOCK, k, rowBytes);
    }
    for (let i = ib; i < rows; i++) store<f64>(at(k + i * rowBytes, i), diagonal);
  }
}

/**
 * Result ← [dx | Σ g_ij·k_ij, 0] with dx_i = 2·Σ_j w_ij·(x_i − x_j), w_ij = variance·f′(‖x_i − x_j‖²)·(g_ij + g_ji): what g = ∂L/∂K is in the
 * points. Points and dx are given dimension by dimension; `work` holds gradientWorkspace(n, q·n + 2) numbers.
 */
export function radialGramGradient(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  k: usize,
  g: usize,
  result: usize,
  work: usize,
): void {
  const parts = gradientParts(n);
  if (ASC_FEATURE_THREADS) {
    if (parts > 1 && isWorthSharing(MULTIPLICATIONS * n * n)) {
      const task = changetype<RadialTask>(operands());
      task.profile = profile;
      task.n = n;
      task.q = q;
      task.x = x;
      task.variance = variance;
      task.k = k;
      task.g = g;
      task.work = work;
      shareOut(sharedGradientPart, parts);
      addParts(n, q * n + 2, work, result);
      return;
    }
  }
  for (let part = 0; part < parts; part++) gradientPart(part, profile, n, q, x, variance, k, g, work);
  addParts(n, q * n + 2, work, result);
}

function sharedGradientPart(part: i32): void {
  const t = changetype<RadialTask>(operands());
  gradientPart(part, t.profile, t.n, t.q, t.x, t.variance, t.k, t.g, t.work);
}

function gradientPart(
  part: i32,
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  k: usize,
  g: usize,
  work: usize,
): void {
  const length = q * n + 2;
  const dx = resultOfPart(part, length, work);
  const own: usize = at(dx, length);
  memory.fill(dx, 0, length << 3);
  const sum = gradientRows(profile, n, q, x, variance, firstRow(part, n), firstRow(part + 1, n), k, g, dx, own);
  store<f64>(at(dx, q * n), sum);
}

/** Adds to dx what rows rowStart … rowEnd − 1 contribute, and returns their Σ g_ij·k_ij; `work` holds 97 numbers. */
function gradientRows(
  profile: i32,
  n: i32,
  q: i32,
  x: usize,
  variance: f64,
  rowStart: i32,
  rowEnd: i32,
  k: usize,
  g: usize,
  dx: usize,
  work: usize,
): f64 {
  const rowBytes = n << 3;
  const weights: usize = at(work, 2 * BLOCK);
  const squares: usize = at(work, 3 * BLOCK);
  store<f64>(squares, 0.0);
  let sum = 0.0;
  for (let ib = rowStart; ib < rowEnd; ib += BLOCK) {
    const rows = min(ib + BLOCK, rowEnd);
    for (let jb = 0; jb < rows; jb += BLOCK) {
      for (let i = max(ib, jb + 1); i < rows; i++) {
        const width = min(BLOCK, i - jb);
        withTransposed(width, at(g + i * rowBytes, jb), at(g + jb * rowBytes, i), rowBytes, weights);
        sum += dot(width, weights, at(k + i * rowBytes, jb));
        weighBySlopes(profile, width, q, at(x, i), rowBytes, at(x, jb), rowBytes, -2.0 * variance, weights, work);
        for (let d = 0; d < q; d++) {
          const line = d * n;
          contract(width, i - jb, at(x, line + jb), weights, at(dx, line + jb), squares);
        }
      }
    }
    for (let i = ib; i < rows; i++) sum += load<f64>(at(g + i * rowBytes, i)) * load<f64>(at(k + i * rowBytes, i));
  }
  return sum;
}
