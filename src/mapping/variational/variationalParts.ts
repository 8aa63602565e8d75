import type { Matrix } from '../../core/matrix.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { LatentDistribution } from '../../latents/latentDistribution.ts';
import type { Parameter } from '../../model/parameter.ts';
import type { ObservedPattern } from '../observedPatterns.ts';
import type { Inducing } from './inducingInputs.ts';

export const INDUCING = 'mapping.inducing';
const KERNEL = 'mapping.kernel.';
export const NOISE = 'mapping.noise';

/** The parts of a variational latent variable model, with everything checked and defaults filled in. */
export interface VariationalParts {
  /** N×D as the model sees them: centred, scaled; missing entries imputed, for what needs complete observations. */
  readonly observations: Matrix;
  /** The same with missing entries NaN. */
  readonly seen: Matrix;
  readonly patterns: readonly ObservedPattern[];
  readonly latentDim: number;
  readonly latents: LatentDistribution;
  readonly inducing: Inducing;
  readonly kernel: Kernel;
  readonly noise: Parameter;
  /** Added to the diagonal of the covariance of the inducing inputs. */
  readonly jitter: number;
}

/** The kernel's tensors, or values, under its own names. */
export function kernelValues<T>({ parameters }: Kernel, values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.keys(parameters).map((key) => [key, values[KERNEL + key]!]));
}

/** The kernel's parameters by their paths in a model. */
export function kernelParameters({ parameters }: Kernel): Record<string, Parameter> {
  return Object.fromEntries(Object.entries(parameters).map(([key, parameter]) => [KERNEL + key, parameter]));
}
