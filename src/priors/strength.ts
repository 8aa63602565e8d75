import { InvalidInputError } from '../core/errors.ts';
import { entriesOf } from '../model/parameter.ts';
import type { Prior } from './definePrior.ts';

/** The prior, unless one of these parameters of it starts below 0; 0 itself turns a term off. */
export function notNegative(prior: Prior, names: readonly string[]): Prior {
  for (const name of names) {
    const [value] = entriesOf(prior.parameters[name]!.initial);
    if (value! >= 0) continue;
    throw new InvalidInputError(
      `Option '${name}' of ${prior.name} must be a number from 0, but ${value} was given. 0 turns it off.`,
    );
  }
  return prior;
}
