/** A count with its noun: "1 label", "3 labels". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The end of a message about a wrong count: "1 label was given", "3 labels were given". */
export function countGiven(count: number, noun: string): string {
  return `${counted(count, noun)} ${count === 1 ? 'was' : 'were'} given`;
}

/** A number for a sentence: three significant digits. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}
