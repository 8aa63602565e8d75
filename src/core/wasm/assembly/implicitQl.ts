import { applyRotations, SWEEPS } from './rotations';
import { at } from './vectors';

const MOST_SWEEPS: i32 = 60;
const EPSILON: f64 = 2.220446049250313e-16;

/**
 * Eigenvalues (over d, unsorted) and eigenvectors of a symmetric tridiagonal matrix, diagonal d and e beside it, by the implicit
 * QL iteration (Bowdler, Martin, Reinsch & Wilkinson 1968); row i of z is multiplied along, so that it ends as eigenvector i. An
 * off-diagonal entry counts as zero below the rounding of its neighbours on the diagonal, or below `floor`. Returns 0, or 1 when
 * an eigenvalue took more than 60 sweeps. `rotations` has room for 2·(SWEEPS + 1)·n numbers, `strip` for 16·n, `ranges` for
 * SWEEPS + 1 pairs of i32.
 */
export function implicitQl(
  n: i32,
  d: usize,
  e: usize,
  floor: f64,
  z: usize,
  rotations: usize,
  strip: usize,
  ranges: usize,
): i32 {
  let sweeps = 0;
  for (let l = 0; l < n; l++) {
    for (let count = 0; ; count++) {
      const last = endOfBlock(n, l, d, e, floor);
      if (last == l) break;
      if (count == MOST_SWEEPS) return 1;
      const first = sweep(l, last, d, e, rotations + ((sweeps * n) << 4));
      store<i32>(ranges + (sweeps << 3), first);
      store<i32>(ranges + (sweeps << 3), last, 4);
      if (++sweeps == SWEEPS) {
        applyRotations(n, z, rotations, strip, ranges, sweeps);
        sweeps = 0;
      }
    }
  }
  if (sweeps > 0) applyRotations(n, z, rotations, strip, ranges, sweeps);
  return 0;
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

/** One sweep with Wilkinson's shift from row `last` up to row l; returns the first row that was rotated. */
function sweep(l: i32, last: i32, d: usize, e: usize, rotations: usize): i32 {
  const dl = load<f64>(at(d, l));
  const el = load<f64>(at(e, l));
  let g = (load<f64>(at(d, l + 1)) - dl) / (2.0 * el);
  let r = sqrt(g * g + 1.0);
  g = load<f64>(at(d, last)) - dl + el / (g + copysign(r, g));
  let s = 1.0;
  let c = 1.0;
  let p = 0.0;
  for (let i = last - 1; i >= l; i--) {
    const f = s * load<f64>(at(e, i));
    const b = c * load<f64>(at(e, i));
    r = sqrt(f * f + g * g);
    store<f64>(at(e, i + 1), r);
    if (r == 0.0) {
      // The matrix splits here: the rows above are taken up again by the next sweep.
      store<f64>(at(d, i + 1), load<f64>(at(d, i + 1)) - p);
      store<f64>(at(e, last), 0.0);
      return i + 1;
    }
    const inverse = 1.0 / r;
    s = f * inverse;
    c = g * inverse;
    g = load<f64>(at(d, i + 1)) - p;
    r = (load<f64>(at(d, i)) - g) * s + 2.0 * c * b;
    p = s * r;
    store<f64>(at(d, i + 1), g + p);
    g = c * r - b;
    store<f64>(rotations + (i << 4), c);
    store<f64>(rotations + (i << 4), s, 8);
  }
  store<f64>(at(d, l), load<f64>(at(d, l)) - p);
  store<f64>(at(e, l), g);
  store<f64>(at(e, last), 0.0);
  return l;
}
