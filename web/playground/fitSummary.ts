import type { Fit, Prediction, Projection } from 'latentfield';
import { Matrix } from 'latentfield/core';
import type { StandardizedColumns } from 'latentfield/io';
import type { Settings } from './settings.ts';

export interface PlainMatrix {
  readonly data: Float64Array;
  readonly rows: number;
  readonly columns: number;
}

/** What a fit is made to, and remembers. */
export interface FittedRows {
  readonly observations: PlainMatrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  readonly labelColumn: string;
  readonly ids: readonly string[] | undefined;
  readonly idColumn: string;
}

/** Iterations, and the objective after each. */
export type Trace = readonly [iterations: readonly number[], objectives: readonly number[]];

/** A fit as the page sees it. */
export interface FitSummary {
  readonly model: string;
  readonly latents: PlainMatrix;
  readonly latentVariances: PlainMatrix | undefined;
  readonly relevance: readonly number[] | undefined;
  readonly objective: number;
  readonly status: string;
  readonly message: string;
  readonly trace: Trace;
  readonly predicts: boolean;
  readonly projects: boolean;
  /** Whether it is a point of a density that was searched, from which can be drawn. */
  readonly canDraw: boolean;
}

/** A fit with what it can do; which of it is there depends on the model. */
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
  const { model, latents, objective, status, message, relevance, latentVariances } = fit;
  return {
    ...{ model, latents: plain(latents), objective, status, message },
    latentVariances: latentVariances && plain(latentVariances),
    relevance: relevance && Array.from(relevance),
    trace: traceOf(fit),
    predicts: fit.predict !== undefined,
    projects: fit.project !== undefined,
    canDraw: fit.predict !== undefined && latentVariances === undefined && fit.trace.length > 1,
  };
}

/** What is kept of the table, and of how it was fitted. */
export function tableOf(
  { ids, idColumn, labels, labelColumn, columns }: Omit<FittedRows, 'observations'>,
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
    page: { settings },
  };
}

/** A fit and its table, with the settings and limits of rounds that the page made it by. The table has no checksum of its own, and is held to its form. */
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

/** Rows of a saved fit, whose holes are null. */
export function savedRows(json: { readonly model: { readonly observations?: unknown } }): Matrix | undefined {
  const rows = json.model.observations;
  if (!Array.isArray(rows)) return undefined;
  return Matrix.from(rows.map((row: (number | null)[]) => row.map((entry) => entry ?? Number.NaN)));
}
