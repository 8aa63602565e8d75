import { NumericalError } from '../core/errors.ts';

const PAGE = 65536;
/** Offset 0 is never allocated, so that it can mean "nothing"; the first kilobyte stays free. */
const FIRST = 1024;
const MAXIMUM_PAGES = 65536;

/** Four size classes per octave, at least 64 bytes: at most a quarter of a block is unused, and a freed block serves any later request of its class. */
function classOf(bytes: number): number {
  if (bytes <= 64) return 0;
  const octave = 31 - Math.clz32((bytes - 1) >>> 6);
  const step = 2 ** octave * 16;
  return 4 * octave + Math.ceil((bytes - 64 * 2 ** octave) / step);
}

function sizeOf(sizeClass: number): number {
  const octave = sizeClass >> 2;
  return 64 * 2 ** octave + (sizeClass & 3) * 16 * 2 ** octave;
}

/** The smallest block. */
const LEAST = 64;

/** The largest class whose blocks fit into this number of bytes. */
function largestWithin(bytes: number): number {
  const sizeClass = classOf(bytes);
  return sizeOf(sizeClass) <= bytes ? sizeClass : sizeClass - 1;
}

/** Bytes from `start` up to, but not including, `end`. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Creates a memory. WebAssembly reserves addresses for its maximum size, often with some more behind it. */
function reserved(size: WebAssembly.MemoryDescriptor): WebAssembly.Memory {
  if (typeof WebAssembly === 'undefined') {
    throw new NumericalError(
      'This process has no WebAssembly, which computes all numbers. Start it without --jitless, or leave the strict mode of the browser.',
    );
  }
  try {
    return new WebAssembly.Memory(size);
  } catch (cause) {
    throw new NumericalError(
      'WebAssembly can reserve no memory in this process, as its address space is limited or used up: 12 GB of addresses are enough. ' +
        'Raise the limit (ulimit -v), or close programs that use other WebAssembly memories.',
      { cause },
    );
  }
}

/**
 * The WebAssembly memory for all numbers of the float64 backend, so that compiled routines and native libraries work in place. Blocks are offsets.
 * Freed blocks go to the free list of their size class and are reused first, because the first access to a page costs ten times a rewrite. A view is
 * valid only until the next allocation: growing the memory detaches every view. So allocate first, make views last, and never hand out a view. (Views
 * of shared memory stay valid at their old length; they must not be handed out either, because many browser functions refuse them.)
 */
export class Float64Memory {
  /** If true, every allocation detaches all views, as growing does. Used by tests to detect views that are kept too long. */
  detachViews = false;
  #memory: WebAssembly.Memory;
  /** Its buffer until it grows: reading `buffer` costs more than a view. */
  #buffer: ArrayBufferLike;
  /** A view of the whole memory. */
  #numbers: Float64Array;
  #view: DataView;
  #isShared = false;
  #top = FIRST;
  #live = 0;
  #peak = 0;
  #blocks = 0;
  readonly #free: number[][] = [];
  readonly #maximumPages: number;

  constructor(options: { maximumPages?: number } = {}) {
    this.#maximumPages = options.maximumPages ?? MAXIMUM_PAGES;
    this.#memory = reserved({ initial: 16, maximum: this.#maximumPages });
    this.#buffer = this.#memory.buffer;
    this.#numbers = new Float64Array(this.#buffer);
    this.#view = new DataView(this.#buffer);
  }

  /** The current memory of the blocks; `move` replaces it. */
  get memory(): WebAssembly.Memory {
    return this.#memory;
  }

  /** True if threads can share it. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /**
   * Moves all blocks to a memory that threads can share, or back to one of this thread alone. Offsets stay the same; views of unshared memory are
   * detached. Must not be called during a computation.
   *
   * @param link - receives the new memory, with a copy of the blocks in use, before anything is moved; if it throws, nothing is moved
   * @returns the result of `link`
   * @throws RangeError if the memory cannot be reserved, TypeError if shared memory is not supported
   */
  move<T>(shared: boolean, link: (memory: WebAssembly.Memory) => T): T {
    const before = this.#memory;
    const initial = before.buffer.byteLength / PAGE;
    const after = new WebAssembly.Memory({ initial, maximum: this.#maximumPages, shared });
    const [from, to] = [new Uint8Array(before.buffer), new Uint8Array(after.buffer)];
    for (const { start, end } of this.#inUse()) to.set(from.subarray(start, end), start);
    const linked = link(after);
    this.#memory = after;
    this.#isShared = shared;
    before.grow(0);
    this.#renewBuffer();
    return linked;
  }

  /**
   * Memory outside of freed blocks. A fit may leave hundreds of megabytes free: copying them would take longer than the next fit, and pages of a new
   * memory that are never written cost nothing.
   */
  #inUse(): Stretch[] {
    const stretches: Stretch[] = [];
    let start = 0;
    for (const next of this.#freed()) {
      if (next.start > start) stretches.push({ start, end: next.start });
      start = next.end;
    }
    if (this.#top > start) stretches.push({ start, end: this.#top });
    return stretches;
  }

  /** Bytes of the blocks in use, as requested (without rounding to size classes). */
  get liveBytes(): number {
    return this.#live;
  }

  /** The largest `liveBytes` so far, or since `resetPeak`. */
  get peakBytes(): number {
    return this.#peak;
  }

  /** Size of the memory in bytes; it is never returned to the system. */
  get reservedBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  get liveBlocks(): number {
    return this.#blocks;
  }

  resetPeak(): void {
    this.#peak = this.#live;
  }

  /** Offset of a block of at least `bytes` bytes, aligned to 16, with unspecified content. */
  allocate(bytes: number): number {
    // Above 4 GiB, size classes would be computed from the remainder.
    if (bytes > this.#maximumPages * PAGE) throw this.#exhausted(bytes);
    const sizeClass = classOf(bytes);
    const offset = this.#free[sizeClass]?.pop() ?? this.#extend(sizeOf(sizeClass), bytes);
    if (this.detachViews) {
      this.#memory.grow(0);
      this.#renewBuffer();
    }
    this.#live += bytes;
    this.#blocks++;
    if (this.#live > this.#peak) this.#peak = this.#live;
    return offset;
  }

  /** Frees a block; `bytes` is the requested size. */
  release(offset: number, bytes: number): void {
    const sizeClass = classOf(bytes);
    let list = this.#free[sizeClass];
    if (list === undefined) {
      list = [];
      this.#free[sizeClass] = list;
    }
    list.push(offset);
    this.#live -= bytes;
    this.#blocks--;
  }

  /** Runs `work` with a block that is freed afterwards, even if it throws. */
  withBlock<T>(bytes: number, work: (offset: number) => T): T {
    const offset = this.allocate(bytes);
    try {
      return work(offset);
    } finally {
      this.release(offset, bytes);
    }
  }

  /** One number, at a multiple of 8. */
  number(offset: number): number {
    return this.#numbers[offset >>> 3]!;
  }

  /** Writes one number, at a multiple of 8. */
  setNumber(offset: number, value: number): void {
    this.#numbers[offset >>> 3] = value;
  }

  /** A view of everything, for records with fields of different sizes. */
  view(): DataView {
    return this.#view;
  }

  float64(offset: number, length: number): Float64Array {
    return new Float64Array(this.#buffer, offset, length);
  }

  float32(offset: number, length: number): Float32Array {
    return new Float32Array(this.#memory.buffer, offset, length);
  }

  int32(offset: number, length: number): Int32Array {
    return new Int32Array(this.#buffer, offset, length);
  }

  uint8(offset: number, length: number): Uint8Array {
    return new Uint8Array(this.#buffer, offset, length);
  }

  #renewBuffer(): void {
    this.#buffer = this.#memory.buffer;
    this.#numbers = new Float64Array(this.#buffer);
    this.#view = new DataView(this.#buffer);
  }

  /** Freed blocks in order of their offsets. */
  #freed(): Stretch[] {
    return this.#free
      .flatMap((offsets, sizeClass) => offsets.map((start) => ({ start, end: start + sizeOf(sizeClass) })))
      .sort((a, b) => a.start - b.start);
  }

  /**
   * Joins adjacent freed blocks of any size classes into one that is large enough: otherwise blocks of other sizes left by earlier fits could not be
   * used. The remainder returns to the free lists in blocks that are as large as possible.
   */
  #joined(size: number): number | undefined {
    const stretches: Stretch[] = [];
    for (const { start, end } of this.#freed()) {
      const last = stretches.at(-1);
      if (last?.end === start) stretches[stretches.length - 1] = { start: last.start, end };
      else stretches.push({ start, end });
    }
    const place = stretches.find(({ start, end }) => end - start >= size);
    if (place === undefined) return undefined;
    this.#free.length = 0;
    for (const stretch of stretches) {
      let { start } = stretch;
      if (stretch === place) start += size;
      while (stretch.end - start >= LEAST) {
        const sizeClass = largestWithin(stretch.end - start);
        this.#free[sizeClass] ??= [];
        this.#free[sizeClass].push(start);
        start += sizeOf(sizeClass);
      }
    }
    return place.start;
  }

  #extend(size: number, asked: number): number {
    const offset = this.#top;
    const end = offset + size;
    const missing = end - this.#buffer.byteLength;
    if (missing > 0) {
      const pages = this.#buffer.byteLength / PAGE;
      const needed = Math.ceil(missing / PAGE);
      // Grow by at least a quarter, so that growing, which detaches all views, stays rare.
      const wanted = Math.min(Math.max(needed, pages >> 2), this.#maximumPages - pages);
      if (wanted < needed || !this.#grow(wanted, needed)) {
        const joined = this.#joined(size);
        if (joined === undefined) throw this.#exhausted(asked);
        return joined;
      }
    }
    this.#top = end;
    return offset;
  }

  #grow(wanted: number, needed: number): boolean {
    for (const pages of [wanted, needed]) {
      try {
        this.#memory.grow(pages);
        this.#renewBuffer();
        return true;
      } catch {
        // A smaller step may still fit.
      }
    }
    return false;
  }

  #exhausted(asked: number): NumericalError {
    const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    return new NumericalError(
      `The float64 backend is out of memory: ${mebibytes(asked)} were requested, ${mebibytes(this.#live)} are in use in ` +
        `${this.#blocks} blocks, and ${mebibytes(this.reservedBytes)} of at most ${mebibytes(this.#maximumPages * PAGE)} are ` +
        'reserved. Use fewer data points, or dispose tensors that are no longer needed.',
    );
  }
}

let shared: Float64Memory | undefined;

/** The memory shared by the float64 backend, the engines and the factorizations of a program, created on first use. */
export function sharedMemory(): Float64Memory {
  shared ??= new Float64Memory();
  return shared;
}

/** Drops that memory, so that the next user starts with a small one; holders of the old one keep it. */
export function renewSharedMemory(): void {
  shared = undefined;
}
