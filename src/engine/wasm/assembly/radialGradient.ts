import { BLOCK, Radial, weighBySlopes } from './radialRows';
import { performParts, startInLower } from './team';
import { at, dot, lanes } from './vectors';

/**
 * Smallest number of rows in a part. Gradients of covariances sum over all pairs of points into one result: the rows are divided into parts depending
 * on their number alone, each with its own result, which are added in order. Parts can therefore be shared among threads, with the same bits as on
 * one thread.
 */
const LEAST_ROWS: i32 = 128;
const MOST_PARTS: i32 = 8;
/** Size of a part's workspace, in addition to its result. */
const ROW: i32 = 3 * BLOCK;
/** Cost of a pair of points, in multiplications of a product, with and without an exponential or a logarithm. */
const SLOPE: f64 = 40.0;
const ENTRY: f64 = 15.0;

function partsOf(n: i32): i32 {
  return max(1, min(MOST_PARTS, n / LEAST_ROWS));
}

function resultLength(r: Radial): i32 {
  return r.q * r.n + r.q + 4;
}

/** Size of the workspace of a gradient for n points in q dimensions. */
export function gradientWorkspace(n: i32, q: i32): i32 {
  return partsOf(n) * (q * n + q + 4 + ROW);
}

/** Address of a part's result, followed by its workspace. */
function resultOfPart(part: i32, r: Radial): usize {
  return at(r.work, part * (resultLength(r) + ROW));
}

/**
 * Contracts g = ∂L/∂K with the derivatives of K by `radialGram`: dx ← [dx | squares | sums], q·n + q + 4 numbers. With the weights of pairs below the
 * diagonal h_ij = −2·variance·f′(‖x_i − x_j‖²)·(g_ij + g_ji), or, for an rbf that
 * `readsEntries`, (g_ij + g_ji)·(k_ij − shift),
 *   dx_i = −Σ_j h_ij·(x_i − x_j), dimension by dimension,  squares_d = Σ_ij h_ij·(x_i − x_j)_d²,
 *   sums = [Σ h_ij, Σ g_ij, Σ g_ii, 0], and [Σ g_ij·k_ij, 0, 0, 0] otherwise. A `symmetric` g requires an rbf that reads entries.
 */
export function radialGradient(r: Radial): void {
  const cost = r.readsEntries ? ENTRY : SLOPE;
  r.parts = partsOf(r.n);
  performParts(gradientPart, r.parts, changetype<usize>(r), cost * r.n * r.n);
  const length = resultLength(r);
  memory.copy(r.dx, r.work, length << 3);
  for (let part = 1; part < r.parts; part++) {
    let from = resultOfPart(part, r);
    let to = r.dx;
    for (let i = 0; i < length; i++) {
      store<f64>(to, load<f64>(to) + load<f64>(from));
      from += 8;
      to += 8;
    }
  }
}

function gradientPart(part: i32, record: usize): void {
  const r = changetype<Radial>(record);
  const n = r.n;
  const q = r.q;
  const g = r.g;
  const k = r.k;
  const x = r.x;
  const length = resultLength(r);
  const dx = resultOfPart(part, r);
  const squares: usize = at(dx, q * n);
  const sums: usize = at(squares, q);
  const work: usize = at(dx, length);
  const h: usize = at(work, 2 * BLOCK);
  const rowBytes = n << 3;
  memory.fill(dx, 0, length << 3);
  const factor = r.symmetric ? 2.0 : 1.0;
  let sum = 0.0;
  let trace = 0.0;
  const end = startInLower(part + 1, r.parts, n, BLOCK);
  for (let ib = startInLower(part, r.parts, n, BLOCK); ib < end; ib += BLOCK) {
    const rows = min(ib + BLOCK, end);
    for (let jb = 0; jb < rows; jb += BLOCK) {
      for (let i = max(ib, jb + 1); i < rows; i++) {
        const width = min(BLOCK, i - jb);
        const row: usize = at(g + i * rowBytes, jb);
        const entries: usize = at(k + i * rowBytes, jb);
        if (!r.symmetric) withTransposed(width, row, at(g + jb * rowBytes, i), rowBytes, h);
        if (r.readsEntries) {
          weighByEntries(width, r.symmetric ? row : h, factor, entries, r.shift, h, sums);
        } else {
          sum += dot(width, h, entries);
          weighBySlopes(r, width, at(x, i), rowBytes, at(x, jb), rowBytes, -2.0 * r.variance, h, work);
        }
        for (let d = 0; d < q; d++) {
          const line = d * n;
          contract(width, i - jb, at(x, line + jb), h, at(dx, line + jb), at(squares, d));
        }
      }
    }
    for (let i = ib; i < rows; i++) {
      const entry = load<f64>(at(g + i * rowBytes, i));
      trace += entry;
      sum += entry * load<f64>(at(k + i * rowBytes, i));
    }
  }
  if (r.readsEntries) {
    store<f64>(sums, load<f64>(sums, 8) + trace, 8);
    store<f64>(sums, trace, 16);
  } else {
    store<f64>(sums, sum);
  }
}

/** h_j ← factor·g_j·(k_ij − bias); adds its sum to the first of the sums, and the sum of factor·g_j to the second. */
function weighByEntries(width: i32, g: usize, factor: f64, k: usize, bias: f64, h: usize, sums: usize): void {
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

/** h_j ← g_ij + g_ji. */
function withTransposed(width: i32, row: usize, column: usize, rowBytes: i32, h: usize): void {
  for (let j = 0; j < width; j++) store<f64>(at(h, j), load<f64>(at(row, j)) + load<f64>(column + j * rowBytes));
}

/** One row, one dimension: adds the contributions of the pairs of point i with points j = 0 … width − 1 (indices from the same start) to the gradients of both. */
function contract(width: i32, i: i32, x: usize, h: usize, dx: usize, square: usize): void {
  const own: usize = at(dx, i);
  const xi = load<f64>(at(x, i));
  const xs = f64x2.splat(xi);
  let pulls = f64x2.splat(0);
  let squares = f64x2.splat(0);
  for (let pairs = width >> 1; pairs > 0; pairs--) {
    const gap = f64x2.sub(xs, v128.load(x));
    const pull = f64x2.mul(v128.load(h), gap);
    pulls = f64x2.add(pulls, pull);
    squares = f64x2.add(squares, f64x2.mul(pull, gap));
    v128.store(dx, f64x2.add(v128.load(dx), pull));
    x += 16;
    h += 16;
    dx += 16;
  }
  let pull = lanes(pulls);
  let sum = lanes(squares);
  if (width & 1) {
    const gap = xi - load<f64>(x);
    const last = load<f64>(h) * gap;
    pull += last;
    sum += last * gap;
    store<f64>(dx, load<f64>(dx) + last);
  }
  store<f64>(own, load<f64>(own) - pull);
  store<f64>(square, load<f64>(square) + sum);
}
