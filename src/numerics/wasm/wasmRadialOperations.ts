import type { Float64Memory } from '../memory.ts';
import type { LinkedKernels } from './instance.ts';
import { GRAM_WORKSPACE, PROFILE_NUMBERS } from './radialKernels.ts';
import type { RadialOperations, RadialProfile } from './radialOperations.ts';
import { transpose, transposeBack, withNumbers } from './transposedPoints.ts';
import { typescriptRadialOperations } from './typescript/radialOperations.ts';

/** Numbers that the kernels between two sets take for a row of a block. */
const ROW = 98;

/** Radial covariances in WebAssembly SIMD; those of profiles that are not compiled in TypeScript. */
export function wasmRadialOperations(memory: Float64Memory, kernels: LinkedKernels): RadialOperations {
  const reference = typescriptRadialOperations(memory);

  return Object.freeze<RadialOperations>({
    radialGram(n, q, x, profile, variance, k) {
      if (profile.compiled === undefined) return reference.radialGram(n, q, x, profile, variance, k);
      const number = PROFILE_NUMBERS[profile.compiled];
      const diagonal = variance * atZero(profile);
      const rows = GRAM_WORKSPACE * kernels.threads;
      withNumbers(memory, q * (n + 1) + rows, (place) => {
        const points = transpose(memory, kernels, n, q, x, place);
        kernels.radialGram(number, n, q, points, variance, 0, diagonal, k, true, place(rows));
      });
    },

    radialGramGradient(n, q, x, profile, variance, k, g, dx) {
      if (profile.compiled === undefined) return reference.radialGramGradient(n, q, x, profile, variance, k, g, dx);
      const number = PROFILE_NUMBERS[profile.compiled];
      const length = n * q + 2;
      const workspace = kernels.gradientWorkspace(n, length);
      return withNumbers(memory, q * (n + 1) + length + workspace, (place) => {
        const points = transpose(memory, kernels, n, q, x, place);
        const result = place(length);
        kernels.radialGramGradient(number, n, q, points, variance, k, g, result, place(workspace));
        transposeBack(memory, n, q, result, dx);
        return memory.float64(result, length)[n * q]! / variance;
      });
    },

    radialCross(n, m, q, a, b, profile, variance, k) {
      if (profile.compiled === undefined) return reference.radialCross(n, m, q, a, b, profile, variance, k);
      const number = PROFILE_NUMBERS[profile.compiled];
      withNumbers(memory, q * (n + m + 2) + ROW, (place) => {
        const left = transpose(memory, kernels, n, q, a, place);
        const right = transpose(memory, kernels, m, q, b, place);
        kernels.radialCross(number, n, m, q, left, right, variance, 0, n, k, place(ROW));
      });
    },

    radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db) {
      if (profile.compiled === undefined) {
        return reference.radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db);
      }
      const number = PROFILE_NUMBERS[profile.compiled];
      return withNumbers(memory, 2 * q * (n + m + 1) + ROW, (place) => {
        const left = transpose(memory, kernels, n, q, a, place);
        const right = transpose(memory, kernels, m, q, b, place);
        const pulls = place(q * (n + m));
        memory.float64(pulls, q * (n + m)).fill(0);
        const back = pulls + 8 * n * q;
        const work = place(ROW);
        const sum = kernels.radialCrossGradient(number, n, m, q, left, right, variance, 0, n, k, g, pulls, back, work);
        transposeBack(memory, n, q, pulls, da);
        transposeBack(memory, m, q, back, db);
        return sum / variance;
      });
    },
  });
}

function atZero(profile: RadialProfile): number {
  const zero = new Float64Array(1);
  profile.value(zero);
  return zero[0]!;
}
