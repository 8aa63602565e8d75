import { InvalidInputError } from '../../core/errors.ts';
import { type GivenValues, givenValues } from '../../model/evaluate.ts';
import type { FittedModel } from '../../model/fit.ts';
import type { ParameterValues } from '../../model/model.ts';
import { entriesOf } from '../../model/parameterValue.ts';
import { naturalEntries, type VariableLayout } from '../../model/variables.ts';

/** Natural values by path, or the fit that they are taken from. */
// biome-ignore lint/suspicious/noExplicitAny: the paths of a fit of any model.
export type GivenStart = GivenValues | FittedModel<any>;

const isFit = (given: GivenStart): given is FittedModel =>
  typeof given.toJSON === 'function' && typeof given.parameters === 'object';

/** Natural values by path from what a caller gave. The latents of a fit are left out where the model computes its own, as with back-constraints. */
export function valuesGiven({ variables }: VariableLayout, given: GivenStart): ParameterValues {
  if (!isFit(given)) return givenValues(given as GivenValues);
  const hasLatents = variables.some(({ path }) => path === 'latents');
  return { ...given.parameters, ...(hasLatents && { latents: given.latents }) };
}

/**
 * The values at which a search starts.
 *
 * @throws InvalidInputError for an unknown path, a wrong shape, a value outside its support, and another value of a parameter that the model holds
 */
export function startingValues(layout: VariableLayout, given: GivenStart): ParameterValues {
  const values = valuesGiven(layout, given);
  const natural = naturalEntries(layout, values);
  layout.variables.forEach(({ path, start, parameter }, i) => {
    const held = entriesOf(parameter.initial);
    if (start >= 0 || natural[i]!.every((entry, k) => Object.is(entry, held[k]))) return;
    throw new InvalidInputError(
      `The start has another value of '${path}' than the model, which holds it. Leave '${path}' out of start, or make a model that holds it at that value.`,
    );
  });
  return values;
}
