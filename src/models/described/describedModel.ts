import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, givenOptions } from '../../core/given.ts';
import type { Matrix } from '../../core/matrix.ts';
import { unknownName } from '../../core/options.ts';
import type { AnyModel } from '../../model/model.ts';
import { type NamedModel, namedModels } from '../catalogue.ts';
import type { OwnParts } from '../ownParts.ts';
import { type ModelOptions, withParts } from './parts.ts';

/**
 * A model as JSON describes it: by its name, with kernels as text ("rbf(lengthscale=[1,2]) + bias"), parameters as numbers, lists or
 * { "fixed": number }, priors and likelihoods by their names. What the command line and sweeps make their models with.
 *
 * @param name - a name of `namedModels`, or of one's own models
 * @param observations - N×D
 * @param labels - N labels, '' where one is missing; models that take none leave them aside
 * @param options - options of the model as JSON; `latentDim` is one of them
 * @param own - parts that do not come with the library
 * @throws InvalidInputError for an unknown model, one that takes labels without them, and what the model's factory throws
 * @example
 * ```ts
 * describedModel('gplvm', Matrix.from(Y), undefined, { latentDim: 2, kernel: 'rbf + bias' });
 * ```
 */
export function describedModel(
  name: string,
  observations: Matrix,
  labels: readonly string[] | undefined,
  options: ModelOptions,
  own: OwnParts = {},
): AnyModel {
  const kind = kindOf(name, own);
  if (kind.takesLabels && labels === undefined) {
    throw new InvalidInputError(
      `The model '${name}' takes labels. Give --labels a file with one label a row, or a column of the data.`,
    );
  }
  return kind.make(observations, labels, withParts(options, own));
}

/**
 * How the model of a name is made.
 *
 * @throws InvalidInputError for a name that is not known
 */
export function kindOf(name: string, own: OwnParts = {}): NamedModel {
  checkGiven(name, 'kindOf', 'the name of a model', (given) => typeof given === 'string');
  const { models = {} } = givenOptions(own, 'kindOf');
  if (Object.hasOwn(models, name)) return { takesLabels: false, make: ownModel(models[name]!) };
  const kind = Object.hasOwn(namedModels, name) ? namedModels[name] : undefined;
  if (kind !== undefined) return kind;
  throw unknownName('model', name, [...Object.keys(namedModels), ...Object.keys(models)], 'latentfield');
}

/** A factory of `defineModel` takes the observations; one that was written around it may take options and labels too. */
const ownModel =
  (factory: unknown): NamedModel['make'] =>
  (observations, labels, options) =>
    (factory as (Y: unknown, options: object, labels: unknown) => AnyModel)(observations, options, labels);
