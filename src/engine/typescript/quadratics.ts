import type { Float64Memory } from '../memory.ts';
import { goesByPoints, type QuadraticOperations } from '../operations/covariances.ts';

/** Coordinate descent in plain TypeScript, with the sums of the compiled one. */
export function typescriptQuadraticOperations(memory: Float64Memory): QuadraticOperations {
  return Object.freeze<QuadraticOperations>({
    quadraticProduct(n, u, factor, rows, columns, v) {
      const U = memory.float64(u, n * n);
      if (goesByPoints(n, rows.length / 2, v.length)) return productByPoints(n, U, factor, rows, columns, v);
      const across = new Float64Array(n);
      return Float64Array.from({ length: rows.length / 2 }, (_, a) => {
        const i = rows[2 * a]! * n;
        const j = rows[2 * a + 1]! * n;
        for (let k = 0; k < n; k++) across[k] = U[i + k]! - U[j + k]!;
        return factor * weightedSquares(v.length, columns, v, across);
      });
    },

    quadraticSweep(n, u, { pairs, factor, gradient, curvature, lower, upper }, visits, steps) {
      const U = memory.float64(u, n * n);
      const across = new Float64Array(n);
      const { places, moved } = steps;
      const d = steps.steps;
      let largest = 0;
      for (const a of visits) {
        const i = pairs[2 * a]! * n;
        const j = pairs[2 * a + 1]! * n;
        for (let k = 0; k < n; k++) across[k] = U[i + k]! - U[j + k]!;
        const slope = gradient[a]! + factor * weightedSquares(steps.count, moved, d, across);
        const place = places[a]!;
        const before = place < 0 ? 0 : d[place]!;
        const after = Math.max(lower[a]!, Math.min(upper[a]!, before - slope / curvature[a]!));
        if (after === before) continue;
        largest = Math.max(largest, Math.abs(after - before) * Math.sqrt(curvature[a]!));
        if (place >= 0) d[place] = after;
        else {
          const { count } = steps;
          places[a] = count;
          moved[2 * count] = pairs[2 * a]!;
          moved[2 * count + 1] = pairs[2 * a + 1]!;
          d[count] = after;
          steps.count++;
        }
      }
      return largest;
    },
  });
}

/** factor·u_aᵀL(v)u_a, u_a = U(e_i − e_j), of the pairs a = (i, j) of `rows`. */
function productByPoints(
  n: number,
  U: Float64Array,
  factor: number,
  rows: Int32Array,
  columns: Int32Array,
  v: Float64Array,
): Float64Array {
  /** U·L(v). */
  const B = new Float64Array(n * n);
  v.forEach((step, b) => {
    const [i, j] = [columns[2 * b]!, columns[2 * b + 1]!];
    for (let k = 0; k < n; k++) {
      const across = U[i * n + k]! - U[j * n + k]!;
      B[k * n + i]! += step * across;
      B[k * n + j]! -= step * across;
    }
  });
  return Float64Array.from({ length: rows.length / 2 }, (_, a) => {
    const [i, j] = [rows[2 * a]! * n, rows[2 * a + 1]! * n];
    const term = (k: number) => (U[i + k]! - U[j + k]!) * (B[i + k]! - B[j + k]!);
    let y = 0;
    for (let left = 0; left < n; left += STRIPE) {
      const right = Math.min(n, left + STRIPE);
      const whole = right - ((right - left) % 4);
      const sums = [0, 0, 0, 0] as [number, number, number, number];
      for (let k = left; k < whole; k++) sums[k % 4]! += term(k);
      let sum = sums[0] + sums[2] + (sums[1] + sums[3]);
      for (let k = whole; k < right; k++) sum += term(k);
      y += factor * sum;
    }
    return y;
  });
}

/** Columns that the compiled version sums at a time. */
const STRIPE = 64;

/** Σ_b d_b·(x_i − x_j)², b = (i, j), in four sums. */
function weightedSquares(count: number, pairs: Int32Array, d: Float64Array, x: Float64Array): number {
  const sums = [0, 0, 0, 0] as [number, number, number, number];
  const whole = count - (count % 4);
  for (let b = 0; b < count; b++) {
    const t = x[pairs[2 * b]!]! - x[pairs[2 * b + 1]!]!;
    sums[b < whole ? b % 4 : 0]! += d[b]! * (t * t);
  }
  return sums[0] + sums[1] + (sums[2] + sums[3]);
}
