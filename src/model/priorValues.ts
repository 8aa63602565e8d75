import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';
import { checkedRange } from './distributions/distribution.ts';
import { isParameter, type Parameter } from './parameter.ts';
import type { Variable } from './variables.ts';

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
