import type { Matrix } from '../../core/matrix.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { PathsOf } from '../../kernels/paths.ts';
import type { Forecasting, Mapped, Viewed } from '../../model/abilities.ts';
import type { Model } from '../../model/model.ts';
import type { ParameterValue } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';

/**
 * Natural values by path of a Gaussian-process latent variable model with one view. Those of the kernel are known where its type knows them, as that of
 * `add(rbf(), bias())` does; otherwise any path below `mapping.kernel` may be asked for.
 */
export type MappingPaths<K = Kernel> = {
  readonly latents: Matrix;
  /** A number, or one of each column or row where the noise was given so. */
  readonly 'mapping.noise': number | readonly number[];
} & KernelPaths<PathsOf<K>> & {
    readonly [Path in 'mapping.inducing' | `mapping.likelihood.${string}` | OtherPaths]: ParameterValue;
  };

type KernelPaths<P> = { readonly [Path in keyof P & string as `mapping.kernel.${Path}`]: P[Path] } & {
  // Parameters of a parameter's prior.
  readonly [Path in `mapping.kernel.${string}.prior.${string}`]: ParameterValue;
};

/** Those of one with several views. */
export type ViewPaths<View extends string> = {
  readonly latents: Matrix;
} & { readonly [Path in `views.${View}.${string}` | OtherPaths]: ParameterValue };

type OtherPaths = `latents.${string}` | `priors.${string}` | `mapping.noise.prior.${string}`;

/** What fits can do for these priors. */
export type AbilitiesOf<Priors extends readonly Prior[]> = Intersection<
  Priors[number] extends infer Q ? (Q extends Prior<infer A> ? { of: A } : never) : never
>;

/** The intersection of A of all { of: A }. */
type Intersection<Parts> = (Parts extends { of: infer A } ? (part: A) => void : never) extends (part: infer All) => void
  ? All
  : unknown;

/** What the option `dynamics` of a named model adds. */
export type ForecastingWith<Dynamics> = Dynamics extends true | DynamicsOptions ? Forecasting : unknown;

/** A Gaussian-process latent variable model with one view. */
export type MappedModel<Priors extends readonly Prior[] = readonly [], Dynamics = undefined, K = Kernel> = Model<
  MappingPaths<K>,
  Mapped & AbilitiesOf<Priors> & ForecastingWith<Dynamics>,
  'searched'
>;

/** One with several views. */
export type ViewedModel<View extends string, Priors extends readonly Prior[] = readonly []> = Model<
  ViewPaths<View>,
  Viewed<View> & AbilitiesOf<Priors>,
  'searched'
>;
