import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { checkSaved } from '../../../core/saved.ts';
import { writeAtomically } from '../../io/index.ts';
import { makeFolder } from '../../io/makeFolder.ts';
import type { SweepLine } from './spec.ts';

const number = v.nullable(v.number());

/** Outcome of one fit of a sweep: plain JSON, with null for numbers that are not finite. */
export const cellOutcomeSchema = v.strictObject({
  scores: v.record(v.string(), number),
  objective: number,
  status: v.string(),
  iterations: v.nullable(v.number()),
  seconds: number,
  /** Reason why there is no score, or no fit. */
  failure: v.optional(v.string()),
});
export type CellOutcome = v.InferOutput<typeof cellOutcomeSchema>;

/** Row of a sweep's table. */
export interface SweepRow {
  readonly model: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Number of completed folds, and of all folds. */
  readonly done: number;
  readonly folds: number;
  /** Means over the completed folds; null for a score that a fold does not have. */
  readonly scores: Readonly<Record<string, number | null>>;
  readonly objective: number | null;
  /** Distinct statuses of the fits. */
  readonly statuses: readonly string[];
  readonly failure?: string;
}

/** Row of the table from the completed fits. */
export function rowOf(
  {
    model,
    options,
    seed,
    cells,
  }: Pick<SweepLine, 'model' | 'options' | 'seed'> & { readonly cells: readonly unknown[] },
  names: readonly string[],
  outcomes: readonly CellOutcome[],
): SweepRow {
  const failure = outcomes.find((outcome) => outcome.failure !== undefined)?.failure;
  return {
    model,
    options,
    seed,
    done: outcomes.length,
    folds: cells.length,
    scores: Object.fromEntries(names.map((name) => [name, mean(outcomes.map(({ scores }) => scores[name] ?? null))])),
    objective: mean(outcomes.map(({ objective }) => objective)),
    statuses: [...new Set(outcomes.map(({ status }) => status))],
    ...(failure !== undefined && { failure }),
  };
}

function mean(values: readonly (number | null)[]): number | null {
  if (values.length === 0 || values.includes(null)) return null;
  return values.reduce<number>((sum, value) => sum + value!, 0) / values.length;
}

/** Table as CSV, with one column for each option of any model. */
export function tableText(rows: readonly SweepRow[], scores: readonly string[]): string {
  const options = [...new Set(rows.flatMap((row) => Object.keys(row.options)))];
  const header = ['model', ...options, 'seed', 'done', 'folds', ...scores, 'objective', 'status', 'failure'];
  const lines = rows.map((row) => [
    row.model,
    ...options.map((name) => cellText(row.options[name])),
    row.seed,
    row.done,
    row.folds,
    ...scores.map((name) => row.scores[name] ?? ''),
    row.objective ?? '',
    row.statuses.join(' '),
    row.failure ?? '',
  ]);
  return `${[header, ...lines].map((line) => line.map((entry) => quoted(String(entry))).join(',')).join('\n')}\n`;
}

const cellText = (value: unknown) =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Results that a sweep stores in a folder, so that a restarted sweep only computes missing ones. */
export interface Kept {
  /** Existing outcomes by the id of the fit. */
  outcomes(): Promise<Map<string, CellOutcome>>;
  keep(id: string, outcome: CellOutcome, fit: string | undefined): Promise<void>;
  table(text: string): Promise<void>;
}

/** Keeps nothing. */
export const NOTHING_KEPT: Kept = {
  outcomes: async () => new Map(),
  keep: async () => undefined,
  table: async () => undefined,
};

/** @param folder - created if necessary: `table.csv`, `outcomes/ID.json` and `fits/ID.json` */
export async function keptIn(folder: string): Promise<Kept> {
  const [outcomes, fits] = [join(folder, 'outcomes'), join(folder, 'fits')];
  await makeFolder(folder);
  await mkdir(outcomes, { recursive: true });
  await mkdir(fits, { recursive: true });
  return {
    async outcomes() {
      const found = new Map<string, CellOutcome>();
      for (const name of await readdir(outcomes)) {
        const id = /^([0-9a-f]{32})\.json$/.exec(name)?.[1];
        if (id === undefined) continue;
        const text = await readFile(join(outcomes, name), 'utf8');
        found.set(id, checkSaved(cellOutcomeSchema, JSON.parse(text), `outcomes/${name}`));
      }
      return found;
    },
    async keep(id, outcome, fit) {
      // The outcome is written last: if it exists, everything does.
      if (fit !== undefined) await writeAtomically(join(fits, `${id}.json`), fit);
      await writeAtomically(join(outcomes, `${id}.json`), JSON.stringify(outcome));
    },
    table: (text) => writeAtomically(join(folder, 'table.csv'), text),
  };
}
