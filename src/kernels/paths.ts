import type { AnyPaths } from '../model/model.ts';
import type { Kernel } from './kernel.ts';

/** The natural values of a kernel by path, where its type knows them. */
export type PathsOf<K> = K extends Kernel<infer P> ? P : never;

/** Paths of a kernel's parameters below what it is the kernel of: `kernel.rbf.lengthscale`. */
export type KernelPaths<P> = { readonly [Path in keyof P & string as `kernel.${Path}`]: P[Path] };

/** What the value of a parameter is that was given so: a list where a list was given, one or the other where a parameter was. */
type NaturalOf<V> = V extends number
  ? number
  : V extends readonly number[]
    ? readonly number[]
    : number | readonly number[];

/** The paths of a kernel called Id whose parameters are numbers, but for those given otherwise. */
export type LeafPaths<Id extends string, Name extends string, Given> = string extends Id
  ? AnyPaths
  : { readonly [K in Name as `${Id}.${K}`]: K extends keyof Given ? NaturalOf<Given[K]> : number };

type Flat<P> = { readonly [K in keyof P]: P[K] };

/**
 * Paths of kernels side by side. Where two have a path in common one of them is renamed or the two become one: then nothing is known but that paths
 * are texts.
 */
export type JoinedPaths<Ks extends readonly unknown[], P = unknown> = Ks extends readonly [infer K, ...infer Rest]
  ? [keyof P & keyof PathsOf<K>] extends [never]
    ? JoinedPaths<Rest, P & PathsOf<K>>
    : AnyPaths
  : Ks extends readonly []
    ? Flat<P>
    : AnyPaths;
