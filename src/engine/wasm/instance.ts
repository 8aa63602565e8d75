import { LatentFieldError } from '../../core/errors.ts';
import type { Float64Memory } from '../memory.ts';
import { engineModule, type Kernels } from './engineModule.ts';

/** The kernels on one memory, kept by engines for as long as they live. */
export type LinkedKernels = Kernels & {
  /** How many threads share the work, each of which needs a workspace to pack. */
  threads: number;
  /** Multiplications so far in operations that are large enough for threads to gain by sharing them, were there any or not. */
  shareable: number;
};

/** Multiplications of such an operation: a Cholesky factor of order 300. Threads gained nothing by those of order 100. */
const LARGE = 4e6;

/** Counts an operation of the engine. */
export function countOperation(kernels: LinkedKernels, multiplications: number): void {
  if (multiplications >= LARGE) kernels.shareable += multiplications;
}

/** How many multiplications on this memory were in operations that threads can share with gain. */
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
 * 114 (April 2023); other browsers, workers and Node set no limit that matters for these 30 KB.
 */
function compiledModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(bytesOf(engineModule));
  return compiled;
}

const NEEDS = 'WebAssembly with 128-bit vectors, which the engines wasm and native need,';
/** Errors of browsers for a content security policy: Chrome and Firefox, then Safari and older ones. */
const BY_POLICY = /content security policy|unsafe-eval|disallowed by embedder/i;

/** Why the kernels cannot run here, as a sentence; undefined where they can. */
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
 * The compiled kernels on `memory`, instantiated once a memory.
 *
 * @throws LatentFieldError when the runtime cannot compile them
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
 * Moves the memory to where threads can share it, and puts the kernels of the threaded build in the place of those that engines
 * already have. When that fails, memory and kernels are what they were.
 *
 * @param threadFailed - called by the kernels when a thread of the team could not do its part; throws
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

/** Moves the memory back to where this thread has it alone, with the kernels for that; when that fails, all is what it was. */
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
 * A WebAssembly module from the text that `scripts/buildWasm.mjs` makes of it. The text begins with the bytes that have a character of
 * their own, in hexadecimal digits, as many as there are characters less two; each of these two leads one of the other bytes, in ascending
 * order, by the character after it. Compressed it is a tenth shorter than hexadecimal digits.
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

/** Printable, and none that a minifier or a page would have to escape. */
const CHARACTERS = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i)).replace(/["$'<\\`]/g, '');
