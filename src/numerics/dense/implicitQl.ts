/** Two or three sweeps an eigenvalue are usual. */
const MAXIMUM_SWEEPS = 60;

/** For a matrix of norm 1: numbers below are dropped, so that their squares keep all digits. */
const NEGLIGIBLE = 2 ** -480;

/**
 * Eigenvalues of a symmetric tridiagonal matrix of norm about 1, in no order, by the implicitly shifted QL iteration; the
 * rotations that T = SΛSᵀ is made of turn the rows of Qᵀ into those of (QS)ᵀ.
 *
 * @param d - diagonal; becomes the eigenvalues
 * @param e - e[i] couples i and i + 1; destroyed
 * @param basis - Qᵀ, n×n row-major; becomes (QS)ᵀ
 * @returns whether the iteration converged
 * @see Bowdler, Martin, Reinsch & Wilkinson 1968; Press et al., Numerical Recipes, §11.4 (tqli)
 */
export function implicitQl(n: number, d: Float64Array, e: Float64Array, basis: Float64Array): boolean {
  const floor = Math.max(NEGLIGIBLE, Number.EPSILON * largestRow(n, d, e));
  for (let first = 0; first < n; first++) {
    for (let sweeps = 0; ; sweeps++) {
      const last = endOfBlock(n, d, e, first, floor);
      if (last === first) break;
      if (sweeps === MAXIMUM_SWEEPS) return false;
      sweep(n, d, e, first, last, basis);
    }
  }
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
function sweep(n: number, d: Float64Array, e: Float64Array, first: number, last: number, basis: Float64Array): void {
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
    rotateRows(n, basis, i, c, s);
  }
  d[first]! -= p;
  e[first] = g;
  e[last] = 0;
}

/** Rows i and i + 1 ← c·rowᵢ − s·rowᵢ₊₁ and s·rowᵢ + c·rowᵢ₊₁. */
function rotateRows(n: number, matrix: Float64Array, i: number, c: number, s: number): void {
  for (let p = i * n, q = p + n, end = q; p < end; p++, q++) {
    const above = matrix[p]!;
    const below = matrix[q]!;
    matrix[q] = s * above + c * below;
    matrix[p] = c * above - s * below;
  }
}
