import type { Transposition } from './routines.ts';

/** A matrix as a column-major routine takes it: stored as it is ('N') or as its transpose ('T'). */
export interface FortranLayout {
  readonly transpose: Transposition;
  /** Distance from one stored column to the next. */
  readonly leading: number;
}

/**
 * How a column-major routine sees a rows×columns matrix, neither of them 0, in these strides; undefined when it can't, because
 * entries are adjacent neither in rows nor in columns.
 */
export function fortranLayout(
  rows: number,
  columns: number,
  rowStride: number,
  columnStride: number,
): FortranLayout | undefined {
  const byColumns = rowStride === 1 || rows === 1;
  if (byColumns && (columns === 1 || columnStride >= rows)) {
    return { transpose: 'N', leading: columns === 1 ? rows : columnStride };
  }
  const byRows = columnStride === 1 || columns === 1;
  if (byRows && (rows === 1 || rowStride >= columns)) {
    return { transpose: 'T', leading: rows === 1 ? columns : rowStride };
  }
  return undefined;
}
