import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Batch, ParameterValues, TensorMap } from './model.ts';
import {
  checkSupport,
  entriesOf,
  isParameter,
  type Parameter,
  type ParameterValue,
  shapeOf,
  transformOf,
  valueFrom,
} from './parameter.ts';
import { checkedRange, type OfParameter } from './parameterPrior.ts';
import { identity, softplus, type Transform } from './transform.ts';

/** The variables of a model in an evaluation on some of the rows: shared parameters in full, and the selected rows of the others. */
export interface SeenVariables {
  readonly shape: readonly number[];
  /** Entries of the natural value. */
  readonly natural: Float64Array;
  /** Indices among the solver's variables; undefined if the value is fixed. */
  readonly unconstrained: Float64Array | undefined;
}

/** Whether a parameter has one row per point, so that a batch uses only its rows. */
const isSeenInPart = ({ path }: Variable, pointwise: readonly string[] | undefined, batch: Batch | undefined) =>
  batch !== undefined && pointwise?.includes(path) === true;

/**
 * The solver's variables in an evaluation, in the order of the layout.
 *
 * @param x - all of the solver's variables
 * @param pointwise - paths of parameters with one row per point
 */
export function seenVariables(
  { variables }: VariableLayout,
  x: Float64Array,
  pointwise: readonly string[] | undefined,
  batch: Batch | undefined,
): SeenVariables[] {
  if (batch === undefined) return allVariables(variables, x);
  return variables.map((variable) => {
    const { start, width, shape, transform, held } = variable;
    const inPart = isSeenInPart(variable, pointwise, batch);
    const rowsOf = (entries: Float64Array) => (inPart ? rowEntries(entries, shape, batch!.rows) : entries);
    const own = inPart ? [batch!.rows.length, ...shape.slice(1)] : shape;
    if (held !== undefined) return { shape: own, natural: rowsOf(held), unconstrained: undefined };
    const unconstrained = rowsOf(x.slice(start, start + width));
    return { shape: own, natural: transform.toNatural(unconstrained), unconstrained };
  });
}

/** Plain loops, because this is a part of every evaluation, however small. */
function allVariables(variables: readonly Variable[], x: Float64Array): SeenVariables[] {
  const seen: SeenVariables[] = [];
  for (let v = 0; v < variables.length; v++) {
    const { start, width, shape, transform, held } = variables[v]!;
    if (held !== undefined) seen.push({ shape, natural: held, unconstrained: undefined });
    else {
      const unconstrained = partOf(x, start, width);
      // A value that is its own variables needs no copy for one evaluation.
      const natural = transform === identity ? unconstrained : transform.toNatural(unconstrained);
      seen.push({ shape, natural, unconstrained });
    }
  }
  return seen;
}

/** Number of entries above which a view costs less than a copy, whose memory the system must provide first. */
const MANY = 1000;

function partOf(x: Float64Array, start: number, width: number): Float64Array {
  if (width >= MANY) return x.subarray(start, start + width);
  const part = new Float64Array(width);
  for (let i = 0; i < width; i++) part[i] = x[start + i]!;
  return part;
}

/** Natural entries in an evaluation on a batch, selected from the entries of all points. */
export function seenEntries(
  { variables }: VariableLayout,
  natural: readonly Float64Array[],
  pointwise: readonly string[] | undefined,
  batch: Batch | undefined,
): readonly Float64Array[] {
  return variables.map((variable, i) =>
    isSeenInPart(variable, pointwise, batch) ? rowEntries(natural[i]!, variable.shape, batch!.rows) : natural[i]!,
  );
}

/** Indices of the solver's variables that a batch involves, in the order of its gradient. */
export function placesOf(
  { variables }: VariableLayout,
  pointwise: readonly string[] | undefined,
  batch: Batch,
): Int32Array {
  const free = variables.filter(({ start }) => start >= 0);
  const lengths = free.map((variable) =>
    isSeenInPart(variable, pointwise, batch) ? batch.rows.length * columnsOf(variable.shape) : variable.width,
  );
  const places = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  free.forEach((variable, v) => {
    const { start, shape } = variable;
    const c = columnsOf(shape);
    const inPart = isSeenInPart(variable, pointwise, batch);
    for (let k = 0; k < lengths[v]!; k++) {
      places[at++] = start + (inPart ? batch.rows[Math.floor(k / c)]! * c + (k % c) : k);
    }
  });
  return places;
}

const columnsOf = (shape: readonly number[]) => shape.slice(1).reduce((product, length) => product * length, 1);

function rowEntries(entries: Float64Array, shape: readonly number[], rows: Int32Array): Float64Array {
  const c = columnsOf(shape);
  const result = new Float64Array(rows.length * c);
  rows.forEach((row, i) => {
    result.set(entries.subarray(row * c, (row + 1) * c), i * c);
  });
  return result;
}

/**
 * Throws for parameters that are declared to have one row per point but do not, and for priors on such parameters, since a batch would contain only a
 * part of them.
 *
 * @throws InvalidInputError that names the path
 */
export function checkPointwise(
  { variables }: VariableLayout,
  pointwise: readonly string[] | undefined,
  points: number,
): void {
  for (const path of pointwise ?? []) {
    const variable = variables.find((own) => own.path === path);
    if (variable?.shape[0] !== points) {
      throw new InvalidInputError(
        `'${path}' should have a row for each of ${points} points, but ${variable === undefined ? 'the model has no such parameter' : `its shape is [${variable.shape.join(', ')}]`}.`,
      );
    }
    if (variable.parameter.prior === undefined) continue;
    throw new InvalidInputError(
      `The prior of '${path}' is on the rows of all points, but a batch sees only some. Make it one of the model's terms, or fit without batches.`,
    );
  }
}

/** A parameter with its position among the solver's variables. */
export interface Variable {
  readonly path: string;
  readonly parameter: Parameter;
  readonly shape: readonly number[];
  readonly transform: Transform;
  /** Index of its first entry among the solver's variables; −1 if it is fixed. */
  readonly start: number;
  /** Number of its entries. */
  readonly size: number;
  /** Its entries if it is fixed; must not be written to. */
  readonly held: Float64Array | undefined;
  /** Number of its variables in the solver; 0 if it is fixed. */
  readonly width: number;
  /** Indices in the layout of its prior's parameters, by name. */
  readonly priorValues: Readonly<Record<string, number>>;
}

/** The parameters of a model laid out as one vector of unconstrained variables. */
export interface VariableLayout {
  readonly variables: readonly Variable[];
  /** Number of the solver's variables. */
  readonly size: number;
}

/**
 * The parameters in order, each followed by the parameters of its prior.
 *
 * @throws InvalidInputError for a prior whose arguments refer to an unknown parameter, to one with a different shape or range, or to the prior itself
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

/** Entries of the natural values, in the order of the variables; default the initial values. */
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

/** The same, each made on first use. */
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

const pathOf = (path: string, value: string) => `${path}.prior.${value}`;

/** Parameters by path, each followed by the parameters of its prior and, recursively, of their priors: `<path>.prior.<value>`. */
function withPriorParameters(parameters: Readonly<Record<string, Parameter>>): Record<string, Parameter> {
  const all: Record<string, Parameter> = {};
  const add = (path: string, parameter: Parameter) => {
    if (Object.hasOwn(all, path)) {
      throw new InvalidInputError(
        `The model has two parameters of the path '${path}', one of them of a prior. Rename the other.`,
      );
    }
    all[path] = parameter;
    if (!parameter.free) return;
    for (const [name, value] of Object.entries(parameter.prior?.ofParameter.values ?? {})) {
      if (isParameter(value)) add(pathOf(path, name), value);
    }
  };
  for (const [path, parameter] of Object.entries(parameters)) add(path, parameter);
  return all;
}

/**
 * Indices of the parameters that are arguments of one parameter's prior.
 *
 * @throws InvalidInputError for an unknown path, suggesting the nearest known one
 */
function priorValuesOf(
  path: string,
  { free, prior }: Parameter,
  paths: readonly string[],
): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, value] of Object.entries(free && prior !== undefined ? prior.ofParameter.values : {})) {
    if (typeof value === 'number') continue;
    const wanted = isParameter(value) ? pathOf(path, name) : value;
    const place = paths.indexOf(wanted);
    if (place < 0)
      throw unknownName('parameter', wanted, paths, `'${name}' of the prior of '${path}' is a path, and the model`);
    found[name] = place;
  }
  return found;
}

/** @throws InvalidInputError for arguments of priors with an invalid shape or range, or circular references */
function checkPriorValues(variables: readonly Variable[]): void {
  for (const { path, size, parameter, priorValues } of variables) {
    for (const [name, place] of Object.entries(priorValues)) {
      const value = variables[place]!;
      const what = `'${value.path}', '${name}' of the prior of '${path}',`;
      if (value.size !== 1 && value.size !== size) {
        throw new InvalidInputError(
          `${what} must have one entry or ${size}, as many as '${path}', but it has ${value.size}.`,
        );
      }
      checkedRange(value.parameter, parameter.prior!.ofParameter.ranges[name]!, what);
    }
  }
  variables.forEach((_, i) => {
    checkRests(variables, i, []);
  });
}

function checkRests(variables: readonly Variable[], i: number, above: readonly number[]): void {
  if (above.includes(i)) {
    const names = [...above.slice(above.indexOf(i)), i].map((place) => `'${variables[place]!.path}'`);
    throw new InvalidInputError(
      `Priors must not depend on each other in a circle, but the prior of each of ${names.join(', ')} depends on the next. Fix one of them with fixed(…).`,
    );
  }
  for (const place of Object.values(variables[i]!.priorValues)) checkRests(variables, place, [...above, i]);
}

/** A free parameter that has a prior. */
interface PriorOf {
  readonly variable: Variable;
  readonly prior: OfParameter;
  /** Fixed arguments. */
  readonly held: readonly (readonly [name: string, value: number])[];
  /** Paths of those that are parameters. */
  readonly free: readonly (readonly [name: string, path: string])[];
}

const known = new WeakMap<VariableLayout, readonly PriorOf[]>();

function priorsOf(layout: VariableLayout): readonly PriorOf[] {
  const found = known.get(layout);
  if (found !== undefined) return found;
  const all = layout.variables.flatMap((variable): PriorOf[] => {
    const prior = variable.parameter.prior?.ofParameter;
    if (prior === undefined || !variable.parameter.free) return [];
    const held = Object.entries(prior.values).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    );
    const free = Object.entries(variable.priorValues).map(
      ([name, place]) => [name, layout.variables[place]!.path] as const,
    );
    return [{ variable, prior, held, free }];
  });
  known.set(layout, all);
  return all;
}

/**
 * A term `hyper.<path>` for every free parameter that has a prior: Σ log p over its entries.
 *
 * @param values - natural values by path
 */
export function hyperparameterTerms(layout: VariableLayout, values: TensorMap): Record<string, Scalar> {
  const column = (of: Tensor) => op.reshape<Tensor2D>(of, [-1, 1]);
  return Object.fromEntries(
    priorsOf(layout).map(({ variable, prior, held, free }) => {
      const x = column(values[variable.path]!);
      const at = prior.on === 'natural' ? x : solverVariables(variable, x);
      const p = Object.fromEntries([
        ...held.map(([name, value]) => [name, op.scalar(value)] as const),
        ...free.map(([name, path]) => {
          const value = values[path]!;
          return [name, value.size === 1 ? op.reshape<Scalar>(value, []) : column(value)] as const;
        }),
      ]);
      return [`hyper.${variable.path}`, op.sum<Scalar>(prior.logDensity(p, at))] as const;
    }),
  );
}

/** The solver's variables for natural values x. */
function solverVariables({ path, parameter }: Variable, x: Tensor2D): Tensor2D {
  const { support, transform, lower, upper } = parameter;
  if (transform !== undefined && transform !== softplus) {
    throw new InvalidInputError(
      `The prior of '${path}' is on an unconstrained value, but that parameter has a special transformation. Put it on the natural value.`,
    );
  }
  // log(exp(x) − 1) = x + log(1 − exp(−x)), without overflow or cancellation.
  if (transform === softplus) {
    const half = op.tanh(op.mul<Tensor2D>(0.5, x));
    return op.add<Tensor2D>(x, op.log(op.div(op.mul(2, half), op.add(1, half))));
  }
  if (support === 'positive') return op.log(x);
  return support === 'bounded' ? op.log(op.div<Tensor2D>(op.sub(x, lower), op.sub(upper, x))) : x;
}
