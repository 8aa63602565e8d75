import { startOf } from './parts';
import { isWorthSharing, operands, partsAlong, shareOut } from './team';

/** Rows of B that a shared part should have: each packs the whole triangle. */
const LEAST_SHARED: i32 = 16;
/** Rows that are worked on together, alone or not. */
const GROUP: i32 = 8;

/** B·L⁻ᵀ or B·L, the rows of which do not need each other, as the threads of a team find it. */
@unmanaged
export class TriangularTask {
  parts: i32;
  m: i32;
  n: i32;
  b: usize;
  bRow: i32;
  bColumn: i32;
  l: usize;
  lRow: i32;
  lColumn: i32;

  /** The first row of a part. A last row on its own is a product with a vector, summed otherwise: it is kept in the same company. */
  start(number: i32, panelRows: i32): i32 {
    return startOf(number, this.parts, this.m, this.m % GROUP == 1 ? panelRows : GROUP);
  }
}

export function currentTriangularTask(): TriangularTask {
  return changetype<TriangularTask>(operands());
}

/** Shares the rows of B among the threads of a team, where that is worth it; returns whether it was. */
export function shareRows(
  perform: (part: i32) => void,
  m: i32,
  n: i32,
  b: usize,
  bRow: i32,
  bColumn: i32,
  l: usize,
  lRow: i32,
  lColumn: i32,
): bool {
  const parts = partsAlong(m, LEAST_SHARED);
  if (parts < 2 || !isWorthSharing(0.5 * m * n * n)) return false;
  const task = currentTriangularTask();
  task.parts = parts;
  task.m = m;
  task.n = n;
  task.b = b;
  task.bRow = bRow;
  task.bColumn = bColumn;
  task.l = l;
  task.lRow = lRow;
  task.lColumn = lColumn;
  shareOut(perform, parts);
  return true;
}
