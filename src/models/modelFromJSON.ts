import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { readGiven, unknownName } from '../core/options.ts';
import type { AnyModel, ModelJSON } from '../model/model.ts';
import { namedModels } from './catalog.ts';
import { BY_KIND, byKindFromJSON } from './gp/byKind.ts';
import { bayesianGplvmFromJSON, latentVariableModelFromJSON } from './gp/json.ts';
import type { OwnParts } from './ownParts.ts';
import { spectralModelFromJSON } from './spectral/embedding/json.ts';

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
