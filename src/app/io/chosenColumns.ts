import { InvalidInputError } from '../../core/errors.ts';
import { suggestion } from '../../core/options.ts';

/** Choice of columns by name, pattern, range or number from 0: 'age', 'pixel*', 'a:d', 3, '0:5'. */
export type ColumnChoice = string | number | readonly (string | number)[];

/**
 * Indices of the chosen columns, in order. A text is, in this order of preference: a column's name; names separated by commas; a pattern with `*` for
 * any characters; a range `first:last` by name or number, both included; a number from 0.
 *
 * @param names - names of all columns
 * @param choice - choice of the caller
 * @param purpose - purpose, for errors: "the labels"
 * @param file - name of the file, for errors
 * @throws InvalidInputError if a part of it chooses no column
 */
export function chosenColumns(names: readonly string[], choice: ColumnChoice, purpose: string, file: string): number[] {
  const parts = typeof choice === 'object' ? choice : [choice];
  // The first of equal names counts.
  const places = new Map(names.map((name, j): [string, number] => [name, j]).reverse());
  const chosen = new Set<number>();
  for (const part of parts) for (const j of columnsOf({ names, places, purpose, file }, part)) chosen.add(j);
  return [...chosen];
}

/** Index of a single chosen column. */
export function chosenColumn(names: readonly string[], choice: string | number, purpose: string, file: string): number {
  const columns = chosenColumns(names, choice, purpose, file);
  if (columns.length === 1) return columns[0]!;
  throw new InvalidInputError(`'${choice}' is ${columns.length} columns, but ${purpose} are a single one.`);
}

/** Columns to choose from. */
interface Choosing {
  readonly names: readonly string[];
  readonly places: ReadonlyMap<string, number>;
  readonly purpose: string;
  readonly file: string;
}

function columnsOf(from: Choosing, part: string | number): number[] {
  const { names, places } = from;
  if (typeof part === 'string') {
    const named = places.get(part);
    if (named !== undefined) return [named];
    if (part.includes(',')) return part.split(',').flatMap((each) => columnsOf(from, each.trim()));
    const ends = part.split(':');
    if (ends.length === 2) {
      const [first, last] = [
        ends[0] === '' ? 0 : single(from, ends[0]!),
        ends[1] === '' ? names.length - 1 : single(from, ends[1]!),
      ];
      if (first > last) throw new InvalidInputError(`'${part}' runs backwards. Give the first column, then the last.`);
      return Array.from({ length: last - first + 1 }, (_, k) => first + k);
    }
    if (part.includes('*')) {
      const matching = names.map((_, j) => j).filter((j) => isMatch(names[j]!, part.split('*')));
      if (matching.length > 0) return matching;
    }
  }
  return [single(from, part)];
}

function single({ names, places, purpose, file }: Choosing, part: string | number): number {
  const named = places.get(String(part));
  if (typeof part === 'string' && named !== undefined) return named;
  const index = typeof part === 'number' || /^\d+$/.test(part) ? Number(part) : Number.NaN;
  if (Number.isInteger(index) && index >= 0 && index < names.length) return index;
  if (!Number.isNaN(index) || part === '') {
    throw new InvalidInputError(`'${file}' has no column number ${part} for ${purpose}. ${listed(names)}`, {
      code: 'unknownName',
      subject: String(part),
    });
  }
  throw new InvalidInputError(
    `'${file}' has no column '${part}' for ${purpose}.${suggestion(String(part), names)} ${listed(names)}`,
    { code: 'unknownName', subject: String(part) },
  );
}

/** Columns of a table as text, for a message. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => `'${name}'`);
  return `Its ${names.length} columns, numbered from 0, are ${shown.join(', ')}${names.length > 12 ? ', …' : ''}.`;
}

/** True if a name contains the parts of a pattern in order, the first at its start and the last at its end. */
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
