// The packing workspace of this thread, given anew before every call from outside: [record of a product | one tile | a block of A | a panel of B].
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
 * Says where to pack: `offset` to 256 + 8·depth·(rows + columns) free bytes a thread, 16-byte aligned. Rows and columns are
 * multiples of four; with fewer than the matrices have, the product is formed in blocks.
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
