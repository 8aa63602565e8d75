import { FULL, multiply, UPPER } from './multiply';
import { at } from './vectors';

/** Rows that are multiplied a second time while they are in the cache. */
const ROWS: i32 = 128;

/**
 * Multiplies each row of `q` by Q, the product of the reflections that `tridiagonalize` left in A and tau: row ← Q·row. Panels of
 * `width` reflections are applied as I − V·T·Vᵀ (Schreiber & Van Loan 1989). `work` holds width·(3n + 2·width) numbers.
 */
export function applyReflections(n: i32, a: usize, tau: usize, q: usize, width: i32, work: usize): void {
  if (n < 2) return;
  const v = work;
  const qv: usize = v + ((n * width) << 3);
  const qvt: usize = qv + ((n * width) << 3);
  const inner: usize = qvt + ((n * width) << 3);
  const t: usize = inner + ((width * width) << 3);
  for (let first = ((n - 2) / width) * width; first >= 0; first -= width) {
    const columns = min(width, n - 1 - first);
    const top = first + 1;
    const m = n - top;
    for (let j = 0; j < columns; j++) {
      memory.fill(v + ((j * m) << 3), 0, j << 3);
      memory.copy(v + ((j * m + j) << 3), a + (((first + j) * n + top + j) << 3), (m - j) << 3);
    }
    multiply(columns, columns, m, 1.0, v, m, 1, v, 1, m, inner, width, 1, UPPER, false);
    triangularFactor(columns, at(tau, first), inner, t, width);
    const touched: usize = at(q, top);
    for (let i = 0, rows = ROWS; i < n; i += rows) {
      if (n - i < 2 * ROWS) rows = n - i;
      const some: usize = at(touched, i * n);
      multiply(rows, columns, m, 1.0, some, n, 1, v, 1, m, qv, columns, 1, FULL, false);
      multiply(rows, columns, columns, 1.0, qv, columns, 1, t, 1, width, qvt, columns, 1, FULL, false);
      multiply(rows, m, columns, -1.0, qvt, columns, 1, v, m, 1, some, n, 1, FULL, true);
    }
  }
}

/** The upper triangular T of I − V·T·Vᵀ, from VᵀV and tau. */
function triangularFactor(columns: i32, tau: usize, inner: usize, t: usize, width: i32): void {
  memory.fill(t, 0, (width * width) << 3);
  for (let j = 0; j < columns; j++) {
    const tauJ = load<f64>(at(tau, j));
    for (let i = 0; i < j; i++) {
      let s = 0.0;
      for (let k = i; k < j; k++) s += load<f64>(at(t, i * width + k)) * load<f64>(at(inner, k * width + j));
      store<f64>(at(t, i * width + j), -tauJ * s);
    }
    store<f64>(at(t, j * width + j), tauJ);
  }
}
