import { areSame } from '../../core/plainNumbers.ts';

/** Memoizes a function for its last key. */
export function latest<Argument, Result>(
  compute: (argument: Argument) => Result,
  keyOf: (argument: Argument) => readonly Float64Array[],
): (argument: Argument) => Result {
  let last: { readonly key: readonly Float64Array[]; readonly result: Result } | undefined;
  return (argument) => {
    const key = keyOf(argument);
    if (last !== undefined && key.every((entries, k) => areSame(entries, last!.key[k]!))) return last.result;
    const result = compute(argument);
    last = { key: key.map((entries) => entries.slice()), result };
    return result;
  };
}
