import { symmetricVector } from './matrixVector';
import { multiply, UPPER } from './multiply';
import { addScaled, at, dot, lanes, multiplyAdd, scaleVector } from './vectors';

const MOST_SWEEPS: i32 = 60;
const EPSILON: f64 = 2.220446049250313e-16;

/** Size of the workspace of `implicitQl`. */
export function implicitQlWorkspace(n: i32): i32 {
  return 2 * n;
}

/**
 * Eigenvalues (over d, unsorted) and eigenvectors of a symmetric tridiagonal matrix with diagonal d and off-diagonal e, by the implicit QL iteration
 * (Bowdler, Martin, Reinsch & Wilkinson 1968); the rotations are also applied to the rows of z, n×n with rows `stride` numbers apart, so that row i
 * becomes eigenvector i. An off-diagonal entry counts as zero below the rounding of its neighbors on the diagonal or of the largest row (smaller
 * entries are rounding errors of the tridiagonalization, and matrices of low rank would not converge if each row were compared with its own size), or
 * below `floor`.
 *
 * Runs twice: first for the eigenvalues alone, which costs little, then with these as shifts, so that most eigenvalues need a single sweep, and the
 * vectors need half of the rotations.
 *
 * Returns 0, or 1 if an eigenvalue needs more than 60 sweeps.
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

/** Overwrites d by eigenvalues, with shifts from a list and rotations of the rows of z, if present; e is overwritten. */
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

/** The norm of the largest row. */
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
    const neighbors = abs(load<f64>(at(d, m))) + abs(load<f64>(at(d, m + 1)));
    if (abs(load<f64>(at(e, m))) <= EPSILON * neighbors + floor) break;
  }
  return m;
}

/** The eigenvalue of the leading 2×2 block, from row l on, that is closer to its first entry. */
function wilkinsonShift(l: i32, d: usize, e: usize): f64 {
  const dl = load<f64>(at(d, l));
  const el = load<f64>(at(e, l));
  const g = (load<f64>(at(d, l + 1)) - dl) / (2.0 * el);
  return dl - el / (g + copysign(sqrt(g * g + 1.0), g));
}

/** The nearest of the values that have not been taken; `target` itself if none is left. */
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

/** Number of columns that are reduced before the rest of the matrix is updated in one product. */
export const PANEL: i32 = 32;

/** Largest order at which V·Wᵀ and W·Vᵀ are two products, because copies do not pay. */
const TWICE: i32 = 64;

/** A column whose entries below the first are already this small is not reduced, since their squares would underflow. */
const NEGLIGIBLE: f64 = 1e-280;

/**
 * Reduces a symmetric, row-major A (only its upper triangle is read) to tridiagonal form T = QᵀAQ by Householder reflections. Writes the diagonal of
 * T to d, its off-diagonal to e, and reflector c (I − tau_c·v·vᵀ, v₀ = 1) to the right of A's diagonal in row c and to tau. `work` has 4·PANEL·n
 * numbers. Dongarra, Sorensen & Hammarling (1989): panels of columns, so that half of the work is in products, and the other half in one
 * matrix–vector product per column.
 */
export function tridiagonalize(n: i32, a: usize, d: usize, e: usize, tau: usize, work: usize): void {
  const rowBytes = n << 3;
  for (let first = 0; first < n - 1; first += PANEL) {
    const columns = min(PANEL, n - 1 - first);
    for (let j = 0; j < columns; j++) reduceColumn(n, first, j, a, d, e, tau, work);
    // A ← A − V·Wᵀ − W·Vᵀ on the remaining matrix.
    const next = first + columns;
    const rest = n - next;
    const v: usize = at(a + first * rowBytes, next);
    const w: usize = at(work, next);
    const corner: usize = at(a + next * rowBytes, next);
    if (n > TWICE) {
      // [V W]·[W V]ᵀ in one product goes through the rest of the matrix once.
      const bytes = columns * rowBytes;
      const both: usize = work + PANEL * rowBytes;
      memory.copy(both, a + first * rowBytes, bytes);
      memory.copy(both + bytes, work, bytes);
      memory.copy(both + 2 * bytes, a + first * rowBytes, bytes);
      const left: usize = at(both, next);
      multiply(rest, rest, 2 * columns, -1.0, left, 1, n, left + bytes, n, 1, corner, n, 1, UPPER, true);
    } else {
      multiply(rest, rest, columns, -1.0, v, 1, n, w, n, 1, corner, n, 1, UPPER, true);
      multiply(rest, rest, columns, -1.0, w, 1, n, v, n, 1, corner, n, 1, UPPER, true);
    }
  }
  store<f64>(at(d, n - 1), load<f64>(at(a + (n - 1) * rowBytes, n - 1)));
  store<f64>(at(e, n - 1), 0.0);
}

/** Column first + j of a panel: updates it by the panel's previous columns, and computes its reflector v and its w. */
function reduceColumn(n: i32, first: i32, j: i32, a: usize, d: usize, e: usize, tau: usize, work: usize): void {
  const rowBytes = n << 3;
  const c = first + j;
  const row: usize = a + c * rowBytes;
  const panel: usize = a + first * rowBytes;
  subtractProducts(n - c, j, at(panel, c), at(work, c), rowBytes, at(work, c), at(panel, c), rowBytes, at(row, c));
  store<f64>(at(d, c), load<f64>(at(row, c)));

  const m = n - c - 1;
  const v: usize = at(row, c + 1);
  const t = reflector(m, v, at(e, c));
  store<f64>(at(tau, c), t);

  // w = tau·(A − VWᵀ − WVᵀ)v, less its part along v.
  const w: usize = at(work + j * rowBytes, c + 1);
  symmetricVector(m, at(a + (c + 1) * rowBytes, c + 1), n, v, w);
  const panelV: usize = at(panel, c + 1);
  const panelW: usize = at(work, c + 1);
  const wv: usize = work + PANEL * rowBytes;
  const vv: usize = at(wv, PANEL);
  for (let q = 0; q < j; q++) {
    twoDots(m, panelW + q * rowBytes, panelV + q * rowBytes, v, at(wv, q), at(vv, q));
  }
  subtractProducts(m, j, panelV, panelW, rowBytes, wv, vv, 8, w);
  scaleVector(m, t, w);
  addScaled(m, -0.5 * t * dot(m, w, v), v, w);
}

/** y ← y − Vx − Wz for V and W of j contiguous columns, entries of x and z `bytes` apart: two columns of each at a time, as y is long. */
function subtractProducts(
  m: i32,
  j: i32,
  v: usize,
  w: usize,
  columnBytes: i32,
  x: usize,
  z: usize,
  bytes: i32,
  y: usize,
): void {
  let q = 0;
  for (; q + 2 <= j; q += 2) {
    let v0 = v;
    let w0 = w;
    let v1: usize = v + columnBytes;
    let w1: usize = w + columnBytes;
    const x0 = f64x2.splat(-load<f64>(x));
    const z0 = f64x2.splat(-load<f64>(z));
    const x1 = f64x2.splat(-load<f64>(x + bytes));
    const z1 = f64x2.splat(-load<f64>(z + bytes));
    let py = y;
    let i = 0;
    for (; i + 2 <= m; i += 2) {
      let sum = multiplyAdd(x0, v128.load(v0), v128.load(py));
      sum = multiplyAdd(z0, v128.load(w0), sum);
      sum = multiplyAdd(x1, v128.load(v1), sum);
      v128.store(py, multiplyAdd(z1, v128.load(w1), sum));
      py += 16;
      v0 += 16;
      w0 += 16;
      v1 += 16;
      w1 += 16;
    }
    if (i < m) {
      let sum = load<f64>(py) - load<f64>(x) * load<f64>(v0);
      sum -= load<f64>(z) * load<f64>(w0);
      sum -= load<f64>(x + bytes) * load<f64>(v1);
      store<f64>(py, sum - load<f64>(z + bytes) * load<f64>(w1));
    }
    v += 2 * columnBytes;
    w += 2 * columnBytes;
    x += 2 * bytes;
    z += 2 * bytes;
  }
  if (q < j) {
    addScaled(m, -load<f64>(x), v, y);
    addScaled(m, -load<f64>(z), w, y);
  }
}

/** xᵀz and yᵀz, written to `xz` and `yz`: z is read once. */
function twoDots(n: i32, x: usize, y: usize, z: usize, xz: usize, yz: usize): void {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let t0 = f64x2.splat(0);
  let t1 = f64x2.splat(0);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const z0 = v128.load(z);
    const z1 = v128.load(z, 16);
    s0 = multiplyAdd(v128.load(x), z0, s0);
    s1 = multiplyAdd(v128.load(x, 16), z1, s1);
    t0 = multiplyAdd(v128.load(y), z0, t0);
    t1 = multiplyAdd(v128.load(y, 16), z1, t1);
    x += 32;
    y += 32;
    z += 32;
  }
  let s = lanes(f64x2.add(s0, s1));
  let t = lanes(f64x2.add(t0, t1));
  for (; i < n; i++) {
    s += load<f64>(x) * load<f64>(z);
    t += load<f64>(y) * load<f64>(z);
    x += 8;
    y += 8;
    z += 8;
  }
  store<f64>(xz, s);
  store<f64>(yz, t);
}

/** Makes (I − tau·v·vᵀ)x = beta·e₁ with v₀ = 1 over x; stores beta, returns tau. */
function reflector(m: i32, x: usize, beta: usize): f64 {
  const head = load<f64>(x);
  const tail = dot(m - 1, x + 8, x + 8);
  let image = head;
  let tau = 0.0;
  if (tail > NEGLIGIBLE) {
    image = -copysign(sqrt(head * head + tail), head);
    tau = (image - head) / image;
    scaleVector(m - 1, 1.0 / (head - image), x + 8);
  }
  store<f64>(x, 1.0);
  store<f64>(beta, image);
  return tau;
}
