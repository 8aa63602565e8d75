import { gammaDraw } from '../../engine/special/randomDraws.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { fixed, positive, real } from '../parameter.ts';
import { defineLikelihood, drawnEntries } from './likelihood.ts';

/**
 * Real observations with outliers: (y − f)/σ has a t distribution with ν degrees of freedom,
 * log p(y|f) = log Γ((ν + 1)/2) − log Γ(ν/2) − ½·log(νπσ²) − (ν + 1)/2·log(1 + (y − f)²/(νσ²)).
 *
 * @param overrides - `scale` σ > 0 (0.1), one number or one per column; `degreesOfFreedom` ν > 0 (fixed at 4); `mean`, for numbers without functions: heavy tails of a latent variable, or of a parameter
 * @see Lange, Little & Taylor 1989
 * @example
 * ```ts
 * bayesianGplvm(Y, { latentDim: 2, inducing: 20, likelihood: studentT({ scale: 0.2 }) });
 * ```
 */
export const studentT = defineLikelihood<'scale' | 'degreesOfFreedom', object, 1, 'mean'>({
  name: 'studentT',
  parameters: { scale: positive(0.1), degreesOfFreedom: fixed(4) },
  alone: { name: 'mean', parameter: real(0), functionOf: ({ mean }) => mean },
  logDensity: ({ scale, degreesOfFreedom: freedom }, f, y) => {
    const halfMore = op.mul(0.5, op.add(freedom, 1));
    const width = op.mul(freedom, op.square(scale));
    const constant = op.sub(
      op.sub(op.lgamma(halfMore), op.lgamma(op.mul(0.5, freedom))),
      op.mul(0.5, op.log(op.mul(Math.PI, width))),
    );
    const tail = op.log(op.add(1, op.div(op.square(op.sub(y, f)), width)));
    return op.sub<Tensor2D>(constant, op.mul(halfMore, tail));
  },
  // With at most two degrees of freedom the variance of an observation is infinite.
  moments: ({ scale, degreesOfFreedom: freedom }, mean, variance) => {
    const excess = op.relu(op.sub(freedom, 2));
    const spread = op.div(op.mul(freedom, op.square(scale)), excess);
    return { mean, variance: op.add<Tensor2D>(variance, spread) };
  },
  // A normal variable divided by the square root of χ²/ν.
  sample: ({ scale, degreesOfFreedom }, f, random) =>
    drawnEntries(
      f,
      [scale, degreesOfFreedom],
      (entry, s, v) => entry + (s! * random.normal()) / Math.sqrt((2 * gammaDraw(v! / 2, random)) / v!),
    ),
});
