import { cholesky, choleskyInverse } from './choleskyInverse';
import { logarithm } from './exponential';
import { gemm, LOWER, Product } from './multiply';
import { gradientWorkspace, radialGradient } from './radialGradient';
import { Radial, radialGram, transposeScaled } from './radialRows';
import { solveTransposed } from './triangular';
import { at } from './vectors';
import { productRecord, usePacking } from './workspace';

/** Number of entries for the arguments of a covariance and of a product, and number of rows packed at a time. */
const RECORD: i32 = 16;
const PACKING_HEAD: i32 = 32;
const PACKED_ROWS: i32 = 32;
/** Number of the rbf in radialProfiles.ts. */
const RBF: i32 = 8;

function slivers(length: i32): i32 {
  return (length + 3) & ~3;
}

/** Number of results: log|K|, tr(YᵀK⁻¹Y), and derivatives in variance, bias, noise, the q lengthscales and X. */
function resultLength(n: i32, q: i32): i32 {
  return 5 + q + n * q;
}

function packingLength(n: i32, width: i32): i32 {
  return PACKING_HEAD + max(n, width) * (slivers(min(n, PACKED_ROWS)) + slivers(max(n, width)));
}

/** Size of the workspace of `radialLogDensity`. */
export function logDensityWorkspace(n: i32, q: i32, width: i32): i32 {
  const even = (resultLength(n, q) + 1) & ~1;
  const points = (q + 2 * n * q + q + 5) & ~1;
  return even + RECORD + points + gradientWorkspace(n, q) + n * width + 2 * n * n + packingLength(n, width) + 8;
}

/**
 * The parts of the log density of Y, n×width, under N(0, K), K_ij = variance·exp(−½·Σ_d ((x_id − x_jd)/l_d)²) + bias + noise·[i = j], and its
 * gradients, for few points: all steps in one call, with the same bits as the separate routines. `columns` is the number of columns that Y
 * represents.
 *
 * @param work - the q lengthscales; afterwards the results, see `resultLength`
 * @returns −1, or a number up to n if K has no factor or a number is not finite; the results are then undefined
 */
export function radialLogDensity(
  n: i32,
  q: i32,
  width: i32,
  points: usize,
  data: usize,
  variance: f64,
  bias: f64,
  noise: f64,
  columns: f64,
  work: usize,
): i32 {
  const record: usize = at(work, (resultLength(n, q) + 1) & ~1);
  const inverses: usize = at(record, RECORD);
  const x: usize = at(inverses, q);
  const pulls: usize = at(x, n * q);
  const scratch: usize = at(pulls, (n * q + q + 5) & ~1);
  const solved: usize = at(scratch, gradientWorkspace(n, q));
  const k: usize = at(solved, n * width);
  const g: usize = at(k, n * n);
  const packing: usize = (at(g, n * n) + 15) & ~15;
  for (let d = 0; d < q; d++) store<f64>(at(inverses, d), 1.0 / load<f64>(at(work, d)));
  transposeScaled(n, q, points, inverses, x);

  const r = changetype<Radial>(record);
  r.variance = variance;
  r.shift = bias;
  r.diagonal = variance + bias + noise;
  r.profile = RBF;
  r.n = n;
  r.q = q;
  r.x = x;
  r.k = k;
  r.mirrored = false;
  r.readsEntries = true;
  r.symmetric = true;
  r.g = g;
  r.dx = pulls;
  r.work = scratch;
  radialGram(r);

  memory.copy(g, k, (n * n) << 3);
  usePacking(packing, slivers(min(n, PACKED_ROWS)), slivers(max(n, width)), max(n, width));
  const failed = cholesky(n, g, n);
  if (failed >= 0) return failed;
  for (let i = 0; i < n; i++) store<f64>(at(scratch, i), load<f64>(at(g, i * (n + 1))));
  logarithm(n, scratch, scratch);
  let logs = 0.0;
  for (let i = 0; i < n; i++) logs += load<f64>(at(scratch, i));

  memory.copy(solved, data, (n * width) << 3);
  solveTransposed(width, n, solved, 1, width, g, n, 1);
  let squares = 0.0;
  for (let i = 0; i < n * width; i++) squares += load<f64>(at(solved, i)) * load<f64>(at(solved, i));
  if (!isFinite(logs) || !isFinite(squares)) return n;
  // L⁻ᵀB: reversing rows and columns makes the upper triangular Lᵀ lower.
  solveTransposed(width, n, at(solved, (n - 1) * width), 1, -width, at(g, n * n - 1), -1, -n);
  choleskyInverse(n, g, n);
  weighBoth(n, width, solved, -columns / 2.0, g);
  radialGradient(r);

  const sums: usize = at(pulls, n * q + q);
  const trace = load<f64>(sums, 16);
  store<f64>(work, 2.0 * logs);
  store<f64>(work, squares, 8);
  store<f64>(work, load<f64>(sums) / variance + trace, 16);
  store<f64>(work, load<f64>(sums, 8), 24);
  store<f64>(work, trace, 32);
  for (let d = 0; d < q; d++) {
    const inverse = load<f64>(at(inverses, d));
    store<f64>(at(work, 5 + d), load<f64>(at(pulls, n * q + d)) * inverse);
    const line: usize = at(pulls, d * n);
    const entries: usize = at(work, 5 + q + d);
    for (let i = 0; i < n; i++) store<f64>(at(entries, i * q), inverse * load<f64>(at(line, i)));
  }
  return -1;
}

/** Lower triangle of G ← ½·AAᵀ + factor·G, A n×width. */
function weighBoth(n: i32, width: i32, a: usize, factor: f64, g: usize): void {
  const p = changetype<Product>(productRecord);
  p.alpha = 0.5;
  p.m = n;
  p.n = n;
  p.k = width;
  p.a = a;
  p.aRow = width;
  p.aColumn = 1;
  p.b = a;
  p.bRow = 1;
  p.bColumn = width;
  p.c = g;
  p.cRow = n;
  p.cColumn = 1;
  p.part = LOWER;
  gemm(factor);
}
