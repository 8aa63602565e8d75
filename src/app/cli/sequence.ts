import { InvalidInputError, type ModelOptions, segmentsOf } from '../../index.ts';
import type { Table } from '../io/index.ts';
import { isDescribed, MODEL_NAMES } from './modelDescriptions.ts';
import { optionsOf } from './modelHelp.ts';
import { list } from './tableReport.ts';

/** Arguments about the times of the rows. */
export interface TimeArguments {
  readonly model: string;
  readonly time?: string;
  readonly maxStep?: number;
}

/** @throws InvalidInputError for --max-step without --time, a built-in model without dynamics, and options that contradict the flags */
export function checkTime({ model, time, maxStep }: TimeArguments, { dynamics }: ModelOptions): void {
  if (time === undefined) {
    if (maxStep === undefined) return;
    throw new InvalidInputError('--max-step is the longest step of --time that is no gap. Give --time too.');
  }
  if (isDescribed(model) && !('dynamics' in optionsOf(model))) {
    const able = MODEL_NAMES.filter((name) => 'dynamics' in optionsOf(name));
    throw new InvalidInputError(
      `${model} has no dynamics, which --time divides into sequences. Leave out --time, or take one of ${able.join(', ')}.`,
    );
  }
  if (dynamics === false) {
    throw new InvalidInputError('--time is for dynamics, but --options says "dynamics": false. Give one of them.');
  }
  if (typeof dynamics === 'object' && dynamics !== null && 'segments' in dynamics) {
    throw new InvalidInputError('Where sequences begin is said by --time and by "segments" in --options. Give one.');
  }
}

/** Ratio of time steps within sequences above which a note is printed. */
const UNEQUAL = 1.5;

/** First rows of the sequences between gaps in time, with notes about them. */
export function sequenceOf(
  { time }: Table,
  { time: name, maxStep }: TimeArguments,
): { readonly segments?: readonly number[]; readonly lines: readonly string[] } {
  if (time === undefined) return { lines: [] };
  const segments = segmentsOf(time, maxStep === undefined ? {} : { maxStep });
  const t = time.data;
  const isFirst = new Set(segments);
  const steps = Array.from(t.subarray(1), (at, i) => at - t[i]!).filter((_, i) => !isFirst.has(i + 1));
  const gaps = segments.slice(1).map((i) => t[i]! - t[i - 1]!);
  const shortest = steps.reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY);
  const longest = steps.reduce((most, step) => Math.max(most, step), 0);
  const ofSteps = short(shortest) === short(longest) ? short(longest) : `${short(shortest)} to ${short(longest)}`;
  const lines = [
    segments.length === 1
      ? `time: '${name}', one sequence, steps of ${ofSteps}`
      : `time: '${name}', ${segments.length} sequences, from rows ${list(segments.map(String))}, steps of ${ofSteps}; gaps of ${list(gaps.map(short))}`,
  ];
  if (longest > UNEQUAL * shortest) {
    lines.push(
      'note: dynamics take every step as one, but those of this time differ. Bring the rows to equal steps, or divide by shorter ones with --max-step.',
    );
  }
  return { segments, lines };
}

const short = (value: number) => String(Number(value.toPrecision(4)));

/** Adds the first rows of the sequences to the options. */
export const withSegments = (options: ModelOptions, segments: readonly number[] | undefined): ModelOptions =>
  segments === undefined
    ? options
    : { ...options, dynamics: { ...(typeof options.dynamics === 'object' ? options.dynamics : {}), segments } };
