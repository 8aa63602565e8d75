import * as v from 'valibot';
import { namedFactory } from '../core/options.ts';
import { checkDepth, checkSaved, readingAt } from '../core/saved.ts';
import { type DistributionCatalog, parameterFromJSON, partFromJSON } from '../model/parameterJson.ts';
import type { Catalog } from '../model/part.ts';
import { add, multiply, scale, select } from './algebra.ts';
import * as builtIn from './builtIn.ts';
import type { Kernel } from './kernel.ts';

/** Kernel factories by name. */
export type KernelCatalog = Catalog<Kernel>;
/** Makes a kernel from parameters and options by name, which are checked when it is called. */
export type AnyKernelFactory = KernelCatalog[string];

/** The built-in kernels. */
export const builtInKernels: KernelCatalog = Object.freeze({ ...builtIn });

/**
 * The factory of a kernel by its name: a custom or a built-in one.
 *
 * @throws InvalidInputError for an unknown name, suggesting the nearest known one
 */
export const kernelFactory = (name: string, own: KernelCatalog = {}): AnyKernelFactory =>
  namedFactory('kernel', name, builtInKernels, own);

/**
 * Reads a kernel written by `kernelToJSON`, with the same parameter paths.
 *
 * @param json - plain JSON
 * @param own - factories of custom kernels, by name
 * @param distributions - factories of custom distributions of parameters, by name
 * @param place - its path in the saved object, for errors
 * @throws InvalidInputError for an unknown kernel or distribution, naming it, and for anything that is not a saved kernel
 */
export function kernelFromJSON(
  json: unknown,
  own: KernelCatalog = {},
  distributions: DistributionCatalog = {},
  place = 'the kernel',
): Kernel {
  checkDepth(json, 'This saved kernel');
  return kernelAt(json, own, distributions, place);
}

const kernels = v.pipe(v.array(v.unknown()), v.minLength(1));
const schema = v.union([
  v.strictObject({ add: kernels }),
  v.strictObject({ multiply: kernels }),
  v.strictObject({ scale: v.unknown(), variance: v.unknown() }),
  v.strictObject({ select: v.unknown(), columns: v.array(v.number()) }),
  v.strictObject({
    kernel: v.string(),
    parameters: v.unknown(),
    options: v.optional(v.record(v.string(), v.unknown())),
  }),
]);

function kernelAt(json: unknown, own: KernelCatalog, distributions: DistributionCatalog, place: string): Kernel {
  const saved = checkSaved(schema, json, place);
  const again = (child: unknown, at: string) => kernelAt(child, own, distributions, `${place}.${at}`);
  return readingAt(place, () => {
    if ('add' in saved) return add(...saved.add.map((child, i) => again(child, `add.${i}`)));
    if ('multiply' in saved) return multiply(...saved.multiply.map((child, i) => again(child, `multiply.${i}`)));
    if ('scale' in saved) {
      const variance = parameterFromJSON(saved.variance, distributions, `${place}.variance`);
      return scale(again(saved.scale, 'scale'), variance);
    }
    if ('select' in saved) return select(again(saved.select, 'select'), saved.columns);
    return partFromJSON(kernelFactory(saved.kernel, own), saved, distributions, place);
  });
}
