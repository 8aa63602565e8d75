import {
  alle,
  bayesianGplvm,
  classicalMds,
  dgplvm,
  drill,
  gplrf,
  gplvm,
  InvalidInputError,
  isomap,
  kernelPca,
  laplacianEigenmaps,
  lle,
  llGplvm,
  type Matrix,
  type Model,
  meu,
  mpme,
  mvu,
  pca,
  ppca,
  rankGplvm,
  tpslvm,
  tsneGplvm,
  unknownName,
} from '../index.ts';
import { type ModelOptions, withParts } from './modelParts.ts';

/** One label a point; '' where it is missing. */
type PointLabels = readonly string[];

export interface ModelKind {
  /** Whether it is made from labels, some of which may then be missing. */
  readonly takesLabels: boolean;
  create(observations: Matrix, labels: PointLabels, options: ModelOptions): Model;
}

/** Factories check their options themselves, so JSON may come as it is: `never` stands for the options of any of them. */
const ofPoints = (factory: (observations: Matrix, options: never) => Model): ModelKind => ({
  takesLabels: false,
  create: (observations, _, options) => factory(observations, withParts(options) as never),
});

const ofLabelledPoints = (
  factory: (observations: Matrix, labels: PointLabels, options: never) => Model,
): ModelKind => ({
  takesLabels: true,
  create: (observations, labels, options) => factory(observations, labels, withParts(options) as never),
});

/** The models that can be fitted from the command line, by name. */
const MODELS: Readonly<Record<string, ModelKind>> = {
  gplvm: ofPoints(gplvm),
  bayesianGplvm: ofPoints(bayesianGplvm),
  tpslvm: ofPoints(tpslvm),
  gplrf: ofLabelledPoints(gplrf),
  dgplvm: ofLabelledPoints(dgplvm),
  llGplvm: ofPoints(llGplvm),
  rankGplvm: ofPoints(rankGplvm),
  tsneGplvm: ofPoints(tsneGplvm),
  meu: ofPoints(meu),
  mpme: ofPoints(mpme),
  alle: ofPoints(alle),
  drill: ofPoints(drill),
  pca: ofPoints(pca),
  ppca: ofPoints(ppca),
  kernelPca: ofPoints(kernelPca),
  classicalMds: ofPoints(classicalMds),
  isomap: ofPoints(isomap),
  mvu: ofPoints(mvu),
  lle: ofPoints(lle),
  laplacianEigenmaps: ofPoints(laplacianEigenmaps),
};

export const MODEL_NAMES = Object.keys(MODELS);

/** Those of them that are made from labels. */
export const LABELLED_MODELS = MODEL_NAMES.filter((name) => MODELS[name]!.takesLabels);

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
): Model {
  const kind = kindOf(name);
  if (kind.takesLabels && labels === undefined) {
    throw new InvalidInputError(
      `The model '${name}' takes labels. Give --labels a file with one label a row, or a column of the data.`,
    );
  }
  return kind.create(observations, labels ?? [], options);
}

/** How the model of a name is made. */
export function kindOf(name: string): ModelKind {
  const kind = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
  if (kind !== undefined) return kind;
  throw unknownName('model', name, MODEL_NAMES, 'latentfield');
}
