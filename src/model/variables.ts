import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import { checkedRange } from './distributions/distribution.ts';
import type { SummedDensity } from './distributions/parameterPrior.ts';
import type { Batch, ParameterValues } from './model.ts';
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
import { identity, softplus, type Transform } from './transform.ts';

/** The variables of a model in an evaluation on some of the rows: shared ones whole, and the selected rows of the others. */
export interface SeenVariables {
  readonly shape: readonly number[];
  /** Entries of the natural value. */
  readonly natural: Float64Array;
  /** Indices among the solver's variables; undefined where the value is held. */
  readonly unconstrained: Float64Array | undefined;
}

/** Whether a variable has one row a point, of which a batch sees its own only. */
const isSeenInPart = ({ path }: Variable, pointwise: readonly string[] | undefined, batch: Batch | undefined) =>
  batch !== undefined && pointwise?.includes(path) === true;

/**
 * The solver's variables as an evaluation sees them, in the order of the layout.
 *
 * @param x - all of the solver's variables
 * @param pointwise - paths of variables with one row a point
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

/** Loops: this is a part of every evaluation, however small. */
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

/** Entries from which a view costs less than a copy: one of many is memory that the system has to give first. */
const MANY = 1000;

function partOf(x: Float64Array, start: number, width: number): Float64Array {
  if (width >= MANY) return x.subarray(start, start + width);
  const part = new Float64Array(width);
  for (let i = 0; i < width; i++) part[i] = x[start + i]!;
  return part;
}

/** Natural entries of all points as an evaluation on a batch sees them. */
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
 * Refuses parameters that are declared to have one row per point and have not, and priors on them: a batch would see only a part.
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
        `'${path}' is said to have a row for each of ${points} points, but ${variable === undefined ? 'the model has no such parameter' : `its shape is [${variable.shape.join(', ')}]`}.`,
      );
    }
    if (variable.parameter.prior === undefined) continue;
    throw new InvalidInputError(
      `The prior of '${path}' is on the rows of all points, of which a batch sees some. Make it one of the model's terms, or fit without batches.`,
    );
  }
}

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

const pathOf = (path: string, value: string) => `${path}.prior.${value}`;

/** Parameters by path, each followed by the parameters that its prior has, and theirs: `<path>.prior.<value>`. */
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
    for (const [name, value] of Object.entries(parameter.prior?.values ?? {})) {
      if (isParameter(value)) add(pathOf(path, name), value);
    }
  };
  for (const [path, parameter] of Object.entries(parameters)) add(path, parameter);
  return all;
}

/**
 * Which parameters are values of the prior of one, by their places in the list of all.
 *
 * @throws InvalidInputError for a path that no parameter has, with the nearest one that is there
 */
function priorValuesOf(
  path: string,
  { free, prior }: Parameter,
  paths: readonly string[],
): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, value] of Object.entries(free && prior !== undefined ? prior.values : {})) {
    if (typeof value === 'number') continue;
    const wanted = isParameter(value) ? pathOf(path, name) : value;
    const place = paths.indexOf(wanted);
    if (place < 0)
      throw unknownName('parameter', wanted, paths, `'${name}' of the prior of '${path}' is a path, and the model`);
    found[name] = place;
  }
  return found;
}

/** @throws InvalidInputError for values of priors that have another shape or range than they may have, or rest on themselves */
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
      checkedRange(value.parameter, parameter.prior!.ranges[name]!, what);
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
      `Priors must not rest on each other in a circle, but that of each of ${names.join(', ')} is said by the next. Hold one of them with fixed(…).`,
    );
  }
  for (const place of Object.values(variables[i]!.priorValues)) checkRests(variables, place, [...above, i]);
}

/** A term of the log density that is a parameter's prior. */
export interface HyperparameterTerm {
  readonly name: string;
  readonly value: number;
  /** Gradients in natural values, each after the place of its variable in the layout. */
  readonly gradients: readonly (readonly [place: number, gradient: Float64Array])[];
}

/** A free parameter that has a prior. */
interface PriorOf {
  readonly variable: Variable;
  /** Its place in the layout. */
  readonly place: number;
  readonly name: string;
  /** Values that are held. */
  readonly held: Readonly<Record<string, number>>;
  /** Places of those that are not. */
  readonly free: readonly (readonly [name: string, place: number])[];
}

const known = new WeakMap<VariableLayout, readonly PriorOf[]>();

function priorsOf(layout: VariableLayout): readonly PriorOf[] {
  const found = known.get(layout);
  if (found !== undefined) return found;
  const all = layout.variables.flatMap((variable, place): PriorOf[] => {
    const { path, parameter } = variable;
    if (parameter.prior === undefined || !parameter.free) return [];
    const held = Object.entries(parameter.prior.values).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    );
    return [
      {
        variable,
        place,
        name: `hyper.${path}`,
        held: Object.fromEntries(held),
        free: Object.entries(variable.priorValues),
      },
    ];
  });
  known.set(layout, all);
  return all;
}

/**
 * A term `hyper.<path>` for every free parameter that has a prior: Σ log p over its entries. They take plain numbers, so that an evaluation
 * has no tensor operation more for them.
 *
 * @param natural - entries of the natural values, in the order of the layout
 */
export function hyperparameterTerms(
  layout: VariableLayout,
  natural: readonly Float64Array[],
): readonly HyperparameterTerm[] {
  return priorsOf(layout).map(({ variable, place, name, held, free }) => {
    const prior = variable.parameter.prior!;
    const values: Record<string, number | Float64Array> = free.length === 0 ? held : { ...held };
    for (const [key, index] of free) values[key] = natural[index]!;
    const x = natural[place]!;
    const density =
      prior.on === 'natural' ? prior.density(x, values) : onVariables(variable, x, (u) => prior.density(u, values));
    const gradients: [number, Float64Array][] = [[place, density.x]];
    for (const [key, index] of free) gradients.push([index, density.values[key]!]);
    return { name, value: density.value, gradients };
  });
}

/** A density of what the solver sees of natural values x, with the gradient in x. */
function onVariables(
  { path, parameter, transform }: Variable,
  x: Float64Array,
  densityAt: (u: Float64Array) => SummedDensity,
): SummedDensity {
  if (parameter.transform !== undefined && parameter.transform !== softplus) {
    throw new InvalidInputError(
      `The prior of '${path}' is on an unconstrained value, but that parameter has variables of its own kind. Put it on the natural value.`,
    );
  }
  const u = transform.toUnconstrained(x);
  const density = densityAt(u);
  const slopes = transform.pullBack(new Float64Array(x.length).fill(1), x, u);
  return { ...density, x: density.x.map((entry, i) => entry / slopes[i]!) };
}
