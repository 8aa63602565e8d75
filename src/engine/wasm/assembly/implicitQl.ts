import { at } from './vectors';

const MOST_SWEEPS: i32 = 60;
const EPSILON: f64 = 2.220446049250313e-16;

/** Numbers of workspace that `implicitQl` takes. */
export function implicitQlWorkspace(n: i32): i32 {
  return 2 * n;
}

/**
 * Eigenvalues (over d, unsorted) and eigenvectors of a symmetric tridiagonal matrix, diagonal d and e beside it, by the implicit
 * QL iteration (Bowdler, Martin, Reinsch & Wilkinson 1968); row i of z, n×n with rows `stride` numbers apart, is multiplied along, so that
 * it ends as eigenvector i. An off-diagonal entry counts as zero below the rounding of its neighbours on the diagonal or of the largest row
 * (what is less is the rounding of the tridiagonalisation, and matrices of low rank would not converge if each row were held to its own), or
 * below `floor`.
 *
 * Twice: first for the eigenvalues alone, which costs little, then with these as shifts, so that most eigenvalues need a single
 * sweep and the vectors half of the rotations.
 *
 * Returns 0, or 1 when an eigenvalue took more than 60 sweeps.
 */
export function implicitQl(n: i32, d: usize, e: usize, floor: f64, z: usize, stride: i32, work: usize): i32 {
  const shifts = work;
  const beside: usize = at(shifts, n);
  memory.copy(shifts, d, n << 3);
  memory.copy(beside, e, n << 3);
  const lowest = max(floor, EPSILON * largestRow(n, d, e));
  if (iterate(n, shifts, beside, lowest, 0, 0, 0) != 0) return 1;
  return iterate(n, d, e, lowest, shifts, z, stride);
}

/** Eigenvalues over d, with shifts from a list and rows of z multiplied along, where they are given; e is overwritten. */
function iterate(n: i32, d: usize, e: usize, floor: f64, shifts: usize, z: usize, stride: i32): i32 {
  for (let l = 0; l < n; l++) {
    for (let count = 0; ; count++) {
      const last = endOfBlock(n, l, d, e, floor);
      if (last == l) break;
      if (count == MOST_SWEEPS) return 1;
      let shift = wilkinsonShift(l, d, e);
      if (shifts && count == 0) shift = takeNearest(n, shifts, shift);
      sweep(n, l, last, shift, d, e, z, stride);
    }
  }
  return 0;
}

/** The size of the largest row. */
export function largestRow(n: i32, d: usize, e: usize): f64 {
  let largest = 0.0;
  for (let i = 0; i < n; i++) {
    const beside = i < n - 1 ? abs(load<f64>(at(e, i))) : 0.0;
    largest = max(largest, abs(load<f64>(at(d, i))) + beside);
  }
  return largest;
}

/** The first row from l on whose off-diagonal entry is negligible. */
function endOfBlock(n: i32, l: i32, d: usize, e: usize, floor: f64): i32 {
  let m = l;
  for (; m < n - 1; m++) {
    const neighbours = abs(load<f64>(at(d, m))) + abs(load<f64>(at(d, m + 1)));
    if (abs(load<f64>(at(e, m))) <= EPSILON * neighbours + floor) break;
  }
  return m;
}

/** The eigenvalue of the leading 2×2 block, from row l on, that is nearer to its first entry. */
function wilkinsonShift(l: i32, d: usize, e: usize): f64 {
  const dl = load<f64>(at(d, l));
  const el = load<f64>(at(e, l));
  const g = (load<f64>(at(d, l + 1)) - dl) / (2.0 * el);
  return dl - el / (g + copysign(sqrt(g * g + 1.0), g));
}

/** The nearest of the values that were not taken before; `target` itself when none is left. */
function takeNearest(n: i32, values: usize, target: f64): f64 {
  let nearest = -1;
  let least = Infinity;
  for (let i = 0; i < n; i++) {
    const distance = abs(load<f64>(at(values, i)) - target);
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  if (nearest < 0) return target;
  const value = load<f64>(at(values, nearest));
  store<f64>(at(values, nearest), NaN);
  return value;
}

/** One sweep from row `last` up to row l. */
function sweep(n: i32, l: i32, last: i32, shift: f64, d: usize, e: usize, z: usize, stride: i32): void {
  let g = load<f64>(at(d, last)) - shift;
  let s = 1.0;
  let c = 1.0;
  let p = 0.0;
  for (let i = last - 1; i >= l; i--) {
    const f = s * load<f64>(at(e, i));
    const b = c * load<f64>(at(e, i));
    let r = sqrt(f * f + g * g);
    store<f64>(at(e, i + 1), r);
    if (r == 0.0) {
      // The matrix splits here: the rows above are taken up again by the next sweep.
      store<f64>(at(d, i + 1), load<f64>(at(d, i + 1)) - p);
      store<f64>(at(e, last), 0.0);
      return;
    }
    const inverse = 1.0 / r;
    s = f * inverse;
    c = g * inverse;
    g = load<f64>(at(d, i + 1)) - p;
    r = (load<f64>(at(d, i)) - g) * s + 2.0 * c * b;
    p = s * r;
    store<f64>(at(d, i + 1), g + p);
    g = c * r - b;
    if (z) rotateRows(n, c, s, at(z, i * stride), at(z, (i + 1) * stride));
  }
  store<f64>(at(d, l), load<f64>(at(d, l)) - p);
  store<f64>(at(e, l), g);
  store<f64>(at(e, last), 0.0);
}

/** x and y ← c·x − s·y and s·x + c·y. */
export function rotateRows(n: i32, c: f64, s: f64, x: usize, y: usize): void {
  const cosines = f64x2.splat(c);
  const sines = f64x2.splat(s);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const a = v128.load(x);
    const b = v128.load(y);
    v128.store(x, f64x2.sub(f64x2.mul(cosines, a), f64x2.mul(sines, b)));
    v128.store(y, f64x2.add(f64x2.mul(sines, a), f64x2.mul(cosines, b)));
    x += 16;
    y += 16;
  }
  if (i < n) {
    const a = load<f64>(x);
    const b = load<f64>(y);
    store<f64>(x, c * a - s * b);
    store<f64>(y, s * a + c * b);
  }
}
