import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { checkOptions } from '../core/options.ts';
import { type EngineChoice, engineChoice, withEngine } from '../numerics/dense/index.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import type { AnyModel, ParameterValues } from './model.ts';
import { objectiveOf } from './objective.ts';
import { layOut, naturalEntries, toNatural, toUnconstrained, valuesByPath } from './variables.ts';

/** A log density at a point. */
export interface OpenEvaluation {
  /** The log density, all constants included. */
  readonly value: number;
  /** Its gradient in the variables. */
  readonly gradient: Float64Array;
  /** Its terms by name; they add up to it. */
  readonly terms: Readonly<Record<string, number>>;
}

/** A model as a function of unconstrained variables, for optimizers and samplers of one's own. */
export interface OpenModel {
  /** Number of variables. */
  readonly size: number;
  /** The model's start. */
  readonly start: Float64Array;
  /** Closed bounds of each variable, infinite for all but those of `box` parameters. */
  readonly bounds: { readonly lower: Float64Array; readonly upper: Float64Array };
  /**
   * The log density log p(θ(x)) at x and its gradient. It is the density of the natural values θ: a sampler over x adds the logarithm of
   * |∂θ/∂x| for those that are transformed.
   */
  evaluate(x: ArrayLike<number>): OpenEvaluation;
  /** Natural values by path, as `evaluate` and fits have them. */
  values(x: ArrayLike<number>): ParameterValues;
  /** The variables from natural values by path; the model's start where none are given. */
  variables(values: ParameterValues): Float64Array;
  /** Gives its tensors back; it is of no use afterwards. */
  dispose(): void;
}

const wholeNumber = 'a whole number';
const schema = v.strictObject({
  seed: v.optional(v.pipe(v.number(wholeNumber), v.integer(wholeNumber)), 0),
  engine: v.optional(engineChoice),
});

/**
 * Opens a model as a plain function of the variables that a solver sees: logarithms of positive parameters, logits of bounded ones, real
 * ones as they are.
 *
 * @param model - any model that `evaluate` takes
 * @param options - `seed` of its start (0), `engine`
 * @returns size, start and `evaluate(x)`; call `dispose()` when done
 * @throws InvalidInputError for what is not a model, an unknown option, or x of another length
 * @example
 * ```ts
 * const density = open(gplvm(Y, { latentDim: 2 }), { seed: 1 });
 * const { value, gradient } = density.evaluate(density.start);
 * density.dispose();
 * ```
 */
export function open(
  model: AnyModel,
  options: { readonly seed?: number | undefined; readonly engine?: EngineChoice | undefined } = {},
): OpenModel {
  if (typeof model?.assemble !== 'function') {
    throw new InvalidInputError(
      `open takes a model, such as gplvm(Y, { latentDim: 2 }), but ${describe(model)} was given.`,
    );
  }
  const { seed, engine } = checkOptions(schema, options, 'open');
  const compute = <T>(work: () => T): T => withFloat64(({ memory64 }) => withEngine(memory64, engine, work));
  const assembly = compute(() => model.assemble(seed));
  const layout = layOut(assembly.parameters);
  const { size } = layout;
  const objective = objectiveOf(assembly, layout, seed);
  const bounds = { lower: new Float64Array(size).fill(-Infinity), upper: new Float64Array(size).fill(Infinity) };
  for (const { parameter, start, size: entries } of layout.variables) {
    if (start < 0 || parameter.support !== 'box') continue;
    bounds.lower.fill(parameter.lower, start, start + entries);
    bounds.upper.fill(parameter.upper, start, start + entries);
  }
  let isOpen = true;
  const checked = (x: ArrayLike<number>) => {
    if (!isOpen) throw new InvalidInputError(`This model was disposed of: open it again.`);
    const point = Float64Array.from(x);
    if (point.length === size) return point;
    throw new InvalidInputError(`The model '${model.name}' has ${size} variables, but ${point.length} were given.`);
  };
  return Object.freeze<OpenModel>({
    size,
    start: toUnconstrained(layout, naturalEntries(layout, {})),
    bounds,
    evaluate: (x) => {
      const point = checked(x);
      return compute(() => {
        const { value, gradient, terms } = objective(point);
        return { value: -value, gradient: gradient.map((entry) => -entry), terms };
      });
    },
    values: (x) => valuesByPath(layout, toNatural(layout, checked(x))),
    variables: (values) => toUnconstrained(layout, naturalEntries(layout, values)),
    dispose: () => {
      if (isOpen) compute(() => assembly.dispose());
      isOpen = false;
    },
  });
}
