import {
  comparedRows,
  differInUnits,
  fitSteps,
  type FitStep as LibraryStep,
  loadFit,
  localScores,
  Matrix,
  nearestNeighborError,
  usualNeighbors,
} from 'latentfield';
import { parseTable, type StandardizedColumns, standardize } from 'latentfield/io';
import { type Background, backgroundOf, type Place } from './background.ts';
import { deviationsOf } from './data/dataset.ts';
import type { Repair } from './data/repairs.ts';
import {
  type AnyFit,
  type FitSummary,
  type FittedRows,
  type PlainMatrix,
  plain,
  savedRows,
  savedText,
  summaryOf,
  tableOf,
} from './fitSummary.ts';
import { isUnlikely, type Likeness, likenessOf } from './likeness.ts';
import { modelOf, programOf, programOfSaved, searchOf } from './model.ts';
import { checkedSettings, type Settings } from './settings.ts';

/** A table as the worker has read it. */
export interface PlainTable {
  readonly observations: PlainMatrix;
  readonly columns: readonly string[];
  readonly labels: readonly string[] | undefined;
  readonly ids: readonly string[] | undefined;
  readonly idColumn: string | undefined;
  /** Columns of the file that are none of the observations. */
  readonly others: Awaited<ReturnType<typeof parseTable>>['leftOut'];
  /** Columns of the observations that hold whole numbers of few kinds. */
  readonly few: readonly { readonly column: string; readonly kinds: number }[];
  readonly notes: readonly string[];
}

/** What the page asks of a worker, in which a fit is made and stays: nothing that takes long is done on the page's own thread. */
export type Request =
  | {
      readonly kind: 'read';
      readonly bytes: Uint8Array;
      readonly name: string;
      readonly labels: string;
      readonly columns?: readonly string[];
    }
  /** Ways to read a table that cannot be read as it is. */
  | { readonly kind: 'repairs'; readonly bytes: Uint8Array; readonly name: string }
  | { readonly kind: 'fit'; readonly settings: Settings; readonly rows: FittedRows }
  /** Goes on from the fit that it has. */
  | { readonly kind: 'goOn'; readonly settings: Settings }
  /** The text of a fit that was saved, and the limits of its rounds where the page knows them. */
  | { readonly kind: 'open'; readonly text: string; readonly rounds?: readonly number[] }
  | { readonly kind: 'predict'; readonly X: PlainMatrix }
  | { readonly kind: 'project'; readonly Y: PlainMatrix }
  | { readonly kind: 'geodesic'; readonly from: readonly number[]; readonly to: readonly number[] }
  | { readonly kind: 'background'; readonly place: Omit<Place, 'spreads'> }
  /** A fit to the rows Y whose latents are held at X, the places of another map. */
  | { readonly kind: 'hold'; readonly Y: PlainMatrix; readonly X: PlainMatrix; readonly isStandardized: boolean }
  /** The rows of the fit as they are compared with each other. */
  | { readonly kind: 'compared' }
  | {
      readonly kind: 'scores';
      /** Rows as they are compared; undefined where their distances are not known. */
      readonly Y: PlainMatrix | undefined;
      readonly X: PlainMatrix;
      readonly labels: readonly string[] | undefined;
    }
  | { readonly kind: 'json' }
  | { readonly kind: 'program'; readonly settings: Settings | undefined; readonly rows: FittedRows };

/** How a map keeps neighborhoods. */
export interface Scores {
  readonly trustworthiness: number | undefined;
  readonly neighborError: number | undefined;
  readonly neighbors: number;
  /** Scores of each row; undefined where some of the rows were scored only. */
  readonly byRow: { readonly trustworthiness: Float64Array; readonly kept: Uint8Array } | undefined;
  /** Number of rows that were scored, of all. */
  readonly scored: number;
}

/** Rows of a fit in the units in which they are compared, missing entries filled in. */
export interface Compared {
  readonly rows: PlainMatrix;
  /** D numbers by which differences of rows of the table are divided. */
  readonly unit: Float64Array;
}

/** New rows in the map, beside the rows of the fit. */
export interface Placed {
  readonly latents: PlainMatrix;
  /** Of each row 1 where it is less like the rows of the fit than any of these. */
  readonly unlikely: Uint8Array;
  readonly by: Likeness['by'];
  /** How many rows of the fit were placed in the same way, and how many of them did not land where they are. */
  readonly compared: number;
  readonly moved: number;
}

export interface Answers {
  readonly read: PlainTable;
  readonly repairs: readonly Repair[];
  readonly fit: FitSummary;
  readonly goOn: FitSummary;
  /** With the rows that it was fitted to and what it remembers of them, where the file has them. */
  readonly open: FitSummary & { readonly rows: Partial<FittedRows>; readonly settings: Settings | undefined };
  readonly predict: { readonly mean: PlainMatrix; readonly variance: PlainMatrix };
  readonly project: Placed;
  readonly geodesic: { readonly latents: PlainMatrix; readonly length: number; readonly converged: boolean };
  /** undefined when another was asked for meanwhile. */
  readonly background: Background | undefined;
  readonly hold: FitSummary;
  /** undefined where entries are missing that the model does not fill in. */
  readonly compared: Compared | undefined;
  readonly scores: Scores;
  readonly json: string;
  readonly program: string;
}

/** What needs no answer. */
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
  /** Rows of a text that are read so far. */
  | { readonly rows: number }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

const matrix = ({ data, rows, columns }: PlainMatrix) => new Matrix(data, rows, columns);

let stop = new AbortController();
let paused: Promise<void> | undefined;
let goOn = () => {};
/** Whether the page has shown the step before: a slow page is not flooded. */
let isSeen = true;
let drawing = new AbortController();
/** The fit, the rows that it was made to in their own units, and between these and the units that were fitted. */
let fitted: { fit: AnyFit; observations: Matrix | undefined; units: StandardizedColumns | undefined } | undefined;
/** What is kept of the table, and of how it was fitted. */
let remembered: object | undefined;
let rounds: readonly number[] = [];
let compared: Promise<Compared | undefined> | undefined;
/** Deviations of the columns in the units that were fitted. */
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
    // Flags of the command line are not the page's.
    const message = (error as Error).message.replace(/ \(--[\w-]+\)/g, '');
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
    case 'repairs': {
      const { repairsOf } = await import('./data/repairs.ts');
      return repairsOf(request.bytes, request.name);
    }
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
    case 'program':
      return program(request);
  }
}

const MOST_KINDS = 30;

async function read({ bytes, name, labels, columns }: Request & { kind: 'read' }): Promise<PlainTable> {
  const onRows = (rows: number) => self.postMessage({ rows } satisfies Reply);
  const options = {
    allowMissing: true,
    onRows,
    ...(columns && { columns: [...columns] }),
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
    others: table.leftOut,
    few,
    notes: table.notes,
  };
}

async function run(request: Request & { kind: 'fit' | 'goOn' }): Promise<FitSummary> {
  const { settings } = request;
  stop = new AbortController();
  const before = fitted;
  if (request.kind === 'fit') {
    const observations = matrix(request.rows.observations);
    const units = settings.standardize ? standardize(observations) : undefined;
    const { labels } = request.rows;
    remembered = tableOf(request.rows, units, settings);
    const fit = await search(settings, { observations, labels }, undefined);
    fitted = { fit, observations, units };
    rounds = [settings.maxIterations];
  } else {
    const { labels } = remembered as { labels?: readonly string[] };
    const fit = await search(settings, { observations: before!.observations!, labels }, before!.fit);
    fitted = { ...before!, fit };
    rounds = [...rounds, settings.maxIterations];
  }
  forget();
  return summaryOf(fitted.fit);
}

/** Forgets what was derived from the fit before. */
function forget(): void {
  likeness = undefined;
  compared = undefined;
  spreads = undefined;
}

async function search(
  settings: Settings,
  rows: { readonly observations: Matrix; readonly labels: readonly string[] | undefined },
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

function open({ text, rounds: before = [] }: Request & { kind: 'open' }): Answers['open'] {
  const json = JSON.parse(text);
  const fit = loadFit(json) as AnyFit;
  const { table } = fit;
  const units = table?.standardized && standardize(table.standardized);
  const found = savedRows(json);
  const observations = found && (units === undefined ? found : units.undo(found));
  fitted = { fit, observations, units };
  const { settings, rounds: made } = pageOf(json);
  remembered = table && { ...table, ...(settings && { page: { settings } }) };
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

/** In the units of the table. */
function predictions(X: Matrix): Answers['predict'] {
  const { fit, units } = fitted!;
  const { mean, variance } = fit.predict!(X, { noise: true });
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
  const made = await backgroundOf((X) => fit.predict!(X, { noise: true }), { ...place, spreads }, drawing.signal);
  if (made?.value === undefined || units === undefined) return made;
  const [mean, deviation] = [units.mean[place.column!]!, units.deviation[place.column!]!];
  return { ...made, value: made.value.map((entry) => mean + deviation * entry) };
}

/** Rows of a fit as its scores compare them. */
async function comparedOf({ fit, observations, units }: NonNullable<typeof fitted>): Promise<Compared | undefined> {
  if (observations === undefined) return undefined;
  const seen = units?.apply(observations) ?? observations;
  const rows = await comparedRows(fit, seen).catch(() => undefined);
  if (rows === undefined || rows.data.some(Number.isNaN)) return undefined;
  return { rows: plain(rows), unit: unitOf(seen, rows).map((unit, j) => unit * (units?.deviation[j] ?? 1)) };
}

/** Numbers by which columns were divided: told from the largest entry of each. */
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

/** Rows up to which all are scored, and number of rows that are scored of more. */
const MOST_SCORED = 3000;
const SAMPLED = 2000;

/** Scores of rows as they are compared; of very many rows of a part that is evenly spaced over the table. */
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

/** Settings that the page has put into a saved fit, and the limits of its rounds. */
function pageOf(json: { readonly table?: { readonly page?: unknown } }): {
  settings: Settings | undefined;
  rounds: readonly number[] | undefined;
} {
  const { settings, rounds: made } = (json.table?.page ?? {}) as { settings?: unknown; rounds?: unknown };
  return {
    settings: checkedSettings(settings),
    rounds: Array.isArray(made) && made.every(Number.isInteger) ? made : undefined,
  };
}

function program({ settings, rows }: Request & { kind: 'program' }): string {
  const { fit } = fitted!;
  if (settings === undefined) return programOfSaved(fit);
  const observations = matrix(rows.observations);
  return programOf(settings, { ...rows, observations }, fit.objective, rounds);
}
