import { at } from './vectors';

/** Columns that are worked on together: what is read of them for all dimensions stays in the cache for all rows. */
const BLOCK: i32 = 32;

/** Row d of the target (columns×rows) ← factor_d · column d of the source (rows×columns, row-major). */
export function transposeScaled(rows: i32, columns: i32, source: usize, factors: usize, target: usize): void {
  for (let d = 0; d < columns; d++) {
    const factor = load<f64>(at(factors, d));
    const line: usize = target + ((d * rows) << 3);
    for (let i = 0; i < rows; i++) store<f64>(at(line, i), factor * load<f64>(at(source, i * columns + d)));
  }
}

/** Target (n×m, row-major) ← ‖a_i − b_j‖², the points given dimension by dimension: a is q×n, b is q×m. */
export function squaredDistances(n: i32, m: i32, q: i32, a: usize, b: usize, target: usize): void {
  for (let j = 0; j < m; j += BLOCK) {
    const width = min(BLOCK, m - j);
    for (let i = 0; i < n; i++) {
      distancesFromPoint(width, q, at(a, i), n << 3, at(b, j), m << 3, 1.0, at(target, i * m + j));
    }
  }
}

/**
 * Target_j ← factor·‖a − b_j‖² for `width` consecutive points b_j, dimensions `aBytes` and `bBytes` apart. By differences, not by
 * ‖a‖² + ‖b‖² − 2aᵀb, which loses all digits of near points.
 */
export function distancesFromPoint(
  width: i32,
  q: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  factor: f64,
  target: usize,
): void {
  const factors = f64x2.splat(factor);
  let j = 0;
  for (; j + 4 <= width; j += 4) {
    let p = a;
    let r: usize = at(b, j);
    let s0 = f64x2.splat(0);
    let s1 = f64x2.splat(0);
    for (let d = 0; d < q; d++) {
      const x = v128.load_splat<f64>(p);
      const t0 = f64x2.sub(x, v128.load(r));
      const t1 = f64x2.sub(x, v128.load(r, 16));
      s0 = f64x2.add(s0, f64x2.mul(t0, t0));
      s1 = f64x2.add(s1, f64x2.mul(t1, t1));
      p += aBytes;
      r += bBytes;
    }
    v128.store(at(target, j), f64x2.mul(factors, s0));
    v128.store(at(target, j), f64x2.mul(factors, s1), 16);
  }
  for (; j < width; j++) {
    let s = 0.0;
    for (let d = 0; d < q; d++) {
      const t = load<f64>(a + d * aBytes) - load<f64>(at(b, j) + d * bBytes);
      s += t * t;
    }
    store<f64>(at(target, j), factor * s);
  }
}

/**
 * da_i ← 2·Σ_j w_ij·(a_i − b_j) and db_j ← 2·Σ_i w_ij·(b_j − a_i): what a gradient w in the squared distances is in the points. All
 * points and gradients are given dimension by dimension; w is n×m, row-major, and read once.
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

/** Returns Σ_j w_j·(x − b_j), having taken w_j·(x − b_j) from each db_j. */
export function weightedDifferences(length: i32, x: f64, w: usize, b: usize, db: usize): f64 {
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
