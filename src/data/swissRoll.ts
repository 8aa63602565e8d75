import { cos, sin } from '../core/elementary/index.ts';
import { givenOptions } from '../core/given.ts';
import { type ManifoldSample, sampleManifold } from './manifold.ts';
import { checkHeight, type SamplingOptions } from './sampling.ts';

export interface SwissRollOptions extends SamplingOptions {
  /** How far the roll reaches along its axis, above 0; 21 unless given. */
  readonly height?: number;
}

/**
 * Points about a rolled-up rectangle: y = (t·cos t, h, t·sin t) + noise·ε with t uniform on [3π/2, 9π/2), h uniform on [0, height) and ε
 * standard normal.
 *
 * @param options - points (1000), seed (1), noise (0.05), height (21)
 * @returns observations N×3, and (t, h) in parameters N×2
 * @throws InvalidInputError when points is not a positive integer, noise is negative, or height is not above 0
 * @see Tenenbaum, de Silva & Langford, A global geometric framework for nonlinear dimensionality reduction (2000), Fig. 3
 * @example
 * ```ts
 * const { observations } = swissRoll({ points: 1000, noise: 0 });
 * const { latents } = await fit(isomap(observations, { neighbours: 10 }));
 * ```
 */
export function swissRoll(options: SwissRollOptions = {}): ManifoldSample {
  const { points = 1000, seed = 1, noise = 0.05, height = 21 } = givenOptions(options, 'swissRoll');
  checkHeight('swissRoll', height);
  return sampleManifold(
    'swissRoll',
    {
      draw: (random) => [1.5 * Math.PI * (1 + 2 * random.uniform()), height * random.uniform()],
      at: ([t, h]) => [t! * cos(t!), h!, t! * sin(t!)],
    },
    { points, seed, noise },
  );
}
