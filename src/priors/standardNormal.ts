import { log } from '../core/elementary/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { normalEntries } from '../model/jointDraw.ts';
import { fixed } from '../model/parameter.ts';
import { definePrior } from './definePrior.ts';

/**
 * Independent normal latents of precision γ: log p(X) = −γ/2·Σ x² + Nq/2·log γ − Nq/2·log 2π.
 *
 * @param overrides - `precision` γ > 0, fixed at 1 unless a free parameter is passed
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Lawrence 2005, eq. 3; Jiang et al. 2014, eq. 24
 * @example
 * ```ts
 * standardNormal({ precision: 2 });
 * ```
 */
export const standardNormal = definePrior({
  name: 'standardNormal',
  parameters: { precision: fixed(1) },
  independent: true,
  logDensity: (p, X, { batch }) => (batch === undefined ? op.normalLogDensity(X, p.precision) : ofRows(p, X)),
  condition: (p) => ({ logPredictive: ({ value }) => ofRows(p, value) }),
  sample: (p, random, shape) => op.div<Tensor2D>(normalEntries(random, ...shape), op.sqrt(p.precision)),
  gaussian: {
    expected: (p, { value }) => {
      const { mean, variance } = value as op.GaussianRows;
      return normalized(p, op.sum(op.add(op.square(mean), variance), 1), mean.shape[1]);
    },
  },
  search: {
    hessian: ({ precision }, { data: { length: n } }) => {
      const H = new Float64Array(n * n);
      for (let i = 0; i < n; i++) H[i * (n + 1)] = -(precision as number);
      return H;
    },
  },
});

interface Precision {
  readonly precision: Tensor;
}

const ofRows = (p: Precision, X: Tensor2D) => normalized(p, op.sum(op.square(X), 1), X.shape[1]);

/** log p of rows of q entries from their sums of squares, n numbers. */
function normalized({ precision }: Precision, squares: Tensor, q: number): Tensor1D {
  const constant = op.mul(q / 2, op.sub(op.log(precision), log(2 * Math.PI)));
  return op.add<Tensor1D>(op.mul(op.mul(-0.5, precision), squares), constant);
}
