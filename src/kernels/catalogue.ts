import { unknownName } from '../core/options.ts';
import * as builtIn from './builtIn.ts';
import type { Kernel } from './kernel.ts';

/** Makes a kernel from parameters and options by name, which are checked when it is called. */
export type AnyKernelFactory = { make(overrides?: Record<string, unknown>): Kernel }['make'];

/** Kernel factories by name. */
export type KernelCatalogue = Readonly<Record<string, AnyKernelFactory>>;

/** The built-in kernels. */
export const builtInKernels: KernelCatalogue = Object.freeze({ ...builtIn });

/**
 * The factory of a kernel by its name: a custom or a built-in one.
 *
 * @throws InvalidInputError for an unknown name, suggesting the nearest known one
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
