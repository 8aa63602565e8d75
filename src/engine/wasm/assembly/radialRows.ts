import { distanceFactor, profileSlopes, profileValues } from './radialProfiles';
import { partsAlong, performParts, startInLower, threadNumber } from './team';
import { at, dot } from './vectors';

/** Number of columns in a block, whose distances stay in the first-level cache. */
export const BLOCK: i32 = 32;

/** Arguments of covariances variance·f(‖x_i − y_j‖²) + shift, of n points with each other or with m others, stored dimension by dimension (q×n, q×m). */
@unmanaged
export class Radial {
  variance: f64;
  shift: f64;
  /** K_ii */
  diagonal: f64;
  profile: i32;
  n: i32;
  m: i32;
  q: i32;
  x: usize;
  y: usize;
  k: usize;
  /** Whether blocks below the diagonal of K are copied above it; otherwise entries above it are undefined. */
  mirrored: bool;
  /** Whether the weights of a gradient are read from K, for an rbf: this saves an exponential for each pair. */
  readsEntries: bool;
  /** Whether g is symmetric, so that only its lower triangle is read. */
  symmetric: bool;
  /** ∂L/∂K */
  g: usize;
  dx: usize;
  dy: usize;
  work: usize;
  /** Set by the routine. */
  parts: i32;
}

/**
 * K_j ← variance·f(‖a − b_j‖²) + shift for `width` points, dimensions `aBytes` and `bBytes` apart. They are computed in `values`, which may be k if
 * one number may be written after an odd width; `work` has the same size.
 */
function valuesFromPoint(
  r: Radial,
  width: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  k: usize,
  values: usize,
  work: usize,
): void {
  const pairs = distances(r, width, a, aBytes, b, bBytes, values);
  profileValues(r.profile, pairs, values, work);
  const variance = r.variance;
  const shift = r.shift;
  const factors = f64x2.splat(variance);
  const shifts = f64x2.splat(shift);
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    v128.store(at(k, j), f64x2.add(f64x2.mul(factors, v128.load(at(values, j))), shifts));
  }
  if (j < width) store<f64>(at(k, j), variance * load<f64>(at(values, j)) + shift);
}

/** Weights_j ← factor·f′(‖a − b_j‖²)·weights_j for `width` ≤ 32 points; `work` has 64 numbers. */
export function weighBySlopes(
  r: Radial,
  width: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  factor: f64,
  weights: usize,
  work: usize,
): void {
  const pairs = distances(r, width, a, aBytes, b, bBytes, work);
  profileSlopes(r.profile, pairs, work, at(work, BLOCK));
  const factors = f64x2.splat(factor);
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    const slopes = f64x2.mul(factors, v128.load(at(work, j)));
    v128.store(at(weights, j), f64x2.mul(slopes, v128.load(at(weights, j))));
  }
  if (j < width) store<f64>(at(weights, j), factor * load<f64>(at(work, j)) * load<f64>(at(weights, j)));
}

/** Squared distances in the units of the profile, padded with a 1 to an even number; returns the number of pairs of entries. */
function distances(r: Radial, width: i32, a: usize, aBytes: i32, b: usize, bBytes: i32, target: usize): i32 {
  distancesFromPoint(width, r.q, a, aBytes, b, bBytes, distanceFactor(r.profile), target);
  if (width & 1) store<f64>(at(target, width), 1.0);
  return (width + 1) >> 1;
}

/** Number of columns in a block of K. */
const GRAM_BLOCK: i32 = 64;
/** Cost of an entry, mainly of its exponential or logarithm, in multiplications of a product. */
const VALUE: f64 = 20.0;

/**
 * K_ij and K_ji ← variance·f(‖x_i − x_j‖²) + shift, `diagonal` at K_ii, n×n, row-major; `work` has 64 numbers per thread. Computed block by block, so
 * that values stay in the first-level cache.
 */
export function radialGram(r: Radial): void {
  const cost = VALUE * r.n * r.n;
  r.parts = partsAlong(r.n, GRAM_BLOCK, cost);
  performParts(gramPart, r.parts, changetype<usize>(r), cost);
}

function gramPart(part: i32, record: usize): void {
  const r = changetype<Radial>(record);
  const n = r.n;
  const k = r.k;
  const work: usize = at(r.work, GRAM_BLOCK * threadNumber());
  const rowBytes = n << 3;
  const end = startInLower(part + 1, r.parts, n, GRAM_BLOCK);
  for (let ib = startInLower(part, r.parts, n, GRAM_BLOCK); ib < end; ib += GRAM_BLOCK) {
    const rows = min(ib + GRAM_BLOCK, end);
    for (let jb = 0; jb < rows; jb += GRAM_BLOCK) {
      for (let i = max(ib, jb + 1); i < rows; i++) {
        // A width is odd only where it ends before the diagonal, which is written last: values may be computed in place.
        const row: usize = at(k + i * rowBytes, jb);
        valuesFromPoint(r, min(GRAM_BLOCK, i - jb), at(r.x, i), rowBytes, at(r.x, jb), rowBytes, row, row, work);
      }
      if (r.mirrored) mirrorBlock(ib, rows, jb, k, rowBytes);
    }
    for (let i = ib; i < rows; i++) store<f64>(at(k + i * rowBytes, i), r.diagonal);
  }
}

/** Copies the part of a block below the diagonal, rows ib … rows − 1, above the diagonal. */
function mirrorBlock(ib: i32, rows: i32, jb: i32, k: usize, rowBytes: i32): void {
  for (let j = jb; j < min(jb + GRAM_BLOCK, rows); j++) {
    const line: usize = k + j * rowBytes;
    for (let i = max(ib, j + 1); i < rows; i++) store<f64>(at(line, i), load<f64>(at(k + i * rowBytes, j)));
  }
}

/** K_ij ← variance·f(‖x_i − y_j‖²) + shift, n×m, row-major; `work` has 64 numbers. */
export function radialCross(r: Radial): void {
  const n = r.n;
  const m = r.m;
  const spare: usize = at(r.work, BLOCK);
  for (let jb = 0; jb < m; jb += BLOCK) {
    const width = min(BLOCK, m - jb);
    for (let i = 0; i < n; i++) {
      valuesFromPoint(r, width, at(r.x, i), n << 3, at(r.y, jb), m << 3, at(r.k, i * m + jb), r.work, spare);
    }
  }
}

/**
 * dx_i += 2·Σ_j w_ij·(x_i − y_j) and dy_j −= 2·Σ_i w_ij·(x_i − y_j), w_ij = variance·f′(‖x_i − y_j‖²)·g_ij: the gradient in the points from g = ∂L/∂K.
 * Returns Σ g_ij·k_ij. Gradients are stored dimension by dimension; `work` has 96 numbers.
 */
export function radialCrossGradient(r: Radial): f64 {
  const n = r.n;
  const m = r.m;
  const weights: usize = at(r.work, 2 * BLOCK);
  let sum = 0.0;
  for (let jb = 0; jb < m; jb += BLOCK) {
    const width = min(BLOCK, m - jb);
    for (let i = 0; i < n; i++) {
      const row: usize = at(r.g, i * m + jb);
      sum += dot(width, row, at(r.k, i * m + jb));
      memory.copy(weights, row, width << 3);
      weighBySlopes(r, width, at(r.x, i), n << 3, at(r.y, jb), m << 3, 2.0 * r.variance, weights, r.work);
      for (let d = 0; d < r.q; d++) {
        const line = d * m + jb;
        const entry: usize = at(r.dx, d * n + i);
        const pull = weightedDifferences(width, load<f64>(at(r.x, d * n + i)), weights, at(r.y, line), at(r.dy, line));
        store<f64>(entry, load<f64>(entry) + pull);
      }
    }
  }
  return sum;
}

/**
 * Row d of the target (columns×rows) ← factor_d · column d of the source (rows×columns, row-major). Eight columns at a time, so that cache lines are
 * read once: if `columns` is a power of two, the lines of one column evict each other.
 */
export function transposeScaled(rows: i32, columns: i32, source: usize, factors: usize, target: usize): void {
  for (let first = 0; first < columns; first += 8) {
    const last = min(columns, first + 8);
    for (let i = 0; i < rows; i++) {
      for (let d = first; d < last; d++) {
        store<f64>(at(target, d * rows + i), load<f64>(at(factors, d)) * load<f64>(at(source, i * columns + d)));
      }
    }
  }
}

/** Target (n×m, row-major) ← ‖a_i − b_j‖², with points stored dimension by dimension: a is q×n, b is q×m. */
export function squaredDistances(n: i32, m: i32, q: i32, a: usize, b: usize, target: usize): void {
  for (let j = 0; j < m; j += BLOCK) {
    const width = min(BLOCK, m - j);
    let i = 0;
    if (width >= 8) {
      for (; i + 2 <= n; i += 2) {
        distancesFromTwoPoints(width, q, at(a, i), n << 3, at(b, j), m << 3, at(target, i * m + j), m << 3);
      }
    }
    for (; i < n; i++) {
      distancesFromPoint(width, q, at(a, i), n << 3, at(b, j), m << 3, 1.0, at(target, i * m + j));
    }
  }
}

/** The same as {@link distancesFromPoint} with factor 1 for two consecutive points and at least 8 points b_j, which are read once for both. */
function distancesFromTwoPoints(
  width: i32,
  q: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  target: usize,
  targetBytes: i32,
): void {
  for (let j = 0; j < width; j += 8) {
    const first = min(j, width - 8);
    let p = a;
    let r: usize = at(b, first);
    let s0 = f64x2.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let u0 = s0;
    let u1 = s0;
    let u2 = s0;
    let u3 = s0;
    for (let d = 0; d < q; d++) {
      const x = v128.load_splat<f64>(p);
      const y = v128.load_splat<f64>(p, 8);
      const b0 = v128.load(r);
      const b1 = v128.load(r, 16);
      const b2 = v128.load(r, 32);
      const b3 = v128.load(r, 48);
      let t = f64x2.sub(x, b0);
      s0 = f64x2.add(s0, f64x2.mul(t, t));
      t = f64x2.sub(x, b1);
      s1 = f64x2.add(s1, f64x2.mul(t, t));
      t = f64x2.sub(x, b2);
      s2 = f64x2.add(s2, f64x2.mul(t, t));
      t = f64x2.sub(x, b3);
      s3 = f64x2.add(s3, f64x2.mul(t, t));
      t = f64x2.sub(y, b0);
      u0 = f64x2.add(u0, f64x2.mul(t, t));
      t = f64x2.sub(y, b1);
      u1 = f64x2.add(u1, f64x2.mul(t, t));
      t = f64x2.sub(y, b2);
      u2 = f64x2.add(u2, f64x2.mul(t, t));
      t = f64x2.sub(y, b3);
      u3 = f64x2.add(u3, f64x2.mul(t, t));
      p += aBytes;
      r += bBytes;
    }
    let place: usize = at(target, first);
    v128.store(place, s0);
    v128.store(place, s1, 16);
    v128.store(place, s2, 32);
    v128.store(place, s3, 48);
    place += targetBytes;
    v128.store(place, u0);
    v128.store(place, u1, 16);
    v128.store(place, u2, 32);
    v128.store(place, u3, 48);
  }
}

/**
 * Target_j ← factor·‖a − b_j‖² for `width` consecutive points b_j, dimensions `aBytes` and `bBytes` apart. Computed by differences, not as ‖a‖² +
 * ‖b‖² − 2aᵀb, which loses all digits for nearby points.
 */
function distancesFromPoint(
  width: i32,
  q: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  factor: f64,
  target: usize,
): void {
  if (width < 8) {
    for (let j = 0; j < width; j++) {
      let s = 0.0;
      for (let d = 0; d < q; d++) {
        const t = load<f64>(a + d * aBytes) - load<f64>(at(b, j) + d * bBytes);
        s += t * t;
      }
      store<f64>(at(target, j), factor * s);
    }
    return;
  }
  const factors = f64x2.splat(factor);
  for (let j = 0; j < width; j += 8) {
    // Eight at a time, so that no sum waits for the previous one; the last eight may overlap the previous ones.
    const first = min(j, width - 8);
    const place: usize = at(target, first);
    let p = a;
    let r: usize = at(b, first);
    let s0 = f64x2.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (let d = 0; d < q; d++) {
      const x = v128.load_splat<f64>(p);
      const t0 = f64x2.sub(x, v128.load(r));
      const t1 = f64x2.sub(x, v128.load(r, 16));
      const t2 = f64x2.sub(x, v128.load(r, 32));
      const t3 = f64x2.sub(x, v128.load(r, 48));
      s0 = f64x2.add(s0, f64x2.mul(t0, t0));
      s1 = f64x2.add(s1, f64x2.mul(t1, t1));
      s2 = f64x2.add(s2, f64x2.mul(t2, t2));
      s3 = f64x2.add(s3, f64x2.mul(t3, t3));
      p += aBytes;
      r += bBytes;
    }
    v128.store(place, f64x2.mul(factors, s0));
    v128.store(place, f64x2.mul(factors, s1), 16);
    v128.store(place, f64x2.mul(factors, s2), 32);
    v128.store(place, f64x2.mul(factors, s3), 48);
  }
}

/**
 * da_i ← 2·Σ_j w_ij·(a_i − b_j) and db_j ← 2·Σ_i w_ij·(b_j − a_i): the gradient in the points, from a gradient w in the squared distances. All points
 * and gradients are stored dimension by dimension; w is n×m, row-major, and read once.
 */
export function squaredDistancesGradient(
  n: i32,
  m: i32,
  q: i32,
  a: usize,
  b: usize,
  w: usize,
  da: usize,
  db: usize,
): void {
  memory.fill(db, 0, (q * m) << 3);
  for (let i = 0; i < n; i++) {
    const weights: usize = w + ((i * m) << 3);
    for (let d = 0; d < q; d++) {
      const line = d * m;
      const pull = weightedDifferences(m, load<f64>(at(a, d * n + i)), weights, at(b, line), at(db, line));
      store<f64>(at(da, d * n + i), 2.0 * pull);
    }
  }
  for (let k = 0; k < q * m; k++) store<f64>(at(db, k), 2.0 * load<f64>(at(db, k)));
}

/** Returns Σ_j w_j·(x − b_j), and subtracts w_j·(x − b_j) from each db_j. */
function weightedDifferences(length: i32, x: f64, w: usize, b: usize, db: usize): f64 {
  const xs = f64x2.splat(x);
  let s = f64x2.splat(0);
  let j = 0;
  for (; j + 2 <= length; j += 2) {
    const t = f64x2.mul(v128.load(at(w, j)), f64x2.sub(xs, v128.load(at(b, j))));
    s = f64x2.add(s, t);
    v128.store(at(db, j), f64x2.sub(v128.load(at(db, j)), t));
  }
  let sum = f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
  if (j < length) {
    const t = load<f64>(at(w, j)) * (x - load<f64>(at(b, j)));
    sum += t;
    store<f64>(at(db, j), load<f64>(at(db, j)) - t);
  }
  return sum;
}
