import * as v from 'valibot';
import { checkOptions } from '../core/options.ts';
import { checkSaved } from '../core/saved.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { add, checkKernel } from '../kernels/algebra.ts';
import { white } from '../kernels/constant.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { kernelToJSON } from '../kernels/kernelToJson.ts';
import { rbf } from '../kernels/rbf.ts';
import type { Forecasting } from '../model/abilities.ts';
import type { TensorMap } from '../model/model.ts';
import { definePrior, type Prior } from './definePrior.ts';
import {
  initialDensity,
  type SequenceData,
  savedSequence,
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

interface DynamicsData extends SequenceData {
  readonly kernel: Kernel;
  readonly order: 'next' | 'difference';
}

const PREFIX = 'kernel.';
const NAME = 'The covariance of the dynamics';

/** Rows with a successor, what the process gave there, and the covariance among them. */
function process(p: TensorMap, X: Tensor2D, { kernel, order }: DynamicsData, { from, to }: Transitions) {
  const inputs = op.gather<Tensor2D>(X, from);
  const next = op.gather<Tensor2D>(X, to);
  const outputs = order === 'next' ? next : op.sub<Tensor2D>(next, inputs);
  const own = withoutPrefix(p, PREFIX);
  return { inputs, outputs, own, covariance: kernel.covariance(own, inputs, inputs, inputs) };
}

const savedSchema = v.strictObject({
  ...savedSequence,
  kernel: v.unknown(),
  order: v.picklist(['next', 'difference']),
});

export const dynamicsFactory = definePrior({
  name: 'dynamics',
  parameters: ({ kernel }: DynamicsData) =>
    Object.fromEntries(Object.entries(kernel.parameters).map(([name, parameter]) => [PREFIX + name, parameter])),
  data: {
    // Member by member: what was read again is in the order of its schema.
    toJSON: ({ kernel, segments, order, initial }: DynamicsData): unknown => ({
      kernel: kernelToJSON(kernel),
      segments,
      order,
      initial,
    }),
    fromJSON: (json, read): DynamicsData => {
      const { kernel, ...rest } = checkSaved(savedSchema, json, '.');
      return { kernel: read.kernel(kernel, '.kernel'), ...rest };
    },
  },
  prepare: ({ rows }, { segments }) => transitionsOf(segments, rows, "Prior 'dynamics'"),
  logDensity: (p, X, { data, constants, onJitter }) => {
    const { outputs, covariance } = process(p, X, data, constants);
    const options = { name: NAME, ...(onJitter === undefined ? {} : { onJitter }) };
    const steps = op.gaussianLogDensity(covariance, { observations: outputs }, options);
    return op.add<Scalar>(steps, initialDensity(X, constants.first, data));
  },
  transition: (p, X, { data, constants }) => {
    const { inputs, outputs, own, covariance } = process(p, X, data, constants);
    const weights = op.choleskySolve(op.cholesky(covariance, { name: NAME }), outputs);
    return (x) => {
      const mean = op.matMul<Tensor2D>(data.kernel.covariance(own, x, inputs, inputs), weights);
      return data.order === 'next' ? mean : op.add<Tensor2D>(x, mean);
    };
  },
});

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
export function dynamics(options: DynamicsOptions = {}): Prior<Forecasting> {
  const { kernel, segments, order, initial } = checkOptions(schema, options, 'dynamics');
  const chosen = checkKernel(kernel ?? add(rbf(), white({ variance: 0.1 })), "Option 'kernel' of dynamics");
  const data = Object.freeze({ kernel: chosen, segments: Object.freeze([...segments]), order, initial });
  return dynamicsFactory({}, data);
}
