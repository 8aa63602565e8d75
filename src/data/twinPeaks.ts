import { sin, tanh } from '../core/elementary/index.ts';
import { givenOptions } from '../core/given.ts';
import { type ManifoldSample, sampleManifold } from './manifold.ts';
import { checkHeight, type SamplingOptions } from './sampling.ts';

export interface TwinPeaksOptions extends SamplingOptions {
  /** What the third coordinate is multiplied by, above 0; 1 unless given, 10 in the drtoolbox. */
  readonly height?: number;
}

/**
 * Points about a surface of two peaks and two hollows: y = (u, v, height·sin(πu)·tanh(3v)) + noise·ε with u and v uniform on (−1, 1] and
 * ε standard normal.
 *
 * Mao et al. print its first and third coordinates, with u = 1 − 2p and v = 1 − 2q.
 *
 * @param options - points (600), seed (1), noise (0.05), height (1)
 * @returns observations N×3, and (u, v) in parameters N×2
 * @throws InvalidInputError when points is not a positive integer, noise is negative, or height is not above 0
 * @see van der Maaten, Postma & van den Herik, Dimensionality reduction: a comparative review (2009); Mao et al. 2017, §4.3.1
 * @example
 * ```ts
 * const { observations, parameters } = twinPeaks({ points: 600, height: 10 });
 * [observations.columns, parameters.columns]; // [3, 2]
 * ```
 */
export function twinPeaks(options: TwinPeaksOptions = {}): ManifoldSample {
  const { points = 600, seed = 1, noise = 0.05, height = 1 } = givenOptions(options, 'twinPeaks');
  checkHeight('twinPeaks', height);
  return sampleManifold(
    'twinPeaks',
    {
      draw: (random) => [1 - 2 * random.uniform(), 1 - 2 * random.uniform()],
      at: ([u, v]) => [u!, v!, height * sin(Math.PI * u!) * tanh(3 * v!)],
    },
    { points, seed, noise },
  );
}
