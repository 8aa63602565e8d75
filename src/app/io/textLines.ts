import { InvalidInputError } from '../../core/errors.ts';

const LINE_END = /\r\n|\r|\n/;

/** Text without lines above its table. */
export interface TableText {
  readonly text: string;
  /** Number of omitted leading lines. */
  readonly offset: number;
  /** Lines that begin with #, above the first other line, with their numbers. */
  readonly comments: readonly { readonly line: number; readonly text: string }[];
}

/**
 * Text without the skipped lines, and without comments, which are leading lines that begin with `#`. If all lines begin with `#`, none are comments.
 *
 * @throws InvalidInputError if all lines are skipped
 */
export function tableText(whole: string, skip: number, file: string): TableText {
  let text = whole;
  let offset = 0;
  const dropLine = () => {
    const end = LINE_END.exec(text);
    text = end === null ? '' : text.slice(end.index + end[0].length);
    offset++;
  };
  while (offset < skip && text !== '') dropLine();
  if (skip > 0 && text.trim() === '') {
    throw new InvalidInputError(`'${file}' has no line below the ${skip} that are skipped (\`skip\`).`);
  }
  const [below, first] = [text, offset];
  const comments: { line: number; text: string }[] = [];
  while (/^[^\S\r\n]*(#|\r|\n|$)/.test(text)) {
    const line = text.split(LINE_END, 1)[0]!.trim();
    if (text.trim() === '') return { text: below, offset: first, comments: [] };
    dropLine();
    if (line !== '') comments.push({ line: offset, text: line });
  }
  return comments.length === 0 ? { text: below, offset: first, comments } : { text, offset, comments };
}

/** Delimiters in order of preference: between semicolons and bars, a comma may be a decimal comma. */
const DELIMITERS = ['\t', ';', '|', ',', ' '] as const;

/** Number of lines that are examined. */
const LOOKED_AT = 40;

/**
 * Guesses the delimiter: the first of tab, semicolon, bar, comma and blank that splits each of the first lines into the same number of cells, or the
 * last of these lines if others precede the table; otherwise the most frequent one in the first line.
 */
export function guessDelimiter(text: string): string {
  const lines = firstLines(text);
  const counts = new Map(
    DELIMITERS.map((delimiter) => [delimiter, lines.map((line) => cellsOf(line, delimiter).length)] as const),
  );
  const isPossible = (delimiter: string) => delimiter !== ' ' || isNumeric(lines.at(-1) ?? '');
  const regular = DELIMITERS.filter((delimiter) => {
    const [first = 1, ...rest] = counts.get(delimiter)!;
    const last = rest.at(-1) ?? first;
    const isRegular = rest.every((count) => count === last) && (first === last || first === last - 1);
    return last > 1 && isRegular && isPossible(delimiter);
  });
  if (regular[0] === ',' && regular.includes(' ') && areDecimals(lines)) return ' ';
  if (regular[0] !== undefined) return regular[0];
  const below = DELIMITERS.map((delimiter) => ({
    delimiter,
    rows: isPossible(delimiter) ? equalAtEnd(counts.get(delimiter)!) : 0,
  }));
  const best = below.reduce((a, b) => (b.rows > a.rows ? b : a));
  if (best.rows >= Math.max(2, lines.length / 3)) return best.delimiter;
  const frequency = (delimiter: string) => (lines[0] ?? '').split(delimiter).length;
  return ([',', ';', '\t', '|'] as const).reduce((a, b) => (frequency(b) > frequency(a) ? b : a));
}

function firstLines(text: string): string[] {
  const lines = text.slice(0, 100_000).split(LINE_END, LOOKED_AT + 1);
  // The last one may be cut.
  const whole = lines.length > 1 && text.length > 100_000 ? lines.slice(0, -1) : lines;
  const unquoted = whole.slice(0, LOOKED_AT).map((line) => line.replace(/"(?:[^"]|"")*"/g, 'q'));
  return unquoted.filter((line) => line.trim() !== '').map(withoutBlanks);
}

/** A line without blanks at its ends, where tabs are empty cells. A pattern would take quadratic time for many blanks. */
function withoutBlanks(line: string): string {
  let [first, end] = [0, line.length];
  while (line[first] === ' ') first++;
  while (end > first && line[end - 1] === ' ') end--;
  return line.slice(first, end);
}

const cellsOf = (line: string, delimiter: string) => line.split(delimiter === ' ' ? / +/ : delimiter);

/** Number of final lines with the same number of cells, more than one. */
function equalAtEnd(counts: readonly number[]): number {
  const last = counts.at(-1) ?? 1;
  if (last === 1) return 0;
  const other = counts.findLastIndex((count) => count !== last);
  return counts.length - 1 - other;
}

/** Blanks separate numbers, but not words within text. */
const isNumeric = (line: string) => line.split(/ +/).filter((cell) => /\d/.test(cell)).length >= 2;

const WITH_COMMA = /^[+\-\u2212]?\d*,\d+(e[+-]?\d+)?$/i;
const WHOLE = /^[+\-\u2212]?\d+$/;

/** True if blanks separate numbers with decimal commas: all lines except the first, which may contain names, contain nothing else. */
function areDecimals(lines: readonly string[]): boolean {
  const rows = lines.length > 1 && !/\d,\d/.test(lines[0]!) ? lines.slice(1) : lines;
  const cells = rows.flatMap((line) => cellsOf(line, ' '));
  return (
    cells.some((cell) => WITH_COMMA.test(cell)) && cells.every((cell) => WITH_COMMA.test(cell) || WHOLE.test(cell))
  );
}

const SINGLE = /^[+\-\u2212]?\d+,\d+(e[+\-\u2212]?\d+)?$/i;

/**
 * Whether each line contains one number with a decimal comma: 'yes' below a single name, and in a text whose format is not comma-separated;
 * otherwise 'unsure' if decimals begin with zeros or end with an exponent, which second whole numbers seldom do, and 'two' for two whole numbers.
 */
export function singleDecimals(text: string, isCommaSeparated: boolean): 'yes' | 'unsure' | 'two' | 'no' {
  const lines = firstLines(text);
  const isNamed = lines.length > 2 && !/[\d,;\t|]/.test(lines[0]!);
  const numbers = isNamed ? lines.slice(1) : lines;
  if (numbers.length === 0 || !numbers.every((line) => SINGLE.test(line))) return 'no';
  if (isNamed || !isCommaSeparated) return 'yes';
  return numbers.some((line) => /,0\d|^[+\-\u2212]?0,|e/i.test(line)) ? 'unsure' : 'two';
}
