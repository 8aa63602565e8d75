import type { InParts } from '../../core/inParts.ts';
import type { Eigenpairs } from '../dense/eigenpairs.ts';
import { bottomEigenpairsInParts } from './bottomEigenpairs.ts';
import { analyse, factorise, solve, sparseSymmetric } from './index.ts';

/** A symmetric matrix as a sum of entries, each off the diagonal counting for its mirror image too. */
export interface SparseTerms {
  readonly size: number;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/** The shift, as part of the mean eigenvalue: large enough for a factor, small beside every gap that matters. */
const SHIFT = 1e-9;

/**
 * The q eigenpairs of smallest eigenvalue, beside the null vector 1, of A·v = μ·D·v for A sparse and positive semidefinite with
 * A·1 = 0: shift-invert Lanczos on the factor of A + σD, with pauses.
 *
 * @param metric - the diagonal of D, > 0; the identity unless given
 * @returns μ ascending; columns vᵀDv = 1, the entry of largest modulus positive
 */
export function* bottomOfSparse(
  { size, rows, columns, values }: SparseTerms,
  q: number,
  metric?: Float64Array,
): InParts<Eigenpairs> {
  const D = metric ?? new Float64Array(size).fill(1);
  let trace = 0;
  rows.forEach((i, e) => {
    if (i === columns[e]) trace += values[e]! / D[i]!;
  });
  const shift = (SHIFT * trace) / size;
  const diagonal = new Int32Array(size);
  const shifts = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    diagonal[i] = i;
    shifts[i] = shift * D[i]!;
  }
  const shifted = sparseSymmetric(
    size,
    concatenated(new Int32Array(rows.length + size), rows, diagonal),
    concatenated(new Int32Array(rows.length + size), columns, diagonal),
    concatenated(new Float64Array(rows.length + size), values, shifts),
  );
  const factor = factorise(analyse(shifted.pattern), shifted.values);
  const known = [new Float64Array(size).fill(1)];
  const solution = (b: Float64Array, x: Float64Array) => {
    solve(factor, b, x);
  };
  return yield* bottomEigenpairsInParts(size, solution, q, { metric: D, shift, known });
}

function concatenated<List extends Int32Array | Float64Array>(both: List, a: List, b: List): List {
  both.set(a);
  both.set(b, a.length);
  return both;
}
