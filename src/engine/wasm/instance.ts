import { LatentFieldError } from '../../core/errors.ts';
import type { Float64Memory } from '../memory.ts';
import type { Strided } from '../operations/linearAlgebra.ts';
import { engineModule, type Kernels, PRODUCT, type RecordOf } from './engineModule.ts';

/** The kernels on one memory, retained by engines. */
export type LinkedKernels = Kernels & {
  /** Number of threads that share the work; each needs a workspace for packing. */
  threads: number;
  /** Number of multiplications so far in operations large enough to gain from threads, whether or not there were any. */
  shareable: number;
};

/** Smallest number of multiplications of such an operation: a Cholesky factor of order 300. Threads gained nothing at order 100. */
const LARGE = 4e6;

/** Counts an operation of the engine. */
export function countOperation(kernels: LinkedKernels, multiplications: number): void {
  if (multiplications >= LARGE) kernels.shareable += multiplications;
}

/** Number of multiplications on this memory in operations that would gain from threads. */
export function shareableMultiplications(memory: Float64Memory): number {
  return instances.get(memory)?.shareable ?? 0;
}

/** Exports of the threaded build. */
export interface ThreadedKernels extends Kernels {
  useTeam(block: number, threads: number, leaderMaySleep: boolean): void;
}

let compiled: WebAssembly.Module | undefined;
const instances = new WeakMap<Float64Memory, LinkedKernels>();

/**
 * Compiled once, synchronously. Chrome compiles at most 4 KB synchronously on a page's main thread up to version 113, and 8 MB since
 * 114 (April 2023); other browsers, workers and Node have no limit relevant to these 30 KB.
 */
function compiledModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(bytesOf(engineModule));
  return compiled;
}

const NEEDS = 'WebAssembly with 128-bit vectors, which the engines wasm and native need,';
/** Messages of errors due to a content security policy: Chrome and Firefox, then Safari and older browsers. */
const BY_POLICY = /content security policy|unsafe-eval|disallowed by embedder/i;

/** Reason why the kernels cannot run here, as a sentence; undefined if they can. */
export function kernelsRefusal(): string | undefined {
  try {
    compiledModule();
    return undefined;
  } catch (error) {
    const isPolicy = BY_POLICY.test(error instanceof Error ? error.message : String(error));
    return isPolicy
      ? `${NEEDS} is forbidden by this page's content security policy without 'wasm-unsafe-eval' in its script-src.`
      : `${NEEDS} does not run here (it takes Node 16, Chrome 114, Firefox 89, Safari 16.4, or newer).`;
  }
}

/**
 * The compiled kernels on `memory`, instantiated once per memory.
 *
 * @throws LatentFieldError if the runtime cannot compile them
 */
export function kernelsOn(memory: Float64Memory): LinkedKernels {
  let kernels = instances.get(memory);
  if (kernels === undefined) {
    try {
      kernels = { ...link(memory.memory), threads: 1, shareable: 0 };
    } catch (cause) {
      throw new LatentFieldError(
        `The WebAssembly engine cannot run here: ${cause instanceof Error ? cause.message : cause}. It needs WebAssembly ` +
          "with 128-bit vectors (Node 16, Chrome 114, Firefox 89, Safari 16.4, or newer); choose the engine 'typescript' instead.",
        { cause },
      );
    }
    instances.set(memory, kernels);
  }
  return kernels;
}

/**
 * Moves the memory to shared memory, and replaces the engines' kernels by the threaded build. If this fails, memory and kernels are unchanged.
 *
 * @param threadFailed - called by the kernels if a thread of the team could not finish its part; throws
 */
export function shareKernels(
  memory: Float64Memory,
  threadedModule: WebAssembly.Module,
  threadFailed: () => never,
): ThreadedKernels {
  const kernels = kernelsOn(memory);
  const { exports } = memory.move(
    true,
    (shared) => new WebAssembly.Instance(threadedModule, { env: { memory: shared }, team: { threadFailed } }),
  );
  Object.assign(kernels, exports);
  return exports as unknown as ThreadedKernels;
}

/** Moves the memory back to unshared memory, with the kernels for it; if this fails, nothing changes. */
export function unshareKernels(memory: Float64Memory): void {
  Object.assign(
    kernelsOn(memory),
    memory.move(false, (own) => link(own)),
  );
}

function link(memory: WebAssembly.Memory): Kernels {
  return new WebAssembly.Instance(compiledModule(), { env: { memory } }).exports as unknown as Kernels;
}

/**
 * Decodes a WebAssembly module from the text written by `scripts/buildWasm.mjs`. The text begins with the bytes encoded as single characters, in
 * hexadecimal digits; their number is the number of characters minus two. Each of the two remaining characters is a prefix that encodes one of the
 * other bytes, in ascending order, together with the next character. Compressed it is a tenth shorter than hexadecimal digits.
 */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const single = CHARACTERS.length - 2;
  const place = new Map([...CHARACTERS].map((character, i) => [character, i]));
  const usual = Array.from({ length: single }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
  const all = [...usual, ...Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !usual.includes(byte))];
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = 2 * single; i < text.length; i++) {
    const first = place.get(text[i]!)!;
    bytes[length++] = all[first < single ? first : single * (first - single + 1) + place.get(text[++i]!)!]!;
  }
  return bytes.slice(0, length);
}

/** Characters that are printable and need no escape in minified code or on a page. */
const CHARACTERS = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i)).replace(/["$'<\\`]/g, '');

const BYTES = 8;

/** Allocates consecutive parts of a workspace. */
export type Place = (length: number) => number;

/** Numbers of the longest record. */
const RECORD = 16;
export const RECORD_BYTES = BYTES * RECORD;

/** Runs `work` with `count` numbers of workspace in addition to a record. */
export function withNumbers<T>(memory: Float64Memory, count: number, work: (place: Place) => T): T {
  return memory.withBlock(BYTES * (count + RECORD), (start) => {
    let next = start;
    return work((length) => {
      const offset = next;
      next += BYTES * length;
      return offset;
    });
  });
}

/** Sizes of the fields of a record in bytes, in order: 8 for a double, 4 for an integer or an offset, 1 for a boolean. */
type Fields = Readonly<Record<string, 1 | 4 | 8>>;
export type Values<F extends Fields> = { readonly [Name in keyof F]?: F[Name] extends 1 ? boolean : number };

/** A field of a record, as an AssemblyScript class lays it out. */
interface Field {
  readonly name: string;
  readonly size: 1 | 4 | 8;
  /** Bytes from the start of the record. */
  readonly offset: number;
}

const layouts = new Map<Fields, readonly Field[]>();

function layoutOf(fields: Fields): readonly Field[] {
  const known = layouts.get(fields);
  if (known !== undefined) return known;
  let end = 0;
  const layout = Object.entries(fields).map(([name, size]) => {
    const offset = Math.ceil(end / size) * size;
    end = offset + size;
    return { name, size, offset };
  });
  layouts.set(fields, layout);
  return layout;
}

/** Writes arguments of a routine to its record; missing ones are 0. */
export function writeRecord<const F extends Fields>(
  memory: Float64Memory,
  fields: F,
  start: number,
  values: Values<F>,
): RecordOf<F> {
  const layout = layoutOf(fields);
  const view = memory.view();
  for (let i = 0; i < layout.length; i++) {
    const { name, size, offset } = layout[i]!;
    const value = Number(values[name] ?? 0);
    if (size === 8) view.setFloat64(start + offset, value, true);
    else if (size === 4) view.setInt32(start + offset, value, true);
    else view.setUint8(start + offset, value);
  }
  return start;
}

/** Writes a record to a workspace. */
export function placeRecord<const F extends Fields>(
  memory: Float64Memory,
  place: Place,
  fields: F,
  values: Values<F>,
): RecordOf<F> {
  return writeRecord(memory, fields, place(RECORD), values);
}

/** Target (q×n) ← the columns of X (n×q), each times its factor (1). Needs q + n·q numbers of workspace. */
export function transpose(
  memory: Float64Memory,
  kernels: Kernels,
  n: number,
  q: number,
  x: number,
  place: Place,
  factors: ArrayLike<number> = new Float64Array(q).fill(1),
): number {
  const scales = place(q);
  const target = place(n * q);
  memory.float64(scales, q).set(factors);
  kernels.transposeScaled(n, q, x, scales, target);
  return target;
}

/** X (n×q) ← the transpose of the source (q×n), column d times factor_d. */
export function transposeBack(
  memory: Float64Memory,
  n: number,
  q: number,
  transposed: number,
  x: number,
  factors: ArrayLike<number> = new Float64Array(q).fill(1),
): void {
  const from = memory.float64(transposed, n * q);
  const to = memory.float64(x, n * q);
  for (let d = 0; d < q; d++) {
    const factor = factors[d]!;
    for (let i = 0; i < n; i++) to[i * q + d] = factor * from[d * n + i]!;
  }
}

// A panel of B (a megabyte at most) stays in the second-level cache. A block of A has few rows: in a large C each row is on a different page, and the
// translation buffer has 64 entries.
const MOST_ROWS = 32;
const MOST_COLUMNS = 512;
const MOST_DEPTH = 256;
/** A record and a tile, before the blocks: see assembly/workspace.ts. */
const HEAD_BYTES = 256;

/** Entries of C that the product kernel computes. */
export const FULL = 0;
export const LOWER = 1;

const wholeSlivers = (length: number) => (length + 3) & ~3;

/** Runs `work` with memory for the packed blocks of products up to extent×depth times depth×extent, at most 1.1 MB per thread, and frees it. */
export function withPacking<T>(
  memory: Float64Memory,
  kernels: LinkedKernels,
  extent: number,
  depth: number,
  work: (workspace: number) => T,
): T {
  const rows = wholeSlivers(Math.min(extent, MOST_ROWS));
  const columns = wholeSlivers(Math.min(extent, MOST_COLUMNS));
  const blockDepth = Math.min(depth, MOST_DEPTH);
  return memory.withBlock(kernels.threads * (HEAD_BYTES + 8 * blockDepth * (rows + columns)), (offset) => {
    kernels.usePacking(offset, rows, columns, blockDepth);
    return work(offset);
  });
}

/** C ← alpha·A·B + beta·C with A m×k and B k×n in any strides; `part` selects all of C or only its lower triangle. */
export function packedProduct(
  memory: Float64Memory,
  kernels: LinkedKernels,
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: Strided,
  b: Strided,
  beta: number,
  c: Strided,
  part: typeof FULL | typeof LOWER,
): void {
  withPacking(memory, kernels, Math.max(m, n), k, (record) => {
    writeRecord(memory, PRODUCT, record, {
      alpha,
      m,
      n,
      k,
      a: a.offset,
      aRow: a.rowStride,
      aColumn: a.columnStride,
      b: b.offset,
      bRow: b.rowStride,
      bColumn: b.columnStride,
      c: c.offset,
      cRow: c.rowStride,
      cColumn: c.columnStride,
      part,
    });
    kernels.gemm(beta);
  });
}

/** A contiguous matrix of rows of n numbers. */
export function rows(n: number, offset: number): Strided {
  return { offset, rowStride: n, columnStride: 1 };
}
