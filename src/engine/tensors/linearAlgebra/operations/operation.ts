import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../../core/errors.ts';
import { describe } from '../../../../core/matrix.ts';
import { linearAlgebra } from '../../../dense/activeEngine.ts';
import type { Float64Memory } from '../../../memory.ts';
import type { LinearAlgebraEngine } from '../../../operations/linearAlgebra.ts';
import { mirrorLower, rowMajor } from '../../../typescript/matrices.ts';
import { doublesOf } from '../../doubles.ts';
import { type Compute, FLOAT64, Float64Backend } from '../../float64/backend.ts';
import { sizeOf } from '../../float64/operations/operation.ts';
import { float64Backend } from '../../float64/scope.ts';
import { recorderAtWork } from '../../recording.ts';
import { isProfiled, type Scalar, type Tensor, type Tensor2D, type TensorInfo } from '../../tensorflow.ts';

/** Workspace of an operation: the engine, its memory, and the byte offsets of the inputs and outputs there. */
export interface Workspace {
  readonly algebra: LinearAlgebraEngine;
  readonly memory: Float64Memory;
  /** One per input; must not be written to. */
  readonly inputs: readonly number[];
  /** One per output, with unspecified content. */
  readonly outputs: readonly number[];
  /** Position in a stack for messages, such as ' 3 of the stack'; empty for a single matrix. */
  readonly position: string;
}

type Shape = readonly number[];

/** An operation on matrices: the shapes of its outputs and their computation from doubles. */
export interface MatrixKernel<A> {
  readonly name: string;
  /** Names of the inputs, in the order of `Workspace.inputs`. */
  readonly inputs: readonly string[];
  /**
   * For an operation that also accepts stacks of matrices: rank of each input without the axes of the stack, which come first and are the same for
   * all. `outputs` and `compute` are then called for one matrix of the stack at a time.
   */
  readonly ranks?: readonly number[];
  outputs(shapes: readonly Shape[], attributes: A): readonly Shape[];
  compute(workspace: Workspace, shapes: readonly Shape[], attributes: A): void;
}

/** Backends with registered linear algebra. */
const BACKENDS: readonly string[] = [FLOAT64, 'cpu', 'wasm'];

interface Invocation {
  inputs: Record<string, TensorInfo>;
  attrs: object;
  backend: tf.KernelBackend;
}

/** Registers an operation for the float64 backend and for the stock backends, which store float32, where it also computes in double precision. */
export function registerMatrixKernel<A>(kernel: MatrixKernel<A>): void {
  const compute = ({ inputs, attrs, backend }: Invocation): TensorInfo[] => {
    const tensors = kernel.inputs.map((name) => inputs[name]!);
    const rank = kernel.ranks?.[0] ?? tensors[0]!.shape.length;
    const stack = tensors[0]!.shape.slice(0, tensors[0]!.shape.length - rank);
    const shapes = tensors.map(({ shape }) => shape.slice(stack.length));
    const shapesOut = kernel.outputs(shapes, attrs as A);
    const outputShapes = shapesOut.map((shape) => [...stack, ...shape]);
    const all = (workspace: Workspace) => {
      for (let i = 0; i < sizeOf(stack); i++) {
        kernel.compute(stack.length > 0 ? inStack(workspace, i, shapes, shapesOut) : workspace, shapes, attrs as A);
      }
    };
    return backend instanceof Float64Backend
      ? computeInPlace(backend, tensors, outputShapes, all)
      : computeInScratch(backend, tensors, outputShapes, all);
  };
  const inPlace: Compute = (inputs, attrs, backend) =>
    compute({ inputs: inputs as Invocation['inputs'], attrs, backend });
  const kernelFunc = (invocation: Invocation) => {
    const { inputs, attrs, backend } = invocation;
    if (!(backend instanceof Float64Backend)) return compute(invocation);
    // Tensors on other backends are moved here before results are allocated.
    for (const name of kernel.inputs) backend.offset(inputs[name]!);
    return backend.run(kernel.name, inPlace, inputs, attrs);
  };
  for (const backendName of BACKENDS) {
    // By another copy of the library.
    if (tf.getKernel(kernel.name, backendName) !== undefined) continue;
    tf.registerKernel({ kernelName: kernel.name, backendName, kernelFunc: kernelFunc as unknown as tf.KernelFunc });
  }
}

/** Workspace of matrix i of a stack. */
function inStack(whole: Workspace, i: number, shapes: readonly Shape[], shapesOut: readonly Shape[]): Workspace {
  const inputs = whole.inputs.map((offset, k) => offset + 8 * i * sizeOf(shapes[k]!));
  const outputs = whole.outputs.map((offset, k) => offset + 8 * i * sizeOf(shapesOut[k]!));
  return { ...whole, inputs, outputs, position: ` ${i} of the stack` };
}

/** True if an operation of this name is registered. */
export const isRegistered = (name: string): boolean => tf.getKernel(name, FLOAT64) !== undefined;

/** Registers the operations that are not registered yet, when they are first used. */
export function registerOnce<A>(...kernels: MatrixKernel<A>[]): void {
  for (const kernel of kernels) {
    if (!isRegistered(kernel.name)) registerMatrixKernel(kernel);
  }
}

/** Saves tensors for the backward pass of an operation made with `tf.customGrad`. */
export type Save = (tensors: Tensor[]) => void;

/** Runs a registered operation on the active backend. */
export function runKernel(name: string, inputs: Record<string, Tensor>, attributes: object = {}): Tensor[] {
  return tf.engine().runKernel(name, inputs, attributes as tf.NamedAttrMap) as unknown as Tensor[];
}

/**
 * Runs an operation whose gradients, one for each input in order, are computed by another operation from its named inputs, `result` and `dy`.
 *
 * @param inputs - in the order of the operation's names
 */
export function differentiable<A extends object>(
  operation: MatrixKernel<A>,
  gradient: MatrixKernel<A>,
  inputs: readonly Tensor[],
  attributes = {} as A,
): Tensor {
  registerOnce(operation, gradient);
  const kept = gradient.inputs.filter((name) => name !== 'dy');
  const named = (names: readonly string[], tensors: readonly Tensor[]) =>
    Object.fromEntries(names.map((name, i) => [name, tensors[i]!]));
  return tf.customGrad((...args: unknown[]) => {
    const save = args.pop() as Save;
    const given = named(operation.inputs, args as Tensor[]);
    const result = runKernel(operation.name, given, attributes)[0]!;
    save(kept.map((name) => given[name] ?? result));
    const gradFunc = (dy: Tensor, saved: Tensor[]) =>
      runKernel(gradient.name, { ...named(kept, saved), dy }, attributes);
    return { value: result, gradFunc };
  })(...inputs);
}

/**
 * Runs a registered operation whose first output is a scalar and whose next outputs are its slopes in some inputs.
 *
 * @param signs - factors of the slopes; default 1
 */
export function withSlopes(
  name: string,
  inputs: Readonly<Record<string, Tensor>>,
  differentiated: readonly string[],
  attributes: object,
  signs: readonly (1 | -1)[] = [],
): Scalar {
  return tf.customGrad((...args: unknown[]) => {
    const save = args.pop() as Save;
    const own = Object.fromEntries(differentiated.map((input, i) => [input, args[i] as Tensor]));
    const [value, ...slopes] = runKernel(name, { ...inputs, ...own }, attributes) as [Tensor, ...Tensor[]];
    save(slopes.slice(0, differentiated.length));
    const gradFunc = (dy: Tensor, saved: Tensor[]) =>
      saved.map((slope, i) => scaled(slope, signs[i] === -1 ? tf.neg(dy) : dy));
    return { value, gradFunc };
  })(...differentiated.map((input) => inputs[input]!)) as Scalar;
}

/**
 * Computes the outputs of an operation as plain numbers. It does not accept stacks, and runs through TensorFlow.js only if operations are profiled.
 *
 * @param wanted - number of outputs that are needed; default all
 */
export function numbersOf<A>(
  kernel: MatrixKernel<A>,
  tensors: readonly TensorInfo[],
  attributes: A,
  wanted = Number.POSITIVE_INFINITY,
): Float64Array[] {
  const shapes = tensors.map(({ shape }) => shape);
  const sizes = kernel.outputs(shapes, attributes).map(sizeOf);
  if (isProfiled()) {
    registerOnce(kernel);
    const inputs = Object.fromEntries(tensors.map((tensor, i) => [kernel.inputs[i]!, tensor as Tensor]));
    return tf.tidy(() => {
      const made = tf.engine().runKernel(kernel.name, inputs, attributes as tf.NamedAttrMap);
      return (made as unknown as Tensor[]).map(doublesOf) as unknown as Tensor[];
    }) as unknown as Float64Array[];
  }
  const active = tf.backend();
  const compute = (workspace: Workspace) => kernel.compute(workspace, shapes, attributes);
  if (!(active instanceof Float64Backend)) return scratchNumbers(active, tensors, sizes, compute);
  const memory = active.memory64;
  const inputs = tensors.map((tensor) => active.offset(tensor));
  const bytes = sizes.map(bytesOf);
  return memory.withBlock(
    bytes.reduce((sum, own) => sum + own, 0),
    (start) => {
      let next = start;
      const outputs = bytes.map((own) => {
        next += own;
        return next - own;
      });
      compute({ algebra: linearAlgebra(memory), memory, inputs, outputs, position: '' });
      return outputs.slice(0, wanted).map((offset, i) => memory.float64(offset, sizes[i]!).slice());
    },
  );
}

/** Gradient of the only or first output. */
export function firstOf(dy: Tensor | Tensor[]): Tensor {
  return Array.isArray(dy) ? dy[0]! : dy;
}

/** dy·x for a scalar dy; x itself, without a pass over it, for the usual dy = 1. */
function scaled(x: Tensor, dy: Tensor): Tensor {
  // A recorded operation may be repeated with another dy.
  return recorderAtWork() === undefined && doublesOf(dy)[0] === 1 ? x.clone() : tf.mul(x, dy);
}

/** Bytes of a block of this many numbers. */
export function bytesOf(count: number): number {
  return Math.max(8, 8 * count);
}

function computeInPlace(
  backend: Float64Backend,
  tensors: readonly TensorInfo[],
  outputShapes: readonly Shape[],
  compute: (workspace: Workspace) => void,
): TensorInfo[] {
  const memory = backend.memory64;
  const inputs = tensors.map((tensor) => backend.offset(tensor));
  const results = outputShapes.map((shape) => backend.allocate(shape));
  const outputs = results.map((result) => backend.offset(result));
  compute({ algebra: linearAlgebra(memory), memory, inputs, outputs, position: '' });
  return results;
}

function computeInScratch(
  backend: tf.KernelBackend,
  tensors: readonly TensorInfo[],
  outputShapes: readonly Shape[],
  compute: (workspace: Workspace) => void,
): TensorInfo[] {
  return scratchNumbers(backend, tensors, outputShapes.map(sizeOf), compute).map((numbers, i) => {
    const shape = [...outputShapes[i]!];
    return { dataId: backend.write(Float32Array.from(numbers), shape, 'float32'), shape, dtype: 'float32' };
  });
}

/** Outputs computed from tensors of another backend. */
function scratchNumbers(
  backend: tf.KernelBackend,
  tensors: readonly TensorInfo[],
  sizes: readonly number[],
  compute: (workspace: Workspace) => void,
): Float64Array[] {
  const memory = (tf.engine().findBackend(FLOAT64) as Float64Backend).memory64;
  const blocks: { offset: number; bytes: number }[] = [];
  const allocate = (size: number) => {
    const bytes = bytesOf(size);
    const offset = memory.allocate(bytes);
    blocks.push({ offset, bytes });
    return offset;
  };
  try {
    const inputs = tensors.map(({ dataId }) => {
      const values = backend.readSync(dataId as object) as Float32Array;
      const offset = allocate(values.length);
      memory.float64(offset, values.length).set(values);
      return offset;
    });
    const outputs = sizes.map(allocate);
    compute({ algebra: linearAlgebra(memory), memory, inputs, outputs, position: '' });
    return outputs.map((offset, i) => memory.float64(offset, sizes[i]!).slice());
  } finally {
    for (const { offset, bytes } of blocks) memory.release(offset, bytes);
  }
}

/** Copies the lower triangle of an n×n matrix to the upper one. */
export function mirrorLowerOf(n: number, matrix: Float64Array): void {
  mirrorLower(n, rowMajor(matrix, n));
}

/** A ← Aᵀ, tile by tile, so that large matrices stay in the cache. */
export function transposeInPlace(n: number, matrix: Float64Array): void {
  const size = 16;
  for (let top = 0; top < n; top += size) {
    const bottom = Math.min(top + size, n);
    for (let left = 0; left <= top; left += size) {
      for (let i = top; i < bottom; i++) {
        const right = Math.min(left + size, i);
        for (let j = left; j < right; j++) {
          const below = matrix[i * n + j]!;
          matrix[i * n + j] = matrix[j * n + i]!;
          matrix[j * n + i] = below;
        }
      }
    }
  }
}

/** A ← ½(A + Aᵀ) */
export function symmetrizeInPlace(n: number, matrix: Float64Array): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = (matrix[i * n + j]! + matrix[j * n + i]!) / 2;
      matrix[i * n + j] = mean;
      matrix[j * n + i] = mean;
    }
  }
}

/** Makes sure that the operations are registered and that the active backend has them. */
export function requireBackend(operation: string): void {
  float64Backend();
  const active = tf.getBackend();
  if (!BACKENDS.includes(active)) {
    throw new InvalidInputError(
      `${operation} runs on the backends ${BACKENDS.join(', ')}, but '${active}' is active. Choose one of them with tf.setBackend.`,
    );
  }
}

/** Checks that a tensor is a matrix of floating-point numbers. */
export function matrixOperand(x: Tensor, operation: string, argument: string): Tensor2D {
  return floating(x, operation, argument, 'of rank 2', () => x.rank === 2) as Tensor2D;
}

/** Checks that a tensor has one floating-point number, and returns it with rank 0. */
export function scalarOperand(x: Tensor, operation: string, argument: string): Scalar {
  const entry = floating(x, operation, argument, 'of one entry', () => x.size === 1);
  return (entry.rank === 0 ? entry : tf.reshape(entry, [])) as Scalar;
}

/** Checks that a tensor contains floating-point numbers and has the form that the operation needs. */
export function floating(x: Tensor, operation: string, argument: string, form: string, fits: () => boolean): Tensor {
  const isTensor = x instanceof tf.Tensor;
  if (!isTensor || !fits() || (x.dtype !== 'float32' && x.dtype !== 'int32')) {
    const given = isTensor ? `a tensor of type ${x.dtype} and shape [${x.shape}]` : describe(x);
    throw new InvalidInputError(`${operation} needs a numeric tensor ${form} as ${argument}, but ${given} was given.`);
  }
  return x.dtype === 'float32' ? x : tf.cast(x, 'float32');
}

/** Checks that a tensor is a square matrix of floating-point numbers. */
export function squareOperand(x: Tensor, operation: string, argument: string): Tensor2D {
  const matrix = matrixOperand(x, operation, argument);
  const [rows, columns] = matrix.shape;
  if (rows !== columns) {
    throw new InvalidInputError(`${operation} needs a square matrix as ${argument}, but it is ${rows}×${columns}.`);
  }
  return matrix;
}

/** Checks that a tensor is a stack of square matrices of floating-point numbers, in its last two axes. */
export function squareStack(x: Tensor, operation: string, argument: string): Tensor {
  const stack = floating(x, operation, argument, 'of rank 2 or more', () => x.rank >= 2);
  if (stack.rank === 2) return squareOperand(stack, operation, argument);
  const [rows, columns] = stack.shape.slice(-2);
  if (rows === columns) return stack;
  throw new InvalidInputError(
    `${operation} needs square matrices as ${argument}, but they are ${rows}×${columns} (shape [${stack.shape}]).`,
  );
}

/** Stacks of square matrices and of right-hand sides with equally many rows, broadcast against each other along the axes of the stacks. */
export function systemStacks(l: Tensor, b: Tensor, operation: string): [Tensor, Tensor] {
  const squares = squareStack(l, operation, 'l');
  const matrices = floating(b, operation, 'b', 'of rank 2 or more', () => b.rank >= 2);
  const [n, columns] = matrices.shape.slice(-2) as [number, number];
  const order = squares.shape.at(-1)!;
  if (n !== order) {
    throw new InvalidInputError(
      `${operation} needs as many rows in b as in l, but l is ${order}×${order} and b is ${n}×${columns}.`,
    );
  }
  const stack = tf.broadcast_util.assertAndGetBroadcastShape(squares.shape.slice(0, -2), matrices.shape.slice(0, -2));
  const repeated = (x: Tensor) => {
    const shape = [...stack, ...x.shape.slice(-2)];
    return x.rank === shape.length && x.shape.every((size, d) => size === shape[d]) ? x : tf.broadcastTo(x, shape);
  };
  return [repeated(squares), repeated(matrices)];
}

/** A square matrix and one with the same number of rows. */
export function systemOperands(
  l: Tensor,
  b: Tensor,
  operation: string,
  names: readonly [string, string],
): [Tensor2D, Tensor2D] {
  const square = squareOperand(l, operation, names[0]);
  const matrix = matrixOperand(b, operation, names[1]);
  if (square.shape[0] !== matrix.shape[0]) {
    throw new InvalidInputError(
      `${operation} needs as many rows in ${names[1]} as in ${names[0]}, but ${names[0]} is ${square.shape.join('×')} and ` +
        `${names[1]} is ${matrix.shape.join('×')}.`,
    );
  }
  return [square, matrix];
}
