import { cos, sin } from '../core/elementary/index.ts';
import { givenOptions } from '../core/given.ts';
import { type ManifoldSample, sampleManifold } from './manifold.ts';
import type { SamplingOptions } from './sampling.ts';

/** What shears the upright S, its columns for the width and the height; fitted to the 100 points of Kégl et al. */
const SHEAR = [
  [-0.178, 0.174],
  [0.134, 0.0225],
] as const;

/**
 * Points about an S that is sheared until its arms lie flat: y = A·(sin πt, sign(t)·(1 − cos πt)) + noise·ε with t uniform on [−1, 1),
 * A = (−0.178, 0.174; 0.134, 0.0225) and ε standard normal. Before A the curve is two half circles that meet at the origin; it is its own
 * mirror image there.
 *
 * @param options - points (100), seed (1), noise (0.025)
 * @returns observations N×2, and the places t along the curve in parameters N×1
 * @throws InvalidInputError when points is not a positive integer or noise is negative
 * @see Kégl, Krzyżak, Linder & Zeger, Learning and design of principal curves (2000), for the shape; Mao et al. 2017, Figs. 2, 3 and 5
 * @example
 * ```ts
 * const { observations, parameters } = distortedS({ points: 100, seed: 2 });
 * observations.columns; // 2
 * ```
 */
export function distortedS(options: SamplingOptions = {}): ManifoldSample {
  const { points = 100, seed = 1, noise = 0.025 } = givenOptions(options, 'distortedS');
  return sampleManifold(
    'distortedS',
    {
      draw: (random) => [2 * random.uniform() - 1],
      at: ([t]) => {
        const width = sin(Math.PI * t!);
        const height = Math.sign(t!) * (1 - cos(Math.PI * t!));
        return SHEAR.map(([a, b]) => a * width + b * height);
      },
    },
    { points, seed, noise },
  );
}
