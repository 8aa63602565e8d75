import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { checkKnown } from '../core/members.ts';
import { madeHere } from './givenModel.ts';
import type { Variables } from './language/graph.ts';
import type { VariablesModel } from './language/types.ts';
import { type VariablesDefinition, variablesModel } from './language/variablesModel.ts';
import type { Model, ModelJSON } from './model.ts';
import { dataFromPlain, plainData } from './plainData.ts';
import { type DefineTermsModel, defineTermsModel, type ModelFactory } from './termsModel.ts';

/** Makes a factory of models from their definition: see {@link defineModel}. */
export type DefineModel = DefineTermsModel &
  (<Data, V extends Variables>(definition: VariablesDefinition<Data, V>) => ModelFactory<Data, VariablesModel<V>>);

/**
 * A model of one's own, said once by its variables: `variables(data)` returns `latent`, `observed`, `known`, `mapped` and `embedded` variables by name, each
 * with its density and what that is given. Objective, fitting, restarts, workers, checkpoints, saving, `project`, `predict`, `sample`, `impute`, `reconstruct`,
 * `interpolate`, `forecast`, `priorDraws` and `describe` follow from these alone.
 *
 * Or, as models were defined before there were variables: named parts with parameters, log densities of them that add up to the objective, and latents. Fitting, restarts,
 * workers, checkpoints, saving, scores and pictures follow; with `predict` also `project`, `reconstruct`, `sample` and `impute`; with several by name, those of
 * each view, and `translate`. With `posterior`, in the
 * place of both, fits can do what it has, such as `project` with a `placement`. A field layer among the parts gives them `graph`, `precision()` and
 * `covariance()`, and without `predict` an `impute` by the moments of that field; its `prepare` is then given the latents.
 *
 * A model whose solution is computed, such as one of eigenvectors, gives `solve` in the place of parts, terms and latents.
 *
 * `loadFit(json, { models: { name: factory } })` reads its fits again.
 *
 * @param definition - see {@link VariablesDefinition}, or {@link ModelDefinition}, {@link PosteriorDefinition} and {@link ComputedDefinition}; `parts` comes first, so that the types of `v` follow from it
 * @returns a factory `(data) => Model`
 * @throws InvalidInputError when the definition lacks a name, parts, terms or latents (or `solve` in their place); when the model is evaluated, for a value that no
 * part has, a term that is not a scalar, and a tensor that was disposed of
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
 * @example
 * ```ts
 * import { defineModel, gaussianProcess, initialLatents, Matrix, rbf, real } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * const plain = defineModel({
 *   name: 'plain',
 *   parts: (Y: Matrix) => ({ latents: real(initialLatents('pca', Y, 2)), mapping: gaussianProcess({ kernel: rbf() }) }),
 *   terms: {
 *     mapping: (v, Y, { parts }) => parts.mapping.logDensity(v.mapping, v.latents, op.tensor(Y)),
 *     prior: (v) => op.mul(-0.5, op.sum(op.square(v.latents))),
 *   },
 *   latents: (v) => v.latents,
 *   predict: (v, X, Y, { parts, ...context }) => parts.mapping.predict(v.mapping, v.latents, op.tensor(Y), X, context),
 * });
 * const result = await fit(plain(Matrix.from(Y)));
 * ```
 */
export const defineModel: DefineModel = ((definition: VariablesDefinition<unknown>) =>
  typeof definition === 'object' && definition !== null && 'variables' in definition
    ? defineVariablesModel(definition)
    : defineTermsModel(definition as never)) as DefineModel;

function defineVariablesModel<Data>(definition: VariablesDefinition<Data>): ModelFactory<Data, Model> {
  const { name, variables, data: format } = definition;
  if (typeof name !== 'string' || name === '') {
    throw new InvalidInputError(`defineModel needs a name, but ${describe(name)} was given.`);
  }
  checkKnown(definition, 'defineModel', ['name', 'variables', 'data', 'search', 'toJSON']);
  if (typeof variables !== 'function') {
    throw new InvalidInputError(
      `defineModel needs variables of the model '${name}' to be a function of the data, but ${describe(variables)} was given.`,
    );
  }
  const make = (data: Data): Model => {
    const toJSON = (): ModelJSON =>
      definition.toJSON?.(data) ?? {
        model: name,
        data: format === undefined ? plainData(data) : format.toJSON(data),
      };
    return madeHere(variablesModel(definition, data, toJSON));
  };
  const restore = ({ data }: ModelJSON, own: object = {}) =>
    make(format === undefined ? (dataFromPlain(data) as Data) : format.fromJSON(data, own as never));
  return Object.assign(make, { modelName: name, restore });
}
