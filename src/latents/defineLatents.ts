import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../core/errors.ts';
import { checkDefinition } from '../core/given.ts';
import { describe, type Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkKnown } from '../core/options.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { type Initialization, initialLatents } from '../model/initialization.ts';
import type { TensorMap } from '../model/model.ts';
import { type OwnParameters, overriddenParameters } from '../model/part.ts';
import type { Latents } from './latents.ts';

/** What own latents may start from. */
export interface LatentsStart<Options> {
  /** N×D observations. */
  readonly observations: Matrix;
  readonly seed: number;
  readonly options: Options;
}

/** What own latents are. */
export interface LatentsDefinition<Name extends string, Options> {
  /** What files call them. */
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
 * Latents of one's own: parameters from which the latents X follow, such as angles of points on a circle. New observations are placed by a search in
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
  return (options, { init = 'pca' } = {}) => made(options as Options, init);
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
