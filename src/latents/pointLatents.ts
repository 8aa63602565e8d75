import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers } from '../core/observations.ts';
import { namedOptions } from '../core/options.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { heldLatents, type Initialization, initialLatents, keptInit } from '../model/initialization.ts';
import { fixed, real } from '../model/parameter.ts';
import type { Latents } from './latents.ts';

/**
 * Free latents: X (N×q) itself is what the optimizer moves, under the path `latents`.
 *
 * @param options - `init`: 'pca' (the default), an N×q matrix taken as it is, or anything with N×q `latents` (a fitted
 * embedding, scaled to unit variance a column)
 * @throws InvalidInputError when the start does not fit the observations
 * @see Lawrence 2005, §3
 * @example
 * ```ts
 * latentVariableModel({ observations: Y, latentDim: 2, latents: free({ init: 'pca' }), kernel: rbf() });
 * ```
 */
export function free(options: { init?: 'pca' | MatrixLike | Initialization } = {}): Latents {
  const init = keptInit(namedOptions(options, 'free', ['init']).init ?? 'pca');
  return Object.freeze<Latents>({
    kind: 'latents',
    name: 'free',
    parameters: (Y, latentDim) => ({ latents: real(initialLatents(init, Y, latentDim)) }),
    from: (other) => free({ init: other }),
    mapsObservations: false,
    features: (Y) => Y,
    apply: (p) => p.latents as Tensor2D,
    // The fitted latents are saved with the other values: the start is not needed again.
    toJSON: () => ({ name: 'free' }),
  });
}

/**
 * Latents that are held: the model's other parameters are fitted to them.
 *
 * @param X - N×q
 * @throws InvalidInputError when X is not a matrix of finite numbers; when a model is made, when it does not fit the observations
 * @example
 * ```ts
 * latentVariableModel({ observations: Y, latentDim: 2, latents: fixedAt(X), kernel: rbf() });
 * ```
 */
export function fixedAt(X: MatrixLike): Latents {
  const held = checkNumbers(Matrix.from(X, 'X'), 'X');
  const latents: Latents = Object.freeze<Latents>({
    kind: 'latents',
    name: 'fixedAt',
    parameters: (Y, latentDim) => ({ latents: fixed(heldLatents(held, Y, latentDim)) }),
    // They are where they are, wherever others would start.
    from: () => latents,
    mapsObservations: false,
    features: (Y) => Y,
    apply: (p) => p.latents as Tensor2D,
    toJSON: () => ({ name: 'fixedAt', latents: held.toArrays() }),
  });
  return latents;
}
