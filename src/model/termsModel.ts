import { InvalidInputError } from '../core/errors.ts';
import { readGiven } from '../core/given.ts';
import { describe } from '../core/matrix.ts';
import { checkKnown } from '../core/members.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import type { FieldLearning, Mapped, Viewed } from './abilities.ts';
import type { Embedding } from './computation.ts';
import { computedModel } from './computedModel.ts';
import { assembled } from './definedAssembly.ts';
import { definedPosterior } from './definedPosterior.ts';
import { madeHere } from './givenModel.ts';
import type { AnyModel, AnyPaths, Model, ModelJSON, ParameterValues, StartKind } from './model.ts';
import type {
  AbilitiesWith,
  AnyDefinition,
  ComputedDefinition,
  ModelDefinition,
  PosteriorDefinition,
  Predictions,
} from './modelDefinition.ts';
import type { AbilitiesOfParts, Parts, PathsOfParts } from './part.ts';
import { dataFromPlain, plainData } from './plainData.ts';
import type { AnyPosterior, Posterior } from './posterior.ts';
import { withLocation } from './withLocation.ts';

/** Makes a model of data; `restore` makes it again from what its `toJSON` wrote. */
export interface ModelFactory<Data, M extends AnyModel = Model> {
  (data: Data): M;
  readonly modelName: string;
  readonly restore: (json: ModelJSON, own?: object) => M;
}

/** A model of `defineModel`, whose fits can do what its definition gives. */
export type DefinedModel<P extends Parts, A> = Model<PathsOfParts<P>, A, 'searched'>;

/** One whose solution is computed. */
export type ComputedModel<A> = Model<AnyPaths, A, 'byItself'>;

/** Makes a factory of models from parts and terms, or from a solution that is computed. */
export interface DefineTermsModel {
  <Data, E extends Embedding, Q extends Partial<AnyPosterior> = object>(
    definition: ComputedDefinition<Data, E, Q> & WithoutTerms,
  ): ModelFactory<Data, ComputedModel<AbilitiesWith<E & Q>>>;
  <Data, P extends Parts, C = undefined, View extends string = never>(
    definition: Omit<ModelDefinition<Data, P, C>, 'predict'> & { readonly predict: Predictions<Data, P, C, View> },
  ): ModelFactory<Data, DefinedModel<P, ([View] extends [never] ? Mapped : Viewed<View>) & AbilitiesOfParts<P>>>;
  <Data, P extends Parts, Q extends Posterior, C = undefined>(
    definition: PosteriorDefinition<Data, P, C, Q>,
  ): ModelFactory<Data, DefinedModel<P, AbilitiesWith<Q>>>;
  <Data, P extends Parts, C = undefined>(
    definition: ModelDefinition<Data, P, C>,
  ): ModelFactory<Data, DefinedModel<P, AbilitiesOfParts<P, FieldLearning>>>;
}

/** `defineModel` of parts and terms, or of a solution that is computed: what the named models are made with, without the language of variables. */
export const defineTermsModel: DefineTermsModel = makeFactory as DefineTermsModel;

function makeFactory<Data, P extends Parts, C>(
  definition: AnyDefinition<Data, P, C> | ComputedDefinition<Data>,
): ModelFactory<Data, AnyModel> {
  readGiven('The definition given to defineModel', () => checkDefinition(definition));
  const { name, data: format } = definition;
  const make = (data: Data): Model => {
    const toJSON = (): ModelJSON =>
      definition.toJSON?.(data) ?? {
        model: name,
        data: format === undefined ? plainData(data) : format.toJSON(data),
      };
    return madeHere(
      'solve' in definition ? computedModel(definition, data, toJSON) : searchedModel(definition, data, toJSON),
    );
  };
  const restore = ({ data }: ModelJSON, own: object = {}) =>
    make(format === undefined ? (dataFromPlain(data) as Data) : format.fromJSON(data, own as never));
  return Object.assign(make, { modelName: name, restore });
}

/** What a computed model has not; named here so that the types of these functions are known whichever kind of definition they are tried as. */
type WithoutTerms = Partial<Pick<ModelDefinition<never, Parts, never>, 'terms' | 'latents'>>;

/** A model whose terms are evaluated. */
function searchedModel<Data, P extends Parts, C>(
  definition: AnyDefinition<Data, P, C>,
  data: Data,
  toJSON: () => ModelJSON,
): Model {
  const { name, points, startAt, search, posterior, note } = definition;
  const owner = `the model '${name}'`;
  let known: P | undefined;
  const partsOf = (seed: number, batched = false): P => {
    const parts = withLocation(`The parts of ${owner}`, () => definition.parts(data, seed, { batched }));
    if (typeof parts !== 'object' || parts === null) {
      throw new InvalidInputError(
        `The parts of ${owner} are an object of parameters and parts, but ${describe(parts)} was returned.`,
      );
    }
    known = parts;
    return parts;
  };
  return Object.freeze<Model>({
    name,
    ...(points !== undefined && { points: points(data) }),
    ...(search !== undefined && { search: search(data) }),
    assemble: (seed, { batched = false } = {}) => assembled(definition, data, partsOf(seed, batched), owner),
    ...(note !== undefined && { note: (values: ParameterValues) => note(data, values) }),
    ...(startAt !== undefined && {
      startAt: (kind: Exclude<StartKind, 'model'>, seed: number) => startAt(kind, data, seed),
    }),
    // What parts do does not depend on where they start, so those of any seed will do.
    posterior: (values) =>
      posterior?.(values, data) ??
      definedPosterior(definition, data, known ?? withFloat64(() => partsOf(0)), values, owner),
    toJSON,
  });
}

function checkDefinition<Data, P extends Parts, C>(given: AnyDefinition<Data, P, C> | ComputedDefinition<Data>): void {
  const { name, parts, terms, latents, predict, posterior, solve } = (given ?? {}) as Partial<
    ModelDefinition<Data, P, C> & ComputedDefinition<Data>
  >;
  if (typeof name !== 'string' || name === '') {
    throw new InvalidInputError(`defineModel needs a name, but ${describe(name)} was given.`);
  }
  if ('solve' in given) {
    if (terms !== undefined || parts !== undefined || latents !== undefined) {
      throw new InvalidInputError(
        `The model '${name}' gives solve, by which its solution is computed, and parts, terms or latents beside it. Leave one of both out.`,
      );
    }
    checkKnown(given, 'defineModel', ['name', 'solve', 'posterior', 'data', 'toJSON']);
    if (typeof solve === 'function') return;
    throw new InvalidInputError(
      `defineModel needs solve of the model '${name}' to be a function of the data, but ${describe(solve)} was given.`,
    );
  }
  checkKnown(given, 'defineModel', MEMBERS);
  const needed = { parts, ...(posterior === undefined && { latents }) };
  for (const [key, value] of Object.entries(needed)) {
    if (typeof value === 'function') continue;
    throw new InvalidInputError(
      `defineModel needs ${key} of the model '${name}', a function of ${key === 'parts' ? 'the data' : 'values and data'}, but ${describe(value)} was given.`,
    );
  }
  checkPredict(name, predict);
  const isGiven = typeof terms === 'function' || (typeof terms === 'object' && Object.keys(terms ?? {}).length > 0);
  if (!isGiven) {
    throw new InvalidInputError(
      `defineModel needs terms of the model '${name}', functions by name, but ${describe(terms)} was given.`,
    );
  }
}

const MEMBERS = Object.keys({
  name: 0,
  parts: 0,
  constants: 0,
  terms: 0,
  latents: 0,
  predict: 0,
  posterior: 0,
  pointLogDensity: 0,
  data: 0,
  search: 0,
  curvature: 0,
  findings: 0,
  toJSON: 0,
  points: 0,
  pointwise: 0,
  held: 0,
  startAt: 0,
  note: 0,
} satisfies Record<keyof ModelDefinition<never, Parts>, 0>);

function checkPredict(name: string, predict: unknown): void {
  if (predict === undefined || typeof predict === 'function') return;
  const views = typeof predict === 'object' && predict !== null ? Object.entries(predict) : [];
  const other = views.find(([, moments]) => typeof moments !== 'function');
  if (views.length > 0 && other === undefined) return;
  throw new InvalidInputError(
    `defineModel takes predict of the model '${name}' as a function of values and latents, or one for each view by its name, but ` +
      `${other === undefined ? `${describe(predict)} was given` : `view '${other[0]}' is ${describe(other[1])}`}.`,
  );
}
