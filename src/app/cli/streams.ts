import { existsSync, fstatSync, fsyncSync, statSync, writeSync } from 'node:fs';
import { SingleBar } from 'cli-progress';
import { LatentFieldError, secondsOfRows, systemReason } from '../../core/index.ts';
import { type FitDiagnostics, InvalidInputError, type Matrix, type Model, type TraceEntry } from '../../index.ts';
import { checkFilePath, type LabelColumn, tableText, writeAtomically, writeTable } from '../io/index.ts';
import { FORCE, type Given, JSON_OUTPUT } from './flags.ts';

/** Progress of a fit: after an iteration, or within a stage of a closed-form solution, with its completed fraction `part`. */
interface FitProgress extends TraceEntry {
  readonly stage?: { readonly name: string; readonly part: number };
}

/** Shows the progress of a fit. */
interface ProgressBar {
  update(progress: FitProgress): void;
  stop(): void;
}

/** Writes each line with a line ending. */
export const writeLines = (stream: Streams['stderr'], lines: readonly string[]): void => {
  if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
};

/** Progress bar that shows nothing. */
export const NO_BAR: ProgressBar = { update: () => {}, stop: () => {} };

/** A fit whose progress is shown. */
interface Followed {
  /** Search settings of the model. */
  readonly search: Model['search'];
  /** Maximum number of iterations, if one is set. */
  readonly maxIterations?: number | undefined;
  /** Remaining seconds of a limit. */
  readonly secondsLeft: () => number;
  /** Name of the fit, if there are several. */
  readonly title?: string;
}

/** Maximum number of iterations, unless flags or the model set one. */
const ITERATIONS = 1000;

/** Shows progress as a bar on a terminal; otherwise as occasional lines, so that a log shows that the fit is running. */
export function progressBar(stderr: Streams['stderr'], followed: Followed): ProgressBar {
  const { search, maxIterations = search?.maxIterations ?? ITERATIONS, title } = followed;
  const total = Math.min(maxIterations, search?.rounds ?? Infinity);
  if (total === 0) return NO_BAR;
  const head = title === undefined ? '' : `${title}: `;
  const left = remaining(total, followed);
  return stderr.isTTY ? drawnBar(stderr, total, left, head) : lines(stderr, total, left, head);
}

/** Text with the time of the remaining iterations; empty while it is not known. */
type Left = (iteration: number) => string;

function drawnBar(stderr: Streams['stderr'], total: number, left: Left, head: string): ProgressBar {
  const bar = new SingleBar({
    format: `${head}{bar} {at} | {duration_formatted}{left}`,
    stream: stderr as NodeJS.WritableStream,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    clearOnComplete: true,
    // An interrupt stops the fit, not the program: see main.ts.
    gracefulExit: false,
  });
  bar.start(total, 0, { at: `0/${total} iterations`, left: '' });
  return {
    update: ({ iteration, objective, stage }) => {
      if (stage !== undefined) return bar.update(stage.part * total, { at: stage.name, left: '' });
      bar.update(iteration, {
        at: `${iteration}/${total} iterations | objective ${objective.toPrecision(8)}`,
        left: left(iteration),
      });
    },
    stop: () => bar.stop(),
  };
}

/** Seconds until the first line; each further interval is half as long again. */
const FIRST_LINE = 5;

function lines(stderr: Streams['stderr'], total: number, left: Left, head: string): ProgressBar {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  let next = FIRST_LINE;
  let last: FitProgress | undefined;
  const report = () => {
    if (seconds() < next) return;
    next = Math.max(seconds(), next) * 1.5;
    stderr.write(
      `${head}${inWords(seconds())}: ${last === undefined ? 'before the first iteration' : progress(last)}\n`,
    );
  };
  const progress = ({ iteration, objective, stage }: FitProgress): string => {
    if (stage !== undefined) return stage.part > 0 ? `${stage.name}, ${Math.floor(100 * stage.part)} %` : stage.name;
    return `iteration ${iteration} of at most ${total}, objective ${objective.toPrecision(8)}${left(iteration)}`;
  };
  const timer = setInterval(report, 1000);
  timer.unref();
  return {
    update: (progress) => {
      last = progress;
      report();
    },
    stop: () => clearInterval(timer),
  };
}

/** Fraction of the limit after which a search is expected to need all of it: most searches converge much earlier. */
const LIKELY_WHOLE = 0.5;

/** Estimates the time of the remaining iterations at the pace since the first one, which includes setup. */
function remaining(total: number, { search, secondsLeft }: Followed): Left {
  let first: { readonly at: number; readonly iteration: number } | undefined;
  return (iteration) => {
    const now = performance.now();
    if (iteration < 1) return '';
    first ??= { at: now, iteration };
    const done = iteration - first.iteration;
    const seconds = (now - first.at) / 1000;
    const isScheduled = total === search?.rounds;
    if (done < 1 || seconds < 1 || (!isScheduled && iteration < LIKELY_WHOLE * total)) return '';
    const rest = Math.min((seconds / done) * (total - iteration), Math.max(0, secondsLeft()));
    return `, ${isScheduled ? 'about' : 'at most'} ${inWords(rest)} left`;
  };
}

/** Seconds below which a time is not announced. */
const UNANNOUNCED = 10;

/** Text about how long something takes; empty if it takes seconds. */
export const announced = (seconds: number, words: (time: string) => string): string =>
  seconds < UNANNOUNCED ? '' : words(`about ${inWords(seconds)}`);

/** Minimum number of rows for an estimate. */
const MANY = 200;

/**
 * Note on the time of a table of many rows, extrapolated from some of them; empty if it takes seconds.
 *
 * @param work - handles rows independently of each other
 */
export async function rowsNote(Y: Matrix, doing: string, work: (rows: Matrix) => Promise<unknown>): Promise<string> {
  if (Y.rows < MANY) return '';
  const seconds = await secondsOfRows(Y, work);
  return announced(seconds(Y.rows), (time) => `note: ${doing} ${Y.rows} rows takes ${time}\n`);
}

/** "12 s", "3 min", "2.5 h". */
function inWords(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Effort of a fit in words; a closed-form solution has no evaluations. */
export const effort = ({ evaluations, seconds }: FitDiagnostics): string =>
  `${evaluations > 0 ? `${evaluations} evaluations in ` : ''}${seconds.toFixed(1)} s`;

/** Fraction of the time that is reserved for the precision grid, the pictures and the files after the fit. */
const AFTERWARDS = 0.1;

/** Remaining time of `--max-seconds`, counted from the start of the command. */
export interface TimeBudget {
  /** Seconds that the fit may take; undefined without a limit. */
  forFit(): number | undefined;
  /** Seconds left; Infinity without a limit. */
  left(): number;
}

/** Starts the clock. */
export function timeBudget(seconds: number | undefined): TimeBudget {
  const began = performance.now();
  const left = () => (seconds === undefined ? Infinity : seconds - (performance.now() - began) / 1000);
  return {
    left,
    // Messages name this limit; tenths suffice.
    forFit: () =>
      seconds === undefined ? undefined : Math.max(0, Math.floor(10 * (left() - AFTERWARDS * seconds)) / 10),
  };
}

/** Flags for the output of a table of results. */
export const OUTPUT_FLAGS = [
  ['-o, --out <file>', 'write .csv or .tsv there (default: CSV on stdout)'],
  FORCE,
  JSON_OUTPUT,
] as const;
export type OutputArguments = Given<typeof OUTPUT_FLAGS>;

/** Paths of the files that a command reads; undefined for a flag that was not set. */
export type Inputs = readonly (string | undefined)[];

/**
 * Checks the files that a command writes.
 *
 * @param inputs - files that the command reads, which it never replaces
 * @throws InvalidInputError if one of them is an input, or exists and must not be replaced
 */
export function checkOutputs(
  files: readonly string[],
  force: boolean | undefined,
  inputs: Inputs,
  flag = '--out',
): void {
  const read = new Set(inputs.map(identityOf).filter((one) => one !== undefined));
  const present = files.filter((file) => existsSync(file));
  const input = present.find((file) => read.has(identityOf(file)!));
  if (input !== undefined) {
    throw new InvalidInputError(
      `'${input}' is an input of this command and is not replaced, even with --force. Give another ${flag}.`,
      { code: 'alreadyThere' },
    );
  }
  if (force || present[0] === undefined) return;
  throw new InvalidInputError(`'${present[0]}' already exists. Give --force to replace it, or another ${flag}.`, {
    code: 'alreadyThere',
  });
}

/** Device and inode of a file, which its other names and links share. */
function identityOf(path: string | undefined): string | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev} ${ino}`;
}

/** Checks a table that a command writes, if any: its path and format must be valid, and an existing file requires --force. */
export function checkOut(
  { out, force }: { readonly out?: string | undefined; readonly force?: boolean },
  inputs: Inputs,
  flag?: string,
): void {
  if (out === undefined) return;
  checkFilePath(out);
  formatOfTable(out);
  checkOutputs([out], force, inputs, flag);
}

/** @throws InvalidInputError unless the file is a .csv or .tsv */
function formatOfTable(file: string): 'csv' | 'tsv' {
  const format = /\.(csv|tsv)$/i.exec(file)?.[1]?.toLowerCase();
  if (format !== undefined) return format as 'csv' | 'tsv';
  throw new InvalidInputError(`'${file}': tables are written as .csv or .tsv.`);
}

/** Table of results. */
interface PutTable {
  readonly matrix: Matrix;
  readonly names: readonly string[];
  readonly ids?: LabelColumn | undefined;
  readonly labels?: LabelColumn;
}

/**
 * Writes a table to a file, to stdout as CSV, or to stdout inside a JSON object.
 *
 * @param table - the table, or its text
 * @param beside - another file that was written
 */
export async function putTable(
  streams: Streams,
  given: OutputArguments,
  table: PutTable | ((format: 'csv' | 'tsv') => string),
  json: object,
  beside?: string,
): Promise<void> {
  const { out } = given;
  const replace = given.force === true;
  const isText = typeof table === 'function';
  const ids = isText || table.ids === undefined ? {} : { ids: table.ids };
  if (out !== undefined && isText) {
    await writeAtomically(out, table(formatOfTable(out)), { replace });
  } else if (out !== undefined && !isText) {
    await writeTable(out, table.matrix, table.names, table.labels, { ...ids, replace });
  }
  if (given.json) {
    const files = [out, beside].filter((file) => file !== undefined);
    streams.stdout.write(`${JSON.stringify({ ...json, files })}\n`);
  } else if (out === undefined) {
    streams.stdout.write(isText ? table('csv') : tableText(table.matrix, table.names, table.labels, ids));
  }
}

/** Output streams of a command: results go to `stdout`, everything else to `stderr`. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** Environment of a command. */
export interface Context extends Streams {
  /** Signal that stops the command; its reason names the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Runs work that saves its results when a signal stops it. At all other times a signal ends the process at once. */
  readonly heeding: <T>(work: () => Promise<T>) => Promise<T>;
  /** Replaces the options in backticks in a text of the library by flags of the command, which happens automatically for text written to `stderr`. */
  readonly flagged: (text: string) => string;
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
 * Streams of this process. Standard output is written completely before `write` returns, since Node's stream treats a partial write to a file as
 * complete. Output that standard error does not accept is lost, and the command continues.
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
