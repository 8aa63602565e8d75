import * as v from 'valibot';
import { unknownName } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import type { DistributedRows, PointRows, PosteriorJSON } from '../model/language/variable.ts';
import type { ParameterLike } from '../model/parameter.ts';
import { backConstrained, kernelRegressionFactory } from './backConstrained.ts';
import type { LatentMap } from './defineMap.ts';
import { encoded, gaussianLatents } from './latentDistribution.ts';
import { linearMap, mlpMapFactory } from './layersMap.ts';
import { fixedAt } from './pointLatents.ts';

/** What `defineMap` returns; the options are those that the map was made with. */
export type AnyMapFactory = { make(overrides?: Record<string, ParameterLike>, options?: never): LatentMap }['make'];

/** Factories by the names of the maps they make. */
export type MapCatalog = Readonly<Record<string, AnyMapFactory>>;

/** The maps that come with the library. */
export const builtInMaps: MapCatalog = Object.freeze({
  kernelRegression: kernelRegressionFactory,
  linear: linearMap,
  mlp: mlpMapFactory,
});

/**
 * The posterior of latents that its `toJSON` wrote, for a model whose values are known: the start is not saved.
 *
 * @param json - plain JSON; undefined means points
 * @param own - factories of maps that do not come with the library, by name
 * @throws InvalidInputError for a posterior or a map that is not known, naming it
 */
export function posteriorFromJSON(
  json: PosteriorJSON | undefined,
  own: MapCatalog = {},
): 'point' | PointRows | DistributedRows {
  const saved = json === undefined ? { name: 'free' } : checkSaved(posteriorSchema, json, 'model.latents');
  const readers: Readonly<Record<string, () => 'point' | PointRows | DistributedRows>> = {
    free: () => 'point',
    fixedAt: () => readingAt('model.latents', () => fixedAt(saved.latents as number[][])),
    backConstrained: () => backConstrained(mapFromJSON(saved, own)),
    gaussian: () => gaussianLatents(),
    encoded: () => encoded(mapFromJSON(saved, own)),
  };
  if (Object.hasOwn(readers, saved.name)) return readers[saved.name]!();
  throw unknownName('latents', saved.name, Object.keys(readers), 'The list of known latents');
}

function mapFromJSON(json: PosteriorJSON, own: MapCatalog): LatentMap {
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

const posteriorSchema = v.looseObject({ name: v.string(), latents: v.optional(v.unknown()) });
const mapSchema = v.strictObject({ name: v.string(), options: v.optional(v.record(v.string(), v.unknown())) });
