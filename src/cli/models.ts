import {
  type AnyModel,
  InvalidInputError,
  type Matrix,
  type NamedModel,
  namedModels,
  type OwnParts,
  unknownName,
} from '../index.ts';
import { type ModelOptions, withParts } from './modelParts.ts';

/** Those whose fits predict nothing at latent points: fields, and embeddings without a map back. */
const PREDICTING_NOTHING = 'meu mpme alle drill kernelPca classicalMds isomap mvu lle laplacianEigenmaps'.split(' ');

/**
 * @throws InvalidInputError for a model that comes with the library and predicts nothing
 */
export function checkPredicts(name: string, flag: string): void {
  if (!PREDICTING_NOTHING.includes(name)) return;
  throw new InvalidInputError(
    `${name} predicts nothing at latent points, which ${flag} shows. Leave out ${flag}, or fit a model with a map to the data, such as gplvm.`,
  );
}

/** One label a point; '' where it is missing. */
type PointLabels = readonly string[];

export const MODEL_NAMES = Object.keys(namedModels);

/** Those of them that are made from labels. */
export const LABELLED_MODELS = MODEL_NAMES.filter((name) => namedModels[name]!.takesLabels);

/**
 * @param name - one of `MODEL_NAMES`, or of one's own models
 * @param observations - N×D
 * @param labels - N labels; models that take none leave them aside
 * @param options - options of the model as JSON, read by modelParts.ts
 * @param own - parts that do not come with the library
 * @throws InvalidInputError for an unknown model, one that takes labels without them, and what the model's factory throws
 */
export function createModel(
  name: string,
  observations: Matrix,
  labels: PointLabels | undefined,
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

/** How the model of a name is made. */
export function kindOf(name: string, { models = {} }: OwnParts = {}): NamedModel {
  if (Object.hasOwn(models, name)) return { takesLabels: false, make: ownModel(models[name]!) };
  const kind = Object.hasOwn(namedModels, name) ? namedModels[name] : undefined;
  if (kind !== undefined) return kind;
  throw unknownName('model', name, [...MODEL_NAMES, ...Object.keys(models)], 'latentfield');
}

/** A factory of `defineModel` takes the observations; one that was written around it may take options and labels too. */
const ownModel =
  (factory: unknown): NamedModel['make'] =>
  (observations, labels, options) =>
    (factory as (Y: unknown, options: object, labels: unknown) => AnyModel)(observations, options, labels);
