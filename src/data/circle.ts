import { cos, sin } from '../core/elementary/index.ts';
import { givenOptions } from '../core/given.ts';
import { type ManifoldSample, sampleManifold } from './manifold.ts';
import type { SamplingOptions } from './sampling.ts';

/**
 * Points about the unit circle: y = (cos t, sin t) + noise·ε with t uniform on [0, 2π) and ε standard normal.
 *
 * The 100 points of Kégl et al. lie about it with a noise of 0.18.
 *
 * @param options - points (100), seed (1), noise (0.1)
 * @returns observations N×2, and the angles t in parameters N×1
 * @throws InvalidInputError when points is not a positive integer or noise is negative
 * @see Kégl, Krzyżak, Linder & Zeger, Learning and design of principal curves (2000); Mao et al. 2017, Fig. 5
 * @example
 * ```ts
 * const { observations, parameters } = circle({ points: 200, noise: 0 });
 * observations.at(0, 0) === Math.cos(parameters.at(0, 0)); // true
 * ```
 */
export function circle(options: SamplingOptions = {}): ManifoldSample {
  const { points = 100, seed = 1, noise = 0.1 } = givenOptions(options, 'circle');
  return sampleManifold(
    'circle',
    {
      draw: (random) => [2 * Math.PI * random.uniform()],
      at: ([t]) => [cos(t!), sin(t!)],
    },
    { points, seed, noise },
  );
}
