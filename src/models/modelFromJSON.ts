import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { readGiven, unknownName } from '../core/options.ts';
import { checkSaved, readingAt } from '../core/saved.ts';
import { graphFromJSON } from '../engine/graph/json.ts';
import type { Labels } from '../engine/graph/labelGraph.ts';
import { type KernelCatalog, kernelFromJSON } from '../kernels/json.ts';
import type { AnyModel, ModelJSON } from '../model/model.ts';
import { type NamedModel, namedModels } from './catalog.ts';
import { BY_KIND, byKindFromJSON } from './gp/byKind.ts';
import { bayesianGplvmFromJSON, latentVariableModelFromJSON } from './gp/json.ts';
import type { OwnParts } from './ownParts.ts';
import { savedRows } from './savedFit.ts';

/**
 * Restores a custom or built-in model from its `toJSON`.
 *
 * @param isFitted - whether its values are known, so that its start is irrelevant
 * @throws InvalidInputError for an unknown model, with its name
 */
export function modelFromJSON(json: ModelJSON, own: OwnParts, isFitted = false): AnyModel {
  const name = readGiven('The saved model', () => json?.model);
  if (typeof name !== 'string') {
    throw new InvalidInputError(`A saved model names its kind as 'model', but ${describe(name)} is there.`);
  }
  const { models = {} } = own;
  if (Object.hasOwn(models, name)) return models[name]!.restore(json, own);
  // The Gaussian-process family is one model with different defaults, which are saved.
  if (name === 'latentVariableModel') return latentVariableModelFromJSON(json, own, isFitted);
  if (name === BY_KIND) return byKindFromJSON(json);
  if (name === 'bayesianGplvm') return bayesianGplvmFromJSON(json, own, isFitted);
  if (Object.hasOwn(namedModels, name)) {
    const named = namedModels[name]!;
    return named.restore?.(json, own) ?? spectralModelFromJSON(json, named, own.kernels);
  }
  const known = [...Object.keys(namedModels), ...Object.keys(models)];
  throw unknownName('model', name, known, 'The list of known models (give your own as `models`)');
}

/** Options that may contain a kernel. */
const KERNELS = ['kernel', 'distances'];

const schema = v.strictObject({
  model: v.string(),
  observations: savedRows,
  options: v.record(v.string(), v.unknown()),
});

/** Restores a spectral model from its `toJSON`. */
export function spectralModelFromJSON(
  json: ModelJSON,
  named: NamedModel,
  kernels: KernelCatalog | undefined,
): AnyModel {
  const { observations: rows, options } = checkSaved(schema, json, 'model');
  const restored = Object.entries(options).map(([name, value]) => {
    const place = `model.options.${name}`;
    if (value === null) return [name, Infinity];
    if (name === 'graph') return [name, readingAt(place, () => graphFromJSON(value))];
    const isKernel = KERNELS.includes(name) && typeof value === 'object';
    return [name, isKernel ? kernelFromJSON(value, kernels, {}, place) : value];
  });
  const { graph, squaredDistances, labels, ...rest } = Object.fromEntries(restored) as Record<string, unknown>;
  if (graph === undefined) return named.make(rows, labels as Labels | undefined, rest);
  const given = { graph, ...(squaredDistances !== undefined && { squaredDistances }) };
  return rows.length === 0
    ? named.make(given as never, undefined, rest)
    : named.make(rows, undefined, { ...rest, ...given });
}
