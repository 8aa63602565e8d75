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
 * Does some work of a caller's.
 *
 * @throws InvalidInputError when TensorFlow.js met a tensor that is no longer there, OptimizationError with the cause when it failed otherwise
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
    `${where} uses a tensor that was disposed of: tensors live as long as the evaluation in which they are made. Make it where it is used, or in the definition's constants, which are kept.`,
  );
}

/** Paths below a name. */
export type PathsBelow<Name extends string, P> = { readonly [Path in keyof P & string as `${Name}.${Path}`]: P[Path] };

/** A part's own parameters by name, as its definition states them; a bare number or list is `positive`. */
export type OwnParameters<Name extends string> = Readonly<Record<Name, ParameterLike>>;

/** Values that may be given in place of a part's own parameters and beside them, by name; empty where it has none. */
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
      const override = Object.hasOwn(overrides, name)
        ? (overrides as Partial<Record<Name, ParameterLike>>)[name]
        : undefined;
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

/** Natural values as tensors under the same paths. */
export function valueTensors(values: ParameterValues): TensorMap {
  return Object.fromEntries(
    Object.entries(values).map(([path, value]) => [path, op.tensor(entriesOf(value), shapeOf(value))]),
  );
}
