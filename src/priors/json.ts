import * as v from 'valibot';
import { namedFactory } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import { graphFromJSON } from '../engine/graph/json.ts';
import { type KernelCatalog, kernelFromJSON } from '../kernels/json.ts';
import type { Prior } from '../model/language/density.ts';
import { type DistributionCatalog, parameterFromJSON } from '../model/parameterJson.ts';
import { dataFromPlain } from '../model/plainData.ts';

/** A factory of `definePrior`, or another function that makes a prior; its arguments are saved. */
export type AnyPriorFactory = (...given: never[]) => Prior;

/** Prior factories by name. */
export type PriorCatalog = Readonly<Record<string, AnyPriorFactory>>;

/**
 * Reads a prior written by `priorToJSON` by repeating the call of its factory.
 *
 * @param json - plain JSON
 * @param factories - factories of all possible priors, by name
 * @param kernels - factories of custom kernels, by name, for priors that contain one
 * @param distributions - factories of custom distributions of parameters, by name
 * @param place - its path in the saved object, for errors
 * @throws InvalidInputError for an unknown prior, naming it
 */
export function priorFromJSON(
  json: unknown,
  factories: PriorCatalog,
  kernels: KernelCatalog = {},
  distributions: DistributionCatalog = {},
  place = 'the prior',
): Prior {
  const { prior, arguments: given } = checkSaved(schema, json, place);
  const factory = namedFactory('prior', prior, factories) as (...given: unknown[]) => Prior;
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
  return readingAt(`${place}.arguments`, () => factory(...made));
}

const schema = v.strictObject({ prior: v.string(), arguments: v.array(v.unknown()) });
