import { matrixTensor } from '../core/matrixTensor.ts';
import type { EvaluationReport, Factor, TensorMap } from '../core/model.ts';
import * as op from '../core/ops.ts';
import { outerProduct } from '../core/outerProduct.ts';
import { type Scalar, type Tensor1D, type Tensor2D, tf } from '../core/tensorflow.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { ObservedPattern } from './observedPatterns.ts';

export const KERNEL = 'mapping.kernel.';
export const NOISE = 'mapping.noise';
const NAME = 'The covariance of the mapping';

/** The kernel's tensors under the kernel's own names. */
export function kernelTensors(kernel: Kernel, values: TensorMap): TensorMap {
  return Object.fromEntries(Object.keys(kernel.parameters).map((key) => [key, values[KERNEL + key]!]));
}

/** K = k(X, X) + σ²I */
function noisyCovariance(kernel: Kernel, values: TensorMap, X: Tensor2D): Tensor2D {
  const p = kernelTensors(kernel, values);
  const noise = values[NOISE]!;
  return kernel.offsetGram?.(p, X, { noise }) ?? op.addDiagonal(kernel.covariance(p, X, X, X), noise);
}

/** The part of K that belongs to the observed rows. */
function observedPart(K: Tensor2D, rows: Tensor1D | undefined): Tensor2D {
  return rows === undefined ? K : (op.gather(op.gather(K, rows, 0), rows, 1) as Tensor2D);
}

/** One pattern's constants: which rows (all when undefined), and Y there, or YYᵀ when that is smaller. */
interface PatternTensors {
  readonly rows: Tensor1D | undefined;
  readonly data: { observations: Tensor2D; constant: true } | { outerProduct: Tensor2D; columns: number };
}

/** The likelihood of a Gaussian-process mapping, with its constants as tensors until `dispose`. */
export interface Mapping {
  readonly factor: Factor;
  dispose(): void;
}

/**
 * The Gaussian-process mapping from latents to observations as a factor:
 * log p(Y|X) = −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ), K = k(X, X) + σ²I; columns that are observed in the same rows only
 * share the part of K that belongs to those.
 *
 * @param latents - the N×q latents from the model's values
 * @see Lawrence 2005, eq. 4
 */
export function mapping(
  kernel: Kernel,
  patterns: readonly ObservedPattern[],
  points: number,
  latents: (values: TensorMap) => Tensor2D,
): Mapping {
  const tensors = patterns.map((pattern) => patternTensors(pattern, points));
  return {
    factor: {
      name: 'mapping',
      logDensity: (values, report) => {
        const K = noisyCovariance(kernel, values, latents(values));
        const options = { name: NAME, onJitter: (jitter: number) => noteJitter(report, jitter) };
        return tensors
          .map(({ rows, data }) => op.gaussianLogDensity(observedPart(K, rows), data, options))
          .reduce((sum, part) => op.add(sum, part) as Scalar);
      },
    },
    dispose: () => {
      for (const { rows, data } of tensors) {
        rows?.dispose();
        ('observations' in data ? data.observations : data.outerProduct).dispose();
      }
    },
  };
}

function patternTensors({ rows, observations }: ObservedPattern, points: number): PatternTensors {
  const { columns } = observations;
  return {
    rows: rows.length === points ? undefined : tf.keep(tf.tensor1d(rows, 'int32')),
    data:
      columns > rows.length
        ? { outerProduct: tf.keep(matrixTensor(outerProduct(observations))), columns }
        : { observations: tf.keep(matrixTensor(observations)), constant: true },
  };
}

/** Keeps the largest jitter of an evaluation. */
export function noteJitter(report: EvaluationReport, jitter: number): void {
  report.jitter = Math.max(report.jitter, jitter);
}

/** The Cholesky factor of the part of K = k(X, X) + σ²I that belongs to the rows in which a pattern is observed. */
export function covarianceFactorOf(
  kernel: Kernel,
  values: TensorMap,
  X: Tensor2D,
  { rows }: ObservedPattern,
): Tensor2D {
  const all = rows.length === X.shape[0];
  const K = noisyCovariance(kernel, values, X);
  return op.cholesky(observedPart(K, all ? undefined : tf.tensor1d(rows, 'int32')), { name: NAME });
}
