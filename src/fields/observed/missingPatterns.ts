import type { Matrix } from '../../core/matrix.ts';
import { observedPatterns } from '../../mapping/observedPatterns.ts';

/** Columns of Y that lack the same entries. */
export interface MissingPattern {
  /** Ascending. */
  readonly columns: Int32Array;
  /** The rows in which they are not observed (NaN), ascending. */
  readonly missing: Int32Array;
}

/** The columns of Y, N×D, by the pattern of their missing entries (NaN). */
export function missingPatterns(Y: Matrix): MissingPattern[] {
  return observedPatterns(Y).map(({ rows, columns }) => {
    const observed = new Set(rows);
    return { columns, missing: Int32Array.from({ length: Y.rows }, (_, i) => i).filter((i) => !observed.has(i)) };
  });
}
