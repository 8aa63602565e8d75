import { unknownName } from '../core/options.ts';
import type { Tensor } from '../tensors/tensorflow.ts';
import type { TensorMap } from './model.ts';
import { isParameter, type Parameter, type ParameterLike, parameterFrom, positive } from './parameter.ts';

/** A part's own parameters by name, as its definition states them; a bare number or list is `positive`. */
export type OwnParameters<Name extends string> = Readonly<Record<Name, ParameterLike>>;

/** The parameters of one part: the definition's, with what the user gave in their place. */
export function overriddenParameters<Name extends string>(
  owner: string,
  defaults: OwnParameters<Name>,
  overrides: Partial<Record<Name, ParameterLike>>,
): Record<Name, Parameter> {
  const names = Object.keys(defaults) as Name[];
  const within = owner.charAt(0).toLowerCase() + owner.slice(1);
  for (const given of Object.keys(overrides)) {
    if (!names.includes(given as Name)) throw unknownName('parameter', given, names, owner);
  }
  return Object.fromEntries(
    names.map((name) => {
      const standard = defaults[name];
      const parameter = isParameter(standard) ? standard : positive(standard);
      const override = overrides[name];
      return [name, override === undefined ? parameter : parameterFrom(override, parameter, `'${name}' of ${within}`)];
    }),
  ) as Record<Name, Parameter>;
}

/** The tensors of one part by their own names, out of a map in which they carry a prefix. */
export function ownTensors<Name extends string>(
  values: TensorMap,
  prefix: string,
  names: readonly Name[],
): Record<Name, Tensor> {
  return Object.fromEntries(names.map((name) => [name, values[`${prefix}.${name}`]!])) as Record<Name, Tensor>;
}
