/**
 * Something large that evaluations and a model's own steps need one of each: whoever works with it has it alone, and whoever comes
 * meanwhile, such as a page that draws between two steps, gets another.
 */
export interface Shared<T> {
  /** Works with it at once. */
  use<R>(work: (one: T) => R): R;
  /** Has it until the generator ends or is left. */
  hold<Y, R, N>(work: (one: T) => Generator<Y, R, N>): Generator<Y, R, N>;
  /** Forgets it, also one that is in use, once it no longer is. */
  dispose(): void;
}

/** Makes one when it is first needed. */
export function shared<T>(make: () => T): Shared<T> {
  let idle: T | undefined;
  let disposals = 0;
  /** Takes it, with what gives it back. */
  const taken = () => {
    const one = idle ?? make();
    const at = disposals;
    idle = undefined;
    return {
      one,
      giveBack: () => {
        if (at === disposals) idle = one;
      },
    };
  };
  return {
    use(work) {
      const { one, giveBack } = taken();
      try {
        return work(one);
      } finally {
        giveBack();
      }
    },
    *hold(work) {
      const { one, giveBack } = taken();
      try {
        return yield* work(one);
      } finally {
        giveBack();
      }
    },
    dispose() {
      disposals++;
      idle = undefined;
    },
  };
}
