import { InvalidInputError, namedModels } from '../index.ts';

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

export const MODEL_NAMES = Object.keys(namedModels);

/** Those of them that are made from labels. */
export const LABELLED_MODELS = MODEL_NAMES.filter((name) => namedModels[name]!.takesLabels);
