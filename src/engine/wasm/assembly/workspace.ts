// The packing workspace of this thread, set before every external call: [record of a product | one tile | a block of A | a panel of B].
export let productRecord: usize = 0;
export let tile: usize = 0;
export let packedA: usize = 0;
export let packedB: usize = 0;
export let blockRows: i32 = 0;
export let blockColumns: i32 = 0;
export let blockDepth: i32 = 0;

const RECORD_BYTES: usize = 128;
const TILE_BYTES: usize = 128;

/**
 * Sets the packing buffer: the offset of 256 + 8·depth·(rows + columns) free bytes per thread, 16-byte aligned. Rows and columns are multiples of
 * four; if they are fewer than the matrices', the product is formed in blocks.
 */
export function usePacking(offset: usize, rows: i32, columns: i32, depth: i32): void {
  productRecord = offset;
  tile = offset + RECORD_BYTES;
  packedA = tile + TILE_BYTES;
  packedB = packedA + ((rows * depth) << 3);
  blockRows = rows;
  blockColumns = columns;
  blockDepth = depth;
}

/** Address of the next thread's workspace. */
export function packingEnd(): usize {
  return packedB + ((blockColumns * blockDepth) << 3);
}

/** Address of 8·n numbers that are free between products, for a triangular matrix of order n. */
export function scratch(): usize {
  return packedA;
}
