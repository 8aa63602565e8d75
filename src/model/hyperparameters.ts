import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import { checkedRange } from './distributions/distribution.ts';
import type { SummedDensity } from './distributions/parameterPrior.ts';
import { isParameter, type Parameter } from './parameter.ts';
import { softplus } from './transform.ts';
import type { Variable, VariableLayout } from './variables.ts';

const pathOf = (path: string, value: string) => `${path}.prior.${value}`;

/** Parameters by path, each followed by the parameters that its prior has, and theirs: `<path>.prior.<value>`. */
export function withPriorParameters(parameters: Readonly<Record<string, Parameter>>): Record<string, Parameter> {
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
export function priorValuesOf(
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
export function checkPriorValues(variables: readonly Variable[]): void {
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
