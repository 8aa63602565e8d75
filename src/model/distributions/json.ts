import { unknownName } from '../../core/options.ts';
import { gamma } from './gamma.ts';
import { halfNormal } from './halfNormal.ts';
import { inverseGamma } from './inverseGamma.ts';
import { logNormal } from './logNormal.ts';
import { normal } from './normal.ts';
import type { ParameterPrior, PriorPlace } from './parameterPrior.ts';

/** A prior on a parameter as plain JSON. */
export interface ParameterPriorJSON {
  readonly distribution: string;
  readonly values: Readonly<Record<string, number>>;
  readonly on: 'natural' | 'unconstrained';
}

type Factory = (options: Record<string, number> & PriorPlace) => ParameterPrior;
const factories: Readonly<Record<string, unknown>> = { gamma, halfNormal, inverseGamma, logNormal, normal };

export function parameterPriorToJSON({ distribution, values, on }: ParameterPrior): ParameterPriorJSON {
  return { distribution, values, on };
}

/**
 * The prior that `parameterPriorToJSON` wrote.
 *
 * @throws InvalidInputError for a distribution that is not known
 */
export function parameterPriorFromJSON({ distribution, values, on }: ParameterPriorJSON): ParameterPrior {
  const factory = factories[distribution] as Factory | undefined;
  if (factory === undefined) {
    throw unknownName('distribution', distribution, Object.keys(factories), 'The list of priors on parameters');
  }
  return factory({ ...values, on } as Record<string, number> & PriorPlace);
}
