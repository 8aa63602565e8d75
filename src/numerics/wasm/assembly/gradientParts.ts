import { startInLower } from './parts';

/**
 * Gradients of covariances sum over all pairs of points into one result: the rows are cut into parts by their number alone, each of
 * which sums into a result of its own, and these are added up in order. So they can be shared among threads, and have the same bits
 * alone.
 */
const LEAST_ROWS: i32 = 128;
const MOST_PARTS: i32 = 8;
/** Rows of the blocks that parts are made of. */
const BLOCK: i32 = 32;
/** Numbers that a part takes besides its result. */
const ROW: i32 = 98;

export function gradientParts(n: i32): i32 {
  return max(1, min(MOST_PARTS, n / LEAST_ROWS));
}

/** Numbers of workspace that a gradient takes whose result has `length` numbers. */
export function gradientWorkspace(n: i32, length: i32): i32 {
  return gradientParts(n) * (length + ROW);
}

export function firstRow(part: i32, n: i32): i32 {
  return startInLower(part, gradientParts(n), n, BLOCK);
}

/** Where a part puts its result, and after that finds its workspace. */
export function resultOfPart(part: i32, length: i32, work: usize): usize {
  return work + ((part * (length + ROW)) << 3);
}

/** Result ← the sum of those of the parts. */
export function addParts(n: i32, length: i32, work: usize, result: usize): void {
  memory.copy(result, work, length << 3);
  for (let part = 1; part < gradientParts(n); part++) {
    let from = resultOfPart(part, length, work);
    let to = result;
    for (let i = 0; i < length; i++) {
      store<f64>(to, load<f64>(to) + load<f64>(from));
      from += 8;
      to += 8;
    }
  }
}
