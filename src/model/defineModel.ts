import { InvalidInputError } from '../core/errors.ts';
import { checkKnown, readGiven } from '../core/options.ts';
import type { Embedding } from './computation.ts';
import {
  type AbilitiesWith,
  type ComputedDefinition,
  type ComputedModel,
  checkNamed,
  defineComputedModel,
  type ModelFactory,
  modelFactory,
} from './computedModel.ts';
import { variablesPosterior } from './language/derived.ts';
import type { Variables } from './language/graph.ts';
import type { VariablesModel } from './language/types.ts';
import { type VariablesDefinition, variablesModel } from './language/variablesModel.ts';
import type { Model } from './model.ts';
import type { AnyPosterior } from './posterior.ts';

/** Makes a factory of models from their definition: see {@link defineModel}. */
export interface DefineModel {
  <Data, E extends Embedding, Q extends Partial<AnyPosterior> = object>(
    definition: ComputedDefinition<Data, E, Q> & { readonly variables?: undefined },
  ): ModelFactory<Data, ComputedModel<AbilitiesWith<E & Q>>>;
  <Data, V extends Variables>(definition: VariablesDefinition<Data, V>): ModelFactory<Data, VariablesModel<V>>;
}

/**
 * A custom model, defined once by its variables: `variables(data)` returns `latent`, `observed`, `known`, `mapped` and `embedded` variables by name, each
 * with its density and what that is given. Objective, fitting, restarts, workers, checkpoints, saving, `project`, `predict`, `sample`, `impute`, `reconstruct`,
 * `interpolate`, `forecast`, `samplePrior` and `describe` follow from these alone.
 *
 * A model whose solution is computed, such as one of eigenvectors, gives `solve` in the place of variables.
 *
 * `loadFit(json, { models: { name: factory } })` reads its fits again.
 *
 * @param definition - see {@link VariablesDefinition} and {@link ComputedDefinition}
 * @returns a factory `(data) => Model`
 * @throws InvalidInputError when the definition lacks a name, or variables (or `solve` in their place), and for a member that is not known; when a model is made, for
 * variables that make none, and when it is evaluated, for a log density that is neither a scalar nor one number a row
 * @example
 * ```ts
 * import { defineModel, fixed, gaussianProcess, latent, Matrix, type MatrixLike, observed, rbf, standardNormal } from 'latentfield';
 *
 * const deep = defineModel({
 *   name: 'deep',
 *   variables: ({ y }: { y: MatrixLike }) => {
 *     const z = latent({ dim: 1, density: standardNormal() });
 *     const h = latent({ dim: 2, density: gaussianProcess({ kernel: rbf({ variance: fixed(1) }), noise: fixed(0.01) }), given: z });
 *     return { z, h, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: h }) };
 *   },
 * });
 * const result = await fit(deep({ y: Matrix.from(Y) }));
 * result.predict({ z: [[0]] }).y.mean;
 * ```
 */
export const defineModel: DefineModel = ((definition: VariablesDefinition<unknown>) => {
  const has = (key: string) =>
    readGiven('The definition given to defineModel', () => key in ((definition ?? {}) as object));
  if (has('parts') || has('terms')) {
    throw new InvalidInputError(
      'defineModel takes variables: each says its density and what that is given, and all else follows. Parts and terms, which it took before, are densities with ' +
        'parameters: see docs/first-model.md.',
    );
  }
  return has('solve') && !has('variables')
    ? defineComputedModel(definition as never)
    : defineVariablesModel(definition);
}) as DefineModel;

function defineVariablesModel<Data>(definition: VariablesDefinition<Data>): ModelFactory<Data, Model> {
  readGiven('The definition given to defineModel', () => {
    checkKnown(definition ?? {}, 'defineModel', ['name', 'variables', 'data', 'search', 'toJSON']);
    checkNamed(definition ?? {}, 'variables', definition?.variables);
  });
  return modelFactory(definition, (data, toJSON) => variablesModel(definition, data, toJSON, variablesPosterior));
}
