import { startInLower } from './parts';
import { Radial, valuesFromPoint } from './radialRows';
import { partsAlong, performParts, threadNumber } from './team';
import { at } from './vectors';

/** Columns of a block of K. */
const BLOCK: i32 = 64;
/** What an entry costs, an exponential or a logarithm above all, in multiplications of a product. */
const VALUE: f64 = 20.0;

/**
 * K_ij and K_ji ← variance·f(‖x_i − x_j‖²) + shift, `diagonal` at K_ii, n×n, row-major; `work` holds 64 numbers a thread. Block by block, so that values
 * never leave the first-level cache.
 */
export function radialGram(r: Radial): void {
  const cost = VALUE * r.n * r.n;
  r.parts = partsAlong(r.n, BLOCK, cost);
  performParts(gramPart, r.parts, changetype<usize>(r), cost);
}

function gramPart(part: i32, record: usize): void {
  const r = changetype<Radial>(record);
  const n = r.n;
  const k = r.k;
  const work: usize = at(r.work, BLOCK * threadNumber());
  const rowBytes = n << 3;
  const end = startInLower(part + 1, r.parts, n, BLOCK);
  for (let ib = startInLower(part, r.parts, n, BLOCK); ib < end; ib += BLOCK) {
    const rows = min(ib + BLOCK, end);
    for (let jb = 0; jb < rows; jb += BLOCK) {
      for (let i = max(ib, jb + 1); i < rows; i++) {
        // A width is odd only where it ends before the diagonal, which is written last: values may be computed in place.
        const row: usize = at(k + i * rowBytes, jb);
        valuesFromPoint(r, min(BLOCK, i - jb), at(r.x, i), rowBytes, at(r.x, jb), rowBytes, row, row, work);
      }
      if (r.mirrored) mirrorBlock(ib, rows, jb, k, rowBytes);
    }
    for (let i = ib; i < rows; i++) store<f64>(at(k + i * rowBytes, i), r.diagonal);
  }
}

/** Copies what is below the diagonal in rows ib … rows − 1 of a block to above it. */
function mirrorBlock(ib: i32, rows: i32, jb: i32, k: usize, rowBytes: i32): void {
  for (let j = jb; j < min(jb + BLOCK, rows); j++) {
    const line: usize = k + j * rowBytes;
    for (let i = max(ib, j + 1); i < rows; i++) store<f64>(at(line, i), load<f64>(at(k + i * rowBytes, j)));
  }
}
