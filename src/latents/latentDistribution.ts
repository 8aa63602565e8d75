import { isPart } from '../core/given.ts';
import type { Matrix } from '../core/matrix.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/matrixTensor.ts';
import type { GaussianRows } from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Initialization } from '../model/initialization.ts';
import type { correlatedRowsAt, PriorPrecision, precisionOf } from '../model/language/correlatedRows.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import type { LatentMoments } from '../model/posterior.ts';
import { valueTensors } from '../model/valueTensors.ts';
import type { LatentsJSON } from './latents.ts';

/** Latents that are Gaussians, q(x_n) = N(μ_n, diag s_n): variables of their own, or a function of the observations. A plain description. */
export interface LatentDistribution {
  readonly kind: 'latentDistribution';
  readonly name: string;
  /** Its parameters under their paths, started for the observations Y (N×D) and q latent dimensions. */
  readonly parameters: (Y: Matrix, latentDim: number, seed: number) => Readonly<Record<string, Parameter>>;
  /** Where its means start, N×q, or what they are fitted to. */
  readonly start: (Y: Matrix, latentDim: number) => Matrix;
  /** The same with means that start elsewhere. */
  readonly from: (init: 'pca' | Matrix | Initialization) => LatentDistribution;
  /** Whether it is a function of the observations, which new observations may be put through. */
  readonly mapsObservations: boolean;
  /** What `apply` needs of observations Y (n×D) of a model with the observations `training` (N×D), whatever the parameters: one row each. */
  readonly features: (Y: Matrix, training: Matrix) => Matrix;
  /** Paths of the parameters that have one row a point. */
  readonly pointwise: readonly string[];
  /**
   * Of rows that are correlated as the density of their variable has it: what they take of it.
   *
   * @internal
   */
  readonly precisionFrom?: typeof precisionOf;
  /**
   * Such rows at plain values.
   *
   * @internal
   */
  readonly correlatedAt?: typeof correlatedRowsAt;
  /**
   * Means and variances of the observations with these features; of some of the points, with their rows of parameters that have one a point. Correlated rows take the precision
   * of their variable's density, and have the variances at which they start without it.
   */
  readonly apply: (p: TensorMap, features: Tensor2D, prior?: PriorPrecision) => GaussianRows;
  readonly toJSON: () => LatentsJSON;
}

export function isLatentDistribution(value: unknown): value is LatentDistribution {
  return isPart(value, 'latentDistribution', ['parameters', 'start', 'features', 'apply']);
}

/** Means and variances of the latents of observations Y (n×D), as the model sees them, that are a function of these. */
export function latentMoments(
  latents: LatentDistribution,
  values: ParameterValues,
  Y: Matrix,
  training: Matrix,
): LatentMoments {
  return withFloat64(() => {
    const own = Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('latents.')));
    const { mean, variance } = latents.apply(valueTensors(own), matrixTensor(latents.features(Y, training)));
    return { mean: tensorMatrix(mean), variance: tensorMatrix(variance) };
  });
}
