/** Words for missing cells. */
export const MISSING = /^(?:|nan|na|n\/a|null|none|\?|[-–—])$/i;

/** Numbers in groups of three digits: 1,234 or 1.234.567,8. */
export const GROUPED = /^[-−]?\d{1,3}(?:([,. '\u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/;

/** Words at the beginning of a row of sums, and of means. */
export const SUMS =
  /^(?:grand )?(?:total|sum|summe|gesamt(?:summe)?|somme|suma|totale|mean|average|mittelwert|durchschnitt)s?:?$/i;

/** Smallest share of numbers among the cells of a column that is not text, and largest number of different words in it. */
const MOSTLY = 0.8;
const MOST_WORDS = 3;
const isNumber = (cell: string) => GROUPED.test(cell) || /^[-−]?\d+(?:[.,]\d+)?$/.test(cell);

/** Words among the numbers of a column; undefined if these are not most of its cells. */
export function wordsAmong(cells: readonly string[]): string[] | undefined {
  const present = cells.filter((cell) => !MISSING.test(cell));
  const others = present.filter((cell) => !isNumber(cell));
  const words = [...new Set(others)];
  return others.length > 0 && others.length <= (1 - MOSTLY) * present.length && words.length <= MOST_WORDS
    ? words
    : undefined;
}

/** Day and month before the year, 31.12.2024, or, with slashes, in either order. */
const WRITTEN_DATE = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/;

/** Dates of a column in ISO 8601, empty where missing; undefined if it contains no such dates, or these may be read in two ways. */
export function datesOf(cells: readonly string[]): string[] | undefined {
  const present = cells.filter((cell) => !MISSING.test(cell));
  const found = present.map((cell) => WRITTEN_DATE.exec(cell));
  if (present.length === 0 || found.some((each) => each === null)) return undefined;
  const isDayFirst = (order: 1 | 3) =>
    found.every((each) => Number(each![order]) <= 31 && Number(each![4 - order]) <= 12);
  const orders = ([1, 3] as const).filter((order) => (order === 1 || found[0]![2] === '/') && isDayFirst(order));
  if (orders.length !== 1) return undefined;
  const two = (text: string) => text.padStart(2, '0');
  return cells.map((cell) => {
    const each = WRITTEN_DATE.exec(cell);
    return each === null ? '' : `${each[4]}-${two(each[4 - orders[0]!]!)}-${two(each[orders[0]!]!)}`;
  });
}
