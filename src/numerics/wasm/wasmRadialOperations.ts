import type { Float64Memory } from '../memory.ts';
import { RADIAL } from './engineModule.ts';
import type { LinkedKernels } from './instance.ts';
import type { CompiledProfile, RadialOperations, RadialProfile } from './radialOperations.ts';
import { typescriptRadialOperations } from './typescript/radialOperations.ts';
import { placeRecord, transpose, transposeBack, withNumbers } from './workspace.ts';

/** What the compiled kernels call the profiles: `assembly/radialProfiles.ts`. */
export const PROFILE_NUMBERS: Readonly<Record<CompiledProfile, number>> = {
  thinPlate1: 1,
  thinPlate2: 2,
  thinPlate3: 3,
  thinPlate4: 4,
  matern12: 5,
  matern32: 6,
  matern52: 7,
  rbf: 8,
};

/** Numbers of workspace that `radialGram` takes for a thread. */
export const GRAM_WORKSPACE = 64;
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
        const given = { profile: number, n, q, x: points, variance, diagonal, k, mirrored: true, work: place(rows) };
        kernels.radialGram(placeRecord(memory, place, RADIAL, given));
      });
    },

    radialGramGradient(n, q, x, profile, variance, k, g, dx) {
      if (profile.compiled === undefined) return reference.radialGramGradient(n, q, x, profile, variance, k, g, dx);
      const number = PROFILE_NUMBERS[profile.compiled];
      const length = n * q + q + 4;
      const workspace = kernels.gradientWorkspace(n, q);
      return withNumbers(memory, q * (n + 1) + length + workspace, (place) => {
        const points = transpose(memory, kernels, n, q, x, place);
        const [result, work] = [place(length), place(workspace)];
        const given = { profile: number, n, q, x: points, variance, k, g, dx: result, work };
        kernels.radialGradient(placeRecord(memory, place, RADIAL, given));
        transposeBack(memory, n, q, result, dx);
        return memory.float64(result, length)[n * q + q]! / variance;
      });
    },

    radialCross(n, m, q, a, b, profile, variance, k) {
      if (profile.compiled === undefined) return reference.radialCross(n, m, q, a, b, profile, variance, k);
      const number = PROFILE_NUMBERS[profile.compiled];
      withNumbers(memory, q * (n + m + 2) + ROW, (place) => {
        const [x, y] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        const given = { profile: number, n, m, q, x, y, variance, k, work: place(ROW) };
        kernels.radialCross(placeRecord(memory, place, RADIAL, given));
      });
    },

    radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db) {
      if (profile.compiled === undefined) {
        return reference.radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db);
      }
      const number = PROFILE_NUMBERS[profile.compiled];
      return withNumbers(memory, 2 * q * (n + m + 1) + ROW, (place) => {
        const [x, y] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        const dx = place(q * (n + m));
        memory.float64(dx, q * (n + m)).fill(0);
        const dy = dx + 8 * n * q;
        const given = { profile: number, n, m, q, x, y, variance, k, g, dx, dy, work: place(ROW) };
        const sum = kernels.radialCrossGradient(placeRecord(memory, place, RADIAL, given));
        transposeBack(memory, n, q, dx, da);
        transposeBack(memory, m, q, dy, db);
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
