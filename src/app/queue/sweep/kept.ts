import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkSaved } from '../../../core/saved.ts';
import { writeAtomically } from '../../io/index.ts';
import { makeFolder } from '../../io/makeFolder.ts';
import { type CellOutcome, cellOutcomeSchema } from './outcome.ts';

/** Results that a sweep keeps in a folder, so that a restarted sweep only does what is missing. */
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
