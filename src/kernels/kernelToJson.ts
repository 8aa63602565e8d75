import { checkGiven } from '../core/options.ts';
import type { Parameter } from '../model/parameter.ts';
import { type ParameterJSON, parameterToJSON } from '../model/parameterToJson.ts';
import { isKernel } from './algebra.ts';
import type { Kernel } from './kernel.ts';

/** A kernel as plain JSON: its composition and its parameters. */
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
 * Writes a kernel as plain JSON.
 *
 * @example
 * ```ts
 * kernelFromJSON(JSON.parse(JSON.stringify(kernelToJSON(add(rbf(), bias())))));
 * ```
 */
export function kernelToJSON(kernel: Kernel): KernelJSON {
  const { form } = checkGiven(kernel, 'kernelToJSON', 'a kernel, such as rbf()', isKernel);
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
