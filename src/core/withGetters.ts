/** Where an object has what its getters call. */
const CALLED = Symbol('getters');

type Getters = Readonly<Record<string, () => unknown>>;

/** The getter of each name, one for all objects. */
const known: Record<string, PropertyDescriptor> = {};

/**
 * The object, with own properties beside its others that are computed each time they are read. For objects that are made in every
 * evaluation: V8 makes a shape for each literal with getters, and holds what these close over until it next collects everything.
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
