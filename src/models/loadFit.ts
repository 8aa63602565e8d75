import * as v from 'valibot';
import { fittedTableFromJSON } from '../core/fittedTableJson.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { checkOptions } from '../core/options.ts';
import { damagedAt, readingAt } from '../core/saved.ts';
import { type EngineChoice, engineChoice } from '../engine/dense/index.ts';
import { checkOutcome } from '../inference/fit/checkOutcome.ts';
import { createFit } from '../inference/fit/createFit.ts';
import type { Fit, FitJSON, FitOf, FitOutcome, LoadedFit } from '../model/fit.ts';
import type { AnyModel } from '../model/model.ts';
import type { ModelFactory } from '../model/modelFactory.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import { checkOwnParts, type OwnParts } from './ownParts.ts';
import { outcomeFromJSON, savedFit } from './savedFit.ts';

/** The type of a loaded fit: one of the given models, or else a model with a mapping. */
export type LoadedWith<Own extends OwnParts> = Own extends { readonly models: Readonly<Record<string, infer Factory>> }
  ? Factory extends ModelFactory<never, infer M>
    ? FitOf<M>
    : LoadedFit
  : LoadedFit;

const loadOptions = v.strictObject({ engine: v.optional(engineChoice) });

/**
 * Makes a fit again from what `fit.toJSON()` wrote: the same latents, parameters and predictions, bit for bit.
 *
 * A file that was damaged is refused: every part has a checksum, forms, shapes and supports are checked, and the objective is evaluated again
 * at the values, to 1e-6. Files of form 1, which were saved before there were checksums, are held to the rest of it.
 *
 * @param json - the object (parse the text of a file with `JSON.parse` first)
 * @param own - factories of models, kernels, priors and other parts that do not come with the library, by name; with `models` the result has
 * the type of their fits, and with a model's type given, `loadFit<typeof model>(json)`, of that model's
 * @param options - `engine`: the linear algebra of what is done with it, 'auto' unless given or named by LATENTFIELD_ENGINE; the one that
 * the fit was made with is not kept, since another machine may not have it
 * @throws InvalidInputError when it is not a saved fit, or damaged, with the place; names a part that is not known; or asks for the native engine
 * where it is not there
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
  checkOwnParts(own, 'loadFit');
  const saved = savedFit(json);
  const model = readingAt('model', () => modelFromJSON(saved.model, own, true));
  const outcome = outcomeFromJSON(saved);
  checkDimension(saved, outcome);
  readingAt('values', () => checkOutcome(model, withoutReadings(model, outcome), engine));
  // The saved file determines what the fit can do: its type can only be assumed.
  const { table: saidOfTable } = saved;
  const table = readingAt('table', () => saidOfTable && fittedTableFromJSON(saidOfTable, 'This saved fit'));
  return readingAt('values', () => createFit(table === undefined ? model : { ...model, table }, outcome, engine));
}

/** Coordinates that files hold of a model whose solution was computed when they were saved, and which its fits read off a field now. */
function withoutReadings({ name }: AnyModel, outcome: FitOutcome): FitOutcome {
  if (name !== 'alle') return outcome;
  const { latents: _, eigenvalues: __, ...values } = outcome.values;
  return { ...outcome, values };
}

/** Throws unless the latents have the dimension that the model's members or options name. */
function checkDimension({ model }: FitJSON, { values: { latents } }: FitOutcome): void {
  const { latentDim, options } = model as { latentDim?: unknown; options?: { latentDim?: unknown } };
  const said = latentDim ?? options?.latentDim;
  if (said === undefined || !(latents instanceof Matrix) || latents.columns === said) return;
  throw damagedAt(
    latentDim === undefined ? 'model.options.latentDim' : 'model.latentDim',
    `it is ${describe(said)}, but the latents have ${latents.columns} columns.`,
  );
}
