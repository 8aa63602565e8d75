/**
 * Rows nearest to a row, over the entries that both have, nearest first, except for `but`.
 *
 * @param unit - divisors of differences, D numbers
 */
export function nearestRows(
  { data, rows, columns }: { readonly data: Float64Array; readonly rows: number; readonly columns: number },
  row: ArrayLike<number>,
  count: number,
  but: number,
  unit: ArrayLike<number>,
): number[] {
  const found: number[] = [];
  const distances: number[] = [];
  for (let j = 0; j < rows; j++) {
    if (j === but) continue;
    let sum = 0;
    for (let c = 0; c < columns; c++) {
      const difference = (row[c]! - data[j * columns + c]!) / unit[c]!;
      if (!Number.isNaN(difference)) sum += difference * difference;
    }
    if (found.length === count && sum >= distances[count - 1]!) continue;
    let at = found.length;
    while (at > 0 && distances[at - 1]! > sum) at--;
    found.splice(at, 0, j);
    distances.splice(at, 0, sum);
    if (found.length > count) {
      found.pop();
      distances.pop();
    }
  }
  return found;
}
