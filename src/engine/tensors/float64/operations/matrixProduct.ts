import * as tf from '@tensorflow/tfjs-core';
import { linearAlgebra } from '../../../dense/activeEngine.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import type { Float64Backend, Values } from '../backend.ts';
import { broadcastStrides } from './layout.ts';
import { type Binary, doesNotFit, kernel, sizeOf, typeOf } from './operation.ts';

const BYTES = 8;

export interface ProductAttributes {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

/** A matrix in a stack: distances to the next row and column, in numbers. */
interface Factor {
  readonly rowStride: number;
  readonly columnStride: number;
}

/** Matrix products over broadcast batches, on the active linear algebra engine. */
export function registerMatrixProduct(): void {
  kernel<Binary, ProductAttributes>('BatchMatMul', ({ a, b }, attributes, backend) =>
    matrixProduct(a, b, attributes, backend),
  );
}

/** A·B over the last two axes of both, a new tensor; the axes before them broadcast. */
export function matrixProduct(
  a: TensorInfo,
  b: TensorInfo,
  { transposeA = false, transposeB = false }: ProductAttributes,
  backend: Float64Backend,
): TensorInfo {
  const [rowsA, columnsA] = a.shape.slice(-2) as [number, number];
  const [rowsB, columnsB] = b.shape.slice(-2) as [number, number];
  const [m, k] = transposeA ? [columnsA, rowsA] : [rowsA, columnsA];
  const [inner, n] = transposeB ? [columnsB, rowsB] : [rowsB, columnsB];
  if (k !== inner) {
    throw doesNotFit(
      `Matrices of shapes [${a.shape}]${transposeA ? ', transposed,' : ''} and [${b.shape}]${transposeB ? ', transposed,' : ''} ` +
        `cannot be multiplied: the first has ${k} columns and the second ${inner} rows.`,
    );
  }
  const stack = tf.broadcast_util.assertAndGetBroadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const result = backend.allocate([...stack, m, n], typeOf(a));
  const left: Factor = transposeA ? { rowStride: 1, columnStride: columnsA } : { rowStride: columnsA, columnStride: 1 };
  const right: Factor = transposeB
    ? { rowStride: 1, columnStride: columnsB }
    : { rowStride: columnsB, columnStride: 1 };
  const starts = stackStarts(stack, a.shape.slice(0, -2), b.shape.slice(0, -2));
  if (m * n === 0) return result;
  if (typeOf(a) === 'float32' && typeOf(b) === 'float32') {
    const { gemm } = linearAlgebra(backend.memory64);
    const to = { offset: backend.offset(result), rowStride: n, columnStride: 1 };
    starts.forEach(([i, j], batch) => {
      const x = { offset: backend.offset(a) + i * m * k * BYTES, ...left };
      const y = { offset: backend.offset(b) + j * k * n * BYTES, ...right };
      gemm(m, n, k, 1, x, y, 0, { ...to, offset: to.offset + batch * m * n * BYTES });
    });
  } else {
    const [x, y, z] = [backend.values(a), backend.values(b), backend.values(result)];
    starts.forEach(([i, j], batch) => {
      multiply(m, n, k, x, i * m * k, left, y, j * k * n, right, z, batch * m * n);
    });
  }
  return result;
}

/** Indices of the matrices of a and b that make each matrix of the result. */
function stackStarts(stack: readonly number[], a: readonly number[], b: readonly number[]): [number, number][] {
  const rank = stack.length;
  const stridesA = broadcastStrides(a, rank);
  const stridesB = broadcastStrides(b, rank);
  return Array.from({ length: sizeOf(stack) }, (_, batch) => {
    let [i, j, rest] = [0, 0, batch];
    for (let d = rank - 1; d >= 0; d--) {
      const at = rest % stack[d]!;
      rest = (rest - at) / stack[d]!;
      i += at * stridesA[d]!;
      j += at * stridesB[d]!;
    }
    return [i, j];
  });
}

/** Product of integer matrices, which the engines do not support. */
function multiply(
  m: number,
  n: number,
  k: number,
  a: Values,
  startA: number,
  left: Factor,
  b: Values,
  startB: number,
  right: Factor,
  c: Values,
  startC: number,
): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let total = 0;
      let p = startA + i * left.rowStride;
      let q = startB + j * right.columnStride;
      for (let t = 0; t < k; t++, p += left.columnStride, q += right.rowStride) total += a[p]! * b[q]!;
      c[startC + i * n + j] = total;
    }
  }
}
