/** A count with its noun: "1 label", "3 labels". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The end of a message about a wrong count of arguments, for one or several. */
export function countGiven(count: number, noun: string): string {
  return `${counted(count, noun)} ${count === 1 ? 'was' : 'were'} given`;
}

/** Lines of cells in columns: the first aligned left, the others as numbers or texts. */
export function aligned(lines: readonly (readonly string[])[], side: 'left' | 'right' = 'right'): string[] {
  const widths = lines[0]!.map((_, c) => Math.max(...lines.map((line) => line[c]!.length)));
  const padded = (text: string, c: number) =>
    c === 0 || side === 'left' ? text.padEnd(widths[c]!) : text.padStart(widths[c]!);
  return lines.map((line) => line.map(padded).join('  ').trimEnd());
}

/** A number for a sentence: three significant digits. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}
