import { multiplyTiles } from './microKernel';
import { performParts } from './team';

/** Number of points in a group: the eight values of each coordinate are adjacent. */
const GROUP: i32 = 8;
/** Number of groups of columns in a part: few enough that products stay in the cache from layer to layer, and that threads finish together. */
const PART: i32 = 16;

/** Points `first` … first + 8·groups − 1 of n, whose products with each other and with all later points go to C. */
@unmanaged
export class SingleProducts {
  first: i32;
  groups: i32;
  n: i32;
  columns: i32;
  /** Largest number of coordinates in a layer. */
  layer: i32;
  packed: usize;
  c: usize;
}

/**
 * Products of points in single precision: C is row-major, with rows n long that begin with point `first`. The points are packed in layers; a layer
 * has groups of eight points. Each product is summed over the coordinates of a layer in order, and then layer by layer.
 */
export function singleProducts(p: SingleProducts): void {
  const columnGroups = (p.n - p.first) / GROUP;
  const multiplications = 64.0 * p.groups * columnGroups * p.columns;
  performParts(singlePart, (columnGroups + PART - 1) / PART, changetype<usize>(p), multiplications);
}

function singlePart(part: i32, record: usize): void {
  const p = changetype<SingleProducts>(record);
  const n = p.n;
  const first = p.first;
  const columns = p.columns;
  const groups = p.groups;
  const start = part * PART;
  const end = min(start + PART, (n - first) / GROUP);
  const rowBytes = n << 2;
  for (let d = 0; d < columns; d += p.layer) {
    const depth = min(p.layer, columns - d);
    const groupBytes = depth << 5;
    const own: usize = p.packed + ((n * d + first * depth) << 2);
    for (let j = start; j < end; j++) {
      const others: usize = own + j * groupBytes;
      for (let i = 0; i < groups; i++) {
        const rows: usize = own + i * groupBytes;
        const target: usize = p.c + (j << 5) + i * GROUP * rowBytes;
        // The four numbers for a step of the second tile are 16 bytes after the first tile's.
        multiplyTiles<f32>(1, depth, rows, others, target, rowBytes, d > 0);
        multiplyTiles<f32>(1, depth, rows + 16, others, target + 4 * rowBytes, rowBytes, d > 0);
      }
    }
  }
}
