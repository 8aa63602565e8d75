import { real } from '../model/parameter.ts';
import * as op from '../tensors/ops.ts';
import { defineMap } from './defineMap.ts';
import { ridgeRegression } from './ridgeRegression.ts';

/**
 * Linear back-constraint: X = Y·A. Its path is `latents.weights`, D×q.
 *
 * @param overrides - `weights`, such as `fixed(A)`; fitted to the start of the latents unless given
 * @see Lawrence & Quiñonero-Candela 2006
 * @example
 * ```ts
 * backConstrained(linearMap());
 * ```
 */
export const linearMap = defineMap({
  name: 'linear',
  parameters: ({ features, latents }) => ({ weights: real(ridgeRegression(features, latents, 1e-10)) }),
  apply: (p, Y) => op.matMul(Y, p.weights),
});
