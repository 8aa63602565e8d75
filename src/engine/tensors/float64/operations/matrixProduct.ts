import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import { linearAlgebra } from '../../../dense/activeEngine.ts';
import type { TensorInfo } from '../../tensorflow.ts';
import { FLOAT64, type Float64Backend, type Values } from '../backend.ts';
import { broadcastStrides, rowMajor, stridedCopy, whole } from './layout.ts';
import { type Binary, kernel, sizeOf, typeOf } from './operation.ts';

const BYTES = 8;

interface ProductAttributes {
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
function matrixProduct(
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
    throw new InvalidInputError(
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

interface FusedInputs extends Binary {
  readonly bias?: TensorInfo;
  readonly preluActivationWeights?: TensorInfo;
}

interface FusedAttributes extends ProductAttributes {
  readonly activation?: string;
  readonly leakyreluAlpha?: number;
}

/** Operations by the names that `tf.fused` gives activations. */
const ACTIVATIONS: Readonly<Record<string, string>> = {
  relu: 'Relu',
  relu6: 'Relu6',
  elu: 'Elu',
  sigmoid: 'Sigmoid',
  leakyrelu: 'LeakyRelu',
  prelu: 'Prelu',
};

/** φ(A·B + bias), the dense layer of `tf.layers`: the product followed by the other operations. */
export function registerFusedMatrixProduct(): void {
  kernel<FusedInputs, FusedAttributes>(
    '_FusedMatMul',
    ({ a, b, bias, preluActivationWeights }, attributes, backend) => {
      const { activation = 'linear', leakyreluAlpha: alpha } = attributes;
      let result = matrixProduct(a, b, attributes, backend);
      const then = (name: string, inputs: Record<string, TensorInfo>) => {
        const before = result;
        result = computed(name, inputs, { alpha }, backend);
        backend.disposeData(before.dataId as object);
      };
      if (bias) then('Add', { a: result, b: bias });
      if (activation === 'linear') return result;
      const name = ACTIVATIONS[activation];
      if (name === undefined) {
        const known = ['linear', ...Object.keys(ACTIVATIONS)].join(', ');
        throw new InvalidInputError(
          `A fused matrix product knows the activations ${known}, but '${activation}' was given. Apply it after the product.`,
        );
      }
      if (name === 'Prelu') then(name, { x: result, alpha: preluActivationWeights! });
      else then(name, { x: result });
      return result;
    },
  );
}

/** Runs a registered operation without going through TensorFlow.js. */
function computed(
  name: string,
  inputs: Record<string, TensorInfo>,
  attrs: object,
  backend: Float64Backend,
): TensorInfo {
  const { kernelFunc } = tf.getKernel(name, FLOAT64);
  return kernelFunc({ inputs, attrs: attrs as tf.NamedAttrMap, backend }) as TensorInfo;
}

/** Letters of an equation such as 'bij,bjk->bik', for each operand and for the result. */
interface EinsumTerms {
  readonly operands: readonly string[];
  readonly result: string;
}

/** Parses an equation of one or two operands, in which each letter occurs once per operand and the result has only letters of the operands. */
export function einsumTerms(equation: string): EinsumTerms {
  const match = /^([A-Za-z]*(?:,[A-Za-z]*)?)->([A-Za-z]*)$/.exec(equation.replace(/\s/g, ''));
  const [, given = '', result = ''] = match ?? [];
  const operands = given.split(',');
  const hasTwice = (term: string) => new Set(term).size < term.length;
  const unknown = [...result].some((letter) => !operands.some((term) => term.includes(letter)));
  if (match !== null && !operands.some(hasTwice) && !hasTwice(result) && !unknown) return { operands, result };
  throw new InvalidInputError(
    `einsum needs letters for the axes of one or two operands and of the result, such as 'bij,bjk->bik', none twice in a term and in the ` +
      `result only those of operands, but '${equation}' was given.`,
  );
}

/** Size of each letter's axis. */
function sizesOf(equation: string, { operands }: EinsumTerms, tensors: readonly TensorInfo[]): Map<string, number> {
  const sizes = new Map<string, number>();
  const shapes = tensors.map(({ shape }) => shape);
  const fit =
    operands.length === tensors.length &&
    operands.every(
      (letters, t) =>
        letters.length === shapes[t]!.length &&
        [...letters].every((letter, d) => {
          const size = shapes[t]![d]!;
          const known = sizes.get(letter) ?? size;
          sizes.set(letter, size);
          return known === size;
        }),
    );
  if (fit) return sizes;
  throw new InvalidInputError(
    `'${equation}' does not fit tensors of shapes ${shapes.map((shape) => `[${shape}]`).join(' and ')}: there must be one for each ` +
      'operand, with an axis for each letter, and axes of one letter must have one size.',
  );
}

/**
 * Sums of products over named axes as a stack of matrix products: letters of both operands and the result index the stack, letters of one operand and
 * the result are rows or columns, and all others are summed over.
 */
export function registerEinsum(): void {
  kernel<Readonly<Record<string, TensorInfo>>, { equation: string }>('Einsum', (inputs, { equation }, backend) => {
    const tensors = Object.values(inputs);
    const terms = einsumTerms(equation);
    const { operands, result } = terms;
    const sizes = sizesOf(equation, terms, tensors);
    const [left, right = ''] = operands as [string, string?];
    const isIn = (letters: string) => (letter: string) => letters.includes(letter);
    const output = [...result];
    const stack = output.filter(isIn(left)).filter(isIn(right));
    const rows = output.filter((letter) => left.includes(letter) && !right.includes(letter));
    const columns = output.filter((letter) => !left.includes(letter));
    const summed = [...sizes.keys()].filter((letter) => !result.includes(letter));
    const shapeOf = (letters: readonly string[]) => letters.map((letter) => sizes.get(letter)!);
    const sizeOfLetters = (letters: readonly string[]) => sizeOf(shapeOf(letters));

    const [a, b = one(tensors[0]!, backend)] = tensors as [TensorInfo, TensorInfo?];
    const x = arranged(a, left, [...stack, ...rows, ...summed], sizes, backend);
    const y = arranged(b, right, [...stack, ...summed, ...columns], sizes, backend);
    const [s, m, k, n] = [stack, rows, summed, columns].map(sizeOfLetters) as [number, number, number, number];
    const product = matrixProduct({ ...x, shape: [s, m, k] }, { ...y, shape: [s, k, n] }, {}, backend);
    const order = [...stack, ...rows, ...columns];
    const into = arranged({ ...product, shape: shapeOf(order) }, order.join(''), output, sizes, backend);
    for (const { dataId } of [x, y, product, ...(tensors.length === 1 ? [b] : [])]) {
      backend.disposeData(dataId as object);
    }
    return into;
  });
}

/** The number 1 in the type of a tensor, the factor of a single operand. */
function one(like: TensorInfo, backend: Float64Backend): TensorInfo {
  const result = backend.allocate([], typeOf(like));
  backend.values(result)[0] = 1;
  return result;
}

/** A copy of x with one axis per letter, in order, repeated along the letters that x does not have. */
function arranged(
  x: TensorInfo,
  own: string,
  letters: readonly string[],
  sizes: ReadonlyMap<string, number>,
  backend: Float64Backend,
): TensorInfo {
  const shape = letters.map((letter) => sizes.get(letter)!);
  const result = backend.allocate(shape, typeOf(x));
  const strides = rowMajor(x.shape);
  const from = letters.map((letter) => (own.includes(letter) ? strides[own.indexOf(letter)]! : 0));
  stridedCopy(shape, backend.values(x), { offset: 0, strides: from }, backend.values(result), whole(shape));
  return result;
}
