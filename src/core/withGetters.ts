/** Key under which an object keeps the functions that its getters call. */
const CALLED = Symbol('getters');

type Getters = Readonly<Record<string, () => unknown>>;

/** Property descriptors by name, shared by all objects. */
const known: Record<string, PropertyDescriptor> = {};

/**
 * Adds own properties to an object that are computed whenever they are read. It serves objects made in every evaluation: V8 makes a new shape for
 * each object literal with getters, which keeps what they close over alive until a full garbage collection.
 */
export function withGetters<T extends object, G extends Getters>(
  target: T,
  getters: G,
): T & { readonly [K in keyof G]: ReturnType<G[K]> } {
  Object.defineProperty(target, CALLED, { value: getters });
  for (const name of Object.keys(getters)) {
    known[name] ??= {
      get(this: { readonly [CALLED]: Getters }) {
        return this[CALLED][name]!();
      },
      enumerable: true,
      configurable: true,
    };
    Object.defineProperty(target, name, known[name]);
  }
  return target as T & { readonly [K in keyof G]: ReturnType<G[K]> };
}
