import { besideText, type Dataset } from './data/dataset.ts';

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '=': (a, b) => a === b,
};

/**
 * Rows that match a text: a condition such as `mass > 3` or `day < 2024-03-01`, the number of a row, or a part of its id, label or other text.
 *
 * @returns undefined for an empty text
 */
export function rowsFound(
  text: string,
  { observations, columns, labels, labelColumn, ids, beside = [] }: Dataset,
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
    const near = beside.find(({ column }) => isName(column));
    if (near?.values instanceof Float64Array) {
      const [limit, values] = [near.isNumber ? Number(value) : Date.parse(value) / 86_400_000, near.values];
      return rows.filter((i) => COMPARISONS[comparison]!(values[i]!, limit));
    }
    if (near !== undefined && comparison === '=') {
      return rows.filter((i) => besideText(near, i).toLowerCase() === value.toLowerCase());
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
  return rows.filter((i) =>
    [labels?.[i], ids?.[i], ...beside.map((each) => besideText(each, i))].some(
      (text) => text?.toLowerCase().includes(part) === true,
    ),
  );
}
