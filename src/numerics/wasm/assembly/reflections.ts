import { FULL, multiply } from './multiply';
import { PANEL } from './tridiagonal';
import { at } from './vectors';

/**
 * Rows of `q` ← columns of Q, the product of the reflections that `tridiagonalize` left in A and tau. Panels of reflections are
 * applied as I − V·T·Vᵀ (Schreiber & Van Loan 1989). `work` holds PANEL·(3n + 2·PANEL) numbers.
 */
export function formReflections(n: i32, a: usize, tau: usize, q: usize, work: usize): void {
  memory.fill(q, 0, (n * n) << 3);
  for (let i = 0; i < n; i++) store<f64>(q + ((i * (n + 1)) << 3), 1.0);
  if (n < 2) return;
  const v = work;
  const qv: usize = v + ((n * PANEL) << 3);
  const qvt: usize = qv + ((n * PANEL) << 3);
  const inner: usize = qvt + ((n * PANEL) << 3);
  const t: usize = inner + ((PANEL * PANEL) << 3);
  for (let first = ((n - 2) / PANEL) * PANEL; first >= 0; first -= PANEL) {
    const columns = min(PANEL, n - 1 - first);
    const top = first + 1;
    const m = n - top;
    for (let j = 0; j < columns; j++) {
      memory.fill(v + ((j * m) << 3), 0, j << 3);
      memory.copy(v + ((j * m + j) << 3), a + (((first + j) * n + top + j) << 3), (m - j) << 3);
    }
    multiply(columns, columns, m, 1.0, v, m, 1, v, 1, m, inner, PANEL, 1, FULL, false);
    triangularFactor(columns, at(tau, first), inner, t);
    const corner: usize = q + ((top * (n + 1)) << 3);
    multiply(m, columns, m, 1.0, corner, n, 1, v, 1, m, qv, columns, 1, FULL, false);
    multiply(m, columns, columns, 1.0, qv, columns, 1, t, 1, PANEL, qvt, columns, 1, FULL, false);
    multiply(m, m, columns, -1.0, qvt, columns, 1, v, m, 1, corner, n, 1, FULL, true);
  }
}

/** The upper triangular T of I − V·T·Vᵀ, from VᵀV and tau. */
function triangularFactor(columns: i32, tau: usize, inner: usize, t: usize): void {
  memory.fill(t, 0, (PANEL * PANEL) << 3);
  for (let j = 0; j < columns; j++) {
    const tauJ = load<f64>(at(tau, j));
    for (let i = 0; i < j; i++) {
      let s = 0.0;
      for (let k = i; k < j; k++) s += load<f64>(at(t, i * PANEL + k)) * load<f64>(at(inner, k * PANEL + j));
      store<f64>(at(t, i * PANEL + j), -tauJ * s);
    }
    store<f64>(at(t, j * PANEL + j), tauJ);
  }
}
