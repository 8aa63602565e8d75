import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { sharedMemory } from '../../memory.ts';
import { type DataType, engine, type TensorInfo } from '../tensorflow.ts';
import { writeGuard } from './writeGuard.ts';

export const FLOAT64 = 'float64';

/** What a tensor's numbers are stored as: 'float32' as doubles, 'int32' and 'bool' as TensorFlow.js stores them. */
export type Values = Float64Array | Int32Array | Uint8Array;
export type NumericType = 'float32' | 'int32' | 'bool';

/** Where the numbers of a tensor are. TensorFlow.js knows it as their data id, so that no table has to be looked into. */
export class Block {
  readonly offset: number;
  readonly length: number;
  readonly bytes: number;
  readonly dtype: NumericType;
  references: number;
  /** The backend whose memory this is; undefined once the numbers are gone from there. */
  home: Float64Backend | undefined;

  constructor(home: Float64Backend, offset: number, length: number, dtype: NumericType, references: number) {
    this.home = home;
    this.offset = offset;
    this.length = length;
    this.bytes = bytesOf(length, dtype);
    this.dtype = dtype;
    this.references = references;
  }
}

/** Bytes of a block of so many numbers. */
export const bytesOf = (length: number, dtype: NumericType): number => Math.max(1, length * BYTES[dtype]);

/** Computes a kernel's results from its inputs, by the names that TensorFlow.js gives them, on tensors that it allocates on the backend. */
export type Compute = (
  inputs: Readonly<Record<string, TensorInfo | undefined>>,
  attributes: object,
  backend: Float64Backend,
) => TensorInfo | TensorInfo[];

/** A kernel that was run. */
export interface KernelRun {
  readonly name: string;
  readonly compute: Compute;
  readonly inputs: Readonly<Record<string, TensorInfo | undefined>>;
  readonly attributes: object;
  /** All that it allocated, in order. */
  readonly allocated: readonly TensorInfo[];
}

/** Is told of all that is computed on the backend: see `recording.ts`. */
export interface KernelObserver {
  ran(run: KernelRun): void;
  /** Numbers are read by what is not a kernel. */
  read(dataId: object): void;
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
  /** Where the numbers are of tensors that came from another backend, by the data ids that they had there. */
  readonly #moved: tf.DataStorage<Block>;
  #blocks = 0;
  #allocated: TensorInfo[] | undefined;
  #observer: KernelObserver | undefined;
  /** What `repeat` gives a kernel for what it allocates. */
  #given: readonly TensorInfo[] | undefined;
  #nextGiven = 0;

  constructor() {
    super();
    this.#moved = new tf.DataStorage<Block>(this, tf.engine());
  }

  /** A new tensor with unspecified content. Views made before this call may be detached by it. */
  allocate(shape: readonly number[], dtype: NumericType = 'float32'): TensorInfo {
    if (this.#given !== undefined) return this.#nextOf(this.#given, shape);
    const info = {
      dataId: this.#store(tf.util.sizeFromShape(shape as number[]), dtype),
      shape: shape as number[],
      dtype,
    };
    this.#allocated?.push(info);
    return info;
  }

  #nextOf(given: readonly TensorInfo[], shape: readonly number[]): TensorInfo {
    const next = given[this.#nextGiven++];
    if (next?.shape.length === shape.length && shape.every((size, d) => next.shape[d] === size)) return next;
    throw new InvalidInputError(
      `A kernel that is repeated asks for a tensor of shape [${shape}], where it had ${next === undefined ? 'none' : `[${next.shape}]`} before.`,
    );
  }

  /** Runs a kernel; when it throws, what it allocated is given back, for TensorFlow.js has not heard of it yet. */
  run(name: string, compute: Compute, inputs: KernelRun['inputs'], attributes: object): TensorInfo | TensorInfo[] {
    const outer = this.#allocated;
    const allocated: TensorInfo[] = [];
    this.#allocated = allocated;
    try {
      const results = compute(inputs, attributes, this);
      this.#observer?.ran({ name, compute, inputs, attributes, allocated });
      return results;
    } catch (error) {
      for (const { dataId } of allocated) this.disposeData(dataId, true);
      throw error;
    } finally {
      this.#allocated = outer;
    }
  }

  /** Runs a kernel once more on other tensors, with these for all that it allocates; they stay. */
  repeat({ compute, inputs, attributes, allocated }: KernelRun): void {
    this.#given = allocated;
    this.#nextGiven = 0;
    try {
      compute(inputs, attributes, this);
    } finally {
      this.#given = undefined;
    }
  }

  /** Who is told of what is computed and read from now on; undefined for nobody. Returns who was before. */
  observe(observer: KernelObserver | undefined): KernelObserver | undefined {
    const before = this.#observer;
    this.#observer = observer;
    return before;
  }

  get observer(): KernelObserver | undefined {
    return this.#observer;
  }

  /** A new 'float32' tensor with a copy of `values`. */
  fromValues(values: ArrayLike<number>, shape: readonly number[], dtype: NumericType = 'float32'): TensorInfo {
    const info = this.allocate(shape, dtype);
    this.values(info).set(values);
    return info;
  }

  /** The live numbers of a tensor, valid until the next allocation. Moves the tensor here when it lives on another backend. */
  values(tensor: { dataId: object }): Values {
    return this.#view(this.#block(tensor.dataId));
  }

  /** Whether the numbers of a tensor are in this memory. */
  holds(dataId: object): boolean {
    return (dataId instanceof Block && dataId.home === this) || this.#moved.has(dataId);
  }

  #block(dataId: object): Block {
    return dataId instanceof Block && dataId.home === this ? dataId : this.#moved.get(dataId);
  }

  /** `values` for a tensor that is known to be of type 'float32'. */
  float64(tensor: { dataId: object }): Float64Array {
    const block = this.#block(tensor.dataId);
    return this.memory64.float64(block.offset, block.length);
  }

  /** The first of a tensor's numbers. */
  number(tensor: { dataId: object }): number {
    const block = this.#block(tensor.dataId);
    return block.dtype === 'float32' ? this.memory64.number(block.offset) : this.#view(block)[0]!;
  }

  /** Byte offset of the tensor's numbers in the memory: stable until the tensor is disposed. */
  offset(tensor: { dataId: object }): number {
    return this.#block(tensor.dataId).offset;
  }

  /** The same numbers under another shape, counted as one more reference. */
  share(tensor: TensorInfo, shape: readonly number[]): TensorInfo {
    this.#block(tensor.dataId).references++;
    return { dataId: tensor.dataId, shape: shape as number[], dtype: tensor.dtype };
  }

  override write(values: tf.BackendValues | null, shape: number[], dtype: DataType): object {
    const type = numericType(dtype);
    if (values instanceof Float32Array && type === 'float32') writeGuard.check(values);
    const block = this.#store(tf.util.sizeFromShape(shape), type);
    const view = this.#view(block);
    if (values === null) view.fill(0);
    else view.set(values as Values);
    return block;
  }

  override move(dataId: object, values: tf.BackendValues, _shape: number[], dtype: DataType, refCount: number): void {
    const { length } = values as Values;
    const type = numericType(dtype);
    const block = new Block(this, this.memory64.allocate(bytesOf(length, type)), length, type, refCount);
    this.#moved.set(dataId, block);
    this.#view(block).set(values as Values);
  }

  /**
   * A copy. Other backends expect float32: TensorFlow.js moves a tensor by handing what this returns to them, and the
   * WebAssembly backend would copy a Float64Array byte by byte. So doubles are read as doubles only while this backend
   * is the active one; `Matrix.from` reads them at any time.
   */
  override readSync(dataId: object): tf.BackendValues {
    this.#observer?.read(dataId);
    const block = this.#block(dataId);
    const view = this.#view(block);
    if (block.dtype === 'float32' && engine().backendName !== FLOAT64) return Float32Array.from(view);
    return view.slice() as unknown as tf.BackendValues;
  }

  override async read(dataId: object): Promise<tf.BackendValues> {
    return this.readSync(dataId);
  }

  override disposeData(dataId: object, force = false): boolean {
    // Kernels that are repeated give back what they will need the next time.
    if (this.#given !== undefined) return false;
    if (!this.holds(dataId)) return true;
    const block = this.#block(dataId);
    block.references--;
    if (!force && block.references > 0) return false;
    this.memory64.release(block.offset, block.bytes);
    block.home = undefined;
    if (block === dataId) this.#blocks--;
    else this.#moved.delete(dataId);
    return true;
  }

  override refCount(dataId: object): number {
    return this.holds(dataId) ? this.#block(dataId).references : 0;
  }

  override incRef(dataId: object): void {
    this.#block(dataId).references++;
  }

  override numDataIds(): number {
    return this.#blocks + this.#moved.numDataIds();
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

  #store(length: number, dtype: NumericType): Block {
    const block = new Block(this, this.memory64.allocate(bytesOf(length, dtype)), length, dtype, 1);
    this.#blocks++;
    return block;
  }

  #view(block: Block): Values {
    if (block.dtype === 'float32') return this.memory64.float64(block.offset, block.length);
    if (block.dtype === 'int32') return this.memory64.int32(block.offset, block.length);
    return this.memory64.uint8(block.offset, block.length);
  }
}
