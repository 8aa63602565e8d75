import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { countGiven } from '../../core/wording.ts';
import { cellsOf, type RawColumn, type RawTable } from './rawTable.ts';
import { decimal, type LabelColumn, quoted } from './tableText.ts';

/** Text of a table with its missing entries filled in from a matrix, N×D. */
export type CompletedText = (values: MatrixLike, format?: 'csv' | 'tsv') => string;

/** Column of the text. */
interface TextColumn {
  /** Name in the file. */
  readonly name: string;
  readonly cells: ArrayLike<string>;
  /** Text of a missing entry, from the values of the observations of this column. */
  readonly fill?: ((values: readonly number[]) => string | undefined) | undefined;
  /** Positions of these observations. */
  readonly positions: readonly number[];
}

/**
 * Writer of a table in the form of its file, with the same columns, order, header, decimal mark and cells: only missing entries of the observations are
 * filled in. Columns that the file lacks follow at the end.
 *
 * @param features - observations, as positions in the columns of `raw`
 * @param observations - N×D, NaN where missing
 * @param ids - names of the rows that are not in a column of the table
 */
export function completionOf(
  raw: RawTable,
  features: readonly number[],
  observations: Matrix,
  ids: LabelColumn | undefined,
): CompletedText {
  const { layout } = raw;
  const mark = layout?.decimal ?? '.';
  const number = (value: number) => decimal(value).replace('.', mark);
  const inFile = raw.columns.filter(
    ({ level, seasonOf, isAbsent }) => level === undefined && seasonOf === undefined && isAbsent !== true,
  );
  const hasNames = layout === undefined ? inFile.some(({ isNamed }) => isNamed) : layout.header !== undefined;
  const positions = new Map(features.map((j, position) => [raw.columns[j]!, position] as const));
  /** Levels by the column of their categories. */
  const levelsOf = new Map<string, RawColumn[]>();
  for (const column of raw.columns) {
    if (column.level === undefined) continue;
    levelsOf.set(column.level.column, [...(levelsOf.get(column.level.column) ?? []), column]);
  }
  const textOf = (column: RawColumn, cells: ArrayLike<string>, name: string): TextColumn => {
    const all = levelsOf.get(column.name) ?? [];
    const levels = all.filter((level) => positions.has(level));
    if (levels.length === 0) {
      const write = column.write ?? number;
      return {
        name,
        cells,
        positions: positions.has(column) ? [positions.get(column)!] : [],
        fill: ([value]) => write(value!, mark),
      };
    }
    const categories = levels.map(({ level }) => level!.category);
    const isWhole = all.length === levels.length;
    return {
      ...{ name, cells, positions: levels.map((level) => positions.get(level)!) },
      fill: (values) => mostProbable(values, categories, isWhole),
    };
  };
  // Cells are gathered by column only when the text is wanted.
  const columnsOf = lazily(() =>
    inFile.map((column, j) =>
      textOf(
        column,
        layout === undefined ? cellsOf(column) : layout.rows.map((cells) => cells[j]!),
        layout?.header?.[j] ?? column.name,
      ),
    ),
  );
  const empty = Array.from({ length: raw.rows }, () => '');
  const absent = raw.columns.filter(({ isAbsent, seasonOf }) => isAbsent === true && seasonOf === undefined);
  const names = new Set(absent.map(({ name, level }) => level?.column ?? name));
  const appended = Array.from(names, (name) =>
    textOf(absent.find((column) => column.name === name) ?? { name, isNamed: true }, empty, name),
  );
  const before: TextColumn[] =
    ids === undefined ? [] : [{ name: ids.name, cells: Array.from(ids.values, String), positions: [] }];

  return (given, format = 'csv') => {
    const values = Matrix.from(given, 'The values of missing entries');
    if (values.rows !== observations.rows || values.columns !== observations.columns) {
      throw new InvalidInputError(
        `The observations are ${observations.rows}×${observations.columns}, but ${countGiven(values.rows, 'row')} of ${values.columns} values. Give a value for each entry.`,
      );
    }
    const all = [...before, ...columnsOf(), ...appended];
    const delimiter = delimiterOf(layout?.delimiter, mark, format);
    const line = (cells: readonly string[]) => `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\n`;
    const cell = ({ cells, positions, fill }: TextColumn, i: number): string => {
      const isMissing = positions.length > 0 && positions.every((j) => Number.isNaN(observations.at(i, j)));
      return (isMissing ? fill?.(positions.map((j) => values.at(i, j))) : undefined) ?? cells[i]!;
    };
    const lines = hasNames ? [line(all.map(({ name }) => name))] : [];
    for (let i = 0; i < raw.rows; i++) lines.push(line(all.map((column) => cell(column, i))));
    return lines.join('');
  };
}

/** Category with the largest share; undefined if there are other categories, which have more together. */
function mostProbable(shares: readonly number[], categories: readonly string[], isWhole: boolean): string | undefined {
  const largest = shares.reduce((most, share) => Math.max(most, share));
  const rest = 1 - shares.reduce((sum, share) => sum + share, 0);
  return !isWhole && rest > largest ? undefined : categories[shares.indexOf(largest)];
}

/** Delimiter of the file if the format has it; a comma is not combined with decimal commas. */
function delimiterOf(delimiter: string | undefined, mark: string, format: 'csv' | 'tsv'): string {
  if (format === 'tsv') return '\t';
  if (delimiter === ';' || delimiter === '|') return delimiter;
  return mark === ',' ? ';' : ',';
}
