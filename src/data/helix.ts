import { cos, sin } from '../core/elementary/index.ts';
import { givenOptions } from '../core/given.ts';
import { type ManifoldSample, sampleManifold } from './manifold.ts';
import type { SamplingOptions } from './sampling.ts';

/**
 * Points about a helix that closes upon itself, wound eight times around a circle of radius 2:
 * y = ((2 + cos 8t)·cos t, (2 + cos 8t)·sin t, sin 8t) + noise·ε with t uniform on [0, 2π) and ε standard normal.
 *
 * Mao et al. print t uniform on [0, 1], which is an arc of 1 radian; the drtoolbox they used runs once around.
 *
 * @param options - points (600), seed (1), noise (0.05)
 * @returns observations N×3, and the angles t in parameters N×1
 * @throws InvalidInputError when points is not a positive integer or noise is negative
 * @see van der Maaten, Postma & van den Herik, Dimensionality reduction: a comparative review (2009); Mao et al. 2017, §4.3.1
 * @example
 * ```ts
 * const { observations } = helix({ points: 600 });
 * observations.columns; // 3
 * ```
 */
export function helix(options: SamplingOptions = {}): ManifoldSample {
  const { points = 600, seed = 1, noise = 0.05 } = givenOptions(options, 'helix');
  return sampleManifold(
    'helix',
    {
      draw: (random) => [2 * Math.PI * random.uniform()],
      at: ([t]) => {
        const radius = 2 + cos(8 * t!);
        return [radius * cos(t!), radius * sin(t!), sin(8 * t!)];
      },
    },
    { points, seed, noise },
  );
}
