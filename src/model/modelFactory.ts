import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { madeHere } from './givenModel.ts';
import type { AnyModel, Model, ModelJSON } from './model.ts';
import { dataFromPlain, plainData } from './plainData.ts';

/** Makes a model of data; `restore` makes it again from what its `toJSON` wrote. */
export interface ModelFactory<Data, M extends AnyModel = Model> {
  (data: Data): M;
  readonly modelName: string;
  readonly restore: (json: ModelJSON, own?: object) => M;
}

/** How the data of a model are written and read; `own` are the factories that `loadFit` was given. */
export interface DataFormat<Data> {
  toJSON(data: Data): unknown;
  fromJSON(json: unknown, own: never): Data;
}

/** What every definition of a model says. */
export interface Named<Data> {
  readonly name: string;
  readonly data?: DataFormat<Data>;
  readonly toJSON?: (data: Data) => ModelJSON;
}

/** What a model of these data writes about itself. */
export const jsonOf = <Data>({ name, data: format, toJSON }: Named<Data>, data: Data): ModelJSON =>
  toJSON?.(data) ?? { model: name, data: format === undefined ? plainData(data) : format.toJSON(data) };

/** A factory of models that are made of data, and of what they write about themselves. */
export function modelFactory<Data, M extends AnyModel>(
  definition: Named<Data>,
  modelOf: (data: Data, toJSON: () => ModelJSON) => M,
): ModelFactory<Data, M> {
  const { name, data: format } = definition;
  const make = (data: Data): M => madeHere(modelOf(data, () => jsonOf(definition, data)));
  const restore = ({ data }: ModelJSON, own: object = {}) =>
    make(format === undefined ? (dataFromPlain(data) as Data) : format.fromJSON(data, own as never));
  return Object.assign(make, { modelName: name, restore });
}

/** @throws InvalidInputError for a definition without a name, or without the function that makes its models */
export function checkNamed(definition: { readonly name?: unknown }, key: 'variables' | 'solve', of: unknown): void {
  const { name } = definition;
  if (typeof name !== 'string' || name === '') {
    throw new InvalidInputError(`defineModel needs a name, but ${describe(name)} was given.`);
  }
  if (typeof of === 'function') return;
  throw new InvalidInputError(
    `defineModel needs ${key} of the model '${name}' to be a function of the data, but ${describe(of)} was given.`,
  );
}
