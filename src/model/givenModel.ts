import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { checkGiven, isList } from '../core/options.ts';
import type { AnyModel, Assembly } from './model.ts';

/** Key of the registry, shared by all copies of the library in a process, of the copy that made each model. */
const MAKERS = Symbol.for('latentfield.makers');
/** Identity of this copy. */
const OWN = Object.freeze({});

function makers(): WeakMap<object, object> {
  const known: unknown = Reflect.get(globalThis, MAKERS);
  if (known instanceof WeakMap) return known;
  const made = new WeakMap<object, object>();
  Object.defineProperty(globalThis, MAKERS, { value: made });
  return made;
}

/** Registers a model as made by this copy of the library. */
export function madeHere<M extends object>(model: M): M {
  makers().set(model, OWN);
  return model;
}

const EXPECTED = 'a model, such as gplvm(Y, { latentDim: 2 })';

/** Description of an argument and the remedy, for common mistakes. */
function mistaken(given: unknown, caller: string): string | undefined {
  if (typeof given === 'function') {
    const name = /^[a-z]\w*$/i.test(given.name) ? given.name : 'gplvm';
    return `the function ${given.name || 'without a name'} was given. Call it with the observations: ${caller}(${name}(Y, { latentDim: 2 })).`;
  }
  if (typeof given === 'string') {
    const name = /^[a-z]\w*$/i.test(given) ? given : 'gplvm';
    return `${describe(given)} was given. Import the function of that name and call it with the observations: ${caller}(${name}(Y, { latentDim: 2 })).`;
  }
  if (typeof given !== 'object' || given === null) return undefined;
  if (typeof Reflect.get(given, 'then') === 'function') return 'a promise was given. Await it first.';
  if (isList(given) || (Reflect.has(given, 'rows') && Reflect.has(given, 'data'))) {
    return `observations (${describe(given)}) were given. Make a model of them first: ${caller}(gplvm(Y, { latentDim: 2 })).`;
  }
  if (Reflect.has(given, 'observations')) {
    return `a table was given. Make a model of its observations: ${caller}(gplvm(table.observations, { latentDim: 2 }), { table }).`;
  }
  return undefined;
}

/** The result of reading a property of any value; undefined if that throws. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Checks that an argument is a model.
 *
 * @throws InvalidInputError if it is not a model, or was made by another copy of the library, whose tensors and matrices are incompatible
 */
export function checkModelGiven(model: AnyModel, caller: string): void {
  try {
    checkGiven(model, caller, EXPECTED, ({ assemble }) => typeof assemble === 'function');
  } catch (error) {
    const mistake = readable(() => mistaken(model, caller));
    if (mistake === undefined) throw error;
    throw new InvalidInputError(`${caller} takes ${EXPECTED}, but ${mistake}`, { cause: error });
  }
  if ((makers().get(model) ?? OWN) === OWN) return;
  throw new InvalidInputError(
    `${caller} was given the model '${model.name}' of another copy of latentfield. Import the model and ${caller} from the same copy; ` +
      '`npm ls latentfield` lists the copies that are installed, and `npm dedupe` makes them one.',
  );
}

/**
 * The assembly of a model.
 *
 * @throws InvalidInputError if `assemble`, which may be custom, does not return one
 */
export function assemblyOf(
  model: Pick<AnyModel, 'name' | 'assemble'>,
  ...options: Parameters<AnyModel['assemble']>
): Assembly {
  const assembly: unknown = model.assemble(...options);
  const { parameters, terms, dispose } = (assembly ?? {}) as Record<keyof Assembly, unknown>;
  const isWhole = typeof parameters === 'object' && parameters !== null;
  if (isWhole && typeof terms === 'function' && typeof dispose === 'function') return assembly as Assembly;
  throw new InvalidInputError(
    `assemble of the model '${model.name}' must return { parameters, terms, dispose }, an object and two functions, but ${describe(assembly)} was returned. ` +
      'defineModel makes models whose assemble does.',
  );
}
