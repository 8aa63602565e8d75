import { InvalidInputError } from '../../index.ts';
import type { ModelOptions } from '../../models/index.ts';
import { segmentsOf } from '../../priors/index.ts';
import type { Table } from '../io/index.ts';
import { aboveZero, type Given } from './flags.ts';
import { modelsWith, takesOption } from './modelHelp.ts';
import { list } from './tableReport.ts';

/** Flags about the times of the rows. */
export const TIME_FLAGS = [
  [
    '--time <column>',
    'the column with the time of each row, numbers or dates: turns on dynamics, with no step across a gap',
  ],
  [
    '--sequence <column>',
    'the column that names the sequence of each row: dynamics, with no step from one sequence to the next; for models with the option dynamics',
  ],
  [
    '--max-step <length>',
    'longest step of --time that is not a gap, in days for dates (default: 1.5 times the median step)',
    aboveZero,
  ],
] as const;
export type TimeArguments = { readonly model: string } & Given<typeof TIME_FLAGS>;

/** @throws InvalidInputError for --max-step without --time, a built-in model without dynamics, and options that contradict the flags */
export function checkTime({ model, time, sequence, maxStep }: TimeArguments, { dynamics }: ModelOptions): void {
  if (time === undefined && maxStep !== undefined) {
    throw new InvalidInputError('--max-step is the longest step of --time that is not a gap. Give --time too.');
  }
  if (time === undefined && sequence === undefined) return;
  const flag = time === undefined ? '--sequence' : '--time';
  if (takesOption(model, 'dynamics') === false) {
    throw new InvalidInputError(
      `${model} has no dynamics, which ${flag} divides into sequences. Leave out ${flag}, or take one of ${modelsWith('dynamics').join(', ')}.`,
    );
  }
  if (dynamics === false) {
    throw new InvalidInputError(`${flag} is for dynamics, but --options contains "dynamics": false. Give one of them.`);
  }
  if (typeof dynamics === 'object' && dynamics !== null && 'segments' in dynamics) {
    throw new InvalidInputError(
      `The starts of sequences are set both by ${flag} and by "segments" in --options. Give one.`,
    );
  }
}

/** Ratio of time steps within sequences above which a note is printed. */
const UNEQUAL = 1.5;

/** First rows of the sequences defined by a column or by gaps in time, with notes about them. */
export function sequenceOf(
  { time, sequence }: Table,
  { time: name, sequence: column, maxStep }: TimeArguments,
): { readonly segments?: readonly number[]; readonly lines: readonly string[] } {
  if (time === undefined && sequence === undefined) return { lines: [] };
  const named = sequence === undefined ? [0] : namedSegments(sequence, column!);
  if (time === undefined) {
    return {
      segments: named,
      lines: [`sequences: '${column}', ${named.length}, from row indices ${list(named.map(String))}`],
    };
  }
  const rows = time.rows;
  const segments = named.flatMap((first, k) => {
    const own = time.data.slice(first, named[k + 1] ?? rows);
    return segmentsOf(own, maxStep === undefined ? {} : { maxStep }).map((at) => first + at);
  });
  const t = time.data;
  const isFirst = new Set(segments);
  const steps = Array.from(t.subarray(1), (at, i) => at - t[i]!).filter((_, i) => !isFirst.has(i + 1));
  const gaps = segments.filter((first) => !named.includes(first)).map((i) => t[i]! - t[i - 1]!);
  const shortest = steps.reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY);
  const longest = steps.reduce((most, step) => Math.max(most, step), 0);
  const ofSteps = short(shortest) === short(longest) ? short(longest) : `${short(shortest)} to ${short(longest)}`;
  const lines = [
    segments.length === 1
      ? `time: '${name}', one sequence, steps of ${ofSteps}`
      : `time: '${name}', ${segments.length} sequences, from row indices ${list(segments.map(String))}, steps of ${ofSteps}${gaps.length === 0 ? '' : `; gaps of ${list(gaps.map(short))}`}`,
  ];
  if (longest > UNEQUAL * shortest) {
    lines.push(
      'note: dynamics treat all steps as equal, but the times of these rows are unevenly spaced. Resample the rows to equal steps, or split at longer ones with --max-step.',
    );
  }
  return { segments, lines };
}

/** @throws InvalidInputError unless the rows of each sequence are contiguous */
function namedSegments(sequence: readonly string[], column: string): number[] {
  const first = sequence.flatMap((value, i) => (i === 0 || value !== sequence[i - 1] ? [i] : []));
  const begun = new Set<string>();
  const again = first.find((i) => begun.size === begun.add(sequence[i]!).size);
  if (again === undefined) return first;
  throw new InvalidInputError(
    `The rows of sequence '${sequence[again]}' (--sequence ${column}) are not together: another begins before row index ${again}. Sort the table by '${column}', then by time.`,
  );
}

const short = (value: number) => String(Number(value.toPrecision(4)));

/** Adds the first rows of the sequences to the options. */
export const withSegments = (options: ModelOptions, segments: readonly number[] | undefined): ModelOptions =>
  segments === undefined
    ? options
    : { ...options, dynamics: { ...(typeof options.dynamics === 'object' ? options.dynamics : {}), segments } };
