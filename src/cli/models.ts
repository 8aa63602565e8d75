import { type AnyModel, InvalidInputError, type Matrix, type NamedModel, namedModels, unknownName } from '../index.ts';
import { type ModelOptions, withParts } from './modelParts.ts';

/** One label a point; '' where it is missing. */
type PointLabels = readonly string[];

export const MODEL_NAMES = Object.keys(namedModels);

/** Those of them that are made from labels. */
export const LABELLED_MODELS = MODEL_NAMES.filter((name) => namedModels[name]!.takesLabels);

/**
 * @param name - one of `MODEL_NAMES`
 * @param observations - N×D
 * @param labels - N labels; models that take none leave them aside
 * @param options - options of the model as JSON, read by modelParts.ts
 * @throws InvalidInputError for an unknown model, one that takes labels without them, and what the model's factory throws
 */
export function createModel(
  name: string,
  observations: Matrix,
  labels: PointLabels | undefined,
  options: ModelOptions,
): AnyModel {
  const kind = kindOf(name);
  if (kind.takesLabels && labels === undefined) {
    throw new InvalidInputError(
      `The model '${name}' takes labels. Give --labels a file with one label a row, or a column of the data.`,
    );
  }
  return kind.make(observations, labels, withParts(options));
}

/** How the model of a name is made; bayesian-gplvm is bayesianGplvm. */
export function kindOf(name: string): NamedModel {
  const joined = joinedName(name);
  const kind = Object.hasOwn(namedModels, joined) ? namedModels[joined] : undefined;
  if (kind !== undefined) return kind;
  throw unknownName('model', name, MODEL_NAMES, 'latentfield');
}

/** A name in words between hyphens as the library writes it. */
export const joinedName = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
