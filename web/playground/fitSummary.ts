import type { Fit, Prediction, Projection } from 'latentfield';
import { Matrix } from 'latentfield/core';
import { knownRowsOf, typicalPrediction } from 'latentfield/inference';
import type { StandardizedColumns } from 'latentfield/io';
import { isAtNoiseFloor } from 'latentfield/models';
import type { Beside, RowView } from './data/dataset.ts';
import type { Settings } from './settings.ts';

export interface PlainMatrix {
  readonly data: Float64Array;
  readonly rows: number;
  readonly columns: number;
}

/** Fitted rows and the information stored with the fit. */
export interface FittedRows {
  readonly observations: PlainMatrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  readonly labelColumn: string;
  readonly ids: readonly string[] | undefined;
  readonly idColumn: string;
  readonly beside?: readonly Beside[] | undefined;
  readonly view?: RowView | undefined;
}

/** Iterations, and the objective after each. */
export type Trace = readonly [iterations: readonly number[], objectives: readonly number[]];

/** Fit in the form that the page uses. */
export interface FitSummary {
  readonly model: string;
  readonly latents: PlainMatrix;
  readonly latentVariances: PlainMatrix | undefined;
  readonly relevance: readonly number[] | undefined;
  readonly objective: number;
  readonly status: string;
  readonly message: string;
  /** True if its noise is at the lower limit of the search, so that intervals are too narrow. */
  readonly isAtNoiseFloor: boolean;
  readonly trace: Trace;
  readonly predicts: boolean;
  readonly projects: boolean;
  /** True if it is a maximum of a density that can be sampled. */
  readonly canDraw: boolean;
}

/** Fit with optional abilities, which depend on the model. */
export type AnyFit = Fit & {
  predict?(X: Matrix, options?: { noise?: boolean }): Prediction;
  project?(Y: Matrix): Promise<Projection>;
  readonly relevance?: ArrayLike<number>;
  readonly latentVariances?: Matrix;
};

export const plain = ({ data, rows, columns }: Matrix): PlainMatrix => ({ data, rows, columns });

export const traceOf = ({ trace }: Pick<Fit, 'trace'>): Trace => [
  trace.map(({ iteration }) => iteration),
  trace.map(({ objective }) => objective),
];

export function summaryOf(fit: AnyFit): FitSummary {
  const { model, latents, objective, status, relevance, latentVariances } = fit;
  const { at } = typicalPrediction(fit);
  const beside =
    at === undefined
      ? ''
      : ` Predictions are at ${at}; the command line predicts at other values, and places new rows.`;
  const message = `${fit.message}${beside}`;
  return {
    ...{ model, latents: plain(latents), objective, status, message: withoutOptions(message) },
    isAtNoiseFloor: fit.predict !== undefined && isAtNoiseFloor(fit),
    latentVariances: latentVariances && plain(latentVariances),
    relevance: relevance && Array.from(relevance),
    trace: traceOf(fit),
    predicts: fit.predict !== undefined,
    // New rows need their covariates and offset, which a table that is opened in the page is not read for.
    projects: fit.project !== undefined && knownRowsOf(fit) === undefined,
    canDraw: fit.predict !== undefined && latentVariances === undefined && fit.trace.length > 1,
  };
}

/** Sentence without options of programs, which the page does not have. */
export const withoutOptions = (sentence: string): string =>
  sentence
    .replace(/set `missingValues: [^`]*`/g, 'treat it as missing')
    .replace(/ with `drop`/g, '')
    .replace(/ \([^()]*`[^()]*\)/g, '')
    .replace(/,(?: or)? [^,.:;()`]*`[^`]*`/g, '');

/** Stored information about the table, and about how it was fitted. */
export function tableOf(
  { ids, idColumn, labels, labelColumn, columns, beside, view }: Omit<FittedRows, 'observations'>,
  units: StandardizedColumns | undefined,
  settings: Settings,
): object {
  return {
    columns,
    isNamed: true,
    others: labels === undefined ? [] : [labelColumn],
    ...(ids && { ids, idColumn }),
    ...(labels && { labels, labelColumn }),
    ...(units && { standardized: { mean: [...units.mean], deviation: [...units.deviation] } }),
    page: { settings, ...(view && { view }), ...plainBeside(beside) },
  };
}

/** Columns that are not fitted, as JSON: dates as `days`, numbers as `numbers`, text as `text`. */
export function plainBeside(beside: readonly Beside[] | undefined): object {
  if (beside === undefined || beside.length === 0) return {};
  return {
    beside: beside.map(({ column, values, isNumber }) => ({
      column,
      ...(values instanceof Float64Array
        ? { [isNumber ? 'numbers' : 'days']: Array.from(values, (value) => (Number.isNaN(value) ? null : value)) }
        : { text: values }),
    })),
  };
}

/** Reads these columns back; undefined if they have another form. */
export function savedBeside(given: unknown): readonly Beside[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const values = (list: readonly (number | null)[]) => Float64Array.from(list, (value) => value ?? Number.NaN);
  return given.flatMap(({ column, days, numbers, text }: Readonly<Record<string, unknown>>): Beside[] => {
    if (typeof column !== 'string') return [];
    if (Array.isArray(days)) return [{ column, values: values(days) }];
    if (Array.isArray(numbers)) return [{ column, values: values(numbers), isNumber: true }];
    return Array.isArray(text) ? [{ column, values: text.map(String) }] : [];
  });
}

/** Fit and table as text, with the settings and limits of rounds that the page used. The table has no separate checksum, and is validated by its form. */
export function savedText(
  fit: AnyFit,
  table: { readonly page?: object } | undefined,
  rounds: readonly number[],
): string {
  const json = fit.toJSON();
  if (table === undefined) return JSON.stringify(json);
  const { table: _, ...checksums } = json.checksums;
  return JSON.stringify({
    ...json,
    checksums,
    table: table.page ? { ...table, page: { ...table.page, rounds } } : table,
  });
}

/** Rows of a saved fit, with null for missing entries. */
export function savedRows(json: { readonly model: { readonly observations?: unknown } }): Matrix | undefined {
  const rows = json.model.observations;
  if (!Array.isArray(rows)) return undefined;
  return Matrix.from(rows.map((row: (number | null)[]) => row.map((entry) => entry ?? Number.NaN)));
}

/** Display of the rows of a saved fit with this many columns; undefined if it has another form. */
export function savedView(given: unknown, columns = 0): RowView | undefined {
  const { kind, height, width, pixels, constants, bones } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'values' || kind === 'curve') return { kind };
  const isList = (list: unknown, isEntry: (entry: unknown) => boolean) => Array.isArray(list) && list.every(isEntry);
  const isColumn = (entry: unknown) => Number.isInteger(entry) && (entry as number) < columns;
  if (kind === 'figure') {
    const isBone = (bone: unknown) => isList(bone, isColumn) && (bone as readonly unknown[]).length === 2;
    return isList(bones, isBone) ? (given as RowView) : undefined;
  }
  if (kind !== 'image' || !Number.isInteger(height) || !Number.isInteger(width)) return undefined;
  const count = (height as number) * (width as number);
  const isWhole = (list: unknown, isEntry: (entry: unknown) => boolean) =>
    list === undefined || (isList(list, isEntry) && (list as readonly unknown[]).length === count);
  if (!isWhole(pixels, isColumn) || !isWhole(constants, Number.isFinite)) return undefined;
  return pixels !== undefined || count === columns ? (given as RowView) : undefined;
}
