import { type Fit, InvalidInputError } from '../../index.ts';

/** Optional methods of fits that commands use. */
export type Ability = 'predict' | 'project' | 'sample' | 'interpolate' | 'forecast';

/** Models whose fits have the method. */
const REMEDIES: Readonly<Record<Ability, string>> = {
  predict: 'A model with a map to the data can, such as gplvm.',
  project: 'Fit it to observations, or take another model.',
  sample: 'A Gaussian-process model can, such as gplvm.',
  interpolate: 'A model with a map to the data can, such as gplvm.',
  forecast: 'Its latents do not follow each other in time: fit gplvm or tpslvm with --options \'{"dynamics": true}\'.',
};

/**
 * A method of a fit.
 *
 * @throws InvalidInputError if the fit does not have it
 */
export function ability<A extends Ability>(fit: Fit, name: A, purpose: string): NonNullable<Fit[A]> {
  const method = fit[name];
  if (method !== undefined) return method as NonNullable<Fit[A]>;
  throw new InvalidInputError(`This fit of ${fit.model} cannot ${purpose}. ${REMEDIES[name]}`);
}
