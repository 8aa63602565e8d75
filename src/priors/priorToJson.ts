import { checkGiven, isPart } from '../core/options.ts';
import { type ParameterJSON, parameterToJSON } from '../model/parameterToJson.ts';
import type { Prior } from './definePrior.ts';

/** A prior as plain JSON. */
export interface PriorJSON {
  readonly prior: string;
  readonly parameters: Readonly<Record<string, ParameterJSON>>;
  /** What it was made with beside its parameters: a graph, labels, options. */
  readonly data?: unknown;
}

export function priorToJSON(prior: Prior): PriorJSON {
  checkGiven(prior, 'priorToJSON', 'a prior, such as standardNormal()', (given) => isPart(given, 'prior', ['toJSON']));
  const data = prior.toJSON();
  return {
    prior: prior.name,
    parameters: Object.fromEntries(
      Object.entries(prior.parameters).map(([name, parameter]) => [name, parameterToJSON(parameter)]),
    ),
    ...(data === undefined ? {} : { data }),
  };
}
