import * as v from 'valibot';
import { namedFactory, unknownName } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import type { DistributedRows, PointRows, PosteriorJSON } from '../model/language/variable.ts';
import type { ParameterLike } from '../model/parameter.ts';
import { backConstrained, kernelRegressionFactory } from './backConstrained.ts';
import type { LatentMap } from './defineMap.ts';
import { encoded, gaussianLatents } from './latentDistribution.ts';
import { linearMap, mlpMapFactory } from './layersMap.ts';
import { fixedAt } from './pointLatents.ts';

/** A factory of `defineMap`; the options are saved. */
export type AnyMapFactory = { make(overrides?: Record<string, ParameterLike>, options?: never): LatentMap }['make'];

/** Map factories by name. */
export type MapCatalog = Readonly<Record<string, AnyMapFactory>>;

/** The built-in maps. */
export const builtInMaps: MapCatalog = Object.freeze({
  kernelRegression: kernelRegressionFactory,
  linear: linearMap,
  mlp: mlpMapFactory,
});

/**
 * Reads a posterior of latents written by its `toJSON`, for a model with known values: the initialization is not saved.
 *
 * @param json - plain JSON; undefined means points
 * @param own - factories of custom maps, by name
 * @throws InvalidInputError for an unknown posterior or map, naming it
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
  const factory = namedFactory('map', map.name, builtInMaps, own);
  return readingAt('model.latents.map', () => factory({}, map.options as never));
}

const posteriorSchema = v.looseObject({ name: v.string(), latents: v.optional(v.unknown()) });
const mapSchema = v.strictObject({ name: v.string(), options: v.optional(v.record(v.string(), v.unknown())) });
