import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { sharedMemory } from '../../memory.ts';
import { type DataType, engine, type TensorInfo } from '../tensorflow.ts';
import { writeGuard } from './writeGuard.ts';

const counted = tf.engine() as { latentfields?: number };
counted.latentfields = (counted.latentfields ?? 0) + 1;

/** Name of the backend, with a number in other copies of the library than the first: their tensors are in another memory. */
export const FLOAT64 = `float64${counted.latentfields > 1 ? counted.latentfields : ''}`;

/** Storage of a tensor's numbers: 'float32' is stored as doubles, 'int32' and 'bool' as in TensorFlow.js. */
export type Values = Float64Array | Int32Array | Uint8Array;
export type NumericType = 'float32' | 'int32' | 'bool';

/** Memory block of a tensor. TensorFlow.js uses it as the data id, which saves a table. */
export class Block {
  readonly offset: number;
  readonly length: number;
  readonly bytes: number;
  readonly dtype: NumericType;
  references: number;
  /** The backend of this block; undefined once the block is freed. */
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

/** Bytes of a block of this many numbers. */
export const bytesOf = (length: number, dtype: NumericType): number => Math.max(1, length * BYTES[dtype]);

/** Computes the outputs of an operation, allocated on the backend, from its inputs by their TensorFlow.js names. */
export type Compute = (
  inputs: Readonly<Record<string, TensorInfo | undefined>>,
  attributes: object,
  backend: Float64Backend,
) => TensorInfo | TensorInfo[];

/** One run of an operation. */
export interface KernelRun {
  readonly name: string;
  readonly compute: Compute;
  readonly inputs: Readonly<Record<string, TensorInfo | undefined>>;
  readonly attributes: object;
  /** All tensors that the operation allocated, in order. */
  readonly allocated: readonly TensorInfo[];
}

/** Observer of all computations on the backend: see `recording.ts`. */
export interface KernelObserver {
  ran(run: KernelRun): void;
  /** Called when numbers are read outside of an operation. */
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
 * A TensorFlow.js backend whose 'float32' tensors store doubles. TensorFlow.js itself creates, moves, counts and disposes of tensors; its gradient
 * registry and its tape work unchanged.
 */
export class Float64Backend extends tf.KernelBackend {
  readonly memory64 = sharedMemory();
  /** Blocks of tensors that came from other backends, by their data ids there. */
  readonly #moved: tf.DataStorage<Block>;
  #blocks = 0;
  #allocated: TensorInfo[] | undefined;
  #observer: KernelObserver | undefined;
  /** Tensors that `repeat` returns instead of new allocations. */
  #given: readonly TensorInfo[] | undefined;
  #nextGiven = 0;

  constructor() {
    super();
    this.#moved = new tf.DataStorage<Block>(this, tf.engine());
  }

  /** A new tensor with unspecified content. It may detach views that were made before. */
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

  /** Runs an operation. If it throws, its allocations are freed, since TensorFlow.js does not know them yet. */
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

  /** Repeats an operation on other tensors, with these in place of its allocations, which are retained. */
  repeat({ compute, inputs, attributes, allocated }: KernelRun): void {
    this.#given = allocated;
    this.#nextGiven = 0;
    try {
      compute(inputs, attributes, this);
    } finally {
      this.#given = undefined;
    }
  }

  /** Sets the observer of all further computations and reads (undefined for none), and returns the previous one. */
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

  /** The live numbers of a tensor, valid until the next allocation. A tensor on another backend is moved here. */
  values(tensor: { dataId: object }): Values {
    return this.#view(this.#block(tensor.dataId));
  }

  /** True if the numbers of a tensor are in this memory. */
  holds(dataId: object): boolean {
    return (dataId instanceof Block && dataId.home === this) || this.#moved.has(dataId);
  }

  #block(dataId: object): Block {
    return dataId instanceof Block && dataId.home === this ? dataId : this.#moved.get(dataId);
  }

  /** `values` for a tensor that is known to have type 'float32'. */
  float64(tensor: { dataId: object }): Float64Array {
    const block = this.#block(tensor.dataId);
    return this.memory64.float64(block.offset, block.length);
  }

  /** First number of a tensor. */
  number(tensor: { dataId: object }): number {
    const block = this.#block(tensor.dataId);
    return block.dtype === 'float32' ? this.memory64.number(block.offset) : this.#view(block)[0]!;
  }

  /** Byte offset of a tensor's numbers in the memory, stable until the tensor is disposed. */
  offset(tensor: { dataId: object }): number {
    return this.#block(tensor.dataId).offset;
  }

  /** Reshapes a tensor without copying it; the data get one more reference. */
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
   * A copy. Other backends expect float32: TensorFlow.js moves a tensor by passing them this result, and the WebAssembly backend would copy a
   * Float64Array byte by byte. Tensors are therefore read as doubles only while this backend is active; `Matrix.from` reads doubles at any time.
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
    // Repeated operations free memory that they will need again.
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

  /** `tf.memory().numBytes` counts four bytes per number; these fields count the bytes in use. */
  override memory(): { unreliable: boolean; reasons: string[]; numBytesFloat64: number; peakBytesFloat64: number } {
    const { liveBytes, peakBytes } = this.memory64;
    return { unreliable: false, reasons: [], numBytesFloat64: liveBytes, peakBytesFloat64: peakBytes };
  }

  /** TensorFlow.js knows only 16 and 32; with 32 its operations do not clip to half precision. */
  override floatPrecision(): 16 | 32 {
    return 32;
  }

  override epsilon(): number {
    return Number.EPSILON;
  }

  /** Operations are synchronous, so that a profiler measures them itself and sees what they throw. */
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
