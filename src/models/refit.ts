import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { ProjectOptions } from '../model/abilities.ts';
import type { Fit, FittedModel } from '../model/fit.ts';
import type { AnyModel, ModelJSON } from '../model/model.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import type { OwnParts } from './ownParts.ts';

/** True for an error that a row must be complete. */
export const takesWholeRows = (error: unknown): error is InvalidInputError =>
  error instanceof InvalidInputError && error.code === 'missingEntry';

/**
 * Imputation of hidden entries of rows by a fit.
 *
 * @param options - covariates of the rows, if the fit has any, and the signal
 * @throws InvalidInputError with the code 'missingEntry' if a density requires complete rows, such as counts with row offsets
 */
export async function filledIn(fitted: FittedModel, hidden: Matrix, options: ProjectOptions) {
  try {
    return await (fitted as Fit).impute!(hidden, options);
  } catch (error) {
    if (!takesWholeRows(error)) throw error;
    throw new InvalidInputError(
      `No entries can be hidden from ${fitted.model} to be predicted by the others of their rows: ${error.message}`,
      { cause: error, code: 'missingEntry' },
    );
  }
}

/** Changes for a refit. */
export interface RefitChanges {
  /** Row numbers to keep, ascending; default all. */
  readonly rows?: Int32Array | undefined;
  /** Number of latent dimensions; default unchanged. */
  readonly latentDim?: number | undefined;
  /** Replacement for the observations, N×D, NaN where missing, before rows are selected. */
  readonly observations?: Matrix | undefined;
}

/** Members of saved models with one entry per point. */
const ROWWISE = ['observations', 'labels', 'classes', 'rowWeights', 'given', 'offset'];

/**
 * Saved model restricted to some of its rows, or with another number of latent dimensions; all other options unchanged.
 *
 * @throws InvalidInputError for a model whose rows depend on each other, such as a sequence, or that contains other members with one entry per row
 */
export function refitModel(json: ModelJSON, changes: RefitChanges, own: OwnParts = {}): AnyModel {
  const { rows, latentDim, observations } = changes;
  const others = observations?.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry)));
  const given = others === undefined ? json : { ...json, observations: others };
  return modelFromJSON(resized(rows === undefined ? given : ofRows(given, rows), latentDim), own);
}

function ofRows(json: ModelJSON, rows: Int32Array): ModelJSON {
  const N = (json as { observations?: readonly unknown[] }).observations?.length;
  if (N === undefined || 'views' in json || 'sampled' in json) {
    throw new InvalidInputError('It does not contain a single table of observations whose rows could be selected.');
  }
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) {
      const isOfRows = ROWWISE.includes(key) || (key === 'arguments' && value.every(isPlain));
      if (isOfRows && value.length === N) return Array.from(rows, (row) => value[row]);
      if (value.length === N) throw belongsToRows(key);
      return value.map((entry) => walk(entry, key));
    }
    if (typeof value !== 'object' || value === null) return value;
    const { prior } = value as { prior?: unknown };
    if (prior === 'dynamics' || prior === 'markov') {
      throw new InvalidInputError(`Its rows are a sequence (${prior}), which has gaps without some of them.`);
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => {
        if (['graph', 'squaredDistances'].includes(name) || entry === 'distances') throw belongsToRows(name);
        if (name === 'inducing' && typeof entry === 'number') return [name, Math.min(entry, rows.length)];
        return [name, walk(entry, name)];
      }),
    );
  };
  return walk(json, '') as ModelJSON;
}

/** True for plain values. Classes and labels are arguments of priors with one entry per row; graphs are not lists of plain values. */
const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

const belongsToRows = (name: string) =>
  new InvalidInputError(`Its '${name}' belongs to all rows together, and cannot be cut to some of them.`);

/** Lists with one number per dimension, truncated or extended by their mean; columns of covariates come after the dimensions. */
function resized(json: ModelJSON, latentDim: number | undefined): ModelJSON {
  const { latentDim: before, options, given } = json as { latentDim?: number; options?: Sized; given?: number[][] };
  const q = before ?? options?.latentDim;
  if (latentDim === undefined || q === undefined || q === latentDim) return json;
  const dimensions = range(latentDim);
  const moved = (columns: readonly number[]) => {
    const own = columns.filter((column) => column < q);
    const kept = own.length === q ? dimensions : own.filter((column) => column < latentDim);
    return [...kept, ...columns.filter((column) => column >= q).map((column) => column + latentDim - q)];
  };
  const walk = (value: unknown, key: string, columns: readonly number[]): unknown => {
    if (key === 'latentDim') return latentDim;
    if (Array.isArray(value)) return value.map((entry) => walk(entry, key, columns));
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'lengthscale' && Array.isArray((value as { initial?: unknown }).initial)) {
      const { initial } = value as { initial: number[] };
      const ofLatents = initial.filter((_, k) => !(columns[k]! >= q));
      const mean = ofLatents.reduce((sum, entry) => sum + entry, 0) / ofLatents.length;
      const at = (column: number) => (column < latentDim ? column : column - latentDim + q);
      const lengthscale = moved(columns).map((column) => initial[columns.indexOf(at(column))] ?? mean);
      return { ...value, initial: lengthscale };
    }
    const selected = given && (value as { columns?: readonly number[] }).columns;
    if (selected !== undefined && moved(selected).length === 0) {
      throw new InvalidInputError(
        `Its kernel reads column ${selected.join()} of the latents, and they have ${latentDim}.`,
      );
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => {
        if (['observations', 'given'].includes(name)) return [name, entry];
        if (selected !== undefined && name === 'columns') return [name, moved(selected)];
        return [name, walk(entry, name, selected ?? columns)];
      }),
    );
  };
  return walk(json, '', range(q + (given?.[0]?.length ?? 0))) as ModelJSON;
}

interface Sized {
  readonly latentDim?: number;
}

const range = (count: number) => Array.from({ length: count }, (_, d) => d);
