import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { checkDefinition, checkKnown, checkName } from '../../core/options.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../engine/tensors/gradients.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D } from '../../engine/tensors/tensorflow.ts';
import type { Parameter, ParameterLike } from '../parameter.ts';
import { entriesOf } from '../transform.ts';
import { parameterPrior } from './distribution.ts';
import type { DistributionValue, ParameterPrior, PriorPlace, SummedDensity, ValueEntries } from './parameterPrior.ts';

/** A distribution of numbers. */
export interface DistributionDefinition<Name extends string> {
  /** Letters and digits, a letter first. */
  readonly name: string;
  /** Its values with their defaults, and where they may lie: `positive(1)`, `real(0)`; a bare number is `positive`. None unless given. */
  readonly parameters?: Readonly<Record<Name, ParameterLike>>;
  /** Its support is what lies above; −Infinity unless given. */
  readonly lower?: number;
  /** log p(x) of each entry of x, with its normalizing constant; the values in `p` have one entry, or as many as x. */
  logDensity(p: Readonly<Record<Name, Tensor>>, x: Tensor1D): Tensor;
}

/** Makes a prior on a parameter; what is given replaces the default values. */
export type DistributionFactory<Name extends string> = (
  values?: Partial<Readonly<Record<Name, DistributionValue>>> & PriorPlace,
) => ParameterPrior;

/**
 * A new distribution for priors on parameters, from one function with tensor operations.
 *
 * A number is a value that is held. A parameter, such as `positive(1, { prior })`, is one of the model's, under the path `<path>.prior.<name>`;
 * a path names another parameter of the model.
 *
 * @param definition - name, values and log density; `lower` where its support ends
 * @returns a factory `(values?) => ParameterPrior`; `loadFit(json, { distributions: { name: factory } })` reads its fits again
 * @throws InvalidInputError when the name is not one word of letters and digits or there is no log density
 * @example
 * ```ts
 * import { defineDistribution, positive, rbf } from 'latentfield';
 * import * as op from 'latentfield/ops';
 *
 * // p(x) = 2/(π·s·(1 + x²/s²)), x > 0
 * const halfCauchy = defineDistribution({
 *   name: 'halfCauchy',
 *   parameters: { scale: positive(1) },
 *   lower: 0,
 *   logDensity: (p, x) => {
 *     const tail = op.log1p(op.square(op.div(x, p.scale)));
 *     return op.sub(Math.log(2 / Math.PI), op.add(op.log(p.scale), tail));
 *   },
 * });
 * rbf({ variance: positive(1, { prior: halfCauchy({ scale: 2 }) }) });
 * ```
 */
export function defineDistribution<Name extends string = never>(
  definition: DistributionDefinition<Name>,
): DistributionFactory<Name> {
  const {
    name,
    parameters = {} as Readonly<Record<Name, ParameterLike>>,
    lower = -Infinity,
    logDensity,
  } = checkDefinition(definition, 'defineDistribution');
  checkName(name, 'A distribution');
  checkKnown(definition, 'defineDistribution', ['name', 'parameters', 'lower', 'logDensity']);
  if (typeof logDensity !== 'function') {
    throw new InvalidInputError(
      `defineDistribution needs logDensity of '${name}', a function of values and x, but ${describe(logDensity)} was given.`,
    );
  }
  const names = Object.keys(parameters) as Name[];
  const isParameter = (given: ParameterLike): given is Parameter => typeof given === 'object' && 'support' in given;
  const each = <T>(of: (given: ParameterLike) => T) =>
    Object.fromEntries(names.map((key) => [key, of(parameters[key])]));
  const ranges = each((given) =>
    isParameter(given) ? ([given.lower, given.upper] as const) : ([0, Infinity] as const),
  );
  const standard = each((given) => entriesOf(isParameter(given) ? given.initial : given)[0]!);
  const density = (x: Float64Array, values: ValueEntries): SummedDensity =>
    withFloat64(() => densityOnFloat64(x, values));
  const densityOnFloat64 = (x: Float64Array, values: ValueEntries): SummedDensity => {
    const at = op.tensor<Tensor1D>(x, [x.length]);
    const tensors = names.map((key) => {
      const entries = values[key]!;
      if (typeof entries === 'number') return op.scalar(entries);
      return op.tensor<Tensor>(entries, entries.length === 1 ? [] : [x.length]);
    });
    const own = names.filter((key) => typeof values[key] !== 'number');
    const p = Object.fromEntries(names.map((key, i) => [key, tensors[i]!])) as Record<Name, Tensor>;
    const sum = () => {
      const entries = logDensity(p, at);
      if (entries?.shape?.length === 1 && entries.shape[0] === x.length) return op.sum<Scalar>(entries);
      throw new InvalidInputError(
        `The log density of distribution '${name}' must have one entry for each of ${x.length} in x, but ${describe(entries)}${entries?.shape === undefined ? '' : ` of shape [${entries.shape}]`} was returned.`,
      );
    };
    const xs = [at, ...own.map((key) => tensors[names.indexOf(key)]!)];
    const { value, gradients } = valueAndGradients(sum, xs);
    const gradientOf = (i: number) => gradients[i] ?? new Float64Array(xs[i]!.size);
    return { value, x: gradientOf(0), values: Object.fromEntries(own.map((key, i) => [key, gradientOf(i + 1)])) };
  };
  const kind = { name, lower, ranges, density };
  return (values = {}) => parameterPrior(kind, values, standard);
}
