import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidInputError, type Matrix } from '../../index.ts';
import { checkFilePath, type LabelColumn, tableText, writeTable } from '../io/index.ts';
import type { Streams } from './streams.ts';

/** Arguments that say where a table of results is written. */
export interface OutputArguments {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export const addOutputFlags = (command: Command): Command =>
  command
    .option('--out <file>', 'write .csv or .tsv there (default: CSV on stdout)')
    .option('--force', 'replace the file if it is there')
    .option('--json', 'print one JSON object');

/** @throws InvalidInputError if one of the files exists and must not be replaced */
export function checkAbsent(files: readonly string[], force: boolean | undefined, flag = '--out'): void {
  const present = force ? undefined : files.find((file) => existsSync(file));
  if (present === undefined) return;
  throw new InvalidInputError(`'${present}' is there already. Give --force to replace it, or another ${flag}.`, {
    code: 'alreadyThere',
  });
}

/** Checks the only file that a command writes, if any: its path must be valid, and it must not exist unless it may be replaced. */
export function checkOut({ out, force }: OutputArguments): void {
  if (out === undefined) return;
  checkFilePath(out);
  checkAbsent([out], force);
}

/** Writes a table to a file, to stdout as CSV, or to stdout inside a JSON object. */
export async function putTable(
  streams: Streams,
  given: OutputArguments,
  table: { readonly matrix: Matrix; readonly names: readonly string[]; readonly ids?: LabelColumn | undefined },
  json: object,
): Promise<void> {
  const { matrix, names } = table;
  const ids = table.ids === undefined ? {} : { ids: table.ids };
  if (given.out !== undefined)
    await writeTable(given.out, matrix, names, undefined, { ...ids, replace: given.force === true });
  if (given.json) {
    streams.stdout.write(`${JSON.stringify({ ...json, files: given.out === undefined ? [] : [given.out] })}\n`);
  } else if (given.out === undefined) {
    streams.stdout.write(tableText(matrix, names, undefined, ids));
  }
}
