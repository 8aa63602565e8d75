import type { Matrix } from '../../core/matrix.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { FieldShowing, Forecasting, Mapped, Viewed } from '../../model/abilities.ts';
import type { Model } from '../../model/model.ts';
import type { ParameterValue } from '../../model/parameter.ts';
import type { PathsBelow } from '../../model/part.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import type { ProcessPaths } from '../../processes/gaussianProcess.ts';

/** Paths of parameters of latents and priors, and of the parameters' own priors. */
type OtherPaths = {
  readonly [Path in `latents.${string}` | `priors.${string}` | `${string}.prior.${string}`]: ParameterValue;
};

/**
 * Natural values by path of a Gaussian-process latent variable model with one view. Those of the kernel are known where its type knows them, as that of
 * `add(rbf(), bias())` does; otherwise any path below `mapping.kernel` may be asked for.
 */
export type MappingPaths<K = Kernel> = { readonly latents: Matrix } & MappedPaths<K>;

/** The kernel that was given, or the default one where none was; one of which nothing is known where either may be. */
export type KernelOr<K, Default> = [K] extends [Kernel] ? K : [K] extends [undefined] ? Default : Kernel;

/** Paths of a model whose latents are distributions. */
export type DistributedPaths<K = Kernel> = DistributedLatentPaths & MappedPaths<K>;

type MappedPaths<K> = PathsBelow<'mapping', ProcessPaths<K>> & OtherPaths;

// Paths of gaussianLatents; those of a map are other ones below `latents`.
type DistributedLatentPaths = { readonly [Path in 'latents.mean' | 'latents.variance']: ParameterValue };

/** Paths of a model with several views, with these kernels by name. */
export type ViewPaths<Kernels> = { readonly latents: Matrix } & ViewsPaths<Kernels>;

/** Paths of a model with several views whose latents are distributions. */
export type DistributedViewPaths<Kernels> = DistributedLatentPaths & ViewsPaths<Kernels>;

type ViewsPaths<Kernels> = Intersection<
  { [View in keyof Kernels & string]: { of: PathsBelow<`views.${View}`, ProcessPaths<Kernels[View]>> } }[keyof Kernels &
    string]
> &
  OtherPaths;

/** Abilities that a prior gives to fits, by what its type says. */
type AbilitiesSaid<S> = unknown extends S
  ? unknown
  : ('field' extends S ? FieldShowing : unknown) & ('next' extends S ? Forecasting : unknown);

/** Abilities of fits with these priors. */
export type AbilitiesOf<Priors extends readonly Prior[]> = Intersection<
  Priors[number] extends infer Q ? (Q extends Prior<infer S> ? { of: AbilitiesSaid<S> } : never) : never
>;

/** The intersection of A of all { of: A }. */
type Intersection<Parts> = (Parts extends { of: infer A } ? (part: A) => void : never) extends (part: infer All) => void
  ? All
  : unknown;

/** Options that `dynamics` adds to a named model. */
export type ForecastingWith<Dynamics> = Dynamics extends true | DynamicsOptions ? Forecasting : unknown;

/** A Gaussian-process latent variable model with one view. */
export type MappedModel<Priors extends readonly Prior[] = readonly [], Dynamics = undefined, K = Kernel> = Model<
  MappingPaths<K>,
  Mapped & AbilitiesOf<Priors> & ForecastingWith<Dynamics>,
  'searched'
>;

/** One with several views. */
export type ViewedModel<Kernels, Priors extends readonly Prior[] = readonly []> = Model<
  ViewPaths<Kernels>,
  Viewed<keyof Kernels & string> & AbilitiesOf<Priors>,
  'searched'
>;
