import { log } from '../core/elementary/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { normalEntries } from '../model/jointDraw.ts';
import type { Density } from '../model/language/density.ts';

/** The prior of latents that are distributions: N(0, I), without parameters. Of Gaussian rows KL(q‖p) = ½·Σ_nd (μ² + s − log s − 1). */
export const unitNormal: Density = Object.freeze<Density>({
  kind: 'density',
  name: 'standardNormal',
  normalised: true,
  exact: true,
  centred: false,
  takesMissing: false,
  independent: true,
  parameters: () => ({}),
  logDensity: (_, { value }) =>
    op.mul<Tensor1D>(-0.5, op.add(op.sum(op.square(value), 1), value.shape[1] * log(2 * Math.PI))),
  sample: (_, random, shape) => normalEntries(random, ...shape),
  divergence: (_, { mean, variance }) =>
    op.mul<Tensor2D>(0.5, op.sub(op.add(op.square(mean), variance), op.add(op.log(variance), 1))),
});
