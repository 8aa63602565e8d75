import type { Float64Memory } from '../../memory.ts';

/**
 * Loops over all pairs of points. Points are rows of row-major matrices of q columns. Pairs of one set
 * are packed: pair (i, j), j < i, is at i(i − 1)/2 + j.
 */

/** Squared distances of all pairs of n points, into n(n − 1)/2 numbers. */
export function squaredDistancesOfPairs(n: number, q: number, x: Float64Array, target: Float64Array): void {
  let at = 0;
  for (let i = 0; i < n; i++) {
    const row = i * q;
    for (let j = 0; j < i; j++) {
      const other = j * q;
      let sum = 0;
      for (let d = 0; d < q; d++) {
        const gap = x[row + d]! - x[other + d]!;
        sum += gap * gap;
      }
      target[at++] = sum;
    }
  }
}

/** Squared distances between n points a and m points b, n×m. */
export function squaredDistancesBetween(
  n: number,
  m: number,
  q: number,
  a: Float64Array,
  b: Float64Array,
  target: Float64Array,
): void {
  let at = 0;
  for (let i = 0; i < n; i++) {
    const row = i * q;
    for (let j = 0; j < m; j++) {
      const other = j * q;
      let sum = 0;
      for (let d = 0; d < q; d++) {
        const gap = a[row + d]! - b[other + d]!;
        sum += gap * gap;
      }
      target[at++] = sum;
    }
  }
}

/** What weights of the squared distances of pairs pull the points by: dx_i ← Σ_j 2·w_ij·(x_i − x_j). */
export function pullOfPairs(n: number, q: number, x: Float64Array, weights: Float64Array, dx: Float64Array): void {
  dx.fill(0);
  let at = 0;
  for (let i = 0; i < n; i++) {
    const row = i * q;
    for (let j = 0; j < i; j++) {
      const other = j * q;
      const weight = 2 * weights[at++]!;
      for (let d = 0; d < q; d++) {
        const pull = weight * (x[row + d]! - x[other + d]!);
        dx[row + d]! += pull;
        dx[other + d]! -= pull;
      }
    }
  }
}

/** The same between two sets: da_i ← Σ_j 2·w_ij·(a_i − b_j), db_j ← −Σ_i 2·w_ij·(a_i − b_j), w n×m. */
export function pullBetween(
  n: number,
  m: number,
  q: number,
  a: Float64Array,
  b: Float64Array,
  weights: Float64Array,
  da: Float64Array,
  db: Float64Array,
): void {
  da.fill(0);
  db.fill(0);
  let at = 0;
  for (let i = 0; i < n; i++) {
    const row = i * q;
    for (let j = 0; j < m; j++) {
      const other = j * q;
      const weight = 2 * weights[at++]!;
      for (let d = 0; d < q; d++) {
        const pull = weight * (a[row + d]! - b[other + d]!);
        da[row + d]! += pull;
        db[other + d]! -= pull;
      }
    }
  }
}

/** The symmetric n×n matrix of numbers of pairs, with one number all along its diagonal. */
export function unpack(n: number, packed: Float64Array, diagonal: number, target: Float64Array): void {
  const tile = 32;
  for (let top = 0; top < n; top += tile) {
    const bottom = Math.min(top + tile, n);
    for (let left = 0; left <= top; left += tile) {
      for (let i = top; i < bottom; i++) {
        const row = (i * (i - 1)) / 2;
        const right = Math.min(left + tile, i);
        for (let j = left; j < right; j++) {
          const entry = packed[row + j]!;
          target[i * n + j] = entry;
          target[j * n + i] = entry;
        }
      }
    }
    for (let i = top; i < bottom; i++) target[i * n + i] = diagonal;
  }
}

/** w_ij ← f_ij·(g_ij + g_ji) for all pairs, in place of f; g is n×n. */
export function weighPairs(n: number, gradient: Float64Array, factors: Float64Array): void {
  const tile = 32;
  for (let top = 0; top < n; top += tile) {
    const bottom = Math.min(top + tile, n);
    for (let left = 0; left <= top; left += tile) {
      for (let i = top; i < bottom; i++) {
        const row = (i * (i - 1)) / 2;
        const right = Math.min(left + tile, i);
        for (let j = left; j < right; j++) {
          factors[row + j]! *= gradient[i * n + j]! + gradient[j * n + i]!;
        }
      }
    }
  }
}

/** Runs work with memory for one number for each pair of n points, given back afterwards. */
export function workspaceOfPairs(memory: Float64Memory): (n: number, work: (pairs: Float64Array) => void) => void {
  return (n, work) => {
    const count = (n * (n - 1)) / 2;
    memory.withBlock(8 * (count + 1), (offset) => work(memory.float64(offset, count)));
  };
}
