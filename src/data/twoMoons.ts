import { cos, sin } from '../core/elementary/index.ts';
import { givenOptions } from '../core/given.ts';
import { type ManifoldSample, sampleManifold } from './manifold.ts';
import type { SamplingOptions } from './sampling.ts';

/** Points of two classes, each about a curve of its own. */
export interface TwoMoons extends ManifoldSample {
  /** N numbers: 0 on the upper moon, 1 on the lower. */
  readonly labels: number[];
}

/**
 * Points about two half circles that reach into each other: y = (cos t, sin t) + noise·ε on the upper moon and
 * (1 − cos t, ½ − sin t) + noise·ε on the lower, with t uniform on [0, π), the moon either with probability ½, ε standard normal.
 *
 * @param options - points (200), seed (1), noise (0.1)
 * @returns observations N×2, the angles t in parameters N×1, and labels N
 * @throws InvalidInputError when points is not a positive integer or noise is negative
 * @see Belkin, Niyogi & Sindhwani, Manifold regularization (2006); Mao et al. 2017, Fig. 5
 * @example
 * ```ts
 * const { observations, labels } = twoMoons({ points: 200 });
 * new Set(labels).size; // 2
 * ```
 */
export function twoMoons(options: SamplingOptions = {}): TwoMoons {
  const { points = 200, seed = 1, noise = 0.1 } = givenOptions(options, 'twoMoons');
  const labels: number[] = [];
  const sample = sampleManifold(
    'twoMoons',
    {
      draw: (random) => {
        labels.push(random.integer(2));
        return [Math.PI * random.uniform()];
      },
      at: ([t]) => (labels.at(-1) === 0 ? [cos(t!), sin(t!)] : [1 - cos(t!), 0.5 - sin(t!)]),
    },
    { points, seed, noise },
  );
  return { ...sample, labels };
}
