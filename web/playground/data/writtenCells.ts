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

/** Currency before a number, and unit behind it. */
const WITH_UNIT = /^(\p{Sc}\s?)?([-−]?\d(?:[\d.,' \u00a0\u202f]*\d)?)(\s?(?:[%‰]|\p{Sc}|[\p{L}°µ²³/·]+))?$/u;

/** Currency, number and unit of a cell; undefined if it contains no number. */
export function partsOf(cell: string): readonly [currency: string, number: string, unit: string] | undefined {
  const [, currency = '', number = '', unit = ''] = WITH_UNIT.exec(cell) ?? [];
  return GROUPED.test(number) || /^[-−]?\d+(?:[.,]\d+)?$/.test(number) ? [currency, number, unit] : undefined;
}

/** Unit or currency of a number, empty where it has none; undefined for other text. */
export function unitOf(cell: string): string | undefined {
  const parts = partsOf(cell);
  return parts === undefined ? undefined : `${parts[0].trim()}${parts[2].trim()}`;
}

/** Words among the numbers of a column, which have the same unit or none; undefined if these are not most of its cells. */
export function wordsAmong(cells: readonly string[]): string[] | undefined {
  const present = cells.filter((cell) => !MISSING.test(cell));
  const counts = new Map<string, number>();
  for (const unit of present.map(unitOf)) if (unit !== undefined) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  const [usual] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  const others = present.filter((cell) => unitOf(cell) !== usual);
  const words = [...new Set(others)];
  return others.length > 0 && others.length <= (1 - MOSTLY) * present.length && words.length <= MOST_WORDS
    ? words
    : undefined;
}

/** Day and month before the year, 31.12.2024, or, with slashes, in either order; with or without a time. */
const WRITTEN_DATE = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2})(:[0-5]\d(?::[0-5]\d)?)(?:\s?([ap])m)?)?$/i;

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
    if (each === null) return '';
    const [hour, minutes, half] = [each[5], each[6], each[7]?.toLowerCase()];
    const hours = half === undefined ? hour : String((Number(hour) % 12) + (half === 'p' ? 12 : 0));
    const time = hours === undefined ? '' : ` ${two(hours)}${minutes}`;
    return `${each[4]}-${two(each[4 - orders[0]!]!)}-${two(each[orders[0]!]!)}${time}`;
  });
}
