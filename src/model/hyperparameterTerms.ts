import { InvalidInputError } from '../core/errors.ts';
import type { SummedDensity } from './distributions/parameterPrior.ts';
import { softplus } from './transform.ts';
import type { Variable, VariableLayout } from './variables.ts';

/** A term of the log density that is a parameter's prior. */
export interface HyperparameterTerm {
  readonly name: string;
  readonly value: number;
  /** Gradients in natural values, by the places of the variables in the layout. */
  readonly gradients: ReadonlyMap<number, Float64Array>;
}

/**
 * A term `hyper.<path>` for every free parameter that has a prior: Σ log p over its entries. They take plain numbers, so that an evaluation
 * has no tensor operation more for them. Called inside `withFloat64`.
 *
 * @param natural - entries of the natural values, in the order of the layout
 */
export function hyperparameterTerms(
  { variables }: VariableLayout,
  natural: readonly Float64Array[],
): HyperparameterTerm[] {
  return variables.flatMap((variable, i) => {
    const { path, parameter, priorValues } = variable;
    const { prior } = parameter;
    if (prior === undefined || !parameter.free) return [];
    const values = Object.fromEntries(
      Object.entries(prior.values).map(([name, value]) => [
        name,
        typeof value === 'number' ? Float64Array.of(value) : natural[priorValues[name]!]!,
      ]),
    );
    const place = (x: Float64Array) => prior.density(x, values);
    const density = prior.on === 'natural' ? place(natural[i]!) : onVariables(variable, natural[i]!, place);
    const gradients = new Map([[i, density.x]]);
    for (const [name, index] of Object.entries(priorValues)) {
      const own = gradients.get(index);
      const more = density.values[name]!;
      gradients.set(index, own === undefined ? more : own.map((entry, k) => entry + more[k]!));
    }
    return [{ name: `hyper.${path}`, value: density.value, gradients }];
  });
}

/** A density of what the solver sees of natural values x, with the gradient in x. */
function onVariables(
  { path, parameter, transform }: Variable,
  x: Float64Array,
  densityAt: (u: Float64Array) => SummedDensity,
): SummedDensity {
  if (parameter.transform !== undefined && parameter.transform !== softplus) {
    throw new InvalidInputError(
      `The prior of '${path}' is on an unconstrained value, but that parameter has variables of its own kind. Put it on the natural value.`,
    );
  }
  const u = transform.toUnconstrained(x);
  const density = densityAt(u);
  const slopes = transform.pullBack(new Float64Array(x.length).fill(1), x, u);
  return { ...density, x: density.x.map((entry, i) => entry / slopes[i]!) };
}
