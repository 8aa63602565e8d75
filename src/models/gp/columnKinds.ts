import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import { unknownName } from '../../core/options.ts';

/** Kinds of columns, which determine their densities. */
export const COLUMN_KINDS = ['number', 'amount', 'fraction', 'count', 'grade', 'binary', 'category'] as const;

/**
 * Kind of a column: 'number', real with Gaussian noise; 'amount', above 0, with a logarithm that is such a number; 'fraction', between 0 and 1 with a
 * beta density; 'count', a whole number from 0 with a negative binomial density; 'grade', one of a few whole numbers whose order alone counts; 'binary',
 * 0 or 1; 'category', one of several levels, each with a column of 0 and 1 and a name like `plan=basic`.
 */
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** Columns of a table with one kind: several for a category, otherwise one. */
export interface KindOfColumn {
  /** Name of the column; for a category, the name before its levels. */
  readonly name: string;
  readonly kind: ColumnKind;
  /** Positions of the columns in the table. */
  readonly positions: readonly number[];
  /** Reason for its kind, as the end of a sentence: "whole numbers from 0, 1.2 on average". */
  readonly reason: string;
}

/** Kinds by column name, which override the detected ones. */
export type ColumnKindsByName = Readonly<Record<string, ColumnKind>>;

/** Largest mean of whole numbers from 0 that count as counts. */
const MOST_COUNTED = 30;
/** Numbers of levels of whole numbers that count as grades, and the fewest rows per level. */
const GRADES = { fewest: 3, most: 10, rows: 5 } as const;
/** Largest number of levels of grades that are specified. */
const MOST_ASKED = 30;
/** Skewness of positive numbers above which their logarithms are used, if these are at most half as skewed. */
const SKEWED = 1;
/** Number of standard errors √(6/N) of the skewness of normal numbers that it must also exceed. */
const ERRORS = 3;

/**
 * Kinds of a table's columns.
 *
 * @param observations - N×D, NaN where missing
 * @param columns - D names; the levels of a category share the part before the first '='
 * @param as - kinds by name, which override the detected ones
 * @param hasOffset - true if rows have an offset, such as an exposure: whole numbers from 0 are then counts, however large
 * @throws InvalidInputError for an unknown name or kind, and values outside a specified kind
 */
export function kindsOfColumns(
  observations: Matrix,
  columns: readonly string[],
  as: ColumnKindsByName = {},
  hasOffset = false,
): readonly KindOfColumn[] {
  const found = groupsOf(observations, columns);
  const names = found.map(({ name }) => name);
  for (const [name, kind] of Object.entries(as)) {
    if (!names.includes(name)) throw unknownName('column', name, names, 'The choice of kinds');
    if (!COLUMN_KINDS.includes(kind)) {
      throw new InvalidInputError(
        `The kind of column '${name}' is one of ${COLUMN_KINDS.join(', ')}, but ${describe(kind)} was given.`,
      );
    }
  }
  return Object.freeze(
    found.flatMap((group): readonly KindOfColumn[] => {
      const { name, positions } = group;
      const asked = Object.hasOwn(as, name) ? as[name]! : undefined;
      if (asked === undefined) return [group.isCategory ? categoryOf(group) : detected(observations, group, hasOffset)];
      if (!group.isCategory) return [{ name, positions, kind: checkedKind(observations, group, asked), reason: ASKED }];
      if (asked === 'category') return [{ ...categoryOf(group), reason: ASKED }];
      return positions.map((position) => {
        const own = { name: columns[position]!, positions: [position], isCategory: false };
        return { name: own.name, positions: own.positions, kind: checkedKind(observations, own, asked), reason: ASKED };
      });
    }),
  );
}

const ASKED = 'as asked for';

interface Group {
  readonly name: string;
  readonly positions: readonly number[];
  readonly isCategory: boolean;
}

/** Groups of columns: single columns, and the columns of 0 and 1 of one category. */
function groupsOf(observations: Matrix, columns: readonly string[]): readonly Group[] {
  const byPrefix = new Map<string, number[]>();
  columns.forEach((name, j) => {
    const end = name.indexOf('=');
    if (end > 0) byPrefix.set(name.slice(0, end), [...(byPrefix.get(name.slice(0, end)) ?? []), j]);
  });
  const groups: Group[] = [];
  columns.forEach((name, j) => {
    const prefix = name.slice(0, Math.max(0, name.indexOf('=')));
    const positions = byPrefix.get(prefix) ?? [];
    if (positions.length < 2 || !areLevels(observations, positions)) {
      groups.push({ name, positions: [j], isCategory: false });
    } else if (positions[0] === j) groups.push({ name: prefix, positions, isCategory: true });
  });
  return groups;
}

/** True if every row is 1 in exactly one of these columns and 0 in the others. */
function areLevels(observations: Matrix, positions: readonly number[]): boolean {
  for (let i = 0; i < observations.rows; i++) {
    const entries = positions.map((j) => observations.at(i, j));
    const [ones, zeros] = [1, 0].map((level) => entries.filter((entry) => entry === level).length) as [number, number];
    const missing = entries.filter(Number.isNaN).length;
    if (ones > 1 || zeros === entries.length || ones + zeros + missing < entries.length) return false;
  }
  return true;
}

const categoryOf = ({ name, positions }: Group): KindOfColumn => ({
  name,
  positions,
  kind: 'category',
  reason: `${positions.length} levels`,
});

export const presentIn = (observations: Matrix, position: number) =>
  observations.column(position).filter((entry) => !Number.isNaN(entry));

function detected(observations: Matrix, { name, positions }: Group, hasOffset: boolean): KindOfColumn {
  const values = presentIn(observations, positions[0]!);
  const of = (kind: ColumnKind, reason: string): KindOfColumn => ({ name, positions, kind, reason });
  if (isKind.binary(values)) return of('binary', '0 and 1');
  const { mean, variance, skewness } = momentsOf(values);
  if (isKind.count(values) && values.includes(0) && mean <= MOST_COUNTED) {
    return of('count', `whole numbers from 0, ${Number(mean.toPrecision(2))} on average`);
  }
  const { from, levels } = levelsOf(values);
  const isGraded = isKind.grade(values) && from > 0 && levels <= GRADES.most && new Set(values).size >= GRADES.fewest;
  if (isGraded && values.length >= GRADES.rows * levels) {
    return of('grade', `whole numbers from ${from} to ${from + levels - 1}`);
  }
  if (hasOffset && isKind.count(values)) return of('count', 'whole numbers from 0 of rows with an offset');
  // Two standard deviations around the mean leave the numbers between 0 and 1.
  const spread = 2 * Math.sqrt(variance);
  if (isKind.fraction(values) && (mean - spread < 0 || mean + spread > 1)) return of('fraction', 'between 0 and 1');
  if (isKind.amount(values)) {
    const isSkewed = skewness > Math.max(SKEWED, ERRORS * Math.sqrt(6 / values.length));
    if (isSkewed && Math.abs(momentsOf(values.map(log)).skewness) < skewness / 2) {
      return of('amount', `above 0 and skewed by ${Number(skewness.toPrecision(2))}`);
    }
  }
  return of('number', 'real numbers');
}

/** Lowest grade, and the number of grades up to the highest one. */
export function levelsOf(values: Float64Array): { readonly from: number; readonly levels: number } {
  const from = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  return { from, levels: values.reduce((most, value) => Math.max(most, value), from) - from + 1 };
}

/** Checks whether values can be of a kind. */
const isKind: Readonly<Record<Exclude<ColumnKind, 'category'>, (values: Float64Array) => boolean>> = {
  number: () => true,
  amount: (values) => values.every((value) => value > 0),
  fraction: (values) => values.every((value) => value > 0 && value < 1),
  count: (values) => values.every((value) => Number.isInteger(value) && value >= 0),
  grade: (values) => values.every(Number.isInteger) && levelsOf(values).levels <= MOST_ASKED,
  binary: (values) => values.every((value) => value === 0 || value === 1),
};
const EXPECTED = {
  number: 'numbers',
  amount: 'numbers above 0',
  fraction: 'numbers between 0 and 1, without these',
  count: 'whole numbers from 0',
  grade: `at most ${MOST_ASKED} whole numbers in a row`,
  binary: '0 and 1',
};

function checkedKind(observations: Matrix, { name, positions }: Group, kind: ColumnKind): ColumnKind {
  if (kind === 'category') {
    throw new InvalidInputError(
      `Column '${name}' is one of numbers, and a category has a column for each of its levels. Read the table with \`oneHot: '${name}'\`.`,
    );
  }
  const values = presentIn(observations, positions[0]!);
  if (isKind[kind](values)) return kind;
  const wrong = values.find((value) => !isKind[kind](Float64Array.of(value))) ?? `${levelsOf(values).levels} of them`;
  throw new InvalidInputError(
    `Column '${name}' is to be of kind '${kind}', ${EXPECTED[kind]}, but it contains ${wrong}. Correct it, or choose another kind.`,
  );
}

/** Mean, variance and third standardized moment (0 for constant values), with weights 1/N. */
export function momentsOf(values: Float64Array): {
  readonly mean: number;
  readonly variance: number;
  readonly skewness: number;
} {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [variance, third] = [0, 0];
  for (const value of values) {
    const gap = value - mean;
    variance += (gap * gap) / values.length;
    third += (gap * gap * gap) / values.length;
  }
  return { mean, variance, skewness: variance > 0 ? third / (variance * Math.sqrt(variance)) : 0 };
}

/** Names of the columns of each kind, for the message of a fit; begins with a space. */
export function kindsInWords(kinds: readonly KindOfColumn[]): string {
  const parts = COLUMN_KINDS.flatMap((kind) => {
    const own = kinds.filter((one) => one.kind === kind);
    if (own.length === 0) return [];
    const shown = own.slice(0, MOST_SHOWN).map(({ name, reason }) => `'${name}' (${reason})`);
    const names = kind === 'number' ? own.slice(0, MOST_SHOWN).map(({ name }) => `'${name}'`) : shown;
    return [`${names.join(', ')}${own.length > MOST_SHOWN ? `, … (${own.length} in all)` : ''} as ${PLURALS[kind]}`];
  });
  return ` Columns are modeled by their kinds: ${parts.join('; ')}.`;
}

const MOST_SHOWN = 6;
const PLURALS: Readonly<Record<ColumnKind, string>> = {
  number: 'numbers',
  amount: 'amounts, by their logarithms',
  fraction: 'fractions',
  count: 'counts',
  grade: 'grades',
  binary: 'yes or no',
  category: 'categories',
};
