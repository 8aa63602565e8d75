/** Numbers that JSON has no form for, as they are saved. */
export const NON_FINITE = ['NaN', 'Infinity', '-Infinity'] as const;

/** Plain data of which every number that is not finite is its name, for JSON. */
export function withPlainNumbers<T>(value: T): T {
  if (typeof value === 'number') return (Number.isFinite(value) ? value : String(value)) as T;
  if (Array.isArray(value)) return value.map(withPlainNumbers) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withPlainNumbers(entry)])) as T;
}
