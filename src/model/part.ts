import { InvalidInputError, LatentFieldError, OptimizationError } from '../core/errors.ts';
import { reasonOf } from '../core/matrix.ts';
import { checkDefinition, givenOptions, unknownName } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor } from '../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from './model.ts';
import {
  entriesOf,
  isParameter,
  type Parameter,
  type ParameterLike,
  parameterFrom,
  positive,
  shapeOf,
} from './parameter.ts';

/** Messages of TensorFlow.js about a disposed tensor: when it is read, and when it is passed to an operation. */
const DISPOSED = /disposed|reading 'backend'/;

/**
 * Runs a function of the caller and adds its location to errors.
 *
 * @throws InvalidInputError if TensorFlow.js encountered a disposed tensor, OptimizationError with the cause if it failed otherwise
 */
export function withLocation<T>(where: string | (() => string), work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LatentFieldError && error.code !== 'tensorShape') throw error;
    const place = typeof where === 'string' ? where : where();
    if (error instanceof Error && DISPOSED.test(error.message)) throw disposed(place);
    throw new OptimizationError(`${place} failed: ${reasonOf(error)}`, { cause: error });
  }
}

function disposed(where: string): InvalidInputError {
  return new InvalidInputError(
    `${where} uses a disposed tensor: tensors live only during the evaluation that made them. Make it where it is used, or in the definition's constants, which are kept.`,
  );
}

/** Paths below a name. */
export type PathsBelow<Name extends string, P> = { readonly [Path in keyof P & string as `${Name}.${Path}`]: P[Path] };

/** A component's parameters by name, as in its definition; a bare number or list means `positive`. */
export type OwnParameters<Name extends string> = Readonly<Record<Name, ParameterLike>>;

/** Arguments that replace a component's parameters, and other arguments, by name; empty if there are none. */
export type Overrides<Name extends string, Options extends object = object> = [Name | keyof Options] extends [never]
  ? Readonly<Record<string, never>>
  : Partial<Record<Name, ParameterLike>> & { readonly [K in keyof Options]?: unknown };

/** The parameters of a component: the definition's, with the user's overrides. */
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
      const override = Object.hasOwn(overrides, name)
        ? (overrides as Partial<Record<Name, ParameterLike>>)[name]
        : undefined;
      return [name, override === undefined ? parameter : parameterFrom(override, parameter, `'${name}' of ${within}`)];
    }),
  ) as Record<Name, Parameter>;
}

/** Extracts the tensors of a component by its names, from a map with prefixed names. */
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

/** Natural values as tensors with the same paths. */
export function valueTensors(values: ParameterValues): TensorMap {
  return Object.fromEntries(
    Object.entries(values).map(([path, value]) => [path, op.tensor(entriesOf(value), shapeOf(value))]),
  );
}

/** Factories of parts of one kind by name; they check what they are called with. */
export type Catalog<T> = Readonly<Record<string, { make(given?: Record<string, unknown>): T }['make']>>;
