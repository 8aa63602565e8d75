import { linearAlgebra } from '../../../numerics/dense/activeEngine.ts';
import type { LinearAlgebraEngine } from '../../../numerics/dense/engine.ts';
import type { Float64Memory } from '../../../numerics/memory.ts';
import { FLOAT64, Float64Backend } from '../../float64/backend.ts';
import { type Tensor, type TensorInfo, tf } from '../../tensorflow.ts';

/** Where a kernel works: the engine, its memory, and the byte offsets of the doubles it reads and writes there. */
export interface Workplace {
  readonly algebra: LinearAlgebraEngine;
  readonly memory: Float64Memory;
  /** One an input; not to be written to. */
  readonly inputs: readonly number[];
  /** One an output, with unspecified content. */
  readonly outputs: readonly number[];
}

/** A kernel for matrices: what the outputs look like, and how they are computed from doubles. */
export interface MatrixKernel<A> {
  readonly name: string;
  /** Names of the inputs, in the order of `Workplace.inputs`. */
  readonly inputs: readonly string[];
  outputs(shapes: readonly (readonly number[])[], attributes: A): readonly (readonly number[])[];
  compute(workplace: Workplace, shapes: readonly (readonly number[])[], attributes: A): void;
}

/** The backends that the linear algebra is registered for. */
export const BACKENDS: readonly string[] = [FLOAT64, 'cpu', 'wasm'];

interface Invocation {
  inputs: Record<string, TensorInfo>;
  attrs: object;
  backend: tf.KernelBackend;
}

/** Registers a kernel for the float64 backend, and for the stock ones that hold float32: these too compute in double precision. */
export function registerMatrixKernel<A>(kernel: MatrixKernel<A>): void {
  const kernelFunc = ({ inputs, attrs, backend }: Invocation): TensorInfo[] => {
    const tensors = kernel.inputs.map((name) => inputs[name]!);
    const shapes = tensors.map(({ shape }) => shape);
    const outputShapes = kernel.outputs(shapes, attrs as A);
    const compute = (workplace: Workplace) => kernel.compute(workplace, shapes, attrs as A);
    return backend instanceof Float64Backend
      ? computeInPlace(backend, tensors, outputShapes, compute)
      : computeInScratch(backend, tensors, outputShapes, compute);
  };
  for (const backendName of BACKENDS) {
    tf.registerKernel({ kernelName: kernel.name, backendName, kernelFunc: kernelFunc as unknown as tf.KernelFunc });
  }
}

/** Keeps tensors for the backward pass of an operation made with `tf.customGrad`. */
export type Save = (tensors: Tensor[]) => void;

/** Runs a registered kernel on the active backend. */
export function runKernel(name: string, inputs: Record<string, Tensor>, attributes: object = {}): Tensor[] {
  return tf.engine().runKernel(name, inputs, attributes as tf.NamedAttrMap) as unknown as Tensor[];
}

/** The gradient in the only, or first, output. */
export function firstOf(dy: Tensor | Tensor[]): Tensor {
  return Array.isArray(dy) ? dy[0]! : dy;
}

/** Bytes of a block of this many numbers. */
export function bytesOf(count: number): number {
  return Math.max(8, 8 * count);
}

function computeInPlace(
  backend: Float64Backend,
  tensors: readonly TensorInfo[],
  outputShapes: readonly (readonly number[])[],
  compute: (workplace: Workplace) => void,
): TensorInfo[] {
  const memory = backend.memory64;
  const inputs = tensors.map((tensor) => backend.offset(tensor));
  const results: TensorInfo[] = [];
  try {
    for (const shape of outputShapes) results.push(backend.allocate(shape));
    const outputs = results.map((result) => backend.offset(result));
    compute({ algebra: linearAlgebra(memory), memory, inputs, outputs });
    return results;
  } catch (error) {
    for (const { dataId } of results) backend.disposeData(dataId as object);
    throw error;
  }
}

function computeInScratch(
  backend: tf.KernelBackend,
  tensors: readonly TensorInfo[],
  outputShapes: readonly (readonly number[])[],
  compute: (workplace: Workplace) => void,
): TensorInfo[] {
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
    const sizes = outputShapes.map((shape) => tf.util.sizeFromShape([...shape]));
    const outputs = sizes.map(allocate);
    compute({ algebra: linearAlgebra(memory), memory, inputs, outputs });
    return outputShapes.map((shape, i) => {
      const values = Float32Array.from(memory.float64(outputs[i]!, sizes[i]!));
      return { dataId: backend.write(values, [...shape], 'float32'), shape: [...shape], dtype: 'float32' };
    });
  } finally {
    for (const { offset, bytes } of blocks) memory.release(offset, bytes);
  }
}
