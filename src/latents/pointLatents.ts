import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers } from '../core/observations.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { heldLatents } from '../model/initialization.ts';
import type { PointRows } from '../model/language/variable.ts';
import { fixed } from '../model/parameter.ts';

/**
 * Fixed latents: the model's other parameters are fitted to them.
 *
 * @param X - N×q
 * @throws InvalidInputError if X is not a matrix of finite numbers; when a model is made, if it does not match the observations
 * @example
 * ```ts
 * latentVariableModel({ observations: Y, latentDim: 2, posterior: fixedAt(X), kernel: rbf() });
 * ```
 */
export function fixedAt(X: MatrixLike): PointRows {
  const held = checkNumbers(Matrix.from(X, 'X'), 'X');
  const latents: PointRows = Object.freeze<PointRows>({
    kind: 'latents',
    name: 'fixedAt',
    parameters: (Y, latentDim) => ({ latents: fixed(heldLatents(held, Y, latentDim)) }),
    // Fixed latents ignore other initial values.
    from: () => latents,
    mapsObservations: false,
    features: (Y) => Y,
    apply: (p) => p.latents as Tensor2D,
    toJSON: () => ({ name: 'fixedAt', latents: held.toArrays() }),
  });
  return latents;
}
