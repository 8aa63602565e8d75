import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { sparseSymmetric } from '../../../src/engine/sparse/index.ts';
import { outerProduct, type SparseColumns } from '../../../src/engine/sparse/sparseSymmetric.ts';

/** Columns with up to `most` rows each, in any order. */
function columnsOf(size: number, count: number, most: number, seed: number): SparseColumns {
  const random = seededRandom(seed);
  const starts = [0];
  const rows: number[] = [];
  for (let i = 0; i < count; i++) {
    const own = new Set(Array.from({ length: random.integer(Math.min(most, size) + 1) }, () => random.integer(size)));
    rows.push(...own);
    starts.push(rows.length);
  }
  return {
    size,
    starts: Int32Array.from(starts),
    rows: Int32Array.from(rows),
    values: Float64Array.from(rows, () => random.normal()),
  };
}

/** The same as a sum of all products, column of M by column. */
function byTerms({ size, starts, rows, values }: SparseColumns) {
  const terms: [number, number, number][] = [];
  for (let i = 0; i + 1 < starts.length; i++) {
    for (let p = starts[i]!; p < starts[i + 1]!; p++) {
      for (let q = starts[i]!; q <= p; q++) terms.push([rows[p]!, rows[q]!, values[p]! * values[q]!]);
    }
  }
  return sparseSymmetric(
    size,
    Int32Array.from(terms, ([i]) => i),
    Int32Array.from(terms, ([, j]) => j),
    Float64Array.from(terms, ([, , value]) => value),
  );
}

describe('the outer product of a sparse matrix', () => {
  it('has the bits of a sum of its terms', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 70 }),
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        (size, count, most, seed) => {
          const M = columnsOf(size, count, most, seed);
          expect(outerProduct(M)).toEqual(byTerms(M));
        },
      ),
    );
  });

  it('leaves the matrix as it was', () => {
    const M = { size: 3, starts: Int32Array.of(0, 2), rows: Int32Array.of(2, 0), values: Float64Array.of(3, -1) };
    const { pattern, values } = outerProduct(M);
    expect(pattern).toEqual({ size: 3, starts: Int32Array.of(0, 2, 3, 4), rows: Int32Array.of(0, 2, 1, 2) });
    expect(values).toEqual(Float64Array.of(1, -3, 0, 9));
    expect(M.rows).toEqual(Int32Array.of(2, 0));
    expect(M.values).toEqual(Float64Array.of(3, -1));
  });
});
