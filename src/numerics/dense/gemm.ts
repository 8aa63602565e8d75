import { block, type MatrixView, transposed } from './matrixView.ts';
import { microKernel, TILE } from './microKernel.ts';
import { packPanels } from './packing.ts';

/** Block sizes: a packed block of A stays in the second-level cache, a panel of B in the first. */
const DEPTH = 256;
const ROWS = 64;
const COLUMNS = 512;

/** Below this many multiplications, packing costs more than it saves. */
const SMALL = 512;

const packedA = new Float64Array(ROWS * DEPTH);
const packedB = new Float64Array(COLUMNS * DEPTH);
const tile = new Float64Array(TILE * TILE);

/** Which entries of C a product touches. */
export type Region = 'all' | 'lower' | 'upper';

/**
 * C ← alpha·A·B + beta·C, with A m×k, B k×n and C m×n in any strides; C must not overlap A or B.
 *
 * Packed and blocked after Goto & van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34 (2008).
 *
 * @param beta - with 0, what C held is ignored, even NaN
 * @param region - with 'lower' or 'upper', only that triangle of C (with its diagonal) is read and written
 */
export function gemm(
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: MatrixView,
  b: MatrixView,
  beta: number,
  c: MatrixView,
  region: Region = 'all',
): void {
  scaleMatrix(m, n, beta, c, region);
  if (alpha === 0 || m === 0 || n === 0 || k === 0) return;
  if (m * n * k <= SMALL || m === 1 || n === 1) addSmallProduct(m, n, k, alpha, a, b, c, region);
  else addPackedProduct(m, n, k, alpha, a, b, c, region);
}

function addPackedProduct(
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: MatrixView,
  b: MatrixView,
  c: MatrixView,
  region: Region,
): void {
  for (let j = 0; j < n; j += COLUMNS) {
    const columns = Math.min(COLUMNS, n - j);
    for (let p = 0; p < k; p += DEPTH) {
      const depth = Math.min(DEPTH, k - p);
      packPanels(transposed(block(b, p, j)), columns, depth, 1, packedB);
      for (let i = 0; i < m; i += ROWS) {
        const rows = Math.min(ROWS, m - i);
        if (outside(region, i, i + rows - 1, j, j + columns - 1)) continue;
        packPanels(block(a, i, p), rows, depth, alpha, packedA);
        addPackedBlock(rows, columns, depth, block(c, i, j), j - i, region);
      }
    }
  }
}

/** The product of the packed blocks goes to C, whose first column is `shift` columns right of the diagonal. */
function addPackedBlock(
  rows: number,
  columns: number,
  depth: number,
  c: MatrixView,
  shift: number,
  region: Region,
): void {
  const { data, start, rowStride, columnStride } = c;
  for (let j = 0; j < columns; j += TILE) {
    const width = Math.min(TILE, columns - j);
    const left = shift + j;
    for (let i = 0; i < rows; i += TILE) {
      const height = Math.min(TILE, rows - i);
      const right = left + width - 1;
      const bottom = i + height - 1;
      if (outside(region, i, bottom, left, right)) continue;
      const target = start + i * rowStride + j * columnStride;
      if (height === TILE && width === TILE && inside(region, i, bottom, left, right)) {
        microKernel(depth, packedA, i * depth, packedB, j * depth, data, target, rowStride, columnStride);
        continue;
      }
      tile.fill(0);
      microKernel(depth, packedA, i * depth, packedB, j * depth, tile, 0, TILE, 1);
      for (let r = 0; r < height; r++) {
        for (let s = 0; s < width; s++) {
          if (!inside(region, i + r, i + r, left + s, left + s)) continue;
          data[target + r * rowStride + s * columnStride]! += tile[r * TILE + s]!;
        }
      }
    }
  }
}

function addSmallProduct(
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: MatrixView,
  b: MatrixView,
  c: MatrixView,
  region: Region,
): void {
  const x = a.data;
  const y = b.data;
  for (let i = 0; i < m; i++) {
    const first = region === 'upper' ? i : 0;
    const last = region === 'lower' ? Math.min(i + 1, n) : n;
    for (let j = first; j < last; j++) {
      let sum = 0;
      let p = a.start + i * a.rowStride;
      let q = b.start + j * b.columnStride;
      for (let r = 0; r < k; r++, p += a.columnStride, q += b.rowStride) sum += x[p]! * y[q]!;
      c.data[c.start + i * c.rowStride + j * c.columnStride]! += alpha * sum;
    }
  }
}

function scaleMatrix(m: number, n: number, beta: number, c: MatrixView, region: Region): void {
  if (beta === 1) return;
  for (let i = 0; i < m; i++) {
    const first = region === 'upper' ? i : 0;
    const last = region === 'lower' ? Math.min(i + 1, n) : n;
    let p = c.start + i * c.rowStride + first * c.columnStride;
    if (beta === 0) for (let j = first; j < last; j++, p += c.columnStride) c.data[p] = 0;
    else for (let j = first; j < last; j++, p += c.columnStride) c.data[p]! *= beta;
  }
}

/** Whether no entry of these rows and columns is in the region. */
function outside(region: Region, top: number, bottom: number, left: number, right: number): boolean {
  return (region === 'lower' && left > bottom) || (region === 'upper' && right < top);
}

/** Whether every entry of these rows and columns is in the region. */
function inside(region: Region, top: number, bottom: number, left: number, right: number): boolean {
  return region === 'all' || (region === 'lower' ? right <= top : left >= bottom);
}
