import type { Float64Memory } from '../memory.ts';
import type { LinkedKernels } from './instance.ts';
import type { SquaredDistanceOperations } from './squaredDistanceOperations.ts';
import { typescriptSquaredDistances } from './typescript/squaredDistances.ts';
import { transpose, transposeBack, withNumbers } from './workspace.ts';

/** Differences of coordinates up to which a plain loop is done before the points are transposed for the compiled one. */
const SMALL = 1000;
const isSmall = (n: number, m: number, q: number) => n * m * q <= SMALL;

/** Squared distances in WebAssembly SIMD. */
export function wasmSquaredDistances(memory: Float64Memory, kernels: LinkedKernels): SquaredDistanceOperations {
  const reference = typescriptSquaredDistances(memory);

  return Object.freeze<SquaredDistanceOperations>({
    squaredDistances(n, m, q, a, b, target) {
      if (isSmall(n, m, q)) return reference.squaredDistances(n, m, q, a, b, target);
      withNumbers(memory, q * (n + m + 2), (place) => {
        const [at, bt] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        kernels.squaredDistances(n, m, q, at, bt, target);
      });
    },

    squaredDistancesGradient(n, m, q, a, b, weights, da, db) {
      if (isSmall(n, m, q)) return reference.squaredDistancesGradient(n, m, q, a, b, weights, da, db);
      withNumbers(memory, 2 * q * (n + m + 1), (place) => {
        const [at, bt] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        const [dat, dbt] = [place(n * q), place(m * q)];
        kernels.squaredDistancesGradient(n, m, q, at, bt, weights, dat, dbt);
        transposeBack(memory, n, q, dat, da);
        transposeBack(memory, m, q, dbt, db);
      });
    },

    squaredDistancesWithin(n, q, x, target) {
      if (isSmall(n, n, q)) return reference.squaredDistancesWithin(n, q, x, target);
      withNumbers(memory, q * (n + 1), (place) => {
        const points = transpose(memory, kernels, n, q, x, place);
        kernels.squaredDistances(n, n, q, points, points, target);
        const distances = memory.float64(target, n * n);
        for (let i = 0; i < n; i++) distances[i * (n + 1)] = 0;
      });
    },

    squaredDistancesWithinGradient(n, q, x, weights, dx) {
      if (isSmall(n, n, q)) return reference.squaredDistancesWithinGradient(n, q, x, weights, dx);
      withNumbers(memory, q * (3 * n + 1), (place) => {
        const points = transpose(memory, kernels, n, q, x, place);
        const [rows, columns] = [place(n * q), place(n * q)];
        kernels.squaredDistancesGradient(n, n, q, points, points, weights, rows, columns);
        const pulls = memory.float64(rows, n * q);
        const back = memory.float64(columns, n * q);
        for (let i = 0; i < n * q; i++) pulls[i]! += back[i]!;
        transposeBack(memory, n, q, rows, dx);
      });
    },
  });
}
