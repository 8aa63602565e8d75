import type { Parameter } from '../model/parameter.ts';
import type { Kernel } from './kernel.ts';
import { isOffset } from './offsets.ts';

/**
 * The summands with constants taken together, and white noises, each group where its first member stood. Two merge when they come from
 * one definition of one parameter and their parameters are plain numbers of the same kind: both held, or both free with the definition's own support
 * and nothing of their own (bounds, a transform, a prior). Only then does the sum mean what the two meant.
 */
export function merged(summands: readonly Kernel[]): readonly Kernel[] {
  const result: Kernel[] = [];
  for (const kernel of summands) {
    const same = result.findIndex((other) => mergeable(other, kernel));
    if (same < 0) result.push(kernel);
    else result[same] = sumOf(result[same]!, kernel);
  }
  return result;
}

function mergeable(a: Kernel, b: Kernel): boolean {
  if (a.form.type !== 'leaf' || b.form.type !== 'leaf') return false;
  const { standard } = a.form;
  const names = Object.keys(standard);
  if (!isOffset(a) || names.length !== 1 || standard !== b.form.standard) return false;
  return names.every((name) => {
    const [own, other] = [parameterOf(a, name), parameterOf(b, name)];
    return own.free === other.free && isPlain(own, standard[name]!) && isPlain(other, standard[name]!);
  });
}

function isPlain(parameter: Parameter, standard: Parameter): boolean {
  return (
    typeof parameter.initial === 'number' &&
    parameter.support === standard.support &&
    parameter.lower === standard.lower &&
    parameter.upper === standard.upper &&
    parameter.transform === standard.transform &&
    parameter.prior === standard.prior
  );
}

function sumOf(a: Kernel, b: Kernel): Kernel {
  if (a.form.type !== 'leaf') return a;
  const { standard, remade } = a.form;
  return remade(
    Object.fromEntries(
      Object.keys(standard).map((name) => {
        const parameter = parameterOf(a, name);
        const initial = (parameter.initial as number) + (parameterOf(b, name).initial as number);
        return [name, Object.freeze({ ...parameter, initial })];
      }),
    ),
  );
}

const parameterOf = (kernel: Kernel, name: string): Parameter => kernel.parameters[`${kernel.name}.${name}`]!;
