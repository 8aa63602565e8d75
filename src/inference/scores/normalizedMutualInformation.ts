import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { checkOptions } from '../../core/options.ts';
import { contingencyOf, type Partition } from './contingency.ts';

/** Options of {@link normalizedMutualInformation}. */
export interface NormalizedMutualInformationOptions {
  /** Which mean of the two entropies divides the mutual information; 'arithmetic' unless given. */
  readonly average?: 'arithmetic' | 'geometric';
}

const schema = v.strictObject({
  average: v.optional(v.picklist(['arithmetic', 'geometric'], "'arithmetic' or 'geometric'"), 'arithmetic'),
});

/**
 * Agreement of two labellings, whatever their labels are called: I(a; b) / mean(H(a), H(b)), I the mutual information of the
 * labels of a point drawn at random, H their entropies. 1 when each has a single label.
 *
 * @param a - N labels
 * @param b - N labels
 * @param options - `average`: the arithmetic mean (the default) or the geometric mean of the entropies
 * @returns a number in [0, 1]: 1 when either labelling determines the other, 0 when they are independent
 * @throws InvalidInputError when there are no labels, or a and b differ in length
 * @see Strehl, Ghosh, Cluster ensembles, JMLR 3 (2002), eq. 3
 * @example
 * ```ts
 * normalizedMutualInformation(['a', 'a', 'b', 'b'], [1, 1, 0, 0]); // 1
 * ```
 */
export function normalizedMutualInformation(
  a: Partition,
  b: Partition,
  options: NormalizedMutualInformationOptions = {},
): number {
  const { average } = checkOptions(schema, options, 'normalizedMutualInformation');
  const { size, counts, rowTotals, columnTotals } = contingencyOf(a, b, ['a', 'b']);
  if (rowTotals.length === 1 && columnTotals.length === 1) return 1;
  let information = 0;
  counts.forEach((row, r) => {
    row.forEach((count, c) => {
      if (count > 0) information += (count / size) * log((count * size) / (rowTotals[r]! * columnTotals[c]!));
    });
  });
  const entropies = [entropyOf(rowTotals, size), entropyOf(columnTotals, size)] as const;
  const mean = average === 'geometric' ? Math.sqrt(entropies[0] * entropies[1]) : (entropies[0] + entropies[1]) / 2;
  // Rounding may leave the information of independent labels a little below 0, and of equal ones above the entropy.
  return mean > 0 ? Math.min(1, Math.max(0, information / mean)) : 0;
}

function entropyOf(totals: Float64Array, size: number): number {
  return totals.reduce((sum, count) => sum - (count / size) * log(count / size), 0);
}
