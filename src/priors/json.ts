import * as v from 'valibot';
import { unknownName } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import { graphFromJSON } from '../engine/graph/json.ts';
import { type KernelCatalog, kernelFromJSON } from '../kernels/json.ts';
import type { DistributionCatalog } from '../model/distributions/index.ts';
import type { Prior } from '../model/language/density.ts';
import { parameterFromJSON } from '../model/parameterJson.ts';
import { dataFromPlain } from '../model/plainData.ts';

/** What `definePrior` returns, or another function that makes a prior: its arguments are those that it was called with. */
export type AnyPriorFactory = { make(...given: unknown[]): Prior }['make'];

/** Factories by the names of the priors they make. */
export type PriorCatalog = Readonly<Record<string, AnyPriorFactory>>;

/**
 * The prior that `priorToJSON` wrote: the same call of its factory.
 *
 * @param json - plain JSON
 * @param factories - of every prior that may be met, by name
 * @param kernels - factories of kernels that do not come with the library, for priors that hold one
 * @param distributions - factories of distributions of parameters that do not, by name
 * @param place - its path in what was saved, for errors
 * @throws InvalidInputError for a prior that is not known, naming it
 */
export function priorFromJSON(
  json: unknown,
  factories: PriorCatalog,
  kernels: KernelCatalog = {},
  distributions: DistributionCatalog = {},
  place = 'the prior',
): Prior {
  const { prior, arguments: given } = checkSaved(schema, json, place);
  if (!Object.hasOwn(factories, prior)) {
    const caller = 'The list of known priors (your own: { priors }, or --parts FILE)';
    throw unknownName('prior', prior, Object.keys(factories), caller);
  }
  const read = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((entry, i) => read(entry, `${path}.${i}`));
    if (typeof value !== 'object' || value === null) return value;
    if ('~parameter' in value) return parameterFromJSON(value['~parameter'], distributions, path);
    if ('~kernel' in value) return kernelFromJSON(value['~kernel'], kernels, distributions, path);
    if ('~graph' in value) return readingAt(path, () => graphFromJSON(value['~graph']));
    if (Object.keys(value).some((key) => key.startsWith('~'))) return dataFromPlain(value);
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, read(entry, `${path}.${key}`)]));
  };
  const made = given.map((each, i) => read(each, `${place}.arguments.${i}`));
  return readingAt(`${place}.arguments`, () => factories[prior]!(...made));
}

const schema = v.strictObject({ prior: v.string(), arguments: v.array(v.unknown()) });
