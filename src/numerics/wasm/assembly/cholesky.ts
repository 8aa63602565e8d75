import { LOWER, multiply } from './multiply';
import { multiplyAdd } from './multiplyAdd';
import { half, solveTransposed } from './triangularSolve';
import { at, lanes } from './vectors';

const BASE: i32 = 32;

/**
 * Lower triangle of A ← L with A = LLᵀ, row-major with rows `stride` numbers apart; the upper triangle is neither read nor written.
 * Halves recursively: [A₁₁ ·; A₂₁ A₂₂] → L₁₁, L₂₁ = A₂₁L₁₁⁻ᵀ, then A₂₂ − L₂₁L₂₁ᵀ. Returns −1, or the index of the first pivot that
 * is not positive, which is then on the diagonal.
 */
export function cholesky(n: i32, a: usize, stride: i32): i32 {
  if (n <= BASE) return choleskyBase(n, a, stride << 3);
  const n1 = half(n);
  const n2 = n - n1;
  const a21: usize = a + ((n1 * stride) << 3);
  const a22: usize = a21 + (n1 << 3);
  const failed = cholesky(n1, a, stride);
  if (failed >= 0) return failed;
  solveTransposed(n2, n1, a21, stride, 1, a, stride, 1);
  multiply(n2, n2, n1, -1.0, a21, stride, 1, a21, 1, stride, a22, stride, 1, LOWER, true);
  const failed2 = cholesky(n2, a22, stride);
  return failed2 < 0 ? -1 : failed2 + n1;
}

function choleskyBase(n: i32, a: usize, rowBytes: i32): i32 {
  for (let j = 0; j < n; j++) {
    const rowJ: usize = a + j * rowBytes;
    let inverse = 0.0;
    for (let i = j; i < n; i++) {
      const rowI: usize = a + i * rowBytes;
      let s = f64x2.splat(0);
      let k = 0;
      for (; k + 2 <= j; k += 2) s = multiplyAdd(v128.load(at(rowI, k)), v128.load(at(rowJ, k)), s);
      let t = load<f64>(at(rowI, j)) - lanes(s);
      if (k < j) t -= load<f64>(at(rowI, k)) * load<f64>(at(rowJ, k));
      if (i > j) {
        store<f64>(at(rowI, j), t * inverse);
      } else if (t > 0.0) {
        const pivot = sqrt(t);
        store<f64>(at(rowI, j), pivot);
        inverse = 1.0 / pivot;
      } else {
        store<f64>(at(rowI, j), t);
        return j;
      }
    }
  }
  return -1;
}
