/** Long work that pauses now and then, and says what part of it is done. */
export type ProgressiveWork<T> = Generator<number, T, void>;

/** Does work that pauses without leaving the thread in between. */
export function completed<T>(work: Generator<unknown, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Work that is done once, however often its result is asked for. */
export function once<T>(work: () => ProgressiveWork<T>): () => ProgressiveWork<T> {
  let made: { readonly result: T } | undefined;
  return function* () {
    made ??= { result: yield* work() };
    return made.result;
  };
}

/** A computation that is done when first asked for, once. */
export function lazily<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
