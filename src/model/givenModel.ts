import { InvalidInputError } from '../core/errors.ts';
import { checkGiven } from '../core/given.ts';
import type { AnyModel } from './model.ts';

/** Under this name all copies of the library in one process keep which of them made a model. */
const MAKERS = Symbol.for('latentfield.makers');
/** This copy. */
const OWN = Object.freeze({});

function makers(): WeakMap<object, object> {
  const known: unknown = Reflect.get(globalThis, MAKERS);
  if (known instanceof WeakMap) return known;
  const made = new WeakMap<object, object>();
  Object.defineProperty(globalThis, MAKERS, { value: made });
  return made;
}

/** Remembers that this copy of the library made a model. */
export function madeHere<M extends object>(model: M): M {
  makers().set(model, OWN);
  return model;
}

/**
 * Checks what was given as a model.
 *
 * @throws InvalidInputError for what is not a model, or one that another copy of the library made: its tensors and matrices are not this one's
 */
export function checkModelGiven(model: AnyModel, caller: string): void {
  checkGiven(
    model,
    caller,
    'a model, such as gplvm(Y, { latentDim: 2 })',
    ({ assemble }) => typeof assemble === 'function',
  );
  if ((makers().get(model) ?? OWN) === OWN) return;
  throw new InvalidInputError(
    `${caller} was given the model '${model.name}' of another copy of latentfield. Import the model and ${caller} from the same copy; ` +
      '`npm ls latentfield` lists the copies that are installed, and `npm dedupe` makes them one.',
  );
}
