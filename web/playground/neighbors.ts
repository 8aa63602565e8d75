import type { Matrix } from 'latentfield/core';

/** The rows nearest to one, over the entries that both have, from the nearest on; `but` is left out. */
export function nearestRows(
  { data, rows, columns }: Matrix,
  row: ArrayLike<number>,
  count: number,
  but = -1,
): number[] {
  const found: number[] = [];
  const distances: number[] = [];
  for (let j = 0; j < rows; j++) {
    if (j === but) continue;
    let sum = 0;
    for (let c = 0; c < columns; c++) {
      const difference = row[c]! - data[j * columns + c]!;
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

/** Of each row, how many of its k nearest in Y are among its k nearest in X. */
export function keptNeighbors(Y: Matrix, X: Matrix, k: number): Uint8Array {
  return Uint8Array.from({ length: Y.rows }, (_, i) => {
    const inMap = new Set(nearestRows(X, X.row(i), k, i));
    return nearestRows(Y, Y.row(i), k, i).filter((j) => inMap.has(j)).length;
  });
}
