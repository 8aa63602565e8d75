import { InvalidInputError } from '../../core/errors.ts';

/** Options of every generator. */
export interface SamplingOptions {
  /** Number of points, at least 1. */
  readonly points?: number;
  /** Any integer. */
  readonly seed?: number;
  /** Standard deviation of the normal noise on each feature; 0 for none. */
  readonly noise?: number;
}

/**
 * Throws unless a generator can draw this number of points with this noise.
 *
 * @throws InvalidInputError that names the generator and its options
 */
export function checkSampling(generator: string, { points, noise }: Required<Omit<SamplingOptions, 'seed'>>): void {
  if (!Number.isInteger(points) || points < 1) {
    throw new InvalidInputError(`${generator} takes a positive whole number of points, but ${points} was given.`);
  }
  if (!(noise >= 0 && Number.isFinite(noise))) {
    throw new InvalidInputError(`${generator} takes a noise of 0 or more, but ${noise} was given.`);
  }
}

/** Throws unless the extent of a surface is positive. */
export function checkHeight(generator: string, height: number): void {
  if (!(height > 0 && Number.isFinite(height))) {
    throw new InvalidInputError(`${generator} takes a height above 0, but ${height} was given.`);
  }
}
