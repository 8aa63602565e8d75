import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import type { ParameterLike } from '../model/parameter.ts';
import { backConstrained, kernelRegressionFactory } from './backConstrained.ts';
import type { LatentMap } from './defineMap.ts';
import { encoded, gaussianLatents, type LatentDistribution } from './latentDistribution.ts';
import type { Latents, LatentsFactory, LatentsJSON } from './latents.ts';
import { linearMap, mlpMapFactory } from './layersMap.ts';
import { fixedAt, free } from './pointLatents.ts';

/** What `defineMap` returns; the options are those that the map was made with. */
export type AnyMapFactory = { make(overrides?: Record<string, ParameterLike>, options?: never): LatentMap }['make'];

/** Factories by the names of the maps they make. */
export type MapCatalog = Readonly<Record<string, AnyMapFactory>>;

/** What `defineLatents` returned, by name; the options are those that the latents were made with. */
export type LatentsCatalog = Readonly<Record<string, LatentsFactory<never>>>;

/** The maps that come with the library. */
export const builtInMaps: MapCatalog = Object.freeze({
  kernelRegression: kernelRegressionFactory,
  linear: linearMap,
  mlp: mlpMapFactory,
});

/**
 * The latents that their `toJSON` wrote, for a model whose values are known: the start is not saved.
 *
 * @param json - plain JSON; undefined means free latents
 * @param own - factories of maps that do not come with the library, by name
 * @param ownLatents - what `defineLatents` returned, by name
 * @throws InvalidInputError for a kind of latents or a map that is not known, naming it
 */
export function latentsFromJSON(
  json: LatentsJSON | undefined,
  own: MapCatalog = {},
  ownLatents: LatentsCatalog = {},
): Latents {
  const saved = json === undefined ? { name: 'free' } : checkSaved(latentsSchema, json, 'model.latents');
  if (saved.name === 'free') return free();
  if (saved.name === 'fixedAt') return readingAt('model.latents', () => fixedAt(saved.latents as number[][]));
  if (saved.name === 'backConstrained') return backConstrained(mapFromJSON(saved, own));
  if (Object.hasOwn(ownLatents, saved.name)) return ownLatents[saved.name]!(saved.options as never);
  const known = ['free', 'fixedAt', 'backConstrained', ...Object.keys(ownLatents)];
  throw unknownName('latents', saved.name, known, 'The list of known latents (your own: { latents }, or --parts FILE)');
}

/** The same for latents as distributions. */
export function latentDistributionFromJSON(json: LatentsJSON, own: MapCatalog = {}): LatentDistribution {
  if (json.name === 'gaussian') return gaussianLatents();
  if (json.name === 'encoded') return encoded(mapFromJSON(json, own));
  throw new InvalidInputError(`This release cannot read saved latents of kind '${json.name}'.`);
}

function mapFromJSON(json: LatentsJSON, own: MapCatalog): LatentMap {
  const map = checkSaved(mapSchema, json.map, 'model.latents.map');
  const factories = { ...builtInMaps, ...own };
  if (!Object.hasOwn(factories, map.name)) {
    throw unknownName(
      'map',
      map.name,
      Object.keys(factories),
      'The list of known maps (your own: { maps }, or --parts FILE)',
    );
  }
  return readingAt('model.latents.map', () => factories[map.name]!({}, map.options as never));
}

const latentsSchema = v.looseObject({
  name: v.string(),
  latents: v.optional(v.unknown()),
  options: v.optional(v.unknown()),
});
const mapSchema = v.strictObject({ name: v.string(), options: v.optional(v.record(v.string(), v.unknown())) });
