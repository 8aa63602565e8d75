import type { Float64Memory } from '../memory.ts';
import { squaredDistances } from '../neighbors/squaredDistance.ts';
import {
  type FusedOperations,
  goesByPoints,
  type QuadraticOperations,
  type RadialOperations,
  type SquaredDistanceOperations,
} from '../operations/covariances.ts';
import type { LinearAlgebraEngine } from '../operations/linearAlgebra.ts';

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

/** factor·u_aᵀL(v)u_a, u_a = U(e_i − e_j), for the pairs a = (i, j) of `rows`. */
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

/** Number of columns that the compiled version sums at a time. */
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

/** The operations on whole covariances in plain TypeScript, for any engine: the reference for the compiled ones. */
export function typescriptFusedOperations(memory: Float64Memory, engine: LinearAlgebraEngine): FusedOperations {
  const radial = radialOperations(memory, typescriptSquaredDistances(memory));
  return withGradientsAtZero(memory, {
    ...radial,
    ...radialSums(memory, radial, engine.mirrorLower),
    radialLogDensity: () => undefined,
  });
}

/** da_i ← da_i + 2·Σ_j w_j·(a_i − b_j), db_j ← db_j − 2·w_j·(a_i − b_j), j < count. */
function pullFrom(
  i: number,
  count: number,
  q: number,
  a: Float64Array,
  b: Float64Array,
  weights: Float64Array,
  da: Float64Array,
  db: Float64Array,
): void {
  for (let j = 0; j < count; j++) {
    const weight = 2 * weights[j]!;
    for (let d = 0; d < q; d++) {
      const pull = weight * (a[i * q + d]! - b[j * q + d]!);
      da[i * q + d]! += pull;
      db[j * q + d]! -= pull;
    }
  }
}

/** Radial covariances of any profile, computed from squared distances. */
export function radialOperations(memory: Float64Memory, distances: SquaredDistanceOperations): RadialOperations {
  return Object.freeze<RadialOperations>({
    radialGram(n, q, x, profile, variance, k) {
      distances.squaredDistances(n, n, q, x, x, k);
      const K = memory.float64(k, n * n);
      for (let i = 0; i < n; i++) {
        profile.value(K.subarray(i * n, i * n + i + 1));
        for (let j = 0; j <= i; j++) K[j * n + i] = K[i * n + j]! *= variance;
      }
    },

    radialGramGradient(n, q, x, profile, variance, k, g, dx) {
      memory.withBlock(8 * (n * n + n * q + 1), (weights) => {
        distances.squaredDistances(n, n, q, x, x, weights);
        const [W, G] = [memory.float64(weights, n * n), memory.float64(g, n * n)];
        for (let i = 0; i < n; i++) {
          const row = W.subarray(i * n, i * n + n);
          profile.slope(row.subarray(0, i));
          for (let j = 0; j < i; j++) row[j] = row[j]! * (G[i * n + j]! + G[j * n + i]!) * variance;
          row.fill(0, i);
        }
        const back = weights + 8 * n * n;
        distances.squaredDistancesGradient(n, n, q, x, x, weights, dx, back);
        const [D, more] = [memory.float64(dx, n * q), memory.float64(back, n * q)];
        for (let i = 0; i < n * q; i++) D[i]! += more[i]!;
      });
      return innerProduct(memory.float64(g, n * n), memory.float64(k, n * n)) / variance;
    },

    radialCross(n, m, q, a, b, profile, variance, k) {
      distances.squaredDistances(n, m, q, a, b, k);
      const K = memory.float64(k, n * m);
      profile.value(K);
      for (let i = 0; i < n * m; i++) K[i]! *= variance;
    },

    radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db) {
      memory.withBlock(8 * (n * m + 1), (weights) => {
        distances.squaredDistances(n, m, q, a, b, weights);
        const [W, G] = [memory.float64(weights, n * m), memory.float64(g, n * m)];
        profile.slope(W);
        for (let i = 0; i < n * m; i++) W[i]! *= variance * G[i]!;
        distances.squaredDistancesGradient(n, m, q, a, b, weights, da, db);
      });
      return innerProduct(memory.float64(g, n * m), memory.float64(k, n * m)) / variance;
    },
  });
}

function innerProduct(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}

/** Squared distances and their gradients, row by row. */
export function typescriptSquaredDistances(memory: Float64Memory): SquaredDistanceOperations {
  return Object.freeze<SquaredDistanceOperations>({
    squaredDistances(n, m, q, a, b, target) {
      const [A, B, T] = [memory.float64(a, n * q), memory.float64(b, m * q), memory.float64(target, n * m)];
      for (let i = 0; i < n; i++) squaredDistances(A, i * q, B, 0, q, m, T.subarray(i * m, (i + 1) * m));
      if (a === b) for (let i = 0; i < Math.min(n, m); i++) T[i * (m + 1)] = 0;
    },

    squaredDistancesGradient(n, m, q, a, b, weights, da, db) {
      const [A, B, W] = [memory.float64(a, n * q), memory.float64(b, m * q), memory.float64(weights, n * m)];
      const [dA, dB] = [memory.float64(da, n * q).fill(0), memory.float64(db, m * q).fill(0)];
      for (let i = 0; i < n; i++) pullFrom(i, m, q, A, B, W.subarray(i * m, (i + 1) * m), dA, dB);
    },
  });
}

/** The sum of a radial covariance of any profile, a bias and a noise, based on the covariance alone. */
export function radialSums(
  memory: Float64Memory,
  { radialGram, radialGramGradient }: RadialOperations,
  mirrorLower: (n: number, a: number) => void,
): Pick<FusedOperations, 'radialSum' | 'radialSumGradient'> {
  return {
    radialSum(n, q, x, profile, { variance, lengthscales, bias, noise }, target) {
      memory.withBlock(8 * (n * q + 1), (scaled) => {
        divide(memory, n, q, x, lengthscales, scaled);
        radialGram(n, q, scaled, profile, variance, target);
      });
      const K = memory.float64(target, n * n);
      if (bias !== 0) for (let i = 0; i < n * n; i++) K[i]! += bias;
      if (noise !== 0) for (let i = 0; i < n * n; i += n + 1) K[i]! += noise;
    },

    radialSumGradient(n, q, x, profile, { variance, lengthscales, bias, noise }, k, g, dx, part) {
      if (part === 'lower') mirrorLower(n, g);
      return memory.withBlock(8 * (n * q + 1), (scaled) => {
        divide(memory, n, q, x, lengthscales, scaled);
        const slope = radialGramGradient(n, q, scaled, profile, variance, k, g, dx);
        const G = memory.float64(g, n * n);
        let [total, trace] = [0, 0];
        for (let i = 0; i < n * n; i++) total += G[i]!;
        for (let i = 0; i < n * n; i += n + 1) trace += G[i]!;
        const [Z, D] = [memory.float64(scaled, n * q), memory.float64(dx, n * q)];
        const dLengthscales = new Float64Array(q);
        for (let i = 0; i < n * q; i++) {
          const d = i % q;
          D[i] = D[i]! / lengthscales[d]!;
          // The pulls of all points add up to 0, so any origin may be taken: one of the points, lest far ones cost digits.
          dLengthscales[d]! -= D[i]! * (Z[i]! - Z[d]!);
        }
        // K includes the bias and the noise.
        const offsets = (bias * total + noise * trace) / variance;
        return { variance: slope - offsets, lengthscales: dLengthscales, bias: total, noise: trace };
      });
    },
  };
}

/** Points divided by their lengthscales. */
function divide(
  memory: Float64Memory,
  n: number,
  q: number,
  points: number,
  lengthscales: ArrayLike<number>,
  target: number,
): void {
  const [X, Z] = [memory.float64(points, n * q), memory.float64(target, n * q)];
  for (let i = 0; i < n * q; i++) Z[i] = X[i]! / lengthscales[i % q]!;
}

/**
 * The operations with gradients that are also valid at variance 0. Otherwise ∂L/∂variance = Σ_ij g_ij·f_ij is computed from the covariance as Σ_ij
 * g_ij·k_ij/variance, which saves a pass; but a covariance with variance 0 does not determine f. Its gradient is then computed at variance 1, with
 * gradient 0 in the points.
 */
export function withGradientsAtZero(memory: Float64Memory, operations: FusedOperations): FusedOperations {
  /** Runs `work` with memory for a matrix, and sets gradients in the points to 0. */
  function atOne<T>(entries: number, pulls: readonly (readonly [number, number])[], work: (unit: number) => T): T {
    const result = memory.withBlock(8 * (entries + 1), work);
    for (const [offset, length] of pulls) memory.float64(offset, length).fill(0);
    return result;
  }

  return Object.freeze<FusedOperations>({
    ...operations,

    radialGramGradient(n, q, x, profile, variance, k, g, dx) {
      if (variance !== 0) return operations.radialGramGradient(n, q, x, profile, variance, k, g, dx);
      return atOne(n * n, [[dx, n * q]], (unit) => {
        operations.radialGram(n, q, x, profile, 1, unit);
        return operations.radialGramGradient(n, q, x, profile, 1, unit, g, dx);
      });
    },

    radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db) {
      if (variance !== 0) return operations.radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db);
      const pulls = [
        [da, n * q],
        [db, m * q],
      ] as const;
      return atOne(n * m, pulls, (unit) => {
        operations.radialCross(n, m, q, a, b, profile, 1, unit);
        return operations.radialCrossGradient(n, m, q, a, b, profile, 1, unit, g, da, db);
      });
    },

    radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part) {
      if (parameters.variance !== 0) {
        return operations.radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part);
      }
      const one = { ...parameters, variance: 1 };
      return atOne(n * n, [[dx, n * q]], (unit) => {
        operations.radialSum(n, q, x, profile, one, unit);
        const slopes = operations.radialSumGradient(n, q, x, profile, one, unit, gradient, dx, part);
        return { ...slopes, lengthscales: new Float64Array(q) };
      });
    },
  });
}
