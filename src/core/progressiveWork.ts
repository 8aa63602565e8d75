/** Long work that pauses regularly and yields the fraction that is done. */
export type ProgressiveWork<T> = Generator<number, T, void>;

/** Runs the work to its end without pausing. */
export function completed<T>(work: Generator<unknown, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Wraps work so that it runs once, however often its result is asked for. */
export function once<T>(work: () => ProgressiveWork<T>): () => ProgressiveWork<T> {
  let made: { readonly result: T } | undefined;
  return function* () {
    made ??= { result: yield* work() };
    return made.result;
  };
}

/** Wraps a computation so that it runs once, when first asked for. */
export function lazily<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
