import type { ParameterValues, Refinement, RefinementStep } from '../../model/model.ts';
import { type FieldProgress, type FieldSearch, retold } from './fieldSearch.ts';

/** The path of the multipliers. */
export const WEIGHTS = 'field.weights';

/** Largest violation of the optimality conditions at a maximum. */
export const CONVERGED = 1e-8;

export function weightsIn(values: ParameterValues): readonly number[] {
  return values[WEIGHTS] as readonly number[];
}

/** '3 Newton steps', and nothing for none. */
export function inWords(steps: number, name: string): string {
  if (steps === 0) return '';
  return `${steps} ${name}${steps === 1 ? '' : 's'}`;
}

/** How near the maximum is, as a sentence. */
export function violationInWords(kktResidual: number, condition = ''): string {
  return `The optimality conditions hold to ${kktResidual.toExponential(1)} (relative)${condition}.`;
}

/**
 * A search for the weights of a field as a model's own steps.
 *
 * @param distances - φ, whose conditions the search follows
 * @param described - what there is to say about weights
 */
export function* refinedField(
  search: FieldSearch,
  { squaredDistances, copies }: { readonly squaredDistances: Float64Array; readonly copies: number },
  name: string,
  described: (weights: Float64Array) => string,
): Generator<RefinementStep | undefined, Refinement, boolean> {
  const told = ({ weights, resistances, value, iterations, evaluations }: FieldProgress) => {
    const gradient = new Float64Array(weights.length);
    for (let e = 0; e < gradient.length; e++) gradient[e] = 0.5 * (copies * resistances[e]! - squaredDistances[e]!);
    const values = { [WEIGHTS]: Array.from(weights) };
    return { values, objective: value, gradients: { [WEIGHTS]: gradient }, iterations, evaluations };
  };
  const result = yield* retold(search, (step): RefinementStep => ({ ...told(step), memory: step.memory }));
  const { weights, kktResidual, iterations } = result;
  return {
    ...told(result),
    kktResidual,
    converged: kktResidual <= CONVERGED,
    course: inWords(iterations, name),
    message: `${violationInWords(kktResidual)} ${described(weights)}`,
  };
}
