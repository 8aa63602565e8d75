import { gplvm, InvalidInputError, type Matrix, type Model } from '../index.ts';
import { kernelOf, parameterOf, priorOf } from './parts.ts';

/** Options of a model as JSON can say them. */
export type ModelOptions = Readonly<Record<string, unknown>> & { readonly latentDim: number };

type ModelFactory = (observations: Matrix, options: ModelOptions) => Model;

/** The models that can be fitted from the command line, by name. */
const MODELS: Readonly<Record<string, ModelFactory>> = {
  gplvm: (observations, options) => gplvm(observations, withParts(options)),
};

export const MODEL_NAMES = Object.keys(MODELS);

/**
 * @param name - one of `MODEL_NAMES`
 * @param observations - N×D
 * @param options - options of the model as JSON; kernel, priors and noise as parts.ts reads them
 * @throws InvalidInputError for an unknown model, and what the model's factory throws
 */
export function createModel(name: string, observations: Matrix, options: ModelOptions): Model {
  const factory = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
  if (factory === undefined) {
    throw new InvalidInputError(`There is no model '${name}'. Known are ${MODEL_NAMES.join(', ')}.`);
  }
  return factory(observations, options);
}

/** Options in which kernel and priors are the library's own parts. */
function withParts({ kernel, noise, priors, ...options }: ModelOptions): Parameters<typeof gplvm>[1] {
  if (priors !== undefined && !Array.isArray(priors)) {
    throw new InvalidInputError(`Option 'priors' must be a list, such as ["standardNormal"] or [].`);
  }
  return {
    ...options,
    ...(kernel === undefined ? {} : { kernel: kernelOf(kernel) }),
    ...(noise === undefined ? {} : { noise: parameterOf('noise', noise) }),
    ...(priors === undefined ? {} : { priors: priors.map(priorOf) }),
  };
}
