import type { Matrix } from '../core/matrix.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../engine/tensors/matrixTensor.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Initialization } from '../model/initialization.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { valueTensors } from '../model/valueTensors.ts';

/** What the latents X of a model are: variables of their own, or a function of the observations. A plain description. */
export interface Latents {
  readonly kind: 'latents';
  readonly name: string;
  /**
   * Its parameters under their paths (`latents`, `latents.weights`, …), started for the observations Y (N×D) and q latent
   * dimensions.
   */
  readonly parameters: (Y: Matrix, latentDim: number, seed: number) => Readonly<Record<string, Parameter>>;
  /** The same latents with another start. */
  readonly from: (init: 'pca' | Matrix | Initialization) => Latents;
  /** Whether they are a function of the observations, which new observations may be put through. */
  readonly mapsObservations: boolean;
  /**
   * What `apply` needs of observations Y (n×D) of a model with the observations `training` (N×D), whatever the parameters: one
   * row each.
   */
  readonly features: (Y: Matrix, training: Matrix) => Matrix;
  /** The n×q latents of the observations with these features. */
  readonly apply: (p: TensorMap, features: Tensor2D) => Tensor2D;
  /** The n×q places of new complete rows Y (n×D) among the latents (N×q) of the points, for latents that are not searched by the densities of the observations. */
  readonly place?: (Y: Matrix, latents: Matrix) => Promise<Matrix>;
  readonly toJSON: () => LatentsJSON;
}

/** Plain JSON with a `name` that says which factory reads it. */
export type LatentsJSON = { readonly name: string } & { readonly [key: string]: unknown };

/**
 * The latents of observations Y (n×D) at a model's values, n×q: those of the training observations themselves, or, where
 * `mapsObservations`, of new ones.
 */
export function latentsOf(latents: Latents, values: ParameterValues, Y: Matrix, training: Matrix): Matrix {
  const own = Object.fromEntries(Object.entries(values).filter(([path]) => /^latents(\.|$)/.test(path)));
  return withFloat64(() => tensorMatrix(latents.apply(valueTensors(own), matrixTensor(latents.features(Y, training)))));
}
