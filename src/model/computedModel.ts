import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { checkKnown, readGiven } from '../core/options.ts';
import { damagedAt } from '../core/saved.ts';
import type { FieldLearning, GraphLearning, Placing, Predicting, Reconstructing, Spectral } from './abilities.ts';
import type { ComputationContext, ComputationStep, Embedding } from './computation.ts';
import { madeHere } from './givenModel.ts';
import type { AnyModel, AnyPaths, Model, ModelJSON, ParameterValues } from './model.ts';
import { dataFromPlain, plainData } from './plainData.ts';
import type {
  AnyPosterior,
  FieldPosterior,
  GraphPosterior,
  MappedPosterior,
  PlacedPosterior,
  Posterior,
  SpectralPosterior,
} from './posterior.ts';

/** Makes a model of data; `restore` makes it from its `toJSON`. */
export interface ModelFactory<Data, M extends AnyModel = Model> {
  (data: Data): M;
  readonly modelName: string;
  readonly restore: (json: ModelJSON, own?: object) => M;
}

/** Reader and writer of a model's data; `own` are the custom factories passed to `loadFit`. */
export interface DataFormat<Data> {
  toJSON(data: Data): unknown;
  fromJSON(json: unknown, own: never): Data;
}

/** Members of every model definition. */
interface Named<Data> {
  readonly name: string;
  readonly data?: DataFormat<Data>;
  readonly toJSON?: (data: Data) => ModelJSON;
}

/** JSON form of a model of these data. */
export const jsonOf = <Data>({ name, data: format, toJSON }: Named<Data>, data: Data): ModelJSON =>
  toJSON?.(data) ?? { model: name, data: format === undefined ? plainData(data) : format.toJSON(data) };

/** A factory of models that are defined by data and their JSON form. */
export function modelFactory<Data, M extends AnyModel>(
  definition: Named<Data>,
  modelOf: (data: Data, toJSON: () => ModelJSON) => M,
): ModelFactory<Data, M> {
  const { name, data: format } = definition;
  const make = (data: Data): M => madeHere(modelOf(data, () => jsonOf(definition, data)));
  const restore = ({ data }: ModelJSON, own: object = {}) =>
    make(format === undefined ? (dataFromPlain(data) as Data) : format.fromJSON(data, own as never));
  return Object.assign(make, { modelName: name, restore });
}

/** @throws InvalidInputError for a definition without a name, or without the function that makes its models */
export function checkNamed(definition: { readonly name?: unknown }, key: 'variables' | 'solve', of: unknown): void {
  const { name } = definition;
  if (typeof name !== 'string' || name === '') {
    throw new InvalidInputError(`defineModel needs a name, but ${describe(name)} was given.`);
  }
  if (typeof of === 'function') return;
  throw new InvalidInputError(
    `defineModel needs ${key} of the model '${name}' to be a function of the data, but ${describe(of)} was given.`,
  );
}

/** A solution, computed or read from a file. */
export interface ComputedSolution {
  /** N×q */
  readonly latents: Matrix;
  /** q entries; empty if the solution has none. */
  readonly eigenvalues: Float64Array;
  /** Further parts of the solution, by path. */
  readonly parameters: ParameterValues;
}

/** Definition of a model whose solution is computed directly, such as by eigenvectors. */
export interface ComputedDefinition<
  Data,
  E extends Embedding = Embedding,
  Q extends Partial<AnyPosterior> = Partial<AnyPosterior>,
> {
  /** Name of the model in fits and files. */
  readonly name: string;
  /**
   * The solution, at once or as a generator with pauses, after which limits and the signal of a fit are checked and `onProgress` reports the stage.
   */
  readonly solve: (data: Data, context: ComputationContext) => E | Generator<ComputationStep, E, void>;
  /**
   * Shapes of parts of the solution by path, [rows, columns] or [length], [] for a number. A file whose parts have other shapes, or none, is refused.
   */
  readonly shapes?: (data: Data, found: ComputedSolution) => Readonly<Record<string, readonly number[]>>;
  /** Abilities of its fits in addition to latents and eigenvalues. */
  readonly posterior?: (found: ComputedSolution, data: Data) => Q;
  /** Reader and writer of data other than plain values, lists and matrices. */
  readonly data?: DataFormat<Data>;
  /** JSON form of the model, if it differs from the input of `restore`. */
  readonly toJSON?: (data: Data) => ModelJSON;
}

/** Abilities of fits, by the members of their posterior. */
export type AbilitiesWith<Q> = (Q extends Having<PlacedPosterior> ? Placing : unknown) &
  (Q extends Having<MappedPosterior> ? Predicting : unknown) &
  (Q extends Having<MappedPosterior & PlacedPosterior> ? Reconstructing : unknown) &
  (Q extends Having<GraphPosterior> ? GraphLearning : unknown) &
  (Q extends Having<FieldPosterior> ? FieldLearning : unknown) &
  (Q extends Having<SpectralPosterior> ? Spectral : unknown);

/** The members of a posterior other than the latents, which are part of the solution. */
type Having<Q extends Posterior> = Omit<Q, 'latents'>;

/** A model whose solution is computed. */
export type ComputedModel<A> = Model<AnyPaths, A, 'byItself'>;

/** Makes a factory of models whose solution is computed: they have no variables, and no objective to evaluate. */
export function defineComputedModel<Data, E extends Embedding, Q extends Partial<AnyPosterior> = object>(
  definition: ComputedDefinition<Data, E, Q> & { readonly variables?: undefined },
): ModelFactory<Data, ComputedModel<AbilitiesWith<E & Q>>> {
  readGiven('The definition given to defineModel', () => {
    checkNamed(definition, 'solve', definition.solve);
    checkKnown(definition, 'defineModel', ['name', 'solve', 'shapes', 'posterior', 'data', 'toJSON']);
  });
  const { name, solve, shapes, posterior } = definition;
  return modelFactory(definition, (data, toJSON) =>
    Object.freeze<ComputedModel<AbilitiesWith<E & Q>>>({
      name,
      solve: (context) => solve(data, context),
      assemble: () => {
        throw new InvalidInputError(
          `The solution of the model '${name}' is computed: by a closed form or its own search, so there are no parameters to evaluate at. Use fit(model).`,
        );
      },
      posterior: ({ latents, eigenvalues, ...parameters }) => {
        const found = {
          latents: latents as Matrix,
          eigenvalues: Float64Array.from((eigenvalues as readonly number[] | undefined) ?? []),
          parameters,
        };
        if (shapes !== undefined) checkShapes({ latents, eigenvalues, ...parameters }, shapes(data, found));
        return {
          latents: found.latents,
          ...(eigenvalues !== undefined && { eigenvalues: found.eigenvalues }),
          ...posterior?.(found, data),
        };
      },
      toJSON,
    }),
  );
}

/** The values of a computed solution by path, as in fits and files. */
export function valuesOfEmbedding({ latents, eigenvalues, parameters }: Embedding): ParameterValues {
  return { latents, ...(eigenvalues !== undefined && { eigenvalues: Array.from(eigenvalues) }), ...parameters };
}

/** @throws InvalidInputError that names a part of a saved solution that is missing, or has another shape */
function checkShapes(
  parts: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, readonly number[]>>,
): void {
  for (const [path, shape] of Object.entries(shapes)) {
    const part = parts[path];
    const own = part instanceof Matrix ? [part.rows, part.columns] : Array.isArray(part) ? [part.length] : [];
    if (part === undefined || own.join() !== shape.join()) {
      throw damagedAt(
        `values.${path}`,
        `expected ${inWords(shape)}, but found ${part === undefined ? 'nothing' : inWords(own)}.`,
      );
    }
  }
}

const inWords = (shape: readonly number[]) =>
  ['a number', `a list of ${shape[0]} numbers`, `a ${shape.join('×')} matrix`][shape.length]!;
