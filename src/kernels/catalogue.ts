import { unknownName } from '../core/options.ts';
import * as builtIn from './builtIn.ts';
import type { Kernel } from './kernel.ts';

/** Makes a kernel from parameters and options by name; what they may be is checked when it is called. */
export type AnyKernelFactory = { make(overrides?: Record<string, unknown>): Kernel }['make'];

/** Factories by the names of the kernels they make. */
export type KernelCatalogue = Readonly<Record<string, AnyKernelFactory>>;

/** The kernels that come with the library. */
export const builtInKernels: KernelCatalogue = Object.freeze({ ...builtIn });

/**
 * The factory of a kernel by its name: one of the caller's own, or a built-in one.
 *
 * @throws InvalidInputError for a name that is not known, with the nearest one that is
 */
export function kernelFactory(name: string, own: KernelCatalogue = {}): AnyKernelFactory {
  const factories = { ...builtInKernels, ...own };
  if (Object.hasOwn(factories, name)) return factories[name]!;
  throw unknownName(
    'kernel',
    name,
    Object.keys(factories),
    'The list of known kernels (your own: { kernels }, or --parts FILE)',
  );
}
