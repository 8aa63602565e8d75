import type { Dataset } from './data/dataset.ts';

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '=': (a, b) => a === b,
};

/**
 * Rows that a text finds: a condition such as `mass > 3`, the number of a row, or a part of its id or label.
 *
 * @returns undefined for an empty text
 */
export function rowsFound(
  text: string,
  { observations, columns, labels, labelColumn, ids }: Dataset,
): number[] | undefined {
  const asked = text.trim();
  if (asked === '') return undefined;
  const rows = Array.from({ length: observations.rows }, (_, i) => i);
  const condition = /^(.+?)\s*(<=|>=|<|>|=)\s*(.+)$/.exec(asked);
  if (condition !== null) {
    const [, name, comparison, value] = condition as unknown as [string, string, string, string];
    const isName = (column: string) => column.toLowerCase() === name.toLowerCase();
    if (comparison === '=' && labels !== undefined && isName(labelColumn)) {
      return rows.filter((i) => labels[i]!.toLowerCase() === value.toLowerCase());
    }
    const column = columns.findIndex(isName);
    const number = Number(value);
    if (column < 0 || value === '' || Number.isNaN(number)) return [];
    return rows.filter((i) => COMPARISONS[comparison]!(observations.at(i, column), number));
  }
  const byId = ids === undefined ? [] : rows.filter((i) => ids[i]!.toLowerCase() === asked.toLowerCase());
  if (byId.length > 0) return byId;
  const number = Number(asked.replace(/^row\s+/i, ''));
  if (Number.isInteger(number) && number >= 1 && number <= observations.rows) return [number - 1];
  const part = asked.toLowerCase();
  return rows.filter((i) => [labels, ids].some((texts) => texts?.[i]?.toLowerCase().includes(part) === true));
}
