import type { OwnTable } from './data/ownTable.ts';
import { checkedSettings, type Settings } from './settings.ts';

const KEY = 'latentfield table';

/** A table that outlasts a reload of the page, in this tab alone. */
export interface KeptTable {
  readonly name: string;
  readonly csv: string;
  readonly settings: Settings;
}

/** Keeps a table and the settings of its fit for a reload; forgets the one before. */
export function keepTable(table: OwnTable | undefined, settings: Settings): void {
  try {
    if (table?.csv === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify({ name: table.name, csv: table.csv, settings }));
  } catch {
    // Pages without storage are loaded without it.
  }
}

/** The table that was kept, if the address holds nothing else. */
export function keptTable(): KeptTable | undefined {
  if (location.hash.length > 1 || document.getElementById('held') !== null) return undefined;
  try {
    const { name, csv, settings } = JSON.parse(sessionStorage.getItem(KEY)!) as KeptTable;
    const checked = checkedSettings(settings);
    return checked && { name: String(name), csv: String(csv), settings: checked };
  } catch {
    return undefined;
  }
}
