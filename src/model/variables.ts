import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import { checkPriorValues, priorValuesOf, withPriorParameters } from './hyperparameters.ts';
import type { ParameterValues } from './model.ts';
import {
  checkSupport,
  entriesOf,
  type Parameter,
  type ParameterValue,
  shapeOf,
  transformOf,
  valueFrom,
} from './parameter.ts';
import type { Transform } from './transform.ts';

/** A parameter in its place among the solver's variables. */
export interface Variable {
  readonly path: string;
  readonly parameter: Parameter;
  readonly shape: readonly number[];
  readonly transform: Transform;
  /** Index of its first entry among the solver's variables; −1 when it is held. */
  readonly start: number;
  /** Number of its entries. */
  readonly size: number;
  /** Its entries when it is held; not to be written to. */
  readonly held: Float64Array | undefined;
  /** Number of the solver's variables that it has; 0 when it is held. */
  readonly width: number;
  /** Which variables of the layout are values of its prior, by their names. */
  readonly priorValues: Readonly<Record<string, number>>;
}

/** The parameters of a model laid out as one vector of unconstrained variables. */
export interface VariableLayout {
  readonly variables: readonly Variable[];
  /** Number of the solver's variables. */
  readonly size: number;
}

/**
 * The parameters in their order, each with the parameters of its prior behind it.
 *
 * @throws InvalidInputError for a prior whose values name no parameter of the model, ones of another shape or range, or in the end itself
 */
export function layOut(parameters: Readonly<Record<string, Parameter>>): VariableLayout {
  const all = withPriorParameters(parameters);
  const paths = Object.keys(all);
  let size = 0;
  const variables = Object.entries(all).map(([path, parameter]): Variable => {
    const shape = shapeOf(parameter.initial);
    const entries = shape.reduce((product, length) => product * length, 1);
    const transform = transformOf(parameter);
    const start = parameter.free ? size : -1;
    const width = parameter.free ? (transform.variables?.(entries) ?? entries) : 0;
    size += width;
    return {
      path,
      parameter,
      shape,
      transform,
      start,
      size: entries,
      held: parameter.free ? undefined : entriesOf(parameter.initial),
      width,
      priorValues: priorValuesOf(path, parameter, paths),
    };
  });
  checkPriorValues(variables);
  return { variables, size };
}

/** Entries of the natural values, in the order of the variables: the given ones, the initial ones where none are given. */
export function naturalEntries(layout: VariableLayout, given: ParameterValues): Float64Array[] {
  const paths = layout.variables.map((variable) => variable.path);
  for (const path of Object.keys(given)) {
    if (!paths.includes(path)) throw unknownName('parameter', path, paths, 'The model');
  }
  return layout.variables.map(({ path, parameter, shape }) => {
    const value = given[path] ?? parameter.initial;
    if (value !== parameter.initial) checkShape(path, value, shape);
    checkSupport(parameter, value, `'${path}'`);
    return entriesOf(value);
  });
}

export function toUnconstrained(layout: VariableLayout, natural: readonly Float64Array[]): Float64Array {
  const result = new Float64Array(layout.size);
  layout.variables.forEach(({ start, transform }, i) => {
    if (start >= 0) result.set(transform.toUnconstrained(natural[i]!), start);
  });
  return result;
}

export function toNatural(layout: VariableLayout, unconstrained: Float64Array): Float64Array[] {
  return layout.variables.map(({ start, width, transform, parameter }) =>
    start >= 0 ? transform.toNatural(unconstrained.subarray(start, start + width)) : entriesOf(parameter.initial),
  );
}

/** Natural values by path. */
export function valuesByPath(layout: VariableLayout, natural: readonly Float64Array[]): Record<string, ParameterValue> {
  return Object.fromEntries(layout.variables.map(({ path, shape }, i) => [path, valueFrom(natural[i]!, shape)]));
}

/** The same, each made when it is first asked for. */
export function lazyValues(
  { variables }: VariableLayout,
  natural: readonly Float64Array[],
): Readonly<Record<string, ParameterValue>> {
  const values: Record<string, ParameterValue> = {};
  variables.forEach(({ path, shape }, i) => {
    let value: ParameterValue | undefined;
    const get = () => {
      value ??= valueFrom(natural[i]!, shape);
      return value;
    };
    Object.defineProperty(values, path, { enumerable: true, get });
  });
  return values;
}

function checkShape(path: string, value: ParameterValue, shape: readonly number[]): void {
  const given = shapeOf(value);
  if (given.length === shape.length && given.every((length, i) => length === shape[i])) return;
  throw new InvalidInputError(
    `'${path}' has shape [${shape.join(', ')}] in this model, but a value of shape [${given.join(', ')}] was given.`,
  );
}
