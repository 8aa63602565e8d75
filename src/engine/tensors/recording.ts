import {
  Block,
  bytesOf,
  FLOAT64,
  type Float64Backend,
  type KernelObserver,
  type KernelRun,
  type Values,
} from './float64/backend.ts';
import { sizeOf } from './float64/operations/operation.ts';
import { engine, type Tensor, type TensorInfo } from './tensorflow.ts';

/** The gradients of an operation in its inputs, as newly allocated arrays; `slope` is the gradient in its result. */
export type Slopes = (slope: number) => readonly Float64Array[];

/**
 * A scalar function of some tensors, which it reads as numbers, and its gradients in the first of them.
 *
 * @param isWanted - whether the gradient in the input with this index is needed; others may be left empty
 */
export type NumericFunction = (
  inputs: readonly TensorInfo[],
  isWanted: (input: number) => boolean,
) => { readonly value: number; readonly slopes: Slopes };

/** Used if the needed gradients are unknown. */
export const allWanted = (): boolean => true;

/** Numbers of a recording: an input, a constant, or the result of a step. */
interface Slot {
  readonly kind: 'input' | 'constant' | 'made';
  readonly length: number;
  readonly dtype: Block['dtype'];
  /** Values of a constant. */
  readonly values: Values | undefined;
}

/** A tensor of a recording. */
interface Entry {
  readonly slot: number;
  readonly shape: readonly number[];
}

type Step =
  | {
      readonly kind: 'kernel';
      readonly run: Pick<KernelRun, 'name' | 'compute' | 'attributes'>;
      readonly inputs: Readonly<Record<string, Entry | undefined>> | readonly Entry[];
      readonly made: readonly Entry[];
    }
  | { readonly kind: 'numeric'; readonly f: NumericFunction; readonly inputs: readonly Entry[]; readonly made: Entry }
  /** The gradients of the numeric step with this index. */
  | { readonly kind: 'slopes'; readonly of: number; readonly dy: Entry; readonly made: readonly Entry[] };

/** All operations on the float64 backend that lead from some inputs to some numbers and their gradients. */
export interface Recording {
  readonly slots: readonly Slot[];
  readonly steps: readonly Step[];
  readonly values: readonly Entry[];
  readonly gradients: readonly (Entry | undefined)[];
}

/** Records the operations on the float64 backend. */
export interface Recorder extends KernelObserver {
  /** Runs a numeric operation, whose reads are part of it. */
  readonly quietly: <T>(work: () => T) => T;
  /** Returns the index of the step, for its gradients. */
  ranNumeric(inputs: readonly TensorInfo[], made: TensorInfo, f: NumericFunction): number;
  ranSlopes(of: number, dy: TensorInfo, made: readonly TensorInfo[]): void;
  /** Marks the current computation as not repeatable. */
  refuse(): void;
  /** Ends the recording; undefined if it cannot be repeated. */
  end(values: readonly TensorInfo[], gradients: readonly (TensorInfo | undefined)[]): Recording | undefined;
}

/** The float64 backend, if it is in use. */
const backendAtWork = () => engine().registry[FLOAT64] as Float64Backend | undefined;

/** The active recorder, if any. */
export const recorderAtWork = (): Recorder | undefined => backendAtWork()?.observer as Recorder | undefined;

/**
 * Records computations that start from some tensors, until `end`, which must be called. If numbers that depend on them are read outside of an
 * operation, they may affect later operations, so that the computation cannot be repeated.
 */
export function startRecording(inputs: readonly Tensor[]): Recorder {
  const backend = backendAtWork()!;
  const slots: Slot[] = [];
  const places = new Map<object, number>();
  const steps: Step[] = [];
  let isQuiet = false;
  let isRefused = false;
  const place = ({ dataId }: TensorInfo, slot: Slot) => {
    slots.push(slot);
    places.set(dataId, slots.length - 1);
    return slots.length - 1;
  };
  const constant = (info: TensorInfo) => {
    const values = backend.values(info).slice();
    const dtype = values instanceof Float64Array ? 'float32' : values instanceof Int32Array ? 'int32' : 'bool';
    return place(info, { kind: 'constant', length: values.length, dtype, values });
  };
  // The operation has already freed its temporary tensors.
  const add = (info: TensorInfo, kind: 'input' | 'made') =>
    place(info, { kind, length: sizeOf(info.shape), dtype: info.dtype as Block['dtype'], values: undefined });
  const entryOf = (info: TensorInfo): Entry => ({
    slot: places.get(info.dataId) ?? constant(info),
    shape: info.shape,
  });
  const rests = ({ dataId }: TensorInfo) => {
    const known = places.get(dataId);
    return known !== undefined && slots[known]!.kind !== 'constant';
  };
  const made = (info: TensorInfo): Entry => ({ slot: add(info, 'made'), shape: info.shape });
  for (const input of inputs) add(input, 'input');

  const recorder: Recorder = {
    ran({ name, compute, inputs: given, attributes, allocated }) {
      // Without an allocation, the result is the same numbers in another shape.
      if (isQuiet || allocated.length === 0) return;
      const all = Object.values(given).filter((info) => info !== undefined);
      // A result that depends on no input is a constant, recorded when a step that depends on an input uses it.
      if (!all.some(rests)) return;
      const mapped = Object.entries(given).map(([key, info]) => [key, info && entryOf(info)] as const);
      const entries = Array.isArray(given) ? mapped.map(([, entry]) => entry!) : Object.fromEntries(mapped);
      steps.push({ kind: 'kernel', run: { name, compute, attributes }, inputs: entries, made: allocated.map(made) });
    },
    read(dataId) {
      if (!isQuiet && rests({ dataId } as TensorInfo)) isRefused = true;
    },
    quietly(work) {
      const before = isQuiet;
      isQuiet = true;
      try {
        return work();
      } finally {
        isQuiet = before;
      }
    },
    ranNumeric(given, result, f) {
      if (!given.some(rests)) return -1;
      return steps.push({ kind: 'numeric', f, inputs: given.map(entryOf), made: made(result) }) - 1;
    },
    ranSlopes(of, dy, results) {
      steps.push({ kind: 'slopes', of, dy: entryOf(dy), made: results.map(made) });
    },
    refuse() {
      isRefused = true;
    },
    end(values, gradients) {
      backend.observe(outer);
      if (isRefused) return undefined;
      return { slots, steps, values: values.map(entryOf), gradients: gradients.map((info) => info && entryOf(info)) };
    },
  };
  const outer = backend.observe(recorder);
  return recorder;
}

/** True if two recordings have the same steps on the same constants. */
export function isSameComputation(a: Recording, b: Recording): boolean {
  const { slots, steps, values, gradients } = a;
  if (slots.length !== b.slots.length || steps.length !== b.steps.length) return false;
  return (
    slots.every((slot, i) => isSameValue(slot, b.slots[i])) &&
    steps.every((step, i) => isSameStep(step, b.steps[i]!)) &&
    isSameValue([values, gradients], [b.values, b.gradients])
  );
}

function isSameStep(a: Step, b: Step): boolean {
  if (a.kind !== 'kernel' || b.kind !== 'kernel') return isSameValue(a, b);
  if (a.run.name !== b.run.name || !isSameValue(a.run.attributes, b.run.attributes)) return false;
  return isSameValue(a.inputs, b.inputs) && isSameValue(a.made, b.made);
}

/** True if plain values have the same bits. Functions are created again each time; what they read is compared elsewhere. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a === 'function' && typeof b === 'function') return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length &&
    keys.every((key) => isSameValue(a[key as keyof typeof a], b[key as keyof typeof b]))
  );
}

/** A recorded computation that can be repeated for other inputs. */
export interface Replay {
  /** @throws any error of its operations, such as NumericalError for a matrix without a Cholesky factor */
  run(inputs: readonly Float64Array[]): {
    readonly values: Float64Array;
    readonly gradients: (Float64Array | undefined)[];
  };
  /** Frees its memory. */
  dispose(): void;
}

/** Alignment of slots, in bytes. */
const ALIGNED = 16;
/** Largest memory of a replay, in bytes. */
const MOST_BYTES = 2 ** 22;

/** Slots that are read by a step, or are results. */
function readSlots(steps: readonly Step[], asked: readonly (Entry | undefined)[]): ReadonlySet<number> {
  const entries = steps.flatMap((step) => (step.kind === 'slopes' ? [step.dy] : Object.values(step.inputs)));
  return new Set([...entries, ...asked].flatMap((entry) => (entry === undefined ? [] : [entry.slot])));
}

/** Prepares a recorded computation for replay; undefined if it would need too much memory. */
export function replayOf({ slots, steps, values, gradients }: Recording): Replay | undefined {
  const backend = backendAtWork()!;
  const { memory64 } = backend;
  let bytes = 0;
  const offsets = slots.map(({ length, dtype }) => {
    const offset = bytes;
    bytes += Math.ceil(bytesOf(length, dtype) / ALIGNED) * ALIGNED;
    return offset;
  });
  if (bytes > MOST_BYTES) return undefined;
  const start = memory64.allocate(Math.max(1, bytes));
  const blocks = slots.map(
    ({ length, dtype }, i) => new Block(backend, start + offsets[i]!, length, dtype, Number.POSITIVE_INFINITY),
  );
  slots.forEach(({ values }, i) => {
    if (values !== undefined) backend.values({ dataId: blocks[i]! }).set(values);
  });
  const views: Float64Array[] = [];
  /** The numbers of a slot; growing the memory detaches older views. */
  const numbers = (slot: number): Float64Array => {
    const known = views[slot];
    if (known !== undefined && known.length > 0) return known;
    const view = memory64.float64(blocks[slot]!.offset, slots[slot]!.length);
    views[slot] = view;
    return view;
  };
  const infoOf = ({ slot, shape }: Entry): TensorInfo => ({
    dataId: blocks[slot]!,
    shape: shape as number[],
    dtype: slots[slot]!.dtype,
  });
  const slopes: Slopes[] = [];
  const read = readSlots(steps, [...values, ...gradients]);
  const runs = steps.map((step, place): (() => void) => {
    if (step.kind === 'numeric') {
      const { f, made } = step;
      const infos = step.inputs.map(infoOf);
      const back = steps.find((other) => other.kind === 'slopes' && other.of === place);
      const wanted = back?.kind === 'slopes' ? back.made.map(({ slot }) => read.has(slot)) : [];
      const isWanted = (input: number) => wanted[input] === true;
      return () => {
        const result = f(infos, isWanted);
        numbers(made.slot)[0] = result.value;
        slopes[place] = result.slopes;
      };
    }
    if (step.kind === 'slopes') {
      const { of, dy, made } = step;
      return () => {
        const all = slopes[of]!(numbers(dy.slot)[0]!);
        for (let i = 0; i < made.length; i++) {
          const { slot } = made[i]!;
          if (read.has(slot)) numbers(slot).set(all[i]!);
        }
      };
    }
    const inputs = Array.isArray(step.inputs)
      ? (step.inputs as readonly Entry[]).map(infoOf)
      : Object.fromEntries(Object.entries(step.inputs).map(([key, entry]) => [key, entry && infoOf(entry)]));
    const run = { ...step.run, inputs: inputs as KernelRun['inputs'], allocated: step.made.map(infoOf) };
    return () => backend.repeat(run);
  });
  const places = slots.flatMap(({ kind }, i) => (kind === 'input' ? [i] : []));
  return {
    run(inputs) {
      for (let i = 0; i < places.length; i++) numbers(places[i]!).set(inputs[i]!);
      for (let i = 0; i < runs.length; i++) runs[i]!();
      const found = new Float64Array(values.length);
      for (let i = 0; i < values.length; i++) found[i] = numbers(values[i]!.slot)[0]!;
      const slopes: (Float64Array | undefined)[] = [];
      for (let i = 0; i < gradients.length; i++) slopes.push(gradients[i] && copied(numbers(gradients[i]!.slot)));
      return { values: found, gradients: slopes };
    },
    dispose() {
      for (const block of blocks) block.home = undefined;
      memory64.release(start, Math.max(1, bytes));
    },
  };
}

/** Copies a typed array in a loop: its `slice` takes three times as long for a few numbers. */
function copied(numbers: Float64Array): Float64Array {
  if (numbers.length > FEW) return numbers.slice();
  const result = new Float64Array(numbers.length);
  for (let i = 0; i < result.length; i++) result[i] = numbers[i]!;
  return result;
}

const FEW = 64;
