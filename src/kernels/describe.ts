import { Matrix } from '../core/matrix.ts';
import { readGiven } from '../core/options.ts';
import { describeModel } from '../model/language/priorDraws.ts';
import type { AnyModel } from '../model/model.ts';
import type { Parameter, ParameterValue } from '../model/parameter.ts';
import { checkKernel } from './algebra.ts';
import type { Kernel, KernelLeaf } from './kernel.ts';

/**
 * A kernel as text, or a model of variables in words.
 * A kernel is written as `rbf(variance=1, lengthscale=[1,2]) + bias(0.1)`. Products are `*`; a fixed parameter is `fixed(1)`, and a parameter of a
 * kind that is not its kernel's default names it: `real(0)` or `bounded(0, 1, 0.5)`. `parseKernel` reads the text back; priors and transforms of
 * parameters are left out (JSON keeps them). A model lists its variables with their shapes, densities and parents, its parameters, and the abilities
 * that its fits lack, with the reason.
 *
 * @param value - any kernel, or a model of `defineModel({ name, variables })`
 * @throws InvalidInputError if it is neither
 * @example
 * ```ts
 * describe(add(rbf({ variance: fixed(1) }), bias({ variance: 0.1 })));
 * // rbf(variance=fixed(1), lengthscale=1) + bias(0.1)
 * ```
 */
export function describe(value: Kernel | AnyModel): string {
  return isModel(value) ? describeModel(value) : kernelText(value);
}

const isModel = (value: unknown): value is AnyModel =>
  typeof value === 'object' &&
  value !== null &&
  typeof readGiven('What describe was given', () => Reflect.get(value, 'assemble')) === 'function';

function kernelText(kernel: Kernel): string {
  const { form } = checkKernel(kernel, 'describe');
  switch (form.type) {
    case 'add':
      return form.children.map(kernelText).join(' + ');
    case 'multiply':
      return form.children
        .map((child) => (child.form.type === 'add' ? `(${kernelText(child)})` : kernelText(child)))
        .join(' * ');
    case 'scale':
      return `scale(${kernelText(form.child)}, ${parameterText(form.variance, STANDARD_VARIANCE)})`;
    case 'select':
      return `select(${kernelText(form.child)}, ${valueText(form.columns)})`;
    case 'leaf':
      return leafText(kernel, form);
  }
}

const STANDARD_VARIANCE = { support: 'positive', free: true, lower: 0, upper: Infinity } as const;

function leafText(kernel: Kernel, { standard, options }: KernelLeaf): string {
  const parameters = Object.keys(standard).map((name): [string, string] => [
    name,
    parameterText(kernel.parameters[`${kernel.name}.${name}`]!, standard[name]!),
  ]);
  const given = Object.entries(options).map(([name, value]): [string, string] => [name, valueText(value)]);
  if (parameters.length === 1 && given.length === 0) return `${kernel.name}(${parameters[0]![1]})`;
  return `${kernel.name}(${[...parameters, ...given].map(([name, text]) => `${name}=${text}`).join(', ')})`;
}

/** The value alone for a parameter of the default kind; otherwise its kind and value. */
function parameterText(
  { support, free, lower, upper, initial }: Parameter,
  standard: Pick<Parameter, 'support' | 'free' | 'lower' | 'upper'>,
): string {
  const value = valueText(initial);
  const same = support === standard.support && lower === standard.lower && upper === standard.upper;
  if (same && free === standard.free && !(initial instanceof Matrix)) return value;
  if (!free) return `fixed(${value})`;
  return support === 'bounded' ? `bounded(${lower}, ${upper}, ${value})` : `${support}(${value})`;
}

function valueText(value: ParameterValue | unknown): string {
  if (value instanceof Matrix) return valueText(value.toArrays());
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  return typeof value === 'string' ? textOf(value) : String(value);
}

/** An identifier is written without quotes unless it has a meaning; any other text is quoted. */
function textOf(value: string): string {
  if (/^[A-Za-z]\w*$/.test(value) && value !== 'true' && value !== 'false') return value;
  return value.includes("'") ? `"${value}"` : `'${value}'`;
}
