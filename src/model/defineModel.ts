import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import { tensorMatrix } from '../tensors/matrixTensor.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import type { Mapped } from './abilities.ts';
import { type DefinedMoments, definedMapping } from './definedMapping.ts';
import type {
  AnyModel,
  AnyPaths,
  Assembly,
  Model,
  ModelJSON,
  ParameterValues,
  Posterior,
  StartKind,
  TermContext,
} from './model.ts';
import { nestedValues, type Parts, parametersByPath, type ValuesOf } from './part.ts';
import { dataFromPlain, plainData } from './plainData.ts';
import { checkedTerms, withLocation } from './termChecks.ts';
import { valueTensors } from './valueTensors.ts';

/** What a model's functions may know beside values and data. */
export interface ModelContext<P extends Parts, C> extends TermContext {
  readonly parts: P;
  /** What `constants` made of the data. */
  readonly constants: C;
  /** The latents at these values, N×q, computed once. */
  readonly latents: Tensor2D;
  /** Where parts keep what they need again at the same values, such as a factor; in predictions only. */
  readonly memory?: Map<object, unknown>;
}

/** A log density of some of what a model says, a scalar. */
export type Term<Data, P extends Parts, C> = (v: ValuesOf<P>, data: Data, context: ModelContext<P, C>) => Scalar;

/** Log densities by name; or a function that computes all of them together, by name. */
export type Terms<Data, P extends Parts, C> =
  | Readonly<Record<string, Term<Data, P, C>>>
  | ((v: ValuesOf<P>, data: Data, context: ModelContext<P, C>) => Readonly<Record<string, Scalar>>);

/** What parts may know beside the data. */
export interface PartsOptions {
  /** Whether the terms will be asked for some of the points at a time, for models with `points`. */
  readonly batched: boolean;
}

/** What a model is. `v` holds tensors of natural values, by part and parameter. */
export interface ModelDefinition<Data, P extends Parts, C = undefined> {
  /** What its fits and files call it. */
  readonly name: string;
  /** Its parameters and parts by name; called when the model is assembled. Their paths are `name` and `name.parameter`. */
  readonly parts: (data: Data, seed: number, options: PartsOptions) => P;
  /** Constants that the terms need: tensors in what it returns are kept until the model is disposed of, and `dispose()` is called. */
  readonly constants?: (data: Data, parts: P) => C;
  /** Log densities that add up to the objective. */
  readonly terms: Terms<Data, P, C>;
  /** N×q */
  readonly latents: (v: ValuesOf<P>, data: Data, context: Omit<ModelContext<P, C>, 'latents'>) => Tensor2D;
  /** Moments of the observations at latents X (n×q): from it follow `predict`, `project`, `reconstruct`, `sample` and `impute` of fits. */
  readonly predict?: (v: ValuesOf<P>, X: Tensor2D, data: Data, context: ModelContext<P, C>) => DefinedMoments;
  /** log p(x) of each row of latents X (n×q), n entries, by which new observations are placed too. */
  readonly pointLogDensity?: (v: ValuesOf<P>, X: Tensor2D, data: Data, context: ModelContext<P, C>) => Tensor1D;
  /** How data that are not plain values, lists and matrices are written and read; `own` are the factories that `loadFit` was given. */
  readonly data?: { toJSON(data: Data): unknown; fromJSON(json: unknown, own: never): Data };
  /** All that fits can do, from plain numbers, in the place of what follows from `latents` and `predict`. */
  readonly posterior?: (values: ParameterValues, data: Data) => Posterior;
  /** What the model writes about itself, where it is not the form that `restore` reads. */
  readonly toJSON?: (data: Data) => ModelJSON;
  /** N, for models whose terms may be asked for some of the points at a time, those of `context.batch`. */
  readonly points?: (data: Data) => number;
  /** Parameters that a fit holds where they start for so many iterations, if any. */
  readonly held?: (data: Data, parts: P) => Assembly['held'];
  /** Natural values, by path, of what depends on where the latents start, for restarts that begin elsewhere. */
  readonly startAt?: (kind: Exclude<StartKind, 'model'>, data: Data, seed: number) => ParameterValues;
}

/** Makes a model of data; `restore` makes it again from what its `toJSON` wrote. */
export interface ModelFactory<Data, M extends AnyModel = Model> {
  (data: Data): M;
  readonly modelName: string;
  readonly restore: (json: ModelJSON, own?: object) => M;
}

/** A model of `defineModel`, whose fits can do what its definition gives. */
export type DefinedModel<A> = Model<AnyPaths, A, 'searched'>;

/**
 * A model of one's own: named parts with parameters, log densities of them that add up to the objective, and latents. Fitting, restarts,
 * workers, checkpoints, saving, scores and pictures follow; with `predict` also `project`, `reconstruct`, `sample` and `impute`.
 *
 * `loadFit(json, { models: { name: factory } })` reads its fits again.
 *
 * @param definition - see {@link ModelDefinition}; `parts` comes first, so that the types of `v` follow from it
 * @returns a factory `(data) => Model`
 * @throws InvalidInputError when the definition lacks a name, parts, terms or latents; when the model is evaluated, for a value that no
 * part has, a term that is not a scalar, and a tensor that was disposed of
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
export function defineModel<Data, P extends Parts, C = undefined>(
  definition: ModelDefinition<Data, P, C> & { readonly predict: NonNullable<ModelDefinition<Data, P, C>['predict']> },
): ModelFactory<Data, DefinedModel<Mapped>>;
export function defineModel<Data, P extends Parts, C = undefined>(
  definition: ModelDefinition<Data, P, C>,
): ModelFactory<Data, DefinedModel<object>>;
export function defineModel<Data, P extends Parts, C>(
  definition: ModelDefinition<Data, P, C>,
): ModelFactory<Data, AnyModel> {
  checkDefinition(definition);
  const { name } = definition;
  const owner = `the model '${name}'`;
  const make = (data: Data): Model => {
    let known: P | undefined;
    const partsOf = (seed: number, batched = false): P => {
      const parts = definition.parts(data, seed, { batched });
      known = parts;
      return parts;
    };
    return Object.freeze<Model>({
      name,
      ...(definition.points !== undefined && { points: definition.points(data) }),
      assemble: (seed, { batched = false } = {}) => assembled(definition, data, partsOf(seed, batched), owner),
      ...(definition.startAt !== undefined && {
        startAt: (kind: Exclude<StartKind, 'model'>, seed: number) => definition.startAt!(kind, data, seed),
      }),
      // What parts do does not depend on where they start, so those of any seed will do.
      posterior: (values) =>
        definition.posterior?.(values, data) ??
        posteriorOf(definition, data, known ?? withFloat64(() => partsOf(0)), values, owner),
      toJSON: () =>
        definition.toJSON?.(data) ?? {
          model: name,
          data: definition.data === undefined ? plainData(data) : definition.data.toJSON(data),
        },
    });
  };
  const restore = ({ data }: ModelJSON, own: object = {}) =>
    make(definition.data === undefined ? (dataFromPlain(data) as Data) : definition.data.fromJSON(data, own as never));
  return Object.assign(make, { modelName: name, restore });
}

function checkDefinition<Data, P extends Parts, C>(definition: ModelDefinition<Data, P, C>): void {
  const { name, parts, terms, latents } = (definition ?? {}) as Partial<ModelDefinition<Data, P, C>>;
  if (typeof name !== 'string' || name === '') {
    throw new InvalidInputError(`defineModel needs a name, but ${describe(name)} was given.`);
  }
  for (const [key, given] of Object.entries({ parts, latents })) {
    if (typeof given === 'function') continue;
    throw new InvalidInputError(
      `defineModel needs ${key} of the model '${name}', a function of ${key === 'parts' ? 'the data' : 'values and data'}, but ${describe(given)} was given.`,
    );
  }
  const isGiven = typeof terms === 'function' || (typeof terms === 'object' && Object.keys(terms ?? {}).length > 0);
  if (!isGiven) {
    throw new InvalidInputError(
      `defineModel needs terms of the model '${name}', functions by name, but ${describe(terms)} was given.`,
    );
  }
}

function assembled<Data, P extends Parts, C>(
  definition: ModelDefinition<Data, P, C>,
  data: Data,
  parts: P,
  owner: string,
): Assembly {
  const parameters = parametersByPath(owner, parts);
  const constants = definition.constants?.(data, parts) as C;
  const tensors = tensorsIn(constants).map((tensor) => tf.keep(tensor));
  const held = definition.held?.(data, parts);
  return {
    parameters,
    ...(held !== undefined && { held }),
    terms: (values, context) => {
      const v = nestedValues(owner, parts, values);
      const full = contextOf(definition, data, v, { parts, constants }, context, owner);
      const { terms } = definition;
      if (typeof terms === 'function') {
        return checkedTerms(
          owner,
          withLocation(`The terms of ${owner}`, () => terms(v, data, full)),
        );
      }
      const found: Record<string, Scalar> = {};
      for (const [term, density] of Object.entries(terms)) {
        found[term] = withLocation(`Term '${term}' of ${owner}`, () => density(v, data, full));
      }
      return checkedTerms(owner, found);
    },
    dispose: () => {
      for (const tensor of tensors) tensor.dispose();
      const { dispose } = (constants ?? {}) as { dispose?: unknown };
      if (typeof dispose === 'function') dispose();
    },
  };
}

function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof tf.Tensor) return [value];
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.values(value).flatMap(tensorsIn) : [];
}

function contextOf<Data, P extends Parts, C>(
  definition: ModelDefinition<Data, P, C>,
  data: Data,
  v: ValuesOf<P>,
  own: Pick<ModelContext<P, C>, 'parts' | 'constants' | 'memory'>,
  context: TermContext,
  owner: string,
): ModelContext<P, C> {
  let X: Tensor2D | undefined;
  const { iteration, batch } = context;
  const full: ModelContext<P, C> = {
    ...own,
    iteration,
    ...(batch !== undefined && { batch }),
    get random() {
      return context.random;
    },
    onJitter: (jitter) => context.onJitter(jitter),
    get latents() {
      X ??= checkedLatents(
        owner,
        withLocation(`The latents of ${owner}`, () => definition.latents(v, data, full)),
      );
      return X;
    },
  };
  return full;
}

function checkedLatents(owner: string, X: unknown): Tensor2D {
  if (X instanceof tf.Tensor && X.rank === 2) return X as Tensor2D;
  const given = X instanceof tf.Tensor ? `a tensor of shape [${X.shape}]` : describe(X);
  throw new InvalidInputError(`The latents of ${owner} must be a matrix, one row a point, but ${given} was returned.`);
}

function posteriorOf<Data, P extends Parts, C>(
  definition: ModelDefinition<Data, P, C>,
  data: Data,
  parts: P,
  values: ParameterValues,
  owner: string,
): Posterior {
  const memory = new Map<object, unknown>();
  const at = <T>(work: (v: ValuesOf<P>, context: ModelContext<P, C>) => T): T =>
    withFloat64(() => {
      const constants = definition.constants?.(data, parts) as C;
      const v = nestedValues(owner, parts, valueTensors(values));
      try {
        return work(v, contextOf(definition, data, v, { parts, constants, memory }, PREDICTING, owner));
      } finally {
        const { dispose } = (constants ?? {}) as { dispose?: unknown };
        if (typeof dispose === 'function') dispose();
      }
    });
  const latents = at((_, context) => tensorMatrix(context.latents));
  const { predict, pointLogDensity } = definition;
  return {
    latents,
    ...(predict !== undefined && {
      mapping: definedMapping(owner, latents, (work) =>
        at((v, context) =>
          work((X) => predict(v, X, data, context), pointLogDensity && ((X) => pointLogDensity(v, X, data, context))),
        ),
      ),
    }),
  };
}

/** Predictions are not part of an evaluation. */
const PREDICTING: TermContext = {
  random: { uniform: notRandom, normal: notRandom, integer: notRandom },
  iteration: 0,
  onJitter: () => {},
};

function notRandom(): never {
  throw new InvalidInputError('Predictions and latents are not random: draw in the terms of a model only.');
}
