import type { RotationQueue } from './planeRotations.ts';

/** Two or three sweeps an eigenvalue are usual. */
const MAXIMUM_SWEEPS = 60;

/** For a matrix of norm 1: numbers below are dropped, so that their squares keep all digits. */
const NEGLIGIBLE = 2 ** -480;

/**
 * Eigenvalues of a symmetric tridiagonal matrix of norm about 1, in no order, by the implicitly shifted QL iteration; the
 * rotations T = SΛSᵀ is made of go to `rotations`, which turn the rows of Qᵀ into those of (QS)ᵀ.
 *
 * @param d - diagonal; becomes the eigenvalues
 * @param e - e[i] couples i and i + 1; destroyed
 * @returns whether the iteration converged
 * @see Bowdler, Martin, Reinsch & Wilkinson 1968; Press et al., Numerical Recipes, §11.4 (tqli)
 */
export function implicitQl(n: number, d: Float64Array, e: Float64Array, rotations: RotationQueue): boolean {
  const floor = Math.max(NEGLIGIBLE, Number.EPSILON * largestRow(n, d, e));
  for (let first = 0; first < n; first++) {
    for (let sweeps = 0; ; sweeps++) {
      const last = endOfBlock(n, d, e, first, floor);
      if (last === first) break;
      if (sweeps === MAXIMUM_SWEEPS) return false;
      sweep(d, e, first, last, rotations);
    }
  }
  rotations.flush();
  return true;
}

/**
 * The size of the largest row. What is below its rounding is rounding itself, that of the tridiagonalisation: matrices of low rank,
 * their large rows first, would not converge if each row were held to its own.
 */
function largestRow(n: number, d: Float64Array, e: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(d[i]!) + (i < n - 1 ? Math.abs(e[i]!) : 0));
  return largest;
}

/** The first row from `first` on that is coupled to the next one by less than `floor` or the rounding of their diagonal entries. */
function endOfBlock(n: number, d: Float64Array, e: Float64Array, first: number, floor: number): number {
  let last = first;
  for (; last < n - 1; last++) {
    const coupling = Math.abs(e[last]!);
    if (coupling <= floor) break;
    if (coupling <= (Number.EPSILON / 2) * (Math.abs(d[last]!) + Math.abs(d[last + 1]!))) break;
  }
  return last;
}

/** One sweep with Wilkinson's shift, from the bottom of the block up. */
function sweep(d: Float64Array, e: Float64Array, first: number, last: number, rotations: RotationQueue): void {
  const { coefficients } = rotations;
  const start = rotations.start();
  const slope = (d[first + 1]! - d[first]!) / (2 * e[first]!);
  const root = Math.sqrt(slope * slope + 1);
  let g = d[last]! - d[first]! + e[first]! / (slope + (slope < 0 ? -root : root));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = last - 1; i >= first; i--) {
    const f = s * e[i]!;
    const b = c * e[i]!;
    const r = Math.sqrt(f * f + g * g);
    if (r <= NEGLIGIBLE) {
      // The block falls apart here; what has been done so far stands.
      e[i + 1] = 0;
      d[i + 1]! -= p;
      e[last] = 0;
      rotations.push(i + 1, last);
      return;
    }
    e[i + 1] = r;
    s = f / r;
    c = g / r;
    g = d[i + 1]! - p;
    const t = (d[i]! - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
    coefficients[start + 2 * i] = c;
    coefficients[start + 2 * i + 1] = s;
  }
  d[first]! -= p;
  e[first] = g;
  e[last] = 0;
  rotations.push(first, last);
}
