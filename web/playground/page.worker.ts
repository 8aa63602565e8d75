import { loadFit, Matrix, nearestNeighborError } from 'latentfield';
import { differInUnits } from 'latentfield/core';
import {
  fitSteps,
  type FitStep as LibraryStep,
  localScores,
  typicalPrediction,
  usualNeighbors,
} from 'latentfield/inference';
import { parseTable, type StandardizedColumns, standardize } from 'latentfield/io';
import { comparedRows } from 'latentfield/models';
import { DAYS, seasonColumns } from '../../src/app/io/dates.ts';
import { type Background, backgroundOf, type Place } from './background.ts';
import { type Beside, deviationsOf, type RowView } from './data/dataset.ts';
import type { Repair } from './data/repairs.ts';
import type { ExpectedTime } from './expectedTime.ts';
import {
  type AnyFit,
  type FitSummary,
  type FittedRows,
  type PlainMatrix,
  plain,
  plainBeside,
  savedBeside,
  savedRows,
  savedText,
  savedView,
  summaryOf,
  tableOf,
  withoutOptions,
} from './fitSummary.ts';
import { isUnlikely, type Likeness, likenessOf } from './likeness.ts';
import { modelOf, programOf, programOfSaved, searchOf } from './model.ts';
import type { Rounded } from './rounded.ts';
import { checkedSettings, type Role, type Settings } from './settings.ts';

/** Table after reading in the worker. */
export interface PlainTable {
  readonly observations: PlainMatrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  readonly ids: readonly string[] | undefined;
  readonly idColumn: string | undefined;
  /** Observation columns of dates, as days. */
  readonly days: readonly string[];
  /** Columns of the file that are not observations. */
  readonly others: Awaited<ReturnType<typeof parseTable>>['leftOut'];
  /** Observation columns of whole numbers with few distinct values. */
  readonly few: readonly { readonly column: string; readonly kinds: number }[];
  readonly notes: readonly string[];
}

/** Requests of the page to a worker that computes and keeps a fit, so that nothing slow runs on the page's thread. */
export type Request =
  | {
      readonly kind: 'read';
      readonly bytes: Uint8Array;
      readonly name: string;
      readonly labels: string;
      readonly columns?: readonly string[];
      readonly roles?: Settings['roles'];
    }
  /** Columns of a table that are text or dates. */
  | { readonly kind: 'beside'; readonly bytes: Uint8Array; readonly name: string; readonly columns: readonly string[] }
  /** Ways to read a table that cannot be read unchanged. */
  | { readonly kind: 'repairs'; readonly bytes: Uint8Array; readonly name: string }
  /** Expected time of all iterations of a fit; if rough, extrapolated from some of its rows. */
  | { readonly kind: 'expectedTime'; readonly settings: Settings; readonly rows: FittedRows; readonly isRough: boolean }
  | { readonly kind: 'fit'; readonly settings: Settings; readonly rows: FittedRows }
  /** Continues its current fit. */
  | { readonly kind: 'goOn'; readonly settings: Settings }
  /** Text of a saved fit, and the limits of its rounds if the page knows them. */
  | { readonly kind: 'open'; readonly text: string; readonly rounds?: readonly number[] }
  | { readonly kind: 'predict'; readonly X: PlainMatrix }
  | { readonly kind: 'project'; readonly Y: PlainMatrix }
  | { readonly kind: 'geodesic'; readonly from: readonly number[]; readonly to: readonly number[] }
  | { readonly kind: 'background'; readonly place: Omit<Place, 'spreads'> }
  /** Fit to the rows Y with latents fixed at X, the positions of another map. */
  | { readonly kind: 'hold'; readonly Y: PlainMatrix; readonly X: PlainMatrix; readonly isStandardized: boolean }
  /** Fitted rows in the units of the comparison. */
  | { readonly kind: 'compared' }
  | {
      readonly kind: 'scores';
      /** Rows in the units of the comparison; undefined if their distances are unknown. */
      readonly Y: PlainMatrix | undefined;
      readonly X: PlainMatrix;
      readonly labels: readonly string[] | undefined;
    }
  | { readonly kind: 'json' }
  /** Its JSON with rounded numbers. */
  | { readonly kind: 'rounded' }
  | { readonly kind: 'program'; readonly settings: Settings | undefined; readonly rows: FittedRows };

/** Scores of a map's neighborhoods. */
export interface Scores {
  readonly trustworthiness: number | undefined;
  readonly neighborError: number | undefined;
  readonly neighbors: number;
  /** Scores of each row; undefined if only some of the rows were scored. */
  readonly byRow: { readonly trustworthiness: Float64Array; readonly kept: Uint8Array } | undefined;
  /** Number of scored rows. */
  readonly scored: number;
}

/** Fitted rows in the units of the comparison, with missing entries filled in. */
export interface Compared {
  readonly rows: PlainMatrix;
  /** Divisors of differences between rows of the table, D numbers. */
  readonly unit: Float64Array;
}

/** New rows on the map, compared with the fitted rows. */
export interface Placed {
  readonly latents: PlainMatrix;
  /** Flags per row: 1 if it is less similar to the fitted rows than any of these. */
  readonly unlikely: Uint8Array;
  readonly by: Likeness['by'];
  /** Number of fitted rows that were projected in the same way, and number of them that missed their position. */
  readonly compared: number;
  readonly moved: number;
}

export interface Answers {
  readonly read: PlainTable;
  readonly beside: readonly Beside[];
  readonly repairs: readonly Repair[];
  readonly expectedTime: ExpectedTime;
  readonly fit: FitSummary;
  readonly goOn: FitSummary;
  /** Opened fit with its fitted rows and stored information, if the file contains them. */
  readonly open: FitSummary & { readonly rows: Partial<FittedRows>; readonly settings: Settings | undefined };
  readonly predict: { readonly mean: PlainMatrix; readonly variance: PlainMatrix };
  readonly project: Placed;
  readonly geodesic: { readonly latents: PlainMatrix; readonly length: number; readonly converged: boolean };
  /** Background; undefined if another was requested in the meantime. */
  readonly background: Background | undefined;
  readonly hold: FitSummary;
  /** Rows for comparison; undefined if the model cannot fill in missing entries. */
  readonly compared: Compared | undefined;
  readonly scores: Scores;
  readonly json: string;
  readonly rounded: Rounded;
  readonly program: string;
}

/** Messages without an answer. */
export interface Signal {
  readonly signal: 'pause' | 'resume' | 'stop' | 'seen';
}

export interface FitStep {
  readonly iteration: number;
  readonly objective: number;
  readonly latents: PlainMatrix;
}

export type Reply =
  | { readonly step: FitStep }
  /** Number of rows of a text that have been read. */
  | { readonly rows: number }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

const matrix = ({ data, rows, columns }: PlainMatrix) => new Matrix(data, rows, columns);

let stop = new AbortController();
let paused: Promise<void> | undefined;
let goOn = () => {};
/** True if the page has shown the previous step, so that a slow page is not flooded. */
let isSeen = true;
let drawing = new AbortController();
/** Current fit, its rows in the original units, and the conversion to the units of the fit. */
let fitted: { fit: AnyFit; observations: Matrix | undefined; units: StandardizedColumns | undefined } | undefined;
/** Stored information about the table, and about how it was fitted. */
let remembered: object | undefined;
let rounds: readonly number[] = [];
let compared: Promise<Compared | undefined> | undefined;
/** Standard deviations of the columns in the units of the fit. */
let spreads: Float64Array | undefined;
let likeness: Promise<Likeness> | undefined;

self.addEventListener('message', async ({ data }: MessageEvent<Signal | { id: number; request: Request }>) => {
  if ('signal' in data) {
    follow(data.signal);
    return;
  }
  if (!('request' in data)) return;
  const { id, request } = data;
  try {
    self.postMessage({ id, value: await answer(request) } satisfies Reply);
  } catch (error) {
    const message = withoutOptions((error as Error).message);
    self.postMessage({ id, error: message } satisfies Reply);
  }
});

function follow(signal: Signal['signal']): void {
  if (signal === 'seen') isSeen = true;
  else if (signal === 'pause') {
    paused ??= new Promise((resolve) => {
      goOn = resolve;
    });
  } else {
    if (signal === 'stop') stop.abort('the visitor');
    goOn();
    paused = undefined;
  }
}

async function answer(request: Request): Promise<Answers[keyof Answers]> {
  switch (request.kind) {
    case 'read':
      return read(request);
    case 'beside':
      return beside(request);
    case 'repairs': {
      const { repairsOf } = await import('./data/repairs.ts');
      return repairsOf(request.bytes, request.name);
    }
    case 'expectedTime':
      return expectedTime(request);
    case 'fit':
    case 'goOn':
      return run(request);
    case 'open':
      return open(request);
    case 'predict':
      return predictions(matrix(request.X));
    case 'project':
      return placed(matrix(request.Y));
    case 'geodesic':
      return geodesic(request);
    case 'background':
      return background(request.place);
    case 'hold':
      return hold(request);
    case 'compared':
      compared ??= comparedOf(fitted!);
      return compared;
    case 'scores':
      return scores(request);
    case 'json':
      return savedText(fitted!.fit, remembered, rounds);
    case 'rounded': {
      const { roundedFit } = await import('./rounded.ts');
      return roundedFit(savedText(fitted!.fit, remembered, rounds), fitted!.fit);
    }
    case 'program':
      return program(request);
  }
}

const MOST_KINDS = 30;

/** Reader options for columns whose use was chosen. */
async function roleOptions(roles: Settings['roles'], bytes: Uint8Array, name: string) {
  const those = (role: Role) => Object.keys(roles).filter((column) => roles[column] === role);
  const [fitted, hot, names, out] = [those('fit'), those('categories'), those('names'), those('out')];
  const named = [...fitted, ...those('count'), ...those('season').flatMap(seasonColumns)];
  const usual =
    named.length === 0
      ? undefined
      : (await parseTable(bytes, name, { allowMissing: true }).catch(() => undefined))?.columns;
  return {
    ...(named.length > 0 && { columns: [...new Set([...(usual ?? []), ...named, ...hot])] }),
    ...(hot.length > 0 && { oneHot: hot }),
    ...(names.length > 0 && { id: names[0] }),
    ...(out.length > 0 && { drop: out }),
  };
}

/** Reader options for columns that a fit knows: one named after a category of a column, such as `kind=oil`, is made from that column. */
async function knownOptions(columns: readonly string[], bytes: Uint8Array, name: string) {
  // A table without numbers, such as one of categories only, is not read without options.
  const table = await parseTable(bytes, name, { allowMissing: true }).catch(() => undefined);
  const names = table && new Set([...table.columns, ...table.leftOut.map(({ column }) => column)]);
  const isSeason = (column: string, each: string) => seasonColumns(column).includes(each);
  const hot = columns.flatMap((each) => {
    const column = each.slice(0, Math.max(0, each.indexOf('=')));
    const isMade = names === undefined ? column !== '' : !names.has(each) && names.has(column);
    return isMade && !isSeason(column, each) ? [column] : [];
  });
  return { columns: [...columns], ...(hot.length > 0 && { oneHot: [...new Set(hot)] }) };
}

async function read({ bytes, name, labels, columns, roles = {} }: Request & { kind: 'read' }): Promise<PlainTable> {
  const onRows = (rows: number) => self.postMessage({ rows } satisfies Reply);
  const options = {
    allowMissing: true,
    onRows,
    ...(columns === undefined ? await roleOptions(roles, bytes, name) : await knownOptions(columns, bytes, name)),
    ...(labels !== '' && { labels }),
  };
  const table = await parseTable(bytes, name, options);
  const few = table.columns.flatMap((column, j) => {
    const kinds = new Set<number>();
    for (let i = 0; i < table.observations.rows && kinds.size <= MOST_KINDS; i++) {
      const value = table.observations.at(i, j);
      if (!Number.isNaN(value)) kinds.add(Number.isInteger(value) ? value : Number.NaN);
    }
    const isFew = !kinds.has(Number.NaN) && kinds.size > 1 && 3 * kinds.size <= table.observations.rows;
    return isFew && kinds.size <= MOST_KINDS ? [{ column, kinds: kinds.size }] : [];
  });
  return {
    observations: plain(table.observations),
    columns: table.columns,
    labels: table.labels,
    ids: table.ids,
    idColumn: table.idColumn,
    days: table.columns.filter((column) => table.writtenUnits?.[column] === DAYS),
    others: table.leftOut,
    few,
    notes: table.notes,
  };
}

async function beside({ bytes, name, columns }: Request & { kind: 'beside' }): Promise<Beside[]> {
  const found: Beside[] = [];
  for (const column of columns) {
    const { color } = await parseTable(bytes, name, { allowMissing: true, color: column });
    if (color !== undefined) found.push({ column, values: color });
  }
  return found;
}

async function run(request: Request & { kind: 'fit' | 'goOn' }): Promise<FitSummary> {
  const { settings } = request;
  stop = new AbortController();
  const before = fitted;
  if (request.kind === 'fit') {
    const observations = matrix(request.rows.observations);
    const units = settings.standardize ? standardize(observations) : undefined;
    remembered = tableOf(request.rows, units, settings);
    const fit = await search(settings, { ...request.rows, observations }, undefined);
    fitted = { fit, observations, units };
    rounds = [settings.maxIterations];
  } else {
    const { labels, columns } = remembered as Pick<FittedRows, 'labels' | 'columns'>;
    const fit = await search(settings, { observations: before!.observations!, columns, labels }, before!.fit);
    fitted = { ...before!, fit };
    rounds = [...rounds, settings.maxIterations];
  }
  forget();
  return summaryOf(fitted.fit);
}

/** Discards everything derived from the previous fit. */
function forget(): void {
  likeness = undefined;
  compared = undefined;
  spreads = undefined;
}

async function search(
  settings: Settings,
  rows: Parameters<typeof modelOf>[1],
  start: AnyFit | undefined,
): Promise<AnyFit> {
  const { model } = modelOf(settings, rows);
  const steps = fitSteps(model, {
    ...searchOf(settings, settings.maxIterations),
    signal: stop.signal,
    ...(start && { start }),
  });
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value as AnyFit;
    if (isSeen) {
      isSeen = false;
      const { iteration, objective, latents } = value as LibraryStep;
      self.postMessage({ step: { iteration, objective, latents: plain(latents) } } satisfies Reply);
    }
    // Signals come in between steps.
    await new Promise<void>((resolve) => setTimeout(resolve));
    await paused;
  }
}

/** Iterations that are timed for an estimate, and milliseconds after which fewer suffice. */
const TIMED = { iterations: 6, milliseconds: 5000 } as const;

/** Numbers of rows for a rough estimate, and bounds on the power of their number that a step takes. */
const SOME_ROWS = [150, 300] as const;
const POWERS = [1, 3] as const;

/** Expected time of all iterations, at the pace of the first ones of all rows, or from two numbers of rows by a power law. */
async function expectedTime({ settings, rows, isRough }: Request & { kind: 'expectedTime' }): Promise<ExpectedTime> {
  const observations = matrix(rows.observations);
  const N = observations.rows;
  const [few, more] = SOME_ROWS;
  if (!isRough || N <= more) return { seconds: await paceOf(settings, { ...rows, observations }), of: undefined };
  const evenly = (count: number) => {
    const chosen = Array.from({ length: count }, (_, k) => Math.floor((k * N) / count));
    return paceOf(settings, {
      ...rows,
      observations: Matrix.from(chosen.map((i) => observations.row(i))),
      labels: rows.labels && chosen.map((i) => rows.labels![i]!),
    });
  };
  const [short, long] = [await evenly(few), await evenly(more)];
  if (long === 0) return { seconds: 0, of: more };
  const power = Math.min(POWERS[1], Math.max(POWERS[0], Math.log(long / short) / Math.log(more / few)));
  return { seconds: long * (N / more) ** power, of: more };
}

/** Expected seconds of all iterations of a fit, at the pace of its first ones; 0 for a solution without iterations. */
async function paceOf(settings: Settings, rows: Parameters<typeof modelOf>[1]): Promise<number> {
  const { model } = modelOf(settings, rows);
  const times = [performance.now()];
  for (const steps = fitSteps(model, searchOf(settings, TIMED.iterations)); ; ) {
    const { done } = await steps.next();
    times.push(performance.now());
    if (done || (times.length > 3 && times.at(-1)! - times[1]! > TIMED.milliseconds)) break;
  }
  const [began, first, ...later] = times as [number, number, ...number[]];
  if (later.length < 2) return 0;
  // The first step contains the start of the search.
  return (first - began + ((later.at(-1)! - first) / later.length) * settings.maxIterations) / 1000;
}

function open({ text, rounds: before = [] }: Request & { kind: 'open' }): Answers['open'] {
  const json = JSON.parse(text);
  const fit = loadFit(json) as AnyFit;
  const { table } = fit;
  const units = table?.standardized && standardize(table.standardized);
  const found = savedRows(json);
  const observations = found && (units === undefined ? found : units.undo(found));
  fitted = { fit, observations, units };
  const { settings, rounds: made, beside, view } = pageOf(json);
  const page = { settings, ...(view && { view }), ...plainBeside(beside) };
  remembered = table && { ...table, ...((settings || beside) && { page }) };
  rounds = made ?? before;
  forget();
  return {
    ...summaryOf(fit),
    settings,
    rows: {
      ...(observations && { observations: plain(observations) }),
      ...(table?.isNamed && { columns: table.columns }),
      ...(table?.labels && { labels: table.labels }),
      ...(table?.labelColumn !== undefined && { labelColumn: table.labelColumn }),
      ...(table?.ids && { ids: table.ids }),
      ...(table?.idColumn !== undefined && { idColumn: table.idColumn }),
      ...(beside && { beside }),
      ...(view && { view }),
    },
  };
}

async function hold({ Y, X, isStandardized }: Request & { kind: 'hold' }): Promise<FitSummary> {
  const { heldAt } = await import('./heldMap.ts');
  const observations = matrix(Y);
  const units = isStandardized || differInUnits(observations) ? standardize(observations) : undefined;
  const fit = await heldAt(units?.apply(observations) ?? observations, matrix(X));
  fitted = { fit, observations, units };
  return summaryOf(fit);
}

/** Predictions in the units of the table. */
function predictions(X: Matrix): Answers['predict'] {
  const { fit, units } = fitted!;
  const { mean, variance } = typicalPrediction(fit).predict!(X, { noise: true });
  return { mean: plain(units?.undo(mean) ?? mean), variance: plain(units?.undoVariance(variance) ?? variance) };
}

async function placed(Y: Matrix): Promise<Placed> {
  const { fit, observations, units } = fitted!;
  const toFitted = (rows: Matrix) => units?.apply(rows) ?? rows;
  const place = (rows: Matrix) => fit.project!(rows);
  compared ??= comparedOf(fitted!);
  const near = await compared;
  const unit = near?.unit.map((each, j) => each / (units?.deviation[j] ?? 1));
  likeness ??= likenessOf(place, toFitted(observations!), fit.latents, unit);
  const seen = toFitted(Y);
  const [found, usual] = [await place(seen), await likeness];
  const { by, moved } = usual;
  const unlikely = isUnlikely(seen, found.logDensity, usual);
  return { latents: plain(found.latents), unlikely, by, compared: usual.compared, moved };
}

async function geodesic({ from, to }: Request & { kind: 'geodesic' }): Promise<Answers['geodesic']> {
  const { shortestPath } = await import('./paths.ts');
  const { latents, length, converged } = shortestPath(fitted!.fit, from, to);
  return { latents: plain(latents), length, converged };
}

async function background(place: Omit<Place, 'spreads'>): Promise<Background | undefined> {
  const { fit, observations, units } = fitted!;
  drawing.abort();
  drawing = new AbortController();
  spreads ??= deviationsOf(units?.apply(observations!) ?? observations!);
  const made = await backgroundOf(
    (X) => typicalPrediction(fit).predict!(X, { noise: true }),
    { ...place, spreads },
    drawing.signal,
  );
  if (made?.value === undefined || units === undefined) return made;
  const [mean, deviation] = [units.mean[place.column!]!, units.deviation[place.column!]!];
  return { ...made, value: made.value.map((entry) => mean + deviation * entry) };
}

/** Rows of a fit in the units of its scores. */
async function comparedOf({ fit, observations, units }: NonNullable<typeof fitted>): Promise<Compared | undefined> {
  if (observations === undefined) return undefined;
  const seen = units?.apply(observations) ?? observations;
  const rows = await comparedRows(fit, seen).catch(() => undefined);
  if (rows === undefined || rows.data.some(Number.isNaN)) return undefined;
  return { rows: plain(rows), unit: unitOf(seen, rows).map((unit, j) => unit * (units?.deviation[j] ?? 1)) };
}

/** Divisors of columns, inferred from the largest entry of each. */
function unitOf(seen: Matrix, divided: Matrix): Float64Array {
  return Float64Array.from({ length: seen.columns }, (_, j) => {
    let [most, unit] = [0, 1];
    for (let i = 0; i < seen.rows; i++) {
      const [entry, part] = [seen.at(i, j), divided.at(i, j)];
      if (Number.isNaN(entry) || Math.abs(part) <= most) continue;
      most = Math.abs(part);
      unit = entry / part;
    }
    return unit;
  });
}

/** Maximum number of rows for scoring all of them, and number of scored rows of larger tables. */
const MOST_SCORED = 3000;
const SAMPLED = 2000;

/** Scores of rows in the units of the comparison; for very many rows, of a subset evenly spaced over the table. */
function scores({ Y, X, labels }: Request & { kind: 'scores' }): Scores {
  const N = X.rows;
  const chosen = N > MOST_SCORED ? Array.from({ length: SAMPLED }, (_, k) => Math.floor((k * N) / SAMPLED)) : undefined;
  const part = (given: PlainMatrix) => {
    const whole = matrix(given);
    return chosen === undefined ? whole : Matrix.from(chosen.map((i) => whole.row(i)));
  };
  const map = part(X);
  const neighbors = usualNeighbors(map.rows);
  const found = Y !== undefined && map.rows >= 4 ? localScores(part(Y), map, { neighbors }) : undefined;
  const some = chosen === undefined ? labels : labels && chosen.map((i) => labels[i]!);
  return {
    trustworthiness: found?.overall.trustworthiness,
    neighborError: some && nearestNeighborError(map, some),
    neighbors,
    byRow:
      found === undefined || chosen !== undefined
        ? undefined
        : {
            trustworthiness: found.pointwise.trustworthiness,
            kept: Uint8Array.from(found.pointwise.overlap, (share) => Math.round(neighbors * share)),
          },
    scored: map.rows,
  };
}

/** The page's data in a saved fit: its settings, the limits of its rounds, and columns that were not fitted. */
function pageOf(json: { readonly table?: { readonly page?: unknown; readonly columns?: readonly unknown[] } }): {
  settings: Settings | undefined;
  rounds: readonly number[] | undefined;
  beside: readonly Beside[] | undefined;
  view: RowView | undefined;
} {
  const { settings, rounds: made, beside, view } = (json.table?.page ?? {}) as Readonly<Record<string, unknown>>;
  return {
    settings: checkedSettings(settings),
    rounds: Array.isArray(made) && made.every(Number.isInteger) ? made : undefined,
    beside: savedBeside(beside),
    view: savedView(view, json.table?.columns?.length),
  };
}

function program({ settings, rows }: Request & { kind: 'program' }): string {
  const { fit } = fitted!;
  if (settings === undefined) return programOfSaved(fit);
  const observations = matrix(rows.observations);
  return programOf(settings, { ...rows, observations }, fit.objective, rounds);
}
