import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { checkOptions } from '../core/options.ts';
import { createFit } from '../inference/fit/createFit.ts';
import { type KernelCatalogue, type KernelJSON, kernelFromJSON } from '../kernels/json.ts';
import { latentsFromJSON, type MapCatalogue } from '../latents/json.ts';
import type { LatentsJSON } from '../latents/latents.ts';
import { type LikelihoodCatalogue, type LikelihoodJSON, likelihoodFromJSON } from '../mapping/likelihoods/index.ts';
import { type FitJSON, type LoadedFit, outcomeFromJSON } from '../model/fit.ts';
import type { Model, ModelJSON } from '../model/model.ts';
import { type ParameterJSON, parameterFromJSON } from '../model/parameter.ts';
import { type EngineChoice, engineChoice } from '../numerics/dense/index.ts';
import { type PriorCatalogue, type PriorJSON, priorFromJSON } from '../priors/json.ts';
import { bayesianGplvmFromJSON } from './gp/bayesianGplvmJson.ts';
import { namedModel } from './gp/latentVariableModel.ts';
import { builtInPriors } from './priorCatalogue.ts';
import { spectralModelFromJSON } from './spectral/embedding/json.ts';

/** Factories of the caller's own parts, by name, for models that have some. */
export interface OwnParts {
  readonly kernels?: KernelCatalogue;
  readonly priors?: PriorCatalogue;
  readonly maps?: MapCatalogue;
  readonly likelihoods?: LikelihoodCatalogue;
}

const loadOptions = v.strictObject({ engine: v.optional(engineChoice) });

/**
 * Makes a fit again from what `fit.toJSON()` wrote: the same latents, parameters and predictions, bit for bit.
 *
 * @param json - the object (parse the text of a file with `JSON.parse` first)
 * @param own - factories of kernels, priors and maps that do not come with the library, by name
 * @param options - `engine`: the linear algebra of what is done with it, 'auto' unless given or named by LATENTFIELD_ENGINE; the one that
 * the fit was made with is not kept, since another machine may not have it
 * @throws InvalidInputError when it is not a saved fit, names a part that is not known, or the native engine is asked for and not there
 * @example
 * ```ts
 * const again = loadFit(JSON.parse(JSON.stringify(result)));
 * again.predict([[0, 0]]).mean;
 * ```
 */
export function loadFit(
  json: unknown,
  own: OwnParts = {},
  options: { engine?: EngineChoice | undefined } = {},
): LoadedFit {
  const { engine } = checkOptions(loadOptions, options, 'loadFit');
  const saved = checkSaved(json);
  // What was saved says what the fit can do: a type can only be assumed.
  return createFit(modelFromJSON(saved.model, own), outcomeFromJSON(saved), engine) as LoadedFit;
}

function checkSaved(json: unknown): FitJSON {
  const saved = json as Partial<FitJSON> | null;
  if (typeof json !== 'object' || saved === null || saved.format !== 'latentfield-fit') {
    throw new InvalidInputError(
      `loadFit takes the object that fit.toJSON() wrote, but ${describe(json)} was given. Parse the text of a file with JSON.parse.`,
    );
  }
  if (saved.version !== 1 || typeof saved.model !== 'object' || typeof saved.values !== 'object') {
    throw new InvalidInputError(
      `This saved fit is of version ${saved.version} or incomplete; this release reads complete fits of version 1.`,
    );
  }
  return saved as FitJSON;
}

/** What a latent variable model writes about itself. */
interface SavedModel {
  readonly name: string;
  /** Missing entries are null. */
  readonly observations: (number | null)[][];
  readonly latentDim: number;
  readonly latents?: LatentsJSON;
  readonly kernel: KernelJSON;
  readonly likelihood?: LikelihoodJSON;
  /** Of a Gaussian likelihood, in fits saved before there were others. */
  readonly noise?: ParameterJSON;
  readonly priors: readonly PriorJSON[];
  readonly missing?: 'ignore';
  readonly centre: boolean;
  readonly scale: boolean;
}

/** The model that its `toJSON` wrote. */
export function modelFromJSON(model: ModelJSON, own: OwnParts): Model {
  const spectral = spectralModelFromJSON(model, own.kernels);
  if (spectral !== undefined) return spectral;
  if (model.model === 'bayesianGplvm') return bayesianGplvmFromJSON(model, own);
  if (model.model !== 'latentVariableModel') {
    throw new InvalidInputError(`This release cannot read a saved model of kind '${model.model}'.`);
  }
  const saved = model as unknown as SavedModel;
  return namedModel(saved.name, {
    observations: saved.observations.map((row) => row.map((entry) => entry ?? Number.NaN)),
    latentDim: saved.latentDim,
    latents: latentsFromJSON(saved.latents, own.maps),
    kernel: kernelFromJSON(saved.kernel, own.kernels),
    ...(saved.noise === undefined
      ? { likelihood: likelihoodFromJSON(saved.likelihood, own.likelihoods) }
      : { noise: parameterFromJSON(saved.noise) }),
    priors: saved.priors.map((prior) => priorFromJSON(prior, { ...builtInPriors, ...own.priors }, own.kernels)),
    ...(saved.missing === undefined ? {} : { missing: saved.missing }),
    centre: saved.centre,
    scale: saved.scale,
  });
}
