import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { sharedMemory } from '../../numerics/memory.ts';
import { type DataType, engine, type TensorInfo } from '../tensorflow.ts';
import { writeGuard } from './writeGuard.ts';

export const FLOAT64 = 'float64';

/** What a tensor's numbers are stored as: 'float32' as doubles, 'int32' and 'bool' as TensorFlow.js stores them. */
export type Values = Float64Array | Int32Array | Uint8Array;
export type NumericType = 'float32' | 'int32' | 'bool';

interface Block {
  offset: number;
  length: number;
  bytes: number;
  dtype: NumericType;
  references: number;
}

const BYTES: Record<NumericType, number> = { float32: 8, int32: 4, bool: 1 };

function numericType(dtype: DataType): NumericType {
  if (dtype === 'float32' || dtype === 'int32' || dtype === 'bool') return dtype;
  throw new InvalidInputError(
    `The float64 backend stores tensors of type float32, int32 and bool, not '${dtype}'. Make the tensor on another backend.`,
  );
}

/**
 * A TensorFlow.js backend whose 'float32' tensors hold doubles. Tensors are created, moved, counted and disposed by
 * TensorFlow.js itself; its gradient registry and its tape work unchanged.
 */
export class Float64Backend extends tf.KernelBackend {
  readonly memory64 = sharedMemory();
  readonly #blocks: tf.DataStorage<Block>;
  #nextId = 0;
  #allocated: object[] | undefined;

  constructor() {
    super();
    this.#blocks = new tf.DataStorage<Block>(this, tf.engine());
  }

  /** A new tensor with unspecified content. Views made before this call may be detached by it. */
  allocate(shape: readonly number[], dtype: NumericType = 'float32'): TensorInfo {
    const dataId = { id: this.#nextId++ };
    this.#store(dataId, tf.util.sizeFromShape(shape as number[]), dtype, 1);
    this.#allocated?.push(dataId);
    return { dataId, shape: shape as number[], dtype };
  }

  /** Runs a kernel; when it throws, what it allocated is given back, for TensorFlow.js has not heard of it yet. */
  allOrNothing<T>(work: () => T): T {
    const outer = this.#allocated;
    const allocated: object[] = [];
    this.#allocated = allocated;
    try {
      return work();
    } catch (error) {
      for (const dataId of allocated) this.disposeData(dataId, true);
      throw error;
    } finally {
      this.#allocated = outer;
    }
  }

  /** A new 'float32' tensor with a copy of `values`. */
  fromValues(values: ArrayLike<number>, shape: readonly number[], dtype: NumericType = 'float32'): TensorInfo {
    const info = this.allocate(shape, dtype);
    this.values(info).set(values);
    return info;
  }

  /** The live numbers of a tensor, valid until the next allocation. Moves the tensor here when it lives on another backend. */
  values(tensor: { dataId: object }): Values {
    return this.#view(this.#blocks.get(tensor.dataId));
  }

  /** `values` for a tensor that is known to be of type 'float32'. */
  float64(tensor: { dataId: object }): Float64Array {
    const block = this.#blocks.get(tensor.dataId);
    return this.memory64.float64(block.offset, block.length);
  }

  /** The first of a tensor's numbers. */
  number(tensor: { dataId: object }): number {
    const block = this.#blocks.get(tensor.dataId);
    return block.dtype === 'float32' ? this.memory64.number(block.offset) : this.#view(block)[0]!;
  }

  /** Byte offset of the tensor's numbers in the memory: stable until the tensor is disposed. */
  offset(tensor: { dataId: object }): number {
    return this.#blocks.get(tensor.dataId).offset;
  }

  /** The same numbers under another shape, counted as one more reference. */
  share(tensor: TensorInfo, shape: readonly number[]): TensorInfo {
    this.#blocks.get(tensor.dataId).references++;
    return { dataId: tensor.dataId, shape: shape as number[], dtype: tensor.dtype };
  }

  override write(values: tf.BackendValues | null, shape: number[], dtype: DataType): object {
    const dataId = { id: this.#nextId++ };
    const type = numericType(dtype);
    if (values instanceof Float32Array && type === 'float32') writeGuard.check(values);
    const block = this.#store(dataId, tf.util.sizeFromShape(shape), type, 1);
    const view = this.#view(block);
    if (values === null) view.fill(0);
    else view.set(values as Values);
    return dataId;
  }

  override move(dataId: object, values: tf.BackendValues, _shape: number[], dtype: DataType, refCount: number): void {
    const type = numericType(dtype);
    const block = this.#store(dataId, (values as Values).length, type, refCount);
    this.#view(block).set(values as Values);
  }

  /**
   * A copy. Other backends expect float32: TensorFlow.js moves a tensor by handing what this returns to them, and the
   * WebAssembly backend would copy a Float64Array byte by byte. So doubles are read as doubles only while this backend
   * is the active one; `Matrix.from` reads them at any time.
   */
  override readSync(dataId: object): tf.BackendValues {
    const block = this.#blocks.get(dataId);
    const view = this.#view(block);
    if (block.dtype === 'float32' && engine().backendName !== FLOAT64) return Float32Array.from(view);
    return view.slice() as unknown as tf.BackendValues;
  }

  override async read(dataId: object): Promise<tf.BackendValues> {
    return this.readSync(dataId);
  }

  override disposeData(dataId: object, force = false): boolean {
    if (!this.#blocks.has(dataId)) return true;
    const block = this.#blocks.get(dataId);
    block.references--;
    if (!force && block.references > 0) return false;
    this.memory64.release(block.offset, block.bytes);
    this.#blocks.delete(dataId);
    return true;
  }

  override refCount(dataId: object): number {
    return this.#blocks.has(dataId) ? this.#blocks.get(dataId).references : 0;
  }

  override incRef(dataId: object): void {
    this.#blocks.get(dataId).references++;
  }

  override numDataIds(): number {
    return this.#blocks.numDataIds();
  }

  /** `tf.memory().numBytes` counts four bytes a number; these count what is really held. */
  override memory(): { unreliable: boolean; reasons: string[]; numBytesFloat64: number; peakBytesFloat64: number } {
    const { liveBytes, peakBytes } = this.memory64;
    return { unreliable: false, reasons: [], numBytesFloat64: liveBytes, peakBytesFloat64: peakBytes };
  }

  /** TensorFlow.js knows 16 and 32 only; 32 keeps its operations from clipping to half precision. */
  override floatPrecision(): 16 | 32 {
    return 32;
  }

  override epsilon(): number {
    return Number.EPSILON;
  }

  /** Kernels are synchronous: a profiler measures them itself, and sees what they throw. */
  override timerAvailable(): boolean {
    return false;
  }

  override async time(work: () => void): Promise<tf.BackendTimingInfo> {
    const start = tf.util.now();
    work();
    return { kernelMs: tf.util.now() - start };
  }

  override dispose(): void {}

  #store(dataId: object, length: number, dtype: NumericType, references: number): Block {
    const bytes = Math.max(1, length * BYTES[dtype]);
    const block = { offset: this.memory64.allocate(bytes), length, bytes, dtype, references };
    this.#blocks.set(dataId, block);
    return block;
  }

  #view(block: Block): Values {
    if (block.dtype === 'float32') return this.memory64.float64(block.offset, block.length);
    if (block.dtype === 'int32') return this.memory64.int32(block.offset, block.length);
    return this.memory64.uint8(block.offset, block.length);
  }
}
