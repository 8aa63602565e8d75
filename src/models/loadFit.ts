import * as v from 'valibot';
import { InvalidInputError, LatentFieldError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import type { FittedTable } from '../core/namedTable.ts';
import { checkOptions } from '../core/options.ts';
import { safeParseOwn } from '../core/ownKeys.ts';
import { checkSaved, damagedAt, readingAt } from '../core/saved.ts';
import { shortNumber } from '../core/wording.ts';
import { type EngineChoice, engineChoice } from '../engine/dense/index.ts';
import { createFit } from '../inference/fit/createFit.ts';
import { densityOf, ENGINE_DIFFERENCE } from '../inference/fit/fitProblem.ts';
import { computeWith, ONE_THREAD } from '../inference/fit/fitThreads.ts';
import { STATISTICS } from '../inference/sampling/chain.ts';
import { createDraws, type Draws, type DrawsRecord } from '../inference/sampling/draws.ts';
import type { Fit, FitJSON, FitOf, FitOutcome, LoadedFit } from '../model/fit.ts';
import type { AnyModel, Assembly, Model, ModelJSON } from '../model/model.ts';
import { dataFromPlain } from '../model/plainData.ts';
import { entriesOf } from '../model/transform.ts';
import { layOut, naturalEntries, type VariableLayout } from '../model/variables.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import { checkOwnParts, type OwnModel, type OwnParts } from './ownParts.ts';
import { outcomeFromJSON, savedFit } from './savedFit.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const doubles = v.instance(Float64Array);
const savedSchema = v.object({
  format: v.literal('latentfield-draws'),
  version: v.literal(1),
  model: v.looseObject({ model: v.string() }),
  record: v.record(v.string(), v.unknown()),
});
const recordSchema = v.pipe(
  v.object({
    sampler: v.string(),
    seed: v.number(),
    warmup: count,
    chains: v.pipe(count, v.minValue(1)),
    draws: v.pipe(count, v.minValue(1)),
    variables: v.array(v.object({ path: v.string(), shape: v.array(count) })),
    values: v.record(v.string(), doubles),
    held: v.record(v.string(), v.union([v.number(), v.array(v.number()), v.instance(Matrix)])),
    statistics: v.object(Object.fromEntries(STATISTICS.map((name) => [name, doubles]))),
    evaluations: count,
    warmupDivergences: count,
    jittered: count,
    added: v.array(v.string()),
    seconds: v.number(),
  }),
  v.check(({ chains, draws, variables, values, statistics }) => {
    const all = chains * draws;
    const sizes = variables.map(({ path, shape }) => [
      values[path]?.length,
      shape.reduce((product, n) => product * n, all),
    ]);
    return (
      sizes.every(([found, wanted]) => found === wanted) && Object.values(statistics).every((own) => own.length === all)
    );
  }),
);

/**
 * Restores draws from the result of `draws.toJSON()`: the same numbers, diagnostics and predictions, bit for bit.
 *
 * @param json - JSON object (parse the text of a file with `JSON.parse` first)
 * @param own - factories of custom parts by name, as for `loadFit`
 * @throws InvalidInputError if the object is not saved draws, is damaged (with the position), or names an unknown part
 * @example
 * ```ts
 * const again = loadDraws(JSON.parse(JSON.stringify(draws)));
 * again.summary()['mapping.noise']?.mean;
 * ```
 */
export function loadDraws(json: unknown, own: OwnParts = {}): Draws {
  checkOwnParts(own, 'loadDraws');
  const saved = checkSaved(savedSchema, json, '');
  const model = readingAt('model', () => modelFromJSON(saved.model as ModelJSON, own, true));
  const record = readingAt('record', () => dataFromPlain(saved.record));
  return createDraws(model, checkSaved(recordSchema, record, 'record') as unknown as DrawsRecord);
}

const names = v.array(v.string());
const numbers = v.array(v.pipe(v.number(), v.finite()));
const schema = v.object({
  columns: v.pipe(names, v.minLength(1)),
  isNamed: v.boolean(),
  others: names,
  covariates: v.optional(names),
  offset: v.optional(v.object({ column: v.string(), isExposure: v.boolean() })),
  idColumn: v.optional(v.string()),
  ids: v.optional(names),
  labelColumn: v.optional(v.string()),
  labels: v.optional(names),
  counts: v.optional(
    v.object({ rowSums: v.optional(v.pipe(v.number(), v.finite(), v.gtValue(0))), log1p: v.optional(v.boolean()) }),
  ),
  writtenUnits: v.optional(v.record(v.string(), v.string())),
  standardized: v.optional(
    v.object({ mean: numbers, deviation: v.array(v.pipe(v.number(), v.finite(), v.gtValue(0))) }),
  ),
});

/**
 * Reads the description of a table from a saved fit.
 *
 * @param owner - name of the fit in error messages
 * @throws InvalidInputError if it is damaged
 */
function fittedTableFromJSON(json: unknown, owner: string): FittedTable {
  const result = safeParseOwn(schema, json);
  const table = result.success ? (result.output as FittedTable) : undefined;
  const { mean, deviation } = table?.standardized ?? {};
  const width = table?.columns.length;
  if (table !== undefined && [mean, deviation].every((list) => list === undefined || list.length === width)) {
    return table;
  }
  const place = result.success
    ? 'standardized'
    : (result.issues[0].path?.map(({ key }) => String(key)).join('.') ?? '');
  throw new InvalidInputError(`${owner} is damaged at table.${place}. Fit the data again.`);
}

/** Type of a loaded fit: one of the custom models, or else a model with a mapping. */
export type LoadedWith<Own extends OwnParts> = Own extends { readonly models: Readonly<Record<string, infer Factory>> }
  ? Factory extends OwnModel<infer M>
    ? FitOf<M>
    : LoadedFit
  : LoadedFit;

const loadOptions = v.strictObject({ engine: v.optional(engineChoice) });

/**
 * Restores a fit from the result of `fit.toJSON()`: the same latents, parameters and predictions, bit for bit.
 *
 * Damaged files are rejected: every part has a checksum, types, shapes and supports are checked, and the objective is evaluated again at the values
 * and compared to 1e-6.
 *
 * @param json - JSON object (parse the text of a file with `JSON.parse` first)
 * @param own - factories of custom models, kernels, priors and other parts by name; with `models` the result has the type of their fits, and with an
 * explicit type, `loadFit<typeof model>(json)`, the type of that model's fits
 * @param options - `engine`: the linear algebra engine of the restored fit, default LATENTFIELD_ENGINE, or 'auto'; the engine of the original fit is
 * not saved, since another machine may not have it
 * @throws InvalidInputError if the object is not a saved fit, is damaged (with the position), names an unknown part, or requests a native engine that
 * is unavailable
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
  readingAt('values', () => checkOutcome(model, outcome, engine));
  // The saved file determines what the fit can do: its type can only be assumed.
  const { table: saidOfTable } = saved;
  const table = readingAt('table', () => saidOfTable && fittedTableFromJSON(saidOfTable, 'This saved fit'));
  return readingAt('values', () => createFit(table === undefined ? model : { ...model, table }, outcome, engine));
}

/** Throws unless the latents have the dimension set by the model's members or options. */
function checkDimension({ model }: FitJSON, { values: { latents } }: FitOutcome): void {
  const { latentDim, options } = model as { latentDim?: unknown; options?: { latentDim?: unknown } };
  const said = latentDim ?? options?.latentDim;
  if (said === undefined || !(latents instanceof Matrix) || latents.columns === said) return;
  throw damagedAt(
    latentDim === undefined ? 'model.options.latentDim' : 'model.latentDim',
    `it is ${describe(said)}, but the latents have ${latents.columns} columns.`,
  );
}

/**
 * Checks a saved outcome against its model: the values of every parameter, their shapes and supports, finite unless the fit failed, and the
 * objective, evaluated again at these values.
 *
 * @throws InvalidInputError that names the position of a discrepancy
 */
function checkOutcome(model: Model, outcome: FitOutcome, engine: EngineChoice | undefined): void {
  const hasFailed = outcome.status === 'failed';
  if (!hasFailed) checkFinite(outcome);
  checkSum(outcome);
  if (model.solve !== undefined) checkEmbedding(outcome);
  // Observations that were read from elsewhere are not in the file.
  else if (!hasFailed && model.sourced === undefined)
    computeWith(engine, ONE_THREAD)(() => checkDensity(model, outcome));
}

function checkFinite({ values, objective, terms }: FitOutcome): void {
  for (const [place, value] of [
    ...Object.entries(values).map(([path, entry]) => [`values.${path}`, entry] as const),
    ['objective', objective] as const,
    ...Object.entries(terms).map(([name, term]) => [`terms.${name}`, term] as const),
  ]) {
    const bad = entriesOf(value).find((entry) => !Number.isFinite(entry));
    if (bad !== undefined) throw damagedAt(place, `it contains ${bad}, which only a failed fit may contain.`);
  }
}

/** Checks that the terms add up to the objective. */
function checkSum({ objective, terms }: FitOutcome): void {
  const total = Object.values(terms).reduce((sum, term) => sum + term, 0);
  if (!Number.isFinite(objective) || isClose(total, objective, [objective, ...Object.values(terms)])) return;
  throw damagedAt('terms', `they add up to ${shortNumber(total)}, but the objective is ${shortNumber(objective)}.`);
}

function isClose(a: number, b: number, sizes: readonly number[]): boolean {
  return Math.abs(a - b) <= ENGINE_DIFFERENCE * sizes.reduce((most, size) => Math.max(most, Math.abs(size)), 1);
}

function checkEmbedding({ values: { latents, eigenvalues } }: FitOutcome): void {
  if (!(latents instanceof Matrix)) throw damagedAt('values.latents', 'they are no matrix.');
  // Own models may have none.
  if (eigenvalues === undefined || (Array.isArray(eigenvalues) && eigenvalues.length === latents.columns)) return;
  throw damagedAt('values.eigenvalues', `${latents.columns} numbers were expected, one for each latent dimension.`);
}

function checkDensity(model: Model, outcome: FitOutcome): void {
  const { seed, batchSize } = outcome.diagnostics;
  const { assembly, layout } = assembled(model, outcome, seed ?? 0);
  try {
    const natural = readingAt('values', () => naturalEntries(layout, outcome.values));
    const { value } = densityAt(() => densityOf(model, assembly, layout, natural, { seed: seed ?? 0, batchSize }));
    if (isClose(value, outcome.objective, [value, ...Object.values(outcome.terms)])) return;
    throw damagedAt(
      'objective',
      `it is ${shortNumber(outcome.objective)}, but the model has ${shortNumber(value)} at these values. Its data or values were changed, or a part of your own is another.`,
    );
  } finally {
    assembly.dispose();
  }
}

/** Assembled model, in batches if the values come from a fit in batches. */
function assembled(model: Model, { values }: FitOutcome, seed: number): { assembly: Assembly; layout: VariableLayout } {
  let missing = '';
  for (const batched of model.points === undefined ? [false] : [false, true]) {
    const assembly = readingAt('model', () => model.assemble(seed, { batched }));
    const layout = layOut(assembly.parameters);
    const absent = layout.variables.find(({ path }) => !Object.hasOwn(values, path));
    if (absent === undefined) return { assembly, layout };
    assembly.dispose();
    missing ||= absent.path;
  }
  throw damagedAt(`values.${missing}`, 'it is missing.');
}

/** Evaluates a density; values without a finite log density cannot be the result of a fit. */
function densityAt<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (!(error instanceof LatentFieldError) || error instanceof InvalidInputError) throw error;
    throw damagedAt('values', `the model cannot be evaluated at them. ${error.message}`, error);
  }
}
