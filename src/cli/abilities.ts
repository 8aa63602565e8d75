import { type Fit, InvalidInputError } from '../index.ts';

/** What fits can be asked for. */
export type Ability = 'predict' | 'project' | 'sample' | 'interpolate' | 'forecast';

/**
 * A method of a fit.
 *
 * @throws InvalidInputError when the fit does not have it
 */
export function ability<A extends Ability>(fit: Fit, name: A, purpose: string): NonNullable<Fit[A]> {
  const method = fit[name];
  if (method !== undefined) return method as NonNullable<Fit[A]>;
  throw new InvalidInputError(`A fit of ${fit.model} cannot ${purpose}.`);
}
