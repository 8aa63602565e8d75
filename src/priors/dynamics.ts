import * as v from 'valibot';
import { checkOptions, type OptionsIn, typed } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { add, checkKernel } from '../kernels/algebra.ts';
import { white } from '../kernels/constant.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { rbf } from '../kernels/rbf.ts';
import { calledBy } from '../model/language/defineDensity.ts';
import type { Prior } from '../model/language/density.ts';
import type { TensorMap } from '../model/model.ts';
import { definePrior } from './definePrior.ts';
import { initialDensity, sequenceEntries, type Transitions, transitionsOf, withoutPrefix } from './segments.ts';

export interface DynamicsOptions extends OptionsIn<typeof schema> {}

const PREFIX = 'kernel.';
const NAME = 'The covariance of the dynamics';
/** Least variance of a step, relative to the prior variance. */
const LEAST = 1e-12;

const schema = v.strictObject({
  ...sequenceEntries,
  /** Covariance of the step from a row to the next; default rbf + white. */
  kernel: v.optional(typed<Kernel>()),
  /** Output of the process: the next row, 'next' (the default), or the step to it, 'difference'. */
  order: v.optional(v.picklist(['next', 'difference'], "'next' or 'difference'"), 'next'),
});

/**
 * Gaussian process dynamics: every latent dimension of the next row is a Gaussian process of the row before,
 * log p(X) = −qM/2·log 2π − q/2·log|K| − ½·tr(K⁻¹X̂X̂ᵀ) + Σ log N(x₁ | 0, I), with X̂ the M rows that have a predecessor in their
 * sequence (or, by `order`, the steps to them), K = k(X̃, X̃) on those predecessors, and x₁ the first row of each sequence.
 *
 * Paths: `priors.dynamics.kernel.rbf.variance`, and so on. If neither is fixed, the scale of this kernel and the scale of X are tied to each other
 * only through the mapping: fix the lengthscale of the mapping's kernel, or put priors on parameters.
 *
 * @param options - `kernel` (rbf + white of variance 0.1); `segments`, the first rows of the sequences (0 is implied); `order` 'next' or
 * 'difference'; `initial` 'none' to leave p(x₁) out (the prior is then improper)
 * @throws InvalidInputError for an unknown option or one outside its range; when the model is evaluated, for segments that do not fit it
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
  /** Rows with a successor, the outputs of the process there, and the covariance among them. */
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
    condition: (p, { value: X, variance: spread }, { constants, isCalibrated = true }) => {
      const fitted = lazily(() => {
        const { inputs, outputs, own, covariance } = process(p, X, constants);
        const L = op.cholesky(covariance, { name: NAME });
        return {
          follow: steppingProcess(chosen, own, inputs, outputs, L),
          // The means of Gaussian rows move in smaller steps than the rows.
          calibrated:
            isCalibrated && spread === undefined ? calibratedBy(L, outputs) : (variance: Tensor2D) => variance,
        };
      });
      return {
        next: (before, ahead) => {
          const rows = Array.from({ length: ahead + 1 }, (_, k) => before(ahead + 1 - k));
          const { follow, calibrated } = fitted();
          const { mean, variance } = follow(rows, (k) =>
            order === 'next' ? rows[k + 1]! : op.sub<Tensor2D>(rows[k + 1]!, rows[k]!),
          );
          const next = order === 'next' ? mean : op.add<Tensor2D>(rows[ahead]!, mean);
          return { mean: next, variance: calibrated(variance) };
        },
      };
    },
  });
  return calledBy({ ...dynamics(), calibrates: true }, { kernel: chosen, segments, order, initial });
}

/**
 * Variances of steps with a noise estimated from the fitted steps, although the kernel's noise is fixed during a fit. With r the deviation of a fitted step
 * from its prediction by all others and s² the variance of that prediction, the mean of r² − s² over the steps is added for each latent dimension.
 *
 * @param L - Cholesky factor of the covariance K of the steps
 * @returns a function of variances, n × 1, with values n × q; the least factor is the mean of r² over the mean of s²
 * @see Rasmussen & Williams 2006, eq. 5.12
 */
function calibratedBy(L: Tensor2D, outputs: Tensor2D): (variance: Tensor2D) => Tensor2D {
  const inverse = op.triangularSolve(L, op.eye(L.shape[0]));
  const variances = op.reshape<Tensor2D>(op.div(1, op.sum(op.square(inverse), 0)), [-1, 1]);
  const residuals = op.mul(op.matMul<Tensor2D>(inverse, op.triangularSolve(L, outputs), true), variances);
  const found = op.reshape<Tensor2D>(op.mean(op.square(residuals), 0), [1, -1]);
  const expected = op.mean(variances);
  const extra = op.sub<Tensor2D>(found, expected);
  const least = op.minimum<Tensor2D>(op.div(found, expected), 1);
  return (variance) => op.maximum<Tensor2D>(op.add(variance, extra), op.mul(least, variance));
}

/** A process at one more input on each of n paths, conditioned on its outputs at all earlier inputs. */
interface Step {
  readonly input: Tensor2D;
  /** L⁻¹·k(X̃, input), M×n. */
  readonly solved: Tensor2D;
  /** Row of the Cholesky factor of the covariance among the inputs of each path, conditioned on the fitted ones: n entries each. */
  readonly factor: readonly Tensor1D[];
  /** Moments conditioned on all earlier outputs; the variance is n×1. */
  readonly mean: Tensor2D;
  readonly variance: Tensor2D;
}

/**
 * The process along paths. Outputs at earlier steps count as observations in addition to the fitted ones, so that each path follows one function. The
 * factor of each path grows by a row per step, and earlier steps are cached.
 *
 * @param L - Cholesky factor of the covariance among the fitted inputs
 * @see Rasmussen & Williams 2006, eq. 2.25–2.26, A.12
 */
function steppingProcess(kernel: Kernel, p: TensorMap, inputs: Tensor2D, outputs: Tensor2D, L: Tensor2D) {
  const whitened = op.triangularSolve(L, outputs);
  const steps: Step[] = [];
  return (at: readonly Tensor2D[], outputAt: (step: number) => Tensor2D): Pick<Step, 'mean' | 'variance'> => {
    const known = steps.findIndex(({ input }, k) => input !== at[k]);
    if (known >= 0) steps.length = known;
    for (let k = steps.length; k < at.length; k++) {
      const input = at[k]!;
      const solved = op.triangularSolve(L, kernel.covariance(p, inputs, input, inputs));
      let mean = op.matMul<Tensor2D>(solved, whitened, true);
      const prior = kernel.diagonal(p, input, inputs);
      let variance = op.sub<Tensor1D>(prior, op.sum(op.square(solved), 0));
      const factor: Tensor1D[] = [];
      for (const [j, step] of steps.slice(0, k).entries()) {
        const between = op.diagPart(kernel.covariance(p, input, step.input, inputs));
        const fitted = op.sub<Tensor1D>(between, op.sum(op.mul(solved, step.solved), 0));
        const shared = step.factor.map((entry, i) => op.mul<Tensor1D>(entry, factor[i]!));
        const rest = shared.reduce((sum, product) => op.sub<Tensor1D>(sum, product), fitted);
        const deviation = op.sqrt(step.variance);
        const own = op.div<Tensor1D>(rest, op.reshape(deviation, [-1]));
        factor.push(own);
        const surprise = op.div(op.sub(outputAt(j), step.mean), deviation);
        mean = op.add<Tensor2D>(mean, op.mul(op.reshape(own, [-1, 1]), surprise));
        variance = op.sub<Tensor1D>(variance, op.square(own));
      }
      // Rounding can leave none, where a kernel has no white noise.
      const positive = op.maximum<Tensor1D>(variance, op.mul(LEAST, prior));
      steps.push({ input, solved, factor, mean, variance: op.reshape<Tensor2D>(positive, [-1, 1]) });
    }
    return steps.at(-1)!;
  };
}
