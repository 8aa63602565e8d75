import { multiply, UPPER } from './multiply';
import { symmetricVector } from './symmetricVector';
import { addScaled, at, dot, scaleVector } from './vectors';

/** Columns that are reduced before the rest of the matrix is updated in one product. */
export const PANEL: i32 = 32;

/** Up to this order, where copies do not pay, V·Wᵀ and W·Vᵀ are two products. */
const TWICE: i32 = 64;

/** A column whose entries below the first are this small already is left as it is: the square of them would underflow. */
const NEGLIGIBLE: f64 = 1e-280;

/**
 * Reduces A, symmetric, row-major, given by its upper triangle, to tridiagonal form T = QᵀAQ by Householder reflections: the
 * diagonal of T goes to d, what lies beside it to e, reflector c (I − tau_c·v·vᵀ, v₀ = 1) to the right of A's diagonal in row c and
 * to tau. `work` holds 4·PANEL·n numbers. Dongarra, Sorensen & Hammarling (1989): panels of columns, so that half of the
 * work is in products and the other half in one product with a vector a column.
 */
export function tridiagonalize(n: i32, a: usize, d: usize, e: usize, tau: usize, work: usize): void {
  const rowBytes = n << 3;
  for (let first = 0; first < n - 1; first += PANEL) {
    const columns = min(PANEL, n - 1 - first);
    for (let j = 0; j < columns; j++) reduceColumn(n, first, j, a, d, e, tau, work);
    // A ← A − V·Wᵀ − W·Vᵀ on what is left.
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

/** Column first + j of a panel: brings it up to date with the panel's columns before it, and makes its reflector v and its w. */
function reduceColumn(n: i32, first: i32, j: i32, a: usize, d: usize, e: usize, tau: usize, work: usize): void {
  const rowBytes = n << 3;
  const c = first + j;
  const row: usize = a + c * rowBytes;
  for (let q = 0; q < j; q++) {
    const vq: usize = at(a + (first + q) * rowBytes, c);
    const wq: usize = at(work + q * rowBytes, c);
    const vc = load<f64>(vq);
    const wc = load<f64>(wq);
    addScaled(n - c, -wc, vq, at(row, c));
    addScaled(n - c, -vc, wq, at(row, c));
  }
  store<f64>(at(d, c), load<f64>(at(row, c)));

  const m = n - c - 1;
  const v: usize = at(row, c + 1);
  const t = reflector(m, v, at(e, c));
  store<f64>(at(tau, c), t);

  // w = tau·(A − VWᵀ − WVᵀ)v, less its part along v.
  const w: usize = at(work + j * rowBytes, c + 1);
  symmetricVector(m, at(a + (c + 1) * rowBytes, c + 1), n, v, w);
  for (let q = 0; q < j; q++) {
    const vq: usize = at(a + (first + q) * rowBytes, c + 1);
    const wq: usize = at(work + q * rowBytes, c + 1);
    const wv = dot(m, wq, v);
    const vv = dot(m, vq, v);
    addScaled(m, -wv, vq, w);
    addScaled(m, -vv, wq, w);
  }
  scaleVector(m, t, w);
  addScaled(m, -0.5 * t * dot(m, w, v), v, w);
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
