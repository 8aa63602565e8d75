import type { Matrix } from '../../core/matrix.ts';
import type { TensorMap } from '../../core/model.ts';
import type { Parameter } from '../../core/parameter.ts';
import type { Tensor2D } from '../../core/tensorflow.ts';

/** What the latents X of a model are: variables of their own, or a function of the observations. A plain description. */
export interface Latents {
  readonly kind: 'latents';
  readonly name: string;
  /**
   * Its parameters under their paths (`latents`, `latents.weights`, …), started for the observations Y (N×D) and q latent
   * dimensions.
   */
  readonly parameters: (Y: Matrix, latentDim: number, seed: number) => Readonly<Record<string, Parameter>>;
  /** The N×q latents of the observations Y. */
  readonly apply: (p: TensorMap, Y: Tensor2D) => Tensor2D;
  readonly toJSON: () => { readonly [key: string]: unknown };
}
