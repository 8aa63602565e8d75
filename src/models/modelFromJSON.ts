import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { readGiven, unknownName } from '../core/options.ts';
import type { AnyModel, ModelJSON } from '../model/model.ts';
import { namedModels } from './catalog.ts';
import { bayesianGplvmFromJSON, latentVariableModelFromJSON } from './gp/json.ts';
import type { OwnParts } from './ownParts.ts';
import { spectralModelFromJSON } from './spectral/embedding/json.ts';

/**
 * The model that its `toJSON` wrote: one of the caller's own, or one of the catalog.
 *
 * @param isFitted - whether its values are known, so that it does not matter where it starts
 * @throws InvalidInputError for a model that is not known, naming it
 */
export function modelFromJSON(json: ModelJSON, own: OwnParts, isFitted = false): AnyModel {
  const name = readGiven('The saved model', () => json?.model);
  if (typeof name !== 'string') {
    throw new InvalidInputError(`A saved model says its kind as 'model', but ${describe(name)} was found there.`);
  }
  const { models = {} } = own;
  if (Object.hasOwn(models, name)) return models[name]!.restore(json, own);
  // The Gaussian-process family is one model with different defaults, which are part of what is saved.
  if (name === 'latentVariableModel') return latentVariableModelFromJSON(json, own, isFitted);
  if (name === 'bayesianGplvm') return bayesianGplvmFromJSON(json, own, isFitted);
  if (Object.hasOwn(namedModels, name)) {
    const named = namedModels[name]!;
    return named.restore?.(json, own) ?? spectralModelFromJSON(json, named, own.kernels);
  }
  const known = [...Object.keys(namedModels), ...Object.keys(models)];
  throw unknownName('model', name, known, 'The list of known models (give your own as `models`)');
}
