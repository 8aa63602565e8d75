import { Matrix } from '../../core/matrix.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { LatentDistribution } from '../../latents/latentDistribution.ts';
import type { Assembly, ParameterValues, TensorMap, TermContext } from '../../model/model.ts';
import type { Parameter } from '../../model/parameter.ts';
import type { LatentMoments } from '../../model/posterior.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import type { GaussianRows } from '../../tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../tensors/tensorflow.ts';
import type { Likelihood } from '../likelihoods/likelihood.ts';
import type { ObservedPattern } from '../observedPatterns.ts';
import type { Inducing } from './inducingInputs.ts';
import type { InducingPosterior } from './inducingMoments.ts';
import type { Shards } from './shards.ts';

export const INDUCING = 'mapping.inducing';
const MAPPING = 'mapping.';
const KERNEL = `${MAPPING}kernel.`;
export const NOISE = 'mapping.noise';

/** The parts of a variational latent variable model, with everything checked and defaults filled in. */
export interface VariationalParts {
  /** N×D as the model sees them: centred, scaled; missing entries imputed, for what needs complete observations. */
  readonly observations: Matrix;
  /** The same with missing entries NaN. */
  readonly seen: Matrix;
  readonly patterns: readonly ObservedPattern[];
  /** N, where the observations are some of those that the model is of. */
  readonly points?: number;
  readonly latentDim: number;
  readonly latents: LatentDistribution;
  readonly inducing: Inducing;
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  /** Added to the diagonal of the covariance of the inducing inputs. */
  readonly jitter: number;
  /** Where the sums over the rows are made, if not here. */
  readonly shards?: Shards | undefined;
}

/** What a bound is made of. */
export interface BoundParts {
  /** What the observations say. */
  readonly mapping: Scalar;
  /** The divergence of q(u), where it is not worked out. */
  readonly inducing?: Scalar;
  /** The latents of the points that count. */
  readonly x: GaussianRows;
}

/** A bound with its constants as tensors, which `dispose` gives back. */
export interface OpenVariationalModel {
  /** What the latents take of the observations. */
  readonly features: Tensor2D;
  bound(values: TensorMap, context: TermContext): BoundParts;
  dispose(): void;
}

/** One of the bounds that a variational latent variable model may maximise. */
export interface VariationalModel {
  /** Every parameter by its path, started. */
  parameters(parts: VariationalParts, seed: number): Readonly<Record<string, Parameter>>;
  readonly held?: Assembly['held'];
  constants(parts: VariationalParts): OpenVariationalModel;
  /** q(u) at these values. */
  posterior(parts: VariationalParts, values: ParameterValues): InducingPosterior;
}

/** The kernel's tensors, or values, under its own names. */
export function kernelValues<T>({ parameters }: Kernel, values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.keys(parameters).map((key) => [key, values[KERNEL + key]!]));
}

/** The kernel's parameters by their paths in a model. */
export function kernelParameters({ parameters }: Kernel): Record<string, Parameter> {
  return Object.fromEntries(Object.entries(parameters).map(([key, parameter]) => [KERNEL + key, parameter]));
}

/** The likelihood's parameters by their paths in a model. */
export function likelihoodParameters({ parameters }: Likelihood): Record<string, Parameter> {
  return Object.fromEntries(Object.entries(parameters).map(([key, parameter]) => [MAPPING + key, parameter]));
}

/** The likelihood's tensors, or values, under its own names. */
export function likelihoodValues<T>(
  { parameters }: Likelihood,
  values: Readonly<Record<string, T>>,
): Record<string, T> {
  return Object.fromEntries(Object.keys(parameters).map((key) => [key, values[MAPPING + key]!]));
}

/** The latents' means where they start, N×q. */
export function startMeans(
  { latents, observations }: VariationalParts,
  own: ReturnType<typeof latents.parameters>,
): Matrix {
  const values = Object.fromEntries(Object.entries(own).map(([path, { initial }]) => [path, initial]));
  return latentMoments({ latents, observations }, values, observations).mean;
}

/** Rows that latents are a function of at a time. */
const ROWS = 1024;

const moments = ({ mean, variance }: GaussianRows) => ({ mean: tensorMatrix(mean), variance: tensorMatrix(variance) });

/** Means and variances of the latents of observations at a model's values. */
export function latentMoments(
  { latents, observations }: Pick<VariationalParts, 'latents' | 'observations'>,
  values: ParameterValues,
  Y: Matrix,
): LatentMoments {
  const own = Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('latents.')));
  if (latents.pointwise.length > 0) {
    return withFloat64(() =>
      moments(latents.apply(valueTensors(own), matrixTensor(latents.features(Y, observations)))),
    );
  }
  const parts = Array.from({ length: Math.max(1, Math.ceil(Y.rows / ROWS)) }, (_, k) =>
    withFloat64(() => {
      const some = new Matrix(
        Y.data.slice(k * ROWS * Y.columns, (k + 1) * ROWS * Y.columns),
        Math.min(ROWS, Y.rows - k * ROWS),
        Y.columns,
      );
      return moments(latents.apply(valueTensors(own), matrixTensor(latents.features(some, observations))));
    }),
  );
  const together = (of: 'mean' | 'variance') => {
    const result = Matrix.zeros(Y.rows, parts[0]![of].columns);
    parts.forEach((part, k) => {
      result.data.set(part[of].data, k * ROWS * result.columns);
    });
    return result;
  };
  return { mean: together('mean'), variance: together('variance') };
}
