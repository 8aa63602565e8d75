import * as op from '../tensors/ops.ts';
import type { Tensor2D } from '../tensors/tensorflow.ts';

/** Number of monomials of this degree in so many variables, (variables + degree − 1 over degree). */
export function monomialCount(variables: number, degree: number): number {
  let count = 1;
  for (let k = 1; k <= degree; k++) count = (count * (variables + k - 1)) / k;
  return Math.round(count);
}

/**
 * All monomials of one degree d in the entries of each row of Z (n×m), n×monomialCount(m, d), each times the square root of its
 * multinomial coefficient: their inner products are the d-th powers of those of the rows.
 */
export function monomials(Z: Tensor2D, degree: number): Tensor2D {
  const chosen = combinations(Z.shape[1], degree);
  const factors = Array.from({ length: degree }, (_, k) =>
    op.gather<Tensor2D>(
      Z,
      chosen.map((columns) => columns[k]!),
      1,
    ),
  );
  const product = factors.reduce((total, factor) => op.mul<Tensor2D>(total, factor));
  return op.mul<Tensor2D>(product, op.tensor(chosen.map((columns) => Math.sqrt(arrangements(columns)))));
}

/** Columns 0 … m−1 chosen d times, with repetition, in ascending order. */
function combinations(m: number, d: number): number[][] {
  if (d === 0) return [[]];
  return combinations(m, d - 1).flatMap((columns) =>
    Array.from({ length: m - (columns.at(-1) ?? 0) }, (_, k) => [...columns, (columns.at(-1) ?? 0) + k]),
  );
}

/** d!/Π_i α_i!, α_i how often column i was chosen. */
function arrangements(columns: readonly number[]): number {
  let count = 1;
  let run = 0;
  columns.forEach((column, k) => {
    run = column === columns[k - 1] ? run + 1 : 1;
    count = (count * (k + 1)) / run;
  });
  return count;
}
