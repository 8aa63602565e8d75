import type { MatrixView } from './matrixView.ts';
import { TILE } from './microKernel.ts';

/**
 * Copies `rows` × `depth` entries of `source`, times `factor`, into panels of four rows: panel after panel, column after
 * column, four numbers each, so that the micro-kernel reads them one after the other. The last panel is filled up with zeros.
 */
export function packPanels(
  source: MatrixView,
  rows: number,
  depth: number,
  factor: number,
  target: Float64Array,
): void {
  const { data, rowStride, columnStride } = source;
  const step = TILE;
  let to = 0;
  let i = 0;
  for (; i + step <= rows; i += step) {
    let p0 = source.start + i * rowStride;
    let p1 = p0 + rowStride;
    let p2 = p1 + rowStride;
    let p3 = p2 + rowStride;
    for (let p = 0; p < depth; p++) {
      target[to] = factor * data[p0]!;
      target[to + 1] = factor * data[p1]!;
      target[to + 2] = factor * data[p2]!;
      target[to + 3] = factor * data[p3]!;
      to += step;
      p0 += columnStride;
      p1 += columnStride;
      p2 += columnStride;
      p3 += columnStride;
    }
  }
  if (i === rows) return;
  for (let p = 0; p < depth; p++) {
    for (let r = 0; r < step; r++) {
      const row = i + r;
      target[to++] = row < rows ? factor * data[source.start + row * rowStride + p * columnStride]! : 0;
    }
  }
}
