import { unknownName } from '../../core/options.ts';
import * as builtIn from './builtIn.ts';
import type { ParameterPrior } from './parameterPrior.ts';

/** Factories by the names of the distributions they make. */
export type DistributionCatalog = Readonly<
  Record<string, { make(values?: Record<string, unknown>): ParameterPrior }['make']>
>;

// What their values may be is checked when they are called.
const factories = builtIn as unknown as DistributionCatalog;

/**
 * The factory of a distribution by its name: one of the caller's own, or a built-in one.
 *
 * @throws InvalidInputError for a name that is not known, with the nearest one that is
 */
export function distributionFactory(name: string, own: DistributionCatalog): DistributionCatalog[string] {
  const known = { ...factories, ...own };
  if (Object.hasOwn(known, name)) return known[name]!;
  const caller = 'The list of known distributions (your own: { distributions }, or --parts FILE)';
  throw unknownName('distribution', name, Object.keys(known), caller);
}
