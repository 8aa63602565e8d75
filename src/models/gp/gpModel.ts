import type { Matrix } from '../../core/matrix.ts';
import { checkGiven, isPart, readGiven } from '../../core/options.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { FieldAbility, Forecasting, Mapped, Viewed } from '../../model/abilities.ts';
import type { Model } from '../../model/model.ts';
import type { ParameterValue } from '../../model/parameter.ts';
import type { PathsBelow } from '../../model/part.ts';
import type { Prior } from '../../priors/definePrior.ts';
import type { DynamicsOptions } from '../../priors/dynamics.ts';
import type { ProcessPaths } from '../../processes/gaussianProcess.ts';
import type { ColumnsByKind } from './byKind.ts';

/** Paths of parameters of latents and priors, and of priors on parameters. */
type OtherPaths = {
  readonly [Path in `latents.${string}` | `priors.${string}` | `${string}.prior.${string}`]: ParameterValue;
};

/**
 * Natural values by path of a Gaussian process latent variable model with one view. Paths of the kernel are typed if its type contains them, as for
 * `add(rbf(), bias())`; otherwise any path below `mapping.kernel` is allowed.
 */
export type MappingPaths<K = Kernel> = { readonly latents: Matrix } & MappedPaths<K>;

/** The specified kernel, or the default if there is none; an unspecific type if either is possible. */
export type KernelOr<K, Default> = [K] extends [Kernel] ? K : [K] extends [undefined] ? Default : Kernel;

/** Paths of a model with latent distributions. */
export type DistributedPaths<K = Kernel> = DistributedLatentPaths & MappedPaths<K>;

type MappedPaths<K> = PathsBelow<'mapping', ProcessPaths<K>> & OtherPaths;

// Paths of gaussianLatents; a map has other paths below `latents`.
type DistributedLatentPaths = { readonly [Path in 'latents.mean' | 'latents.variance']: ParameterValue };

/** Paths of a model with several views and these kernels by name. */
export type ViewPaths<Kernels> = { readonly latents: Matrix } & ViewsPaths<Kernels>;

/** Paths of a model with several views and latent distributions. */
export type DistributedViewPaths<Kernels> = DistributedLatentPaths & ViewsPaths<Kernels>;

type ViewsPaths<Kernels> = Intersection<
  { [View in keyof Kernels & string]: { of: PathsBelow<`views.${View}`, ProcessPaths<Kernels[View]>> } }[keyof Kernels &
    string]
> &
  OtherPaths;

/** Abilities that a prior adds to fits, by its type. */
type AbilitiesSaid<S> = unknown extends S
  ? unknown
  : ('field' extends S ? FieldAbility : unknown) & ('next' extends S ? Forecasting : unknown);

/** Abilities of fits with these priors. */
export type AbilitiesOf<Priors extends readonly Prior[]> = Intersection<
  Priors[number] extends infer Q ? (Q extends Prior<infer S> ? { of: AbilitiesSaid<S> } : never) : never
>;

/** Intersection of all types A in `{ of: A }`. */
type Intersection<Parts> = (Parts extends { of: infer A } ? (part: A) => void : never) extends (part: infer All) => void
  ? All
  : unknown;

/** Options that `dynamics` adds to a named model. */
export type ForecastingWith<Dynamics> = Dynamics extends true | DynamicsOptions ? Forecasting : unknown;

/** Gaussian process latent variable model with one view. */
export type MappedModel<Priors extends readonly Prior[] = readonly [], Dynamics = undefined, K = Kernel> = Model<
  MappingPaths<K>,
  Mapped & AbilitiesOf<Priors> & ForecastingWith<Dynamics>,
  'searched'
>;

/** Gaussian process latent variable model with several views. */
export type ViewedModel<Kernels, Priors extends readonly Prior[] = readonly []> = Model<
  ViewPaths<Kernels>,
  Viewed<keyof Kernels & string> & AbilitiesOf<Priors>,
  'searched'
>;

/**
 * Reads the option `columns` of a model.
 *
 * @throws InvalidInputError for unreadable options, and for values that `byKind` did not return
 */
export function columnsOption(options: { readonly columns?: ColumnsByKind | undefined } | undefined, caller: string) {
  const columns = readGiven(`The options of ${caller}`, () => options?.columns);
  if (columns === undefined) return undefined;
  return checkGiven(columns, `Option 'columns' of ${caller}`, 'byKind()', (own) =>
    isPart(own, 'columnsByKind', ['model']),
  );
}
