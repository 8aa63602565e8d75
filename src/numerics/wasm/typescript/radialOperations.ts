import type { Float64Memory } from '../../memory.ts';
import type { RadialOperations } from '../radialOperations.ts';
import {
  pullBetween,
  pullOfPairs,
  squaredDistancesBetween,
  squaredDistancesOfPairs,
  unpack,
  weighPairs,
  workspaceOfPairs,
} from './pairs.ts';

/** Radial covariances in plain TypeScript, of any profile: what the compiled ones are compared with. */
export function typescriptRadialOperations(memory: Float64Memory): RadialOperations {
  const withPairs = workspaceOfPairs(memory);
  return Object.freeze<RadialOperations>({
    radialGram(n, q, x, profile, variance, k) {
      withPairs(n, (pairs) => {
        squaredDistancesOfPairs(n, q, memory.float64(x, n * q), pairs);
        profile.value(pairs);
        multiplyBy(variance, pairs);
        const diagonal = new Float64Array(1);
        profile.value(diagonal);
        unpack(n, pairs, variance * diagonal[0]!, memory.float64(k, n * n));
      });
    },

    radialGramGradient(n, q, x, profile, variance, k, g, dx) {
      withPairs(n, (weights) => {
        const points = memory.float64(x, n * q);
        squaredDistancesOfPairs(n, q, points, weights);
        profile.slope(weights);
        weighPairs(n, memory.float64(g, n * n), weights);
        multiplyBy(variance, weights);
        pullOfPairs(n, q, points, weights, memory.float64(dx, n * q));
      });
      return innerProduct(memory.float64(g, n * n), memory.float64(k, n * n)) / variance;
    },

    radialCross(n, m, q, a, b, profile, variance, k) {
      const K = memory.float64(k, n * m);
      squaredDistancesBetween(n, m, q, memory.float64(a, n * q), memory.float64(b, m * q), K);
      profile.value(K);
      multiplyBy(variance, K);
    },

    radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db) {
      return memory.withBlock(8 * (n * m + 1), (work) => {
        const weights = memory.float64(work, n * m);
        const [A, B] = [memory.float64(a, n * q), memory.float64(b, m * q)];
        const [K, G] = [memory.float64(k, n * m), memory.float64(g, n * m)];
        squaredDistancesBetween(n, m, q, A, B, weights);
        profile.slope(weights);
        for (let i = 0; i < n * m; i++) weights[i]! *= variance * G[i]!;
        pullBetween(n, m, q, A, B, weights, memory.float64(da, n * q), memory.float64(db, m * q));
        return innerProduct(G, K) / variance;
      });
    },
  });
}

function multiplyBy(factor: number, x: Float64Array): void {
  for (let i = 0; i < x.length; i++) x[i]! *= factor;
}

function innerProduct(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}
