import { InvalidInputError } from '../core/errors.ts';
import { checkDefinition, givenOptions } from '../core/given.ts';
import { describe, type Matrix } from '../core/matrix.ts';
import { unknownName } from '../core/options.ts';
import type { Rank, Tensor } from '../tensors/tensorflow.ts';
import type { FieldShowing } from './abilities.ts';
import type { AnyPaths, ParameterValues, TensorMap } from './model.ts';
import {
  isParameter,
  type Parameter,
  type ParameterLike,
  type ParameterValue,
  parameterFrom,
  positive,
} from './parameter.ts';
import type { LearnedByLayer } from './posterior.ts';

/** A part of a model: what has parameters, which stand under the part's name in the paths. */
export interface Part {
  readonly parameters: Readonly<Record<string, Parameter>>;
}

/** Parameters, and parts that have some, by name. */
export type Parts = Readonly<Record<string, Parameter | Part>>;

/** A part that is a random field over the points: what it has learned at natural values by its own names, and latents (N×q). */
export interface LayerPart extends Part {
  /** Constants for so many points; in a model of one's own the latents are all that is known of these. */
  prepare(points: Matrix): unknown;
  field(p: ParameterValues, X: Matrix, constants: unknown): LearnedByLayer;
}

/** What fits of a model with these parts can do for its layers: `Showing`, where there are some. */
export type AbilitiesOfParts<P extends Parts, Showing = FieldShowing> = {
  [Name in keyof P]: P[Name] extends { readonly '~abilities'?: FieldShowing } ? true : never;
}[keyof P] extends never
  ? unknown
  : Showing;

/** The layers among parts, with their natural values by their own names. */
export function layersOf(
  parts: Parts,
  values: ParameterValues,
): { readonly part: LayerPart; readonly p: ParameterValues }[] {
  return Object.entries(parts).flatMap(([name, part]) => {
    if (!isPart(part) || !isLayer(part)) return [];
    const own = Object.keys(part.parameters).map((key) => [key, values[`${name}.${key}`]!] as const);
    return [{ part, p: Object.fromEntries(own) }];
  });
}

const isLayer = (part: Part): part is LayerPart => 'field' in part && typeof part.field === 'function';

/** Tensors of the natural values of parts: of a parameter its own, of a part those of its parameters by name. */
export type ValuesOf<P extends Parts> = {
  readonly [Name in keyof P]: P[Name] extends Part
    ? { readonly [Own in keyof P[Name]['parameters']]: Tensor }
    : P[Name] extends Parameter<infer R>
      ? Tensor<R>
      : Tensor;
};

/** The natural value of a parameter of this rank. */
type NaturalOf<R extends Rank> = Rank extends R
  ? ParameterValue
  : R extends Rank.R0
    ? number
    : R extends Rank.R1
      ? readonly number[]
      : R extends Rank.R2
        ? Matrix
        : ParameterValue;

/** Paths below a name. */
export type PathsBelow<Name extends string, P> = { readonly [Path in keyof P & string as `${Name}.${Path}`]: P[Path] };

/** The natural values of one part by path: those that its type says, those of its parameters, or any below its name. */
type PathsOfPart<Name extends string, P> =
  P extends Parameter<infer R>
    ? { readonly [Path in Name]: NaturalOf<R> }
    : '~paths' extends keyof P
      ? PathsBelow<Name, NonNullable<P['~paths']>>
      : P extends { readonly parameters: infer Own }
        ? {
            readonly [Path in keyof Own & string as `${Name}.${Path}`]: Own[Path] extends Parameter<infer R>
              ? NaturalOf<R>
              : ParameterValue;
          }
        : never;

/** The natural values of a model by path where the types of its parts know them, and those of priors on its parameters. */
export type PathsOfParts<P extends Parts> = string extends keyof P
  ? AnyPaths
  : AllOf<{ [Name in keyof P & string]: (part: PathsOfPart<Name, P[Name]>) => void }[keyof P & string]> & {
      readonly [Path in `${string}.prior.${string}`]: ParameterValue;
    };

// In brackets: what takes every one of several takes their intersection.
type AllOf<Takers> = [Takers] extends [(part: infer All) => void] ? All : never;

/**
 * The parameters of parts by path: `part`, or `part.parameter`.
 *
 * @throws InvalidInputError for what is neither a parameter nor a part, and for two parameters of one path
 */
export function parametersByPath(owner: string, parts: Parts): Record<string, Parameter> {
  const found: Record<string, Parameter> = {};
  const add = (path: string, parameter: unknown) => {
    if (!isParameter(parameter)) {
      throw new InvalidInputError(
        `${owner} must have parameters such as real(0), or parts that have some, but '${path}' is ${describe(parameter)}.`,
      );
    }
    if (Object.hasOwn(found, path)) {
      throw new InvalidInputError(`${owner} has two parameters of the path '${path}'. Rename one of the parts.`);
    }
    found[path] = parameter;
  };
  for (const [name, part] of Object.entries(parts ?? {})) {
    if (!isPart(part)) add(name, part);
    else for (const [own, parameter] of Object.entries(part.parameters)) add(`${name}.${own}`, parameter);
  }
  return found;
}

/** Takes values by path to those that the parts have; a name that is not one of theirs is an error when it is read. */
export function nesting<P extends Parts>(owner: string, parts: P): (values: TensorMap) => ValuesOf<P> {
  const named = Object.entries(parts).map(([name, part]): [string, (values: TensorMap) => unknown] => {
    if (!isPart(part)) return [name, (values) => values[name]];
    const own = Object.keys(part.parameters).map((key): [string, (values: TensorMap) => unknown] => {
      const path = `${name}.${key}`;
      return [key, (values) => values[path]];
    });
    return [name, checkedNames(`Part '${name}' of ${owner}`, own)];
  });
  return checkedNames(owner, named) as (values: TensorMap) => ValuesOf<P>;
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && 'parameters' in value && typeof value.parameters === 'object';
}

/** Makes objects of these names. What watches over others is behind them, as their prototype, so that reading one of theirs costs nothing. */
function checkedNames(
  owner: string,
  named: readonly (readonly [string, (values: TensorMap) => unknown])[],
): (values: TensorMap) => object {
  const behind = new Proxy(Object.prototype, {
    get: (target, key) => {
      if (typeof key === 'string' && !(key in target) && key !== 'then' && key !== 'toJSON') {
        const names = named.map(([name]) => name);
        throw unknownName('value', key, names, owner.charAt(0).toUpperCase() + owner.slice(1));
      }
      return Reflect.get(target, key);
    },
  });
  return (values) => {
    const made: Record<string, unknown> = {};
    for (let i = 0; i < named.length; i++) made[named[i]![0]] = named[i]![1](values);
    return Object.setPrototypeOf(made, behind) as object;
  };
}

/** A part's own parameters by name, as its definition states them; a bare number or list is `positive`. */
export type OwnParameters<Name extends string> = Readonly<Record<Name, ParameterLike>>;

/** What may be given in the place of a part's own parameters and beside them, by name: nothing where it has none. */
export type Overrides<Name extends string, Options extends object = object> = [Name | keyof Options] extends [never]
  ? Readonly<Record<string, never>>
  : Partial<Record<Name, ParameterLike>> & { readonly [K in keyof Options]?: unknown };

/** The parameters of one part: the definition's, with what the user gave in their place. */
export function overriddenParameters<Name extends string>(
  owner: string,
  defaults: OwnParameters<Name>,
  overrides: Partial<Record<Name, ParameterLike>> | Overrides<never>,
): Record<Name, Parameter> {
  const names = Object.keys(checkDefinition(defaults, owner, 'parameters by name')) as Name[];
  const within = owner.charAt(0).toLowerCase() + owner.slice(1);
  givenOptions(overrides, owner);
  for (const given of Object.keys(overrides)) {
    if (!names.includes(given as Name)) throw unknownName('parameter', given, names, owner);
  }
  return Object.fromEntries(
    names.map((name) => {
      const standard = defaults[name];
      const parameter = isParameter(standard) ? standard : positive(standard);
      const override = (overrides as Partial<Record<Name, ParameterLike>>)[name];
      return [name, override === undefined ? parameter : parameterFrom(override, parameter, `'${name}' of ${within}`)];
    }),
  ) as Record<Name, Parameter>;
}

/** The tensors of one part by their own names, out of a map in which they carry a prefix. */
export function ownTensors<Name extends string>(
  prefix: string,
  names: readonly Name[],
): (values: TensorMap) => Record<Name, Tensor> {
  const paths = names.map((name) => `${prefix}.${name}`);
  return (values) => {
    const own = {} as Record<Name, Tensor>;
    for (let i = 0; i < names.length; i++) own[names[i]!] = values[paths[i]!]!;
    return own;
  };
}
