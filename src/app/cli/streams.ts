import { existsSync, fstatSync, fsyncSync, writeSync } from 'node:fs';
import type { Command } from 'commander';
import { LatentFieldError, systemReason } from '../../core/index.ts';
import { InvalidInputError, type Matrix } from '../../index.ts';
import { checkFilePath, type LabelColumn, tableText, writeTable } from '../io/index.ts';

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

/** Output of a command: results go to `stdout`, everything else to `stderr`. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** Environment of a command. */
export interface Context extends Streams {
  /** Aborting it stops the command; its reason names the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Sets the exit code of a command that ends without an error, if it is not 0. */
  readonly exit: (code: number) => void;
}

/** Restores a terminal after a progress bar: wraps lines and shows the cursor. */
export const CLEAN_TERMINAL = '\x1B[?7h\x1B[?25h\n';

/** Exit codes of commands stopped by a signal: 128 plus its number. */
const STOPPED: Readonly<Record<string, number>> = { 'Ctrl-C': 130, SIGTERM: 143, SIGHUP: 129 };

/** Exit code of a command that a signal stopped, by the reason of the abort. */
export const exitCodeOf = (reason: unknown): number => STOPPED[String(reason)] ?? 130;

const STDOUT = 1;
const STDERR = 2;

/**
 * Streams of this process. Standard output is written completely before `write` returns: Node's own stream takes a partial write to a file for a
 * complete one. What standard error does not accept is lost, and the command goes on.
 */
export const standardStreams: Streams = {
  stdout: {
    write(text) {
      try {
        writeWhole(STDOUT, text);
      } catch (error) {
        // The reader has closed the pipe, as `head` does.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
        throw unwritten(error);
      }
    },
  },
  stderr: process.stderr.isTTY
    ? // Output to a closed terminal is lost.
      process.stderr.on('error', () => undefined)
    : {
        write(text) {
          try {
            writeWhole(STDERR, text);
          } catch {
            // There is nowhere to report it.
          }
        },
      },
};

/** @throws LatentFieldError if standard output is a file that cannot be synced to disk */
export function checkOutput(): void {
  try {
    if (fstatSync(STDOUT).isFile()) fsyncSync(STDOUT);
  } catch (error) {
    // Standard output may have been closed from the start.
    if ((error as NodeJS.ErrnoException).code !== 'EBADF') throw unwritten(error);
  }
}

const unwritten = (cause: unknown) =>
  new LatentFieldError(`Standard output cannot be written: ${systemReason(cause)}.`, { cause, code: 'cannotWrite' });

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      // A non-blocking pipe is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
