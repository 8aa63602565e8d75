import { InvalidInputError } from '../core/errors.ts';
import { unknownName } from '../core/options.ts';

/** Columns by name, pattern, range or number from 0: 'age', 'pixel*', 'a:d', 3, '0:5'. */
export type ColumnChoice = string | number | readonly (string | number)[];

/**
 * The numbers of the columns that are chosen, in the order in which they are. A text is, in this order: a column's name; names between commas; a
 * pattern with `*` for any characters; a range `first:last` by name or number, both included; a number from 0.
 *
 * @param names - of all columns
 * @param choice - what is chosen
 * @param purpose - what for, in an error: "the labels"
 * @param file - whose columns they are
 * @throws InvalidInputError when a part of it chooses no column
 */
export function chosenColumns(names: readonly string[], choice: ColumnChoice, purpose: string, file: string): number[] {
  const parts = typeof choice === 'object' ? choice : [choice];
  const chosen = new Set(parts.flatMap((part) => columnsOf(names, part, purpose, file)));
  return [...chosen];
}

/** The number of the one column that is chosen. */
export function chosenColumn(names: readonly string[], choice: string | number, purpose: string, file: string): number {
  const columns = chosenColumns(names, choice, purpose, file);
  if (columns.length === 1) return columns[0]!;
  throw new InvalidInputError(`'${choice}' is ${columns.length} columns, but ${purpose} are a single one.`);
}

function columnsOf(names: readonly string[], part: string | number, purpose: string, file: string): number[] {
  if (typeof part === 'string') {
    const named = names.indexOf(part);
    if (named >= 0) return [named];
    if (part.includes(',')) return part.split(',').flatMap((each) => columnsOf(names, each.trim(), purpose, file));
    const ends = part.split(':');
    if (ends.length === 2) {
      const [first, last] = [
        ends[0] === '' ? 0 : single(names, ends[0]!, purpose, file),
        ends[1] === '' ? names.length - 1 : single(names, ends[1]!, purpose, file),
      ];
      if (first > last) throw new InvalidInputError(`'${part}' runs backwards. Give the first column, then the last.`);
      return Array.from({ length: last - first + 1 }, (_, k) => first + k);
    }
    if (part.includes('*')) {
      const matching = names.map((_, j) => j).filter((j) => isMatch(names[j]!, part.split('*')));
      if (matching.length > 0) return matching;
    }
  }
  return [single(names, part, purpose, file)];
}

function single(names: readonly string[], part: string | number, purpose: string, file: string): number {
  const named = names.indexOf(String(part));
  if (typeof part === 'string' && named >= 0) return named;
  const index = typeof part === 'number' || /^\d+$/.test(part) ? Number(part) : Number.NaN;
  if (Number.isInteger(index) && index >= 0 && index < names.length) return index;
  if (!Number.isNaN(index) || part === '') {
    throw new InvalidInputError(`'${file}' has no column number ${part} for ${purpose}. ${listed(names)}`);
  }
  throw new InvalidInputError(
    `'${file}' has no column '${part}' for ${purpose}.${suggestion(names, String(part))} ${listed(names)}`,
  );
}

function suggestion(names: readonly string[], part: string): string {
  const hint = / Did you mean '.*?'\?/.exec(unknownName('column', part, names, 'The table').message);
  return hint?.[0] ?? '';
}

/** The columns of a table in a sentence. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => `'${name}'`);
  return `Its ${names.length} columns, numbered from 0, are ${shown.join(', ')}${names.length > 12 ? ', …' : ''}.`;
}

/** Whether a name holds the parts of a pattern in turn, the first at its start and the last at its end. */
function isMatch(name: string, parts: readonly string[]): boolean {
  const [first, last] = [parts[0]!, parts.at(-1)!];
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
