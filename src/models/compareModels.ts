import * as v from 'valibot';
import { InvalidInputError, NumericalError } from '../core/errors.ts';
import { isTable, type ObservationsLike } from '../core/namedTable.ts';
import type { ScaleOption } from '../core/observations.ts';
import { savedObservations } from '../core/observations.ts';
import {
  checkGiven,
  checkOptions,
  givenList,
  type OptionsIn,
  seedOption,
  signalOption,
  typed,
} from '../core/options.ts';
import { aligned } from '../core/wording.ts';
import { isNamed, knownRowsOf } from '../inference/fit/knownRows.ts';
import { laplaceApproximation } from '../inference/laplaceApproximation.ts';
import type { Draws } from '../inference/sampling/index.ts';
import { compareElpd, type ElpdRow } from '../inference/sampling/leaveOneOut.ts';
import type { KnownRowsOptions } from '../model/abilities.ts';
import type { FittedModel } from '../model/fit.ts';
import type { ModelJSON } from '../model/model.ts';
import type { Projection } from '../model/posterior.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import type { OwnParts } from './ownParts.ts';
import { takesWholeRows } from './refit.ts';
import { dividesColumns } from './savedFit.ts';
import { canScore, type HeldOutScore, type ScoreOptions, score } from './score.ts';

/** Members of a fit that a comparison uses. */
export interface ComparedFit extends FittedModel {
  /** Variational bound, for models whose latents are distributions. */
  readonly evidence?: number;
  project?(Y: ObservationsLike, options?: KnownRowsOptions): Promise<Projection>;
}

export interface ComparisonOptions extends OptionsIn<typeof schema> {}

/** Row of a comparison: one fit. */
export interface ComparisonRow {
  /** Name of the model, numbered if it occurs several times. */
  readonly name: string;
  readonly objective: number;
  /** Approximation of log p(Y) at the fit's hyperparameters, with the latents integrated out; NaN if unavailable. */
  readonly evidence: number;
  /** Kind of the approximation: a lower bound, Laplace's approximation, or none. */
  readonly by: 'bound' | 'laplace' | 'none';
  /** Reason why the evidence is unavailable; undefined if it is available. */
  readonly reason: string | undefined;
  /** Difference from the largest evidence. */
  readonly behind: number;
  /** Mean over the new observations of log p(y*|x*) at their projections; NaN without them. */
  readonly heldOutDensity: number;
  /** Difference from the largest held-out density. */
  readonly heldOutBehind: number;
  /**
   * Mean log density of hidden entries of the new observations, conditional on the rest of their row, and its standard error: see {@link score}. NaN
   * without new observations, and for fits that cannot impute.
   */
  readonly entryDensity: number;
  readonly entryDensitySe: number;
  /** Reason why a fit that can impute has no density of hidden entries: it requires complete rows. */
  readonly entryReason: string | undefined;
  /** Difference from the largest, and the standard error of the difference, on the same entries. */
  readonly entryBehind: number;
  readonly entryBehindSe: number;
}

export interface Comparison {
  /** Rows in the order of the fits. */
  readonly table: readonly ComparisonRow[];
  /** Table as text, with the reasons why a fit has no evidence or no density of hidden entries. */
  toString(): string;
}

/** Row of a comparison: the draws of one model. */
export interface DrawsComparisonRow extends ElpdRow {
  /** Name of the model, numbered if it occurs several times. */
  readonly name: string;
  /** Number of leave-one-out k̂ above their limit: if there are any, elpd is too optimistic. */
  readonly unreliable: number;
}

/** Comparison of draws from several models. */
export interface DrawsComparison {
  /** Rows in the order of the draws. */
  readonly table: readonly DrawsComparisonRow[];
  /** Table as text. */
  toString(): string;
}

const schema = v.strictObject({
  /**
   * New observations n×D, or a table of them, for comparing the fits by log density, and by the density of a third of their entries conditional on
   * the rest of their rows.
   */
  heldOut: v.optional(typed<ObservationsLike>()),
  /** Covariates of the new observations, n×p, or covariates and offset by name, for fits with them; default the table's. */
  given: v.optional(typed<KnownRowsOptions['given']>()),
  /** Seed for hiding entries; default 0. */
  seed: seedOption,
  /** Whether Laplace's approximation of the evidence is computed for fits without a bound, at 2·N·q evaluations each; default true. */
  laplace: v.optional(v.boolean(), true),
  /** Factories of custom parts by name, as for `loadFit`. */
  own: v.optional(typed<OwnParts>()),
  /** Signal that aborts the comparison, which then rejects with the signal's reason. */
  signal: signalOption,
});

/**
 * Compares fits of different models to the same observations: the evidence log p(Y) at each fit's hyperparameters, the log density of new
 * observations, and the log density of their hidden entries conditional on the rest of the row, with standard errors ({@link score}) and differences
 * from the best. Only the density of hidden entries is comparable between all kinds of models, since the density of a whole row is evaluated at its
 * best position. The evidence is the bound if the latents are distributions, and Laplace's approximation (see `laplaceApproximation`) if they are
 * free points under a prior; both fix the hyperparameters at their optimum. A bound is below the evidence; Laplace's approximation may be on either
 * side of it. For a fit without evidence, such as one that is not a maximum in its latents, the row states the reason.
 *
 * Draws are compared by leave-one-out: the expected log predictive density of each model, with the standard error of its difference to the best, and
 * stacking weights.
 *
 * @param fits - at least one fit, of the same N×D observations in the same units; or results of `samplePosterior`
 * @param options - `heldOut`, `seed`, `laplace`, `own`, `signal`: see {@link ComparisonOptions}
 * @throws InvalidInputError if the fits have different observations, or only some of those with evidence scaled them
 * @see Titsias & Lawrence 2010; MacKay 2003, ch. 27–28
 * @example
 * ```ts
 * const linearFit = await fit(bayesianGplvm(Y, { latentDim: 2, kernel: linear() }));
 * const smoothFit = await fit(bayesianGplvm(Y, { latentDim: 2 }));
 * const { table } = await compareModels([linearFit, smoothFit]);
 * table.map(({ name, behind }) => `${name}: ${behind.toFixed(1)} behind`);
 * ```
 */
export function compareModels(fits: readonly ComparedFit[], options?: ComparisonOptions): Promise<Comparison>;
export function compareModels(draws: readonly Draws[]): Promise<DrawsComparison>;
export async function compareModels(
  fits: readonly ComparedFit[] | readonly Draws[],
  options: ComparisonOptions = {},
): Promise<Comparison | DrawsComparison> {
  const { heldOut, given: known, seed, laplace, own = {}, signal } = checkOptions(schema, options, 'compareModels');
  const all = givenList<ComparedFit | Draws>(fits, 'compareModels', 'a list of fits');
  const drawn = all.filter(isDraws);
  if (drawn.length > 0) return comparedDraws(drawn, all.length, options);
  const given = all as readonly ComparedFit[];
  checkComparable(given);
  const names = numbered(given.map(({ model }) => model));
  const found: Omit<ComparisonRow, 'behind' | 'heldOutBehind' | 'entryBehind' | 'entryBehindSe'>[] = [];
  const entries: (HeldOutScore | undefined)[] = [];
  const knowsSums = given.map((fitted) => takesRowSums(fitted.toJSON().model));
  const differ = knowsSums.includes(true) && knowsSums.includes(false);
  for (const [i, fitted] of given.entries()) {
    const isOfOther = differ && knowsSums[i]!;
    const [rows, beside] = rowsFor(fitted, heldOut, known);
    const { evidence, by, reason } = isOfOther ? OF_KNOWN_SUMS : await evidenceOf(fitted, laplace, own, signal);
    const heldOutDensity = rows === undefined || isOfOther ? Number.NaN : await densityOf(fitted, rows, beside);
    const options = { seed, given: beside, ...(signal && { signal }) };
    const { scored, entryReason } = await scoredEntries(fitted, rows, options);
    entries.push(scored);
    const { logDensity: entryDensity = Number.NaN, logDensitySe: entryDensitySe = Number.NaN } = scored ?? {};
    const { objective } = fitted;
    found.push({
      name: names[i]!,
      objective,
      evidence,
      by,
      reason,
      heldOutDensity,
      entryDensity,
      entryDensitySe,
      entryReason,
    });
  }
  checkUnits(given, found);
  const first = entries.reduce(
    (most, own) => (own && !(most && most.logDensity >= own.logDensity) ? own : most),
    undefined,
  );
  const best = (of: 'evidence' | 'heldOutDensity') =>
    found.reduce((most, row) => (row[of] > most ? row[of] : most), Number.NEGATIVE_INFINITY);
  const [evidence, density] = [best('evidence'), best('heldOutDensity')];
  const table = found.map((row, i) => {
    const own = entries[i];
    const { mean, se } = own === undefined ? { mean: Number.NaN, se: Number.NaN } : own.behind(first!);
    return Object.freeze<ComparisonRow>({
      ...row,
      behind: evidence - row.evidence,
      heldOutBehind: density - row.heldOutDensity,
      entryBehind: mean,
      entryBehindSe: se,
    });
  });
  return Object.freeze({ table, toString: () => inColumns(table) });
}

/** New observations, with the covariates and offset that a fit has, if any. */
function rowsFor(
  fitted: ComparedFit,
  heldOut: ObservationsLike | undefined,
  known: KnownRowsOptions['given'],
): [ObservationsLike | undefined, KnownRowsOptions['given']] {
  const own = knownRowsOf(fitted) ?? {};
  const isOwn = ([name]: readonly [string, unknown]) => name in own;
  const given = isNamed(known) ? Object.fromEntries(Object.entries(known).filter(isOwn)) : known;
  const beside = Object.keys(own).length > 0 ? (given as KnownRowsOptions['given']) : undefined;
  if (!isTable(heldOut)) return [heldOut, beside];
  const table = { ...heldOut, given: own.given && heldOut.given, offset: own.offset && heldOut.offset };
  return [table, beside];
}

async function scoredEntries(fitted: ComparedFit, heldOut: ObservationsLike | undefined, options: ScoreOptions) {
  if (heldOut === undefined || !canScore(fitted)) return { scored: undefined, entryReason: undefined };
  try {
    return { scored: await score(fitted, heldOut, options), entryReason: undefined };
  } catch (error) {
    if (!takesWholeRows(error)) throw error;
    return { scored: undefined, entryReason: error.message };
  }
}

const isDraws = (given: unknown): given is Draws => typeof (given as Draws | undefined)?.loo === 'function';

function comparedDraws(drawn: readonly Draws[], count: number, options: ComparisonOptions): DrawsComparison {
  if (drawn.length < count) {
    throw new InvalidInputError(
      'compareModels takes fits or draws, but both were given. Compare each kind separately.',
    );
  }
  const other = Object.keys(options)[0];
  if (other !== undefined) {
    throw new InvalidInputError(
      `compareModels of draws takes no options, but '${other}' was given: they are compared by leave-one-out.`,
    );
  }
  const left = drawn.map((draws) => draws.loo());
  const names = numbered(drawn.map(({ model }) => model));
  const table = compareElpd(left).map((row, i) => {
    const { k, kLimit } = left[i]!;
    return Object.freeze<DrawsComparisonRow>({
      name: names[i]!,
      ...row,
      unreliable: k.filter((own) => !(own <= kLimit)).length,
    });
  });
  const head = ['model', 'elpd', 'se', 'difference', 'its se', 'stacking', 'k̂ too large'];
  const lines = table.map(({ name, elpd, se, difference, differenceSe, stackingWeight, unreliable }) => [
    name,
    ...[elpd, se, difference, differenceSe, stackingWeight].map((value) => value.toFixed(2)),
    String(unreliable),
  ]);
  return Object.freeze({ table, toString: () => aligned([head, ...lines]).join('\n') });
}

type Evidence = Pick<ComparisonRow, 'evidence' | 'by' | 'reason'>;

const without = (reason: string): Evidence => ({ evidence: Number.NaN, by: 'none', reason });

const OF_KNOWN_SUMS = without(
  "Its densities are of counts whose row sums are known (offset: 'rowSums'), but other fits use no such offset. Compare fits with the same offset.",
);

/** True if a part of the model, such as its likelihood, depends on the sums of the rows. */
function takesRowSums(model: object): boolean {
  return Object.entries(model).some(
    ([name, value]) =>
      (name === 'offset' && value === 'rowSums') ||
      (typeof value === 'object' && value !== null && name !== 'observations' && takesRowSums(value)),
  );
}

async function evidenceOf(
  fitted: ComparedFit,
  laplace: boolean,
  own: OwnParts,
  signal: AbortSignal | undefined,
): Promise<Evidence> {
  if (fitted.evidence !== undefined) return { evidence: fitted.evidence, by: 'bound', reason: undefined };
  if (!laplace) return without('It has no bound, and laplace is false.');
  const { model, values } = fitted.toJSON();
  const hasPrior = Array.isArray(model.priors) && model.priors.length > 0;
  if (!hasPrior || !Object.hasOwn(values, 'latents')) {
    return without('Its latents are not free points under a prior, over which the density could be integrated.');
  }
  const { latents, parameters } = fitted;
  try {
    const { evidence = Number.NaN } = await laplaceApproximation(
      modelFromJSON(model, own),
      { latents, ...parameters },
      { parameters: false, ...(signal && { signal }) },
    );
    return { evidence, by: 'laplace', reason: undefined };
  } catch (error) {
    if (!(error instanceof NumericalError)) throw error;
    return without(
      `It is not a strict maximum in its latents, which Laplace's approximation takes. It ended as '${fitted.status}': fit it further.`,
    );
  }
}

async function densityOf(fitted: ComparedFit, Y: ObservationsLike, given: KnownRowsOptions['given']): Promise<number> {
  if (fitted.project === undefined) return Number.NaN;
  const { logDensity } = await fitted.project(Y, { given });
  return logDensity.reduce((sum, entry) => sum + entry, 0) / logDensity.length;
}

function checkComparable(fits: readonly ComparedFit[]): void {
  if (fits.length === 0) {
    throw new InvalidInputError(
      'compareModels takes a list of at least one fit, such as [await fit(a), await fit(b)].',
    );
  }
  for (const fitted of fits) {
    const isFit = (given: ComparedFit) => typeof given.toJSON === 'function' && given.latents !== undefined;
    checkGiven(fitted, 'compareModels', 'a list of fits, the results of fit(model)', isFit);
  }
  const [first, ...others] = fits.map((fitted) => {
    const { model } = fitted.toJSON();
    return { rows: fitted.latents.rows, columns: savedObservations(model)?.columns };
  });
  for (const other of others) {
    if (other.rows !== first!.rows || other.columns !== first!.columns) {
      throw new InvalidInputError(
        `compareModels takes fits of the same observations, but one is of ${first!.rows}×${first!.columns} and another of ${other.rows}×${other.columns}.`,
      );
    }
  }
}

/** Throws unless all evidence refers to columns in the same units. */
function checkUnits(fits: readonly ComparedFit[], rows: readonly Pick<ComparisonRow, 'by'>[]): void {
  const scaled = fits.filter((_, i) => rows[i]!.by !== 'none').map((fitted) => isModelScaled(fitted.toJSON().model));
  if (scaled.every((own) => own === scaled[0])) return;
  throw new InvalidInputError(
    'compareModels compares evidence in the same units, but some models scaled their columns and others did not. Give all of them the same scale.',
  );
}

function isModelScaled(model: ModelJSON): boolean {
  const Y = savedObservations(model);
  return Y === undefined ? (model as { scale?: ScaleOption }).scale === true : dividesColumns(model, Y);
}

/** Names, numbered if they are repeated. */
function numbered(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

function inColumns(table: readonly ComparisonRow[]): string {
  const number = (value: number) => (Number.isNaN(value) ? '–' : value.toFixed(2));
  const head = ['model', 'evidence', 'by', 'behind', 'held-out density', 'behind', 'entries', 'se', 'behind', 'its se'];
  const rows = table.map((row) => [
    row.name,
    ...[number(row.evidence), row.by, number(row.behind), number(row.heldOutDensity), number(row.heldOutBehind)],
    ...[row.entryDensity, row.entryDensitySe, row.entryBehind, row.entryBehindSe].map(number),
  ]);
  const lines = aligned([head, ...rows]);
  const reasons = table.flatMap(({ name, reason }) =>
    reason === undefined ? [] : [`No evidence of ${name}: ${reason}`],
  );
  const unscored = table.flatMap(({ name, entryReason }) =>
    entryReason === undefined ? [] : [`No entries of ${name}: ${entryReason}`],
  );
  return [...lines, ...reasons, ...unscored].join('\n');
}
