/** The first of `extent` rows (or columns) that part `number` of `parts` has, a multiple of `unit`, a power of two. */
export function startOf(number: i32, parts: i32, extent: i32, unit: i32): i32 {
  return number == parts ? extent : <i32>((<f64>number / <f64>parts) * extent) & ~(unit - 1);
}

/** The same where row i has i entries, so that parts have as many entries as each other. */
export function startInLower(number: i32, parts: i32, extent: i32, unit: i32): i32 {
  return number == parts ? extent : <i32>(sqrt(<f64>number / <f64>parts) * extent) & ~(unit - 1);
}

/** The same where row i has extent − i entries. */
export function startInUpper(number: i32, parts: i32, extent: i32, unit: i32): i32 {
  return number == parts ? extent : <i32>((1.0 - sqrt(1.0 - <f64>number / <f64>parts)) * extent) & ~(unit - 1);
}
