import * as v from 'valibot';
import { checkOptions } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { add, checkKernel } from '../kernels/algebra.ts';
import { white } from '../kernels/constant.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { rbf } from '../kernels/rbf.ts';
import { calledBy } from '../model/language/defineDensity.ts';
import type { Prior } from '../model/language/density.ts';
import type { TensorMap } from '../model/model.ts';
import { definePrior } from './definePrior.ts';
import {
  initialDensity,
  lastRow,
  type SequenceData,
  sequenceEntries,
  type Transitions,
  transitionsOf,
  withoutPrefix,
} from './segments.ts';

export interface DynamicsOptions extends Partial<SequenceData> {
  /** Covariance of the step from a row to the next; rbf + white unless given. */
  readonly kernel?: Kernel | undefined;
  /** What the process gives: the next row, 'next' (the default), or the step to it, 'difference'. */
  readonly order?: 'next' | 'difference';
}

const PREFIX = 'kernel.';
const NAME = 'The covariance of the dynamics';

const schema = v.strictObject({
  ...sequenceEntries,
  kernel: v.optional(v.any()),
  order: v.optional(v.picklist(['next', 'difference'], "'next' or 'difference'"), 'next'),
});

/**
 * Gaussian process dynamics: every latent dimension of the next row is a Gaussian process of the row before,
 * log p(X) = −qM/2·log 2π − q/2·log|K| − ½·tr(K⁻¹X̂X̂ᵀ) + Σ log N(x₁ | 0, I), with X̂ the M rows that have a predecessor in their
 * sequence (or, by `order`, the steps to them), K = k(X̃, X̃) on those predecessors, and x₁ the first row of each sequence.
 *
 * Paths: `priors.dynamics.kernel.rbf.variance`, and so on. Held at no value, the kernel's scale and that of X determine each other
 * only through the mapping: hold the lengthscale of the mapping's kernel, or give parameters priors.
 *
 * @param options - `kernel` (rbf + white of variance 0.1); `segments`, the first rows of the sequences (0 is implied); `order` 'next' or
 * 'difference'; `initial` 'none' to leave p(x₁) out (the prior is then improper)
 * @throws InvalidInputError for an unknown option or one out of its range; when the model is evaluated, for segments that do not fit it
 * @throws NumericalError when K is not positive definite even with jitter: add `white` to the kernel
 * @see Wang, Fleet & Hertzmann 2005, eq. 9; Jiang et al. 2014, eq. 27
 * @example
 * ```ts
 * dynamics({ kernel: add(rbf(), white({ variance: 0.01 })), segments: [0, 40] });
 * ```
 */
export function dynamics(options: DynamicsOptions = {}): Prior<'next'> {
  const { kernel, segments, order, initial } = checkOptions(schema, options, 'dynamics');
  const chosen = checkKernel(kernel ?? add(rbf(), white({ variance: 0.1 })), "Option 'kernel' of dynamics");
  /** Rows with a successor, what the process gave there, and the covariance among them. */
  const process = (p: TensorMap, X: Tensor2D, { from, to }: Transitions) => {
    const inputs = op.gather<Tensor2D>(X, from);
    const next = op.gather<Tensor2D>(X, to);
    const outputs = order === 'next' ? next : op.sub<Tensor2D>(next, inputs);
    const own = withoutPrefix(p, PREFIX);
    return { inputs, outputs, own, covariance: chosen.covariance(own, inputs, inputs, inputs) };
  };
  const dynamics = definePrior({
    name: 'dynamics',
    parameters: Object.fromEntries(
      Object.entries(chosen.parameters).map(([name, parameter]) => [PREFIX + name, parameter]),
    ),
    independent: false,
    prepare: ({ rows }) => transitionsOf(segments, rows, "Prior 'dynamics'"),
    logDensity: (p, X, { constants, onJitter }) => {
      const { outputs, covariance } = process(p, X, constants);
      const steps = op.gaussianLogDensity(covariance, { observations: outputs }, { name: NAME, onJitter });
      return op.add<Scalar>(steps, initialDensity(X, constants.first, initial));
    },
    condition: (p, { value: X }, { constants }) => ({
      next: (before) => {
        const { inputs, outputs, own, covariance } = process(p, X, constants);
        const weights = op.choleskySolve(op.cholesky(covariance, { name: NAME }), outputs);
        const x = lastRow(before);
        const mean = op.matMul<Tensor2D>(chosen.covariance(own, x, inputs, inputs), weights);
        return order === 'next' ? mean : op.add<Tensor2D>(x, mean);
      },
    }),
  });
  return calledBy(dynamics(), { kernel: chosen, segments, order, initial });
}
