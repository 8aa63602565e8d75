import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { Fit, FittedModel } from '../model/fit.ts';
import type { AnyModel, ModelJSON } from '../model/model.ts';
import { modelFromJSON } from './modelFromJSON.ts';
import type { OwnParts } from './ownParts.ts';

/** True if this says that a row has to be whole. */
export const takesWholeRows = (error: unknown): error is InvalidInputError =>
  error instanceof InvalidInputError && error.code === 'missingEntry';

/**
 * What a fit fills in where entries of rows are hidden.
 *
 * @throws InvalidInputError with the code 'missingEntry' where a density needs whole rows, such as counts under the offset of their rows
 */
export async function filledIn(fitted: FittedModel, hidden: Matrix, signal: AbortSignal | undefined) {
  try {
    return await (fitted as Fit).impute!(hidden, signal && { signal });
  } catch (error) {
    if (!takesWholeRows(error)) throw error;
    throw new InvalidInputError(
      `No entries can be hidden from ${fitted.model} to be predicted by the others of their rows: ${error.message}`,
      { cause: error, code: 'missingEntry' },
    );
  }
}

/** What a model is refitted with. */
export interface RefitChanges {
  /** The rows that it is made of, ascending; default all. */
  readonly rows?: Int32Array | undefined;
  /** Its number of latent dimensions; as it is unless given. */
  readonly latentDim?: number | undefined;
  /** Other observations, N×D, NaN where missing, in the place of its own, before rows are taken. */
  readonly observations?: Matrix | undefined;
}

/** Members of saved models that have an entry a point. */
const ROWWISE = ['observations', 'labels', 'classes'];

/**
 * A saved model made again of some of its rows, or with another number of latent dimensions: all else as it was given or chosen.
 *
 * @throws InvalidInputError for a model whose rows belong together, such as a sequence, or that holds other things that belong to rows
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
    throw new InvalidInputError('It does not hold one table of observations, of which rows could be taken.');
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

/** Classes and labels are arguments of priors with one entry per row; graphs are not lists of plain values. */
const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

const belongsToRows = (name: string) =>
  new InvalidInputError(`Its '${name}' belongs to all rows together, and cannot be cut to some of them.`);

/** Lists of one number a dimension are cut, or go on with their mean. */
function resized(json: ModelJSON, latentDim: number | undefined): ModelJSON {
  const { latentDim: before, options } = json as { latentDim?: number; options?: { latentDim?: number } };
  const q = before ?? options?.latentDim;
  if (latentDim === undefined || q === undefined || q === latentDim) return json;
  const walk = (value: unknown, key: string): unknown => {
    if (key === 'latentDim') return latentDim;
    if (Array.isArray(value)) return value.map((entry) => walk(entry, key));
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'lengthscale' && Array.isArray((value as { initial?: unknown }).initial)) {
      const initial = (value as { initial: number[] }).initial;
      const mean = initial.reduce((sum, entry) => sum + entry, 0) / initial.length;
      return { ...value, initial: Array.from({ length: latentDim }, (_, d) => initial[d] ?? mean) };
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [name, name === 'observations' ? entry : walk(entry, name)]),
    );
  };
  return walk(json, '') as ModelJSON;
}
