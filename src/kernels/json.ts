import { InvalidInputError } from '../core/errors.ts';
import type { DistributionCatalogue } from '../model/distributions/index.ts';
import type { Parameter } from '../model/parameter.ts';
import { type ParameterJSON, parameterFromJSON, parameterToJSON } from '../model/parameterJson.ts';
import { add, multiply, scale, select } from './algebra.ts';
import { type KernelCatalogue, kernelFactory } from './catalogue.ts';
import type { Kernel } from './kernel.ts';

export type { KernelCatalogue } from './catalogue.ts';

/** A kernel as plain JSON: how it was put together and what its parameters are. */
export type KernelJSON =
  | {
      readonly kernel: string;
      readonly parameters: Readonly<Record<string, ParameterJSON>>;
      readonly options?: Readonly<Record<string, unknown>>;
    }
  | { readonly add: readonly KernelJSON[] }
  | { readonly multiply: readonly KernelJSON[] }
  | { readonly scale: KernelJSON; readonly variance: ParameterJSON }
  | { readonly select: KernelJSON; readonly columns: readonly number[] };

/**
 * A kernel as plain JSON.
 *
 * @example
 * ```ts
 * kernelFromJSON(JSON.parse(JSON.stringify(kernelToJSON(add(rbf(), bias())))));
 * ```
 */
export function kernelToJSON(kernel: Kernel): KernelJSON {
  const { form } = kernel;
  switch (form.type) {
    case 'add':
      return { add: form.children.map(kernelToJSON) };
    case 'multiply':
      return { multiply: form.children.map(kernelToJSON) };
    case 'scale':
      return { scale: kernelToJSON(form.child), variance: parameterToJSON(form.variance) };
    case 'select':
      return { select: kernelToJSON(form.child), columns: form.columns };
    case 'leaf':
      return {
        kernel: kernel.name,
        parameters: Object.fromEntries(
          Object.entries(kernel.parameters).map(([key, parameter]: [string, Parameter]) => [
            key.slice(kernel.name.length + 1),
            parameterToJSON(parameter),
          ]),
        ),
        ...(Object.keys(form.options).length > 0 && { options: form.options }),
      };
  }
}

/**
 * The kernel that `kernelToJSON` wrote, with the same parameter paths.
 *
 * @param json - plain JSON
 * @param own - factories of kernels that do not come with the library, by name
 * @param distributions - factories of distributions of its parameters that do not, by name
 * @throws InvalidInputError for a kernel or a distribution that is not known, naming it
 */
export function kernelFromJSON(
  json: KernelJSON,
  own: KernelCatalogue = {},
  distributions: DistributionCatalogue = {},
): Kernel {
  const again = (child: KernelJSON) => kernelFromJSON(child, own, distributions);
  if ('add' in json) return add(...json.add.map(again));
  if ('multiply' in json) return multiply(...json.multiply.map(again));
  if ('scale' in json) return scale(again(json.scale), parameterFromJSON(json.variance, distributions));
  if ('select' in json) return select(again(json.select), json.columns);
  if (typeof json.kernel !== 'string') throw new InvalidInputError('This is not a kernel written by kernelToJSON.');
  const parameters = Object.entries(json.parameters).map(([name, value]) => [
    name,
    parameterFromJSON(value, distributions),
  ]);
  return kernelFactory(json.kernel, own)({ ...Object.fromEntries(parameters), ...json.options });
}
