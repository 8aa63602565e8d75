import type { OwnTable } from './data/ownTable.ts';
import { checkedSettings, type Settings } from './settings.ts';

const KEY = 'latentfield table';

/** Table that outlasts a reload of the page, or was dropped on the previous page, in this tab only. */
export interface KeptTable {
  readonly name: string;
  readonly csv: string;
  /** Settings of its fit; undefined for a table that was dropped. */
  readonly settings: Settings | undefined;
}

/** Keeps a table and the settings of its fit for a reload; removes the previous one. */
export function keepTable(table: OwnTable | undefined, settings: Settings): void {
  try {
    if (table?.csv === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ name: table.name, csv: table.csv, settings }));
  } catch {
    // Pages without storage are loaded without it.
  }
}

/** Kept table, if the address contains nothing else. */
export function keptTable(): KeptTable | undefined {
  if (location.hash.length > 1 || document.getElementById('held') !== null) return undefined;
  try {
    const { name, csv, settings } = JSON.parse(sessionStorage.getItem(KEY)!) as KeptTable;
    return { name: String(name), csv: String(csv), settings: checkedSettings(settings) };
  } catch {
    return undefined;
  }
}
