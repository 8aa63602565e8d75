import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { describe, type Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkDefinition, checkKnown } from '../core/options.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { type Initialization, initialLatents, keptInit } from '../model/initialization.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { type OwnParameters, overriddenParameters, valueTensors } from '../model/part.ts';

/** What the initial values of custom latents may depend on. */
export interface LatentsStart<Options> {
  /** N×D observations. */
  readonly observations: Matrix;
  readonly seed: number;
  readonly options: Options;
}

/** Definition of custom latents. */
export interface LatentsDefinition<Name extends string, Options> {
  /** Their name in files. */
  readonly name: string;
  /** Their parameters, under `latents.name` in the paths, for latents that are to start near X (N×q); a bare number is `positive`. */
  parameters(X: Matrix, start: LatentsStart<Options>): OwnParameters<Name>;
  /** X (N×q) at natural values of the parameters. */
  latents(p: Readonly<Record<Name, Tensor>>, options: Options): Tensor2D;
}

/** Makes latents of plain options, and of where they start: 'pca' unless given. */
export type LatentsFactory<Options = undefined> = (
  options?: Options,
  start?: { readonly init?: 'pca' | MatrixLike | Initialization },
) => Latents;

/**
 * Custom latents: parameters from which the latents X follow, such as angles of points on a circle. New observations are placed by a search in
 * the latent space, as with free latents; `loadFit(json, { latents: { name: factory } })` reads fits again.
 *
 * @param definition - see {@link LatentsDefinition}
 * @returns a factory `(options, { init }) => Latents`; the options are plain JSON, and saved
 * @throws InvalidInputError for a definition without name or functions; when a model is evaluated, for latents that are not a matrix
 * @example
 * ```ts
 * import { defineLatents, latentVariableModel, rbf, real } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * const onCircle = defineLatents({
 *   name: 'onCircle',
 *   parameters: (X) => ({ angle: real(X.toArrays().map(([x, y]) => Math.atan2(y!, x!))) }),
 *   latents: ({ angle }) => op.concat([op.expandDims(op.cos(angle), 1), op.expandDims(op.sin(angle), 1)], 1),
 * });
 * const model = latentVariableModel({ observations: Y, latentDim: 2, latents: onCircle(), kernel: rbf() });
 * ```
 */
export function defineLatents<Name extends string, Options = undefined>(
  definition: LatentsDefinition<Name, Options>,
): LatentsFactory<Options> {
  const { name, parameters, latents } = checkDefinition(definition, 'defineLatents');
  checkKnown(definition, 'defineLatents', ['name', 'parameters', 'latents']);
  if (typeof name !== 'string' || typeof parameters !== 'function' || typeof latents !== 'function') {
    throw new InvalidInputError(
      `defineLatents needs a name and the functions parameters and latents, but ${describe(definition)} was given.`,
    );
  }
  const owner = `Latents '${name}'`;
  const made = (options: Options, init: 'pca' | MatrixLike | Initialization): Latents =>
    Object.freeze<Latents>({
      kind: 'latents',
      name,
      parameters: (Y, latentDim, seed) => {
        const start = { observations: Y, seed, options };
        const own = overriddenParameters(owner, parameters(initialLatents(init, Y, latentDim), start), {});
        return Object.fromEntries(
          Object.entries(own).map(([key, parameter]) => [PREFIX + key, parameter]),
        ) as ReturnType<Latents['parameters']>;
      },
      from: (other) => made(options, other),
      mapsObservations: false,
      features: (Y) => Y,
      apply: (p) => checkMatrix(owner, latents(ownValues(p) as Record<Name, Tensor>, options)),
      toJSON: () => ({ name, ...(options !== undefined && { options }) }),
    });
  return (options, { init = 'pca' } = {}) => made(options as Options, keptInit(init));
}

const PREFIX = 'latents.';

function ownValues(p: TensorMap): TensorMap {
  const own = Object.entries(p).filter(([path]) => path.startsWith(PREFIX));
  return Object.fromEntries(own.map(([path, value]) => [path.slice(PREFIX.length), value]));
}

function checkMatrix(owner: string, X: unknown): Tensor2D {
  if (X instanceof tf.Tensor && X.rank === 2) return X as Tensor2D;
  const given = X instanceof tf.Tensor ? `a tensor of shape [${X.shape}]` : describe(X);
  throw new InvalidInputError(`${owner} must be a matrix, one row a point, but ${given} was returned.`);
}

/** What the latents X of a model are: variables of their own, or a function of the observations. A plain description. */
export interface Latents {
  readonly kind: 'latents';
  readonly name: string;
  /**
   * Its parameters under their paths (`latents`, `latents.weights`, …), started for the observations Y (N×D) and q latent
   * dimensions.
   */
  readonly parameters: (Y: Matrix, latentDim: number, seed: number) => Readonly<Record<string, Parameter>>;
  /** The same latents with another start. */
  readonly from: (init: 'pca' | Matrix | Initialization) => Latents;
  /** Whether they are a function of the observations, which new observations may be put through. */
  readonly mapsObservations: boolean;
  /**
   * What `apply` needs of observations Y (n×D) of a model with the observations `training` (N×D), whatever the parameters: one
   * row each.
   */
  readonly features: (Y: Matrix, training: Matrix) => Matrix;
  /** The n×q latents of the observations with these features. */
  readonly apply: (p: TensorMap, features: Tensor2D) => Tensor2D;
  /** The n×q places of new complete rows Y (n×D) among the latents (N×q) of the points, for latents that are not searched by the densities of the observations. */
  readonly place?: (Y: Matrix, latents: Matrix) => Promise<Matrix>;
  readonly toJSON: () => LatentsJSON;
}

/** Plain JSON with a `name` that says which factory reads it. */
export type LatentsJSON = { readonly name: string } & { readonly [key: string]: unknown };

/**
 * The latents of observations Y (n×D) at a model's values, n×q: those of the training observations themselves, or, where
 * `mapsObservations`, of new ones.
 */
export function latentsOf(latents: Latents, values: ParameterValues, Y: Matrix, training: Matrix): Matrix {
  const own = Object.fromEntries(Object.entries(values).filter(([path]) => /^latents(\.|$)/.test(path)));
  return withFloat64(() => tensorMatrix(latents.apply(valueTensors(own), matrixTensor(latents.features(Y, training)))));
}
