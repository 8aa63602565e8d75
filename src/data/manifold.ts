import { Matrix } from '../core/matrix.ts';
import { type Random, seededRandom } from '../core/random.ts';
import { checkSampling, type SamplingOptions } from './sampling.ts';

/** Points scattered about a curve or a surface. */
export interface ManifoldSample {
  /** N×D. */
  readonly observations: Matrix;
  /** N×1 for a curve, N×2 for a surface: where on it each point was placed, before the noise. */
  readonly parameters: Matrix;
}

/** A curve or a surface: how its parameters are drawn, and the point of R^D that they name. */
interface Manifold {
  readonly draw: (random: Random) => readonly number[];
  readonly at: (parameters: readonly number[]) => readonly number[];
}

/**
 * Draws points on a manifold and adds independent normal noise to every feature. Noise is drawn even where it is 0, so that the
 * same seed places the same points under any noise, and fewer points are the first of more.
 */
export function sampleManifold(
  generator: string,
  { draw, at }: Manifold,
  { points, seed, noise }: Required<SamplingOptions>,
): ManifoldSample {
  checkSampling(generator, { points, noise });
  const random = seededRandom(seed);
  const parameters: (readonly number[])[] = [];
  const observations: number[][] = [];
  for (let n = 0; n < points; n++) {
    const drawn = draw(random);
    parameters.push(drawn);
    observations.push(at(drawn).map((coordinate) => coordinate + noise * random.normal()));
  }
  return {
    observations: Matrix.from(observations),
    parameters: Matrix.from(parameters.map((drawn) => [...drawn])),
  };
}
