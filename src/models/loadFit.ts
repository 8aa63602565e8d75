import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { fittedTableFromJSON } from '../core/fittedTableJson.ts';
import { describe } from '../core/matrix.ts';
import { checkOptions } from '../core/options.ts';
import { createFit } from '../inference/fit/createFit.ts';
import type { ModelFactory } from '../model/defineModel.ts';
import { type Fit, type FitJSON, type FitOf, type LoadedFit, outcomeFromJSON } from '../model/fit.ts';
import type { AnyModel } from '../model/model.ts';
import { type EngineChoice, engineChoice } from '../numerics/dense/index.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import type { OwnParts } from './ownParts.ts';

/** What is known of a loaded fit: it is of one of the models that were given, or else of one with a mapping. */
export type LoadedWith<Own extends OwnParts> = Own extends { readonly models: Readonly<Record<string, infer Factory>> }
  ? Factory extends ModelFactory<never, infer M>
    ? FitOf<M>
    : LoadedFit
  : LoadedFit;

const loadOptions = v.strictObject({ engine: v.optional(engineChoice) });

/**
 * Makes a fit again from what `fit.toJSON()` wrote: the same latents, parameters and predictions, bit for bit.
 *
 * @param json - the object (parse the text of a file with `JSON.parse` first)
 * @param own - factories of models, kernels, priors and other parts that do not come with the library, by name; with `models` the result has
 * the type of their fits, and with a model's type given, `loadFit<typeof model>(json)`, of that model's
 * @param options - `engine`: the linear algebra of what is done with it, 'auto' unless given or named by LATENTFIELD_ENGINE; the one that
 * the fit was made with is not kept, since another machine may not have it
 * @throws InvalidInputError when it is not a saved fit, names a part that is not known, or the native engine is asked for and not there
 * @example
 * ```ts
 * const again = loadFit(JSON.parse(JSON.stringify(result)));
 * again.predict([[0, 0]]).mean;
 *
 * const views = { pose: { observations: Y, kernel: rbf() }, picture: { observations: pixels, kernel: rbf() } };
 * const shared = latentVariableModel({ latentDim: 2, views });
 * const typed = loadFit<typeof shared>(JSON.parse(saved)); // a fit of that model, in types
 * typed.predict([[0, 0]], { view: 'pose' });
 * ```
 */
export function loadFit<Own extends OwnParts = Record<never, never>>(
  json: unknown,
  own?: Own,
  options?: { engine?: EngineChoice | undefined },
): LoadedWith<Own>;
export function loadFit<M extends AnyModel>(
  json: unknown,
  own?: OwnParts,
  options?: { engine?: EngineChoice | undefined },
): FitOf<M>;
export function loadFit(json: unknown, own: OwnParts = {}, options: { engine?: EngineChoice | undefined } = {}): Fit {
  const { engine } = checkOptions(loadOptions, options, 'loadFit');
  const saved = checkSaved(json);
  // What was saved says what the fit can do: a type can only be assumed.
  const model = modelFromJSON(saved.model, own);
  const table = saved.table === undefined ? undefined : fittedTableFromJSON(saved.table, 'This saved fit');
  return createFit(table === undefined ? model : { ...model, table }, outcomeFromJSON(saved), engine);
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
