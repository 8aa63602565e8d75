import type { AnyPaths } from '../model/model.ts';
import type { Kernel } from './kernel.ts';

/** Natural values of a kernel by path, if its type knows them. */
export type PathsOf<K> = K extends Kernel<infer P> ? P : never;

/** Parameter paths of a kernel below its owner: `kernel.rbf.lengthscale`. */
export type KernelPaths<P> = { readonly [Path in keyof P & string as `kernel.${Path}`]: P[Path] };

/** Type of a parameter's value: that of the given number or list; either if a parameter was given. */
type NaturalOf<V> = V extends number
  ? number
  : V extends readonly number[]
    ? readonly number[]
    : number | readonly number[];

/** Paths of a kernel called Id whose parameters are numbers, except those given otherwise. */
export type LeafPaths<Id extends string, Name extends string, Given> = string extends Id
  ? AnyPaths
  : { readonly [K in Name as `${Id}.${K}`]: K extends keyof Given ? NaturalOf<Given[K]> : number };

type Flat<P> = { readonly [K in keyof P]: P[K] };

/** Paths of sibling kernels. If two of them share a path, one will be renamed or both merged, so that the type only knows that paths are texts. */
export type JoinedPaths<Ks extends readonly unknown[], P = unknown> = Ks extends readonly [infer K, ...infer Rest]
  ? [keyof P & keyof PathsOf<K>] extends [never]
    ? JoinedPaths<Rest, P & PathsOf<K>>
    : AnyPaths
  : Ks extends readonly []
    ? Flat<P>
    : AnyPaths;
