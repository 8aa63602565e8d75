import { addParts, firstRow, gradientParts, resultOfPart } from './gradientParts';
import { contract, withTransposed } from './pairBlocks';
import { isWorthSharing, operands, shareOut } from './team';
import { at, lanes } from './vectors';

const BLOCK: i32 = 32;

/**
 * Contracts g = ∂L/∂K with the derivatives of k = variance·exp(−½·‖x_i − x_j‖²) + bias by `radialGram`, whose k, points x and bias are given; one pass over
 * g and k. With h = (g_ij + g_ji)·(k_ij − bias) below the diagonal, result ← [dx | squares | sums],
 *   dx_i = −Σ_j h_ij·(x_i − x_j),  squares_d = Σ_ij h_ij·(x_i − x_j)_d²,
 *   sums = [Σ h_ij, Σ g_ij, Σ g_ii, 0].
 * Points and dx are given dimension by dimension; `work` holds
 * gradientWorkspace(n, q·n + q + 4) numbers. Of a `symmetric` g the lower triangle alone is read.
 */
export function rbfGradient(
  n: i32,
  q: i32,
  x: usize,
  k: usize,
  bias: f64,
  g: usize,
  symmetric: bool,
  result: usize,
  work: usize,
): void {
  const parts = gradientParts(n);
  if (ASC_FEATURE_THREADS) {
    if (parts > 1 && isWorthSharing(MULTIPLICATIONS * n * n)) {
      const task = changetype<Contraction>(operands());
      task.n = n;
      task.q = q;
      task.x = x;
      task.k = k;
      task.bias = bias;
      task.g = g;
      task.symmetric = symmetric;
      task.work = work;
      shareOut(sharedPart, parts);
      addParts(n, resultLength(n, q), work, result);
      return;
    }
  }
  for (let part = 0; part < parts; part++) gradientPart(part, n, q, x, k, bias, g, symmetric, work);
  addParts(n, resultLength(n, q), work, result);
}

/** What a pair of points costs, half of them, in multiplications of a product. */
const MULTIPLICATIONS: f64 = 15.0;

/** A contraction as the threads of a team find it. */
@unmanaged
class Contraction {
  bias: f64;
  n: i32;
  q: i32;
  x: usize;
  k: usize;
  g: usize;
  work: usize;
  symmetric: bool;
}

function sharedPart(part: i32): void {
  const t = changetype<Contraction>(operands());
  gradientPart(part, t.n, t.q, t.x, t.k, t.bias, t.g, t.symmetric, t.work);
}

function resultLength(n: i32, q: i32): i32 {
  return q * n + q + 4;
}

function gradientPart(
  part: i32,
  n: i32,
  q: i32,
  x: usize,
  k: usize,
  bias: f64,
  g: usize,
  symmetric: bool,
  work: usize,
): void {
  const length = resultLength(n, q);
  const dx = resultOfPart(part, length, work);
  const squares: usize = at(dx, q * n);
  const sums: usize = at(squares, q);
  const h: usize = at(dx, length);
  const rowBytes = n << 3;
  memory.fill(dx, 0, length << 3);
  const factor = symmetric ? 2.0 : 1.0;
  let trace = 0.0;
  const end = firstRow(part + 1, n);
  for (let ib = firstRow(part, n); ib < end; ib += BLOCK) {
    const rows = min(ib + BLOCK, end);
    for (let jb = 0; jb <= ib; jb += BLOCK) {
      for (let i = ib; i < rows; i++) {
        const width = min(BLOCK, i - jb);
        const row: usize = at(g + i * rowBytes, jb);
        if (!symmetric) withTransposed(width, row, at(g + jb * rowBytes, i), rowBytes, h);
        weigh(width, symmetric ? row : h, factor, at(k + i * rowBytes, jb), bias, h, sums);
        for (let d = 0; d < q; d++) {
          const line = d * n;
          contract(width, i - jb, at(x, line + jb), h, at(dx, line + jb), at(squares, d));
        }
      }
    }
    for (let i = ib; i < rows; i++) trace += load<f64>(at(g + i * rowBytes, i));
  }
  store<f64>(sums, load<f64>(sums, 8) + trace, 8);
  store<f64>(sums, trace, 16);
}

/** h_j ← factor·g_j·(k_ij − bias), whose sum is added to the first of the sums; to the second that of factor·g_j. */
function weigh(width: i32, g: usize, factor: f64, k: usize, bias: f64, h: usize, sums: usize): void {
  const factors = f64x2.splat(factor);
  const shift = f64x2.splat(bias);
  let weights = f64x2.splat(0);
  let totals = f64x2.splat(0);
  for (let pairs = width >> 1; pairs > 0; pairs--) {
    const both = f64x2.mul(v128.load(g), factors);
    const weighted = f64x2.mul(both, f64x2.sub(v128.load(k), shift));
    v128.store(h, weighted);
    totals = f64x2.add(totals, both);
    weights = f64x2.add(weights, weighted);
    g += 16;
    k += 16;
    h += 16;
  }
  let weightSum = lanes(weights);
  let total = lanes(totals);
  if (width & 1) {
    const both = load<f64>(g) * factor;
    const weighted = both * (load<f64>(k) - bias);
    store<f64>(h, weighted);
    total += both;
    weightSum += weighted;
  }
  store<f64>(sums, load<f64>(sums) + weightSum);
  store<f64>(sums, load<f64>(sums, 8) + total, 8);
}
