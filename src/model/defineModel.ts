import type * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { checkKnown, checkOptions, givenOptions, readGiven } from '../core/options.ts';
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
import type { AnyModel, Model } from './model.ts';
import { dataFromPlain, plainData } from './plainData.ts';
import type { AnyPosterior } from './posterior.ts';

/** Makes a factory of models from their definition: see {@link defineModel}. */
export interface DefineModel {
  <Data, E extends Embedding, Q extends Partial<AnyPosterior> = object>(
    definition: ComputedDefinition<Data, E, Q> & { readonly variables?: undefined },
  ): ModelFactory<Data, ComputedModel<AbilitiesWith<E & Q>>>;
  <Data, V extends Variables, S extends OptionsSchema>(
    definition: VariablesDefinition<Data, V, v.InferOutput<S>> & {
      /** Schema of its options: a strict object of valibot. */
      readonly options: S;
    },
  ): OptionedFactory<Data, v.InferInput<S>, VariablesModel<V>>;
  <Data, V extends Variables>(definition: VariablesDefinition<Data, V>): ModelFactory<Data, VariablesModel<V>>;
}

/** Schema of the options of a model. */
export type OptionsSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>;

/** Makes a model of data and options, which may be left out where all of them may. */
export interface OptionedFactory<Data, O, M extends AnyModel>
  extends Pick<ModelFactory<Data, M>, 'modelName' | 'restore'> {
  (...given: object extends O ? [data: Data, options?: O] : [data: Data, options: O]): M;
}

/**
 * Defines a custom model by its variables: `variables(data)` returns `latent`, `observed`, `known`, `mapped` and `embedded` variables by name, each
 * with its density and parents. Objective, fitting, restarts, workers, checkpoints, saving, `project`, `predict`, `sample`, `impute`, `reconstruct`,
 * `interpolate`, `forecast`, `samplePrior` and `describe` are derived from these alone.
 *
 * With `options`, a valibot schema, the factory takes options in addition to the data, `(data, options) => Model`: they are checked, completed by their defaults,
 * passed to `variables`, saved with fits, and accepted on the command line, as options of named models are.
 *
 * A model with a direct solution, such as one by eigenvectors, defines `solve` instead of variables.
 *
 * `loadFit(json, { models: { name: factory } })` loads its saved fits.
 *
 * @param definition - see {@link VariablesDefinition} and {@link ComputedDefinition}
 * @returns a factory `(data) => Model`
 * @throws InvalidInputError if the definition lacks a name, or `variables` or `solve`, or has an unknown member; when a model is made, for variables
 *   that do not form a model; on evaluation, for a log density that is neither a scalar nor one number per row
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
 *
 * import * as v from 'valibot';
 * const smooth = defineModel({
 *   name: 'smooth',
 *   options: v.strictObject({ latentDim: v.optional(v.number(), 2), noise: v.number() }),
 *   variables: (Y: MatrixLike, { latentDim, noise }) => {
 *     const x = latent({ dim: latentDim, density: standardNormal() });
 *     return { x, y: observed(Y, { density: gaussianProcess({ kernel: rbf(), noise: fixed(noise) }), given: x }) };
 *   },
 * });
 * await fit(smooth(Y, { noise: 0.1 }));
 * ```
 */
export const defineModel: DefineModel = ((definition: AnyDefinition<unknown>) => {
  const has = (key: string) =>
    readGiven('The definition given to defineModel', () => key in ((definition ?? {}) as object));
  if (has('parts') || has('terms')) {
    throw new InvalidInputError(
      'defineModel takes variables: each names its density and the variables that it depends on. Parts and terms, which earlier versions took, are densities with ' +
        'parameters: see docs/first-model.md.',
    );
  }
  return has('solve') && !has('variables')
    ? defineComputedModel(definition as never)
    : defineVariablesModel(definition);
}) as DefineModel;

type AnyDefinition<Data> = VariablesDefinition<Data, Variables, unknown> & { readonly options?: OptionsSchema };

function defineVariablesModel<Data>(definition: AnyDefinition<Data>): ModelFactory<never, Model> {
  readGiven('The definition given to defineModel', () => {
    checkKnown(definition ?? {}, 'defineModel', ['name', 'options', 'variables', 'data', 'search', 'toJSON']);
    checkNamed(definition ?? {}, 'variables', definition?.variables);
  });
  return definition.options === undefined
    ? factoryOf(definition as VariablesDefinition<Data>)
    : optionedFactory(definition, definition.options);
}

const factoryOf = <Data>(definition: VariablesDefinition<Data>): ModelFactory<Data, Model> =>
  modelFactory(definition, (data, toJSON) => variablesModel(definition, data, toJSON, variablesPosterior));

/** A model of data and options, as a model of both: files keep the options, which are checked again when it is restored. */
function optionedFactory<Data>(definition: AnyDefinition<Data>, schema: OptionsSchema): ModelFactory<Data, Model> {
  const { name, variables, search, data: format, toJSON } = definition;
  interface Both {
    readonly data: Data;
    readonly given: object;
    readonly options: unknown;
  }
  const both = (data: Data, given: object = {}): Both => ({
    data,
    given,
    options: checkOptions(schema, givenOptions(given, name), name),
  });
  const factory = factoryOf<Both>({
    name,
    variables: ({ data, options }) => variables(data, options),
    ...(search && { search: ({ data, options }) => search(data, options) }),
    ...(toJSON && { toJSON: ({ data }) => toJSON(data) }),
    data: {
      toJSON: ({ data, given }) => ({
        data: format === undefined ? plainData(data) : format.toJSON(data),
        options: plainData(given, 'options', 'Use plain values as options, and make parts of them in variables.'),
      }),
      fromJSON: (json, own) => {
        const { data, options } = json as { readonly data: unknown; readonly options: unknown };
        return both(
          format === undefined ? (dataFromPlain(data) as Data) : format.fromJSON(data, own),
          dataFromPlain(options) as object,
        );
      },
    },
  });
  return Object.assign((data: Data, given?: object) => factory(both(data, given)), {
    modelName: name,
    restore: factory.restore,
  });
}
