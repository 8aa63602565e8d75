import { areSame } from './plainNumbers.ts';

/** Long work that pauses regularly and yields the fraction that is done. */
export type ProgressiveWork<T> = Generator<number, T, void>;

/** Receives the fraction done of work that runs to its end; it may throw to stop it. */
export type Watch = (part: number) => void;

let watch: Watch | undefined;

/** Runs a computation and reports its progress to `by`. */
export function watched<T>(by: Watch | undefined, compute: () => T): T {
  const before = watch;
  watch = by;
  try {
    return compute();
  } finally {
    watch = before;
  }
}

/** Reports to the watcher, if any, that this fraction of the work is done. */
export function progressed(part: number): void {
  watch?.(part);
}

/** Runs the work to its end without pausing. */
export function completed<T>(work: Generator<unknown, T, void>): T {
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      if (typeof step.value === 'number') progressed(step.value);
    }
  } finally {
    // Frees its resources if it is ended early.
    work.return(undefined as never);
  }
}

/** Wraps work so that it runs only once and later calls return the same result. */
export function once<T>(work: () => ProgressiveWork<T>): () => ProgressiveWork<T> {
  let made: { readonly result: T } | undefined;
  return function* () {
    made ??= { result: yield* work() };
    return made.result;
  };
}

/** Wraps a computation so that it runs once, on first use. */
export function lazily<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** Key of the functions that an object's getters call. */
const CALLED = Symbol('getters');

type Getters = Readonly<Record<string, () => unknown>>;

/** Property descriptors by name, shared by all objects. */
const descriptors: Record<string, PropertyDescriptor> = {};

/**
 * Adds properties to an object that are computed whenever they are read. Meant for objects made in every evaluation: V8 makes a new shape for each
 * object literal with getters, which keeps what they close over alive until a full garbage collection.
 */
export function withGetters<T extends object, G extends Getters>(
  target: T,
  getters: G,
): T & { readonly [K in keyof G]: ReturnType<G[K]> } {
  Object.defineProperty(target, CALLED, { value: getters });
  for (const name of Object.keys(getters)) {
    descriptors[name] ??= {
      get(this: { readonly [CALLED]: Getters }) {
        return this[CALLED][name]!();
      },
      enumerable: true,
      configurable: true,
    };
    Object.defineProperty(target, name, descriptors[name]);
  }
  return target as T & { readonly [K in keyof G]: ReturnType<G[K]> };
}

/** Memoizes a function for its last key. */
export function latest<Argument, Result>(
  compute: (argument: Argument) => Result,
  keyOf: (argument: Argument) => readonly Float64Array[],
): (argument: Argument) => Result {
  let last: { readonly key: readonly Float64Array[]; readonly result: Result } | undefined;
  return (argument) => {
    const key = keyOf(argument);
    if (last !== undefined && key.every((entries, k) => areSame(entries, last!.key[k]!))) return last.result;
    const result = compute(argument);
    last = { key: key.map((entries) => entries.slice()), result };
    return result;
  };
}
