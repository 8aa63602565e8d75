import { InvalidInputError } from '../../core/errors.ts';
import { givenList } from '../../core/given.ts';
import { describe } from '../../core/matrix.ts';
import { isMissingText } from '../../core/observations.ts';

/**
 * One label per point. Missing labels are undefined, null, NaN, the texts for them in tables ('', 'NA', 'null', '?', '-'), and −1 if there are two
 * other labels.
 */
export type Labels = ArrayLike<string | number | boolean | null | undefined>;

/** Points by class. */
export interface Classes {
  /** Class of each point, numbered from 0 in order of first occurrence, or −1 if the label is missing. */
  readonly classes: Int32Array;
  /** Number of classes. */
  readonly count: number;
}

/**
 * Classes of labelled points. −1 is a missing label, as is usual in the field, unless there is only one other label: then it is one of two classes
 * (−1 and 1).
 *
 * @throws InvalidInputError unless the labels are a list of strings, numbers or booleans
 */
export function classesOf(labels: Labels, caller: string): Classes {
  const present = givenList(labels, caller, 'a list with one label a point').map((label, i) =>
    presentLabel(label, i, caller),
  );
  const others = new Set(present.filter((label) => label !== undefined && label !== '-1'));
  const numbers = new Map<string, number>();
  const classes = Int32Array.from(present, (label) => {
    if (label === undefined || (label === '-1' && others.size > 1)) return -1;
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label)!;
  });
  return { classes, count: numbers.size };
}

function presentLabel(label: unknown, i: number, caller: string): string | undefined {
  if (label === undefined || label === null) return undefined;
  if (typeof label !== 'string' && typeof label !== 'number' && typeof label !== 'boolean') {
    throw new InvalidInputError(
      `${caller} takes labels that are strings, numbers or booleans, but label ${i} is ${describe(label)}.`,
    );
  }
  const text = String(label).trim();
  return isMissingText(text) ? undefined : text;
}

/** Indices of the points in each class, ascending. */
export function members({ classes, count }: Classes): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  classes.forEach((c, i) => {
    if (c >= 0) lists[c]!.push(i);
  });
  return lists;
}
