import type { Float64Memory } from '../../memory.ts';
import type { SquaredDistanceOperations } from '../squaredDistanceOperations.ts';
import {
  pullBetween,
  pullOfPairs,
  squaredDistancesBetween,
  squaredDistancesOfPairs,
  unpack,
  weighPairs,
  workspaceOfPairs,
} from './pairs.ts';

/** Squared distances in plain TypeScript: what the compiled ones are compared with. */
export function typescriptSquaredDistances(memory: Float64Memory): SquaredDistanceOperations {
  const withPairs = workspaceOfPairs(memory);
  return Object.freeze<SquaredDistanceOperations>({
    squaredDistances(n, m, q, a, b, target) {
      const [A, B] = [memory.float64(a, n * q), memory.float64(b, m * q)];
      squaredDistancesBetween(n, m, q, A, B, memory.float64(target, n * m));
    },

    squaredDistancesGradient(n, m, q, a, b, weights, da, db) {
      const [A, B, W] = [memory.float64(a, n * q), memory.float64(b, m * q), memory.float64(weights, n * m)];
      pullBetween(n, m, q, A, B, W, memory.float64(da, n * q), memory.float64(db, m * q));
    },

    squaredDistancesWithin(n, q, x, target) {
      withPairs(n, (pairs) => {
        squaredDistancesOfPairs(n, q, memory.float64(x, n * q), pairs);
        unpack(n, pairs, 0, memory.float64(target, n * n));
      });
    },

    squaredDistancesWithinGradient(n, q, x, weights, dx) {
      withPairs(n, (pairs) => {
        weighPairs(n, memory.float64(weights, n * n), pairs.fill(1));
        pullOfPairs(n, q, memory.float64(x, n * q), pairs, memory.float64(dx, n * q));
      });
    },
  });
}
