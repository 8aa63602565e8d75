import { type FitJSON, fitAt, loadFit, Matrix } from 'latentfield';
import { checksum } from 'latentfield/core';
import { typicalPrediction } from 'latentfield/inference';
import { modelFromJSON } from 'latentfield/models';
import type { AnyFit } from './fitSummary.ts';

/** Saved fit with rounded numbers, and its largest difference from the exact one. */
export interface Rounded {
  readonly text: string;
  /** Largest difference of predictions at the positions of the rows, in standard deviations of a new row; without predictions, of positions, relative to the extent of the map. */
  readonly difference: number;
  readonly of: 'predictions' | 'positions';
}

/** Decimal places after the first digit of a column's standard deviation: the step is at most a thousandth of it. */
const PLACES = 3;
/** Significant digits of lists of parameters, such as latents. */
const DIGITS = 6;
/** Lists of at most this many numbers are not rounded. */
const FEW = 20;
/** Maximum number of steps of the search that are kept. */
const MOST_STEPS = 20;

type Saved = Readonly<Record<string, unknown>> & {
  readonly model: Readonly<Record<string, unknown>> & { readonly observations?: unknown };
  readonly values: Readonly<Record<string, unknown>>;
  readonly trace: readonly object[];
  readonly checksums: Readonly<Record<string, string>>;
};

/**
 * Rounds a saved fit so that it becomes a short link: the observations to a thousandth of the standard deviation of their column, lists of parameters
 * to six significant digits, and the course of the search to twenty steps. Single parameters stay exact, and the objective is computed at the rounded
 * values.
 *
 * @param text - saved fit, as `savedText` writes it
 * @returns the rounded fit, compared with `fit` at the positions of the rows
 */
export function roundedFit(text: string, fit: AnyFit): Rounded {
  const json = JSON.parse(text) as Saved;
  const step = Math.ceil(json.trace.length / MOST_STEPS);
  const rounded = {
    ...json,
    model: {
      ...json.model,
      ...(Array.isArray(json.model.observations) && { observations: table(json.model.observations) }),
    },
    values: Object.fromEntries(Object.entries(json.values).map(([name, value]) => [name, parameter(value)])),
    trace: json.trace
      .filter((_, k) => k % step === 0 || k === json.trace.length - 1)
      .map((each) => Object.fromEntries(Object.entries(each).map(([name, value]) => [name, digits(value)]))),
  };
  Object.assign(rounded, densityOf(rounded));
  const sums = Object.keys(json.checksums).map((path) => [path, checksum(partAt(rounded, path))] as const);
  const result = JSON.stringify({ ...rounded, checksums: Object.fromEntries(sums) });
  return { text: result, ...compared(fit, loadFit(JSON.parse(result)) as AnyFit) };
}

/** Objective and its terms at the rounded values; nothing for a model that computes its solution, whose values have no density. */
function densityOf({ model, values }: Pick<Saved, 'model' | 'values'>): Partial<Pick<FitJSON, 'objective' | 'terms'>> {
  const made = modelFromJSON(model as unknown as FitJSON['model'], {});
  if (made.solve !== undefined) return {};
  const { objective, terms } = fitAt(made, values as Parameters<typeof fitAt>[1]);
  return { objective, terms };
}

/** Part of a saved fit with its own checksum: `trace`, `model.kernel`, `values.mapping.noise`. */
function partAt(saved: Saved, path: string): unknown {
  const dot = path.indexOf('.');
  if (dot < 0) return saved[path];
  return (saved[path.slice(0, dot)] as Readonly<Record<string, unknown>>)[path.slice(dot + 1)];
}

type Row = readonly (number | null)[];

function table(rows: readonly Row[]): Row[] {
  const places = Array.from(rows[0]!, (_, j) => {
    const column = rows.flatMap((row) => row[j] ?? []);
    const mean = column.reduce((a, b) => a + b, 0) / column.length;
    const spread = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length);
    return spread > 0 ? Math.min(100, Math.max(0, PLACES - Math.floor(Math.log10(spread)))) : undefined;
  });
  return rows.map((row) =>
    row.map((value, j) => (value === null || places[j] === undefined ? value : Number(value.toFixed(places[j])))),
  );
}

function parameter(value: unknown): unknown {
  return Array.isArray(value) && value.flat(9).length > FEW ? digits(value) : value;
}

const digits = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(digits) : typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;

/** Maximum number of rows at which predictions are compared. */
const MOST_COMPARED = 500;

/** Compares expected values and standard deviations, if the fit predicts, and otherwise positions. */
function compared(exact: AnyFit, rounded: AnyFit): Pick<Rounded, 'difference' | 'of'> {
  if (exact.predict === undefined) {
    const extent = extentOf(exact.latents);
    return { of: 'positions', difference: largest(exact.latents, rounded.latents, () => extent) };
  }
  const step = Math.ceil(exact.latents.rows / MOST_COMPARED);
  const predictions = (fit: AnyFit) => {
    const places = Array.from({ length: Math.ceil(fit.latents.rows / step) }, (_, k) => fit.latents.row(k * step));
    const { mean, variance } = typicalPrediction(fit).predict!(Matrix.from(places), { noise: true });
    return { mean, deviation: variance.data.map(Math.sqrt) };
  };
  const [before, after] = [predictions(exact), predictions(rounded)];
  const ofDeviations = before.deviation.reduce(
    (most, deviation, k) => Math.max(most, Math.abs(after.deviation[k]! / deviation - 1)),
    0,
  );
  const ofMeans = largest(before.mean, after.mean, (k) => before.deviation[k]!);
  return { of: 'predictions', difference: Math.max(ofMeans, ofDeviations) };
}

const largest = (a: Matrix, b: Matrix, unit: (k: number) => number): number =>
  a.data.reduce((most, value, k) => Math.max(most, Math.abs(value - b.data[k]!) / unit(k)), 0);

const extentOf = ({ data }: Matrix): number =>
  data.reduce((a, b) => Math.max(a, b)) - data.reduce((a, b) => Math.min(a, b)) || 1;
