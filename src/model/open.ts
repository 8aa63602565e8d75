import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkOptions, editDistance, type OptionsIn, seedOption, unknownName } from '../core/options.ts';
import { engineChoice, withEngine } from '../engine/dense/index.ts';
import { float64Backend, withFloat64 } from '../engine/tensors/float64/scope.ts';
import { repeatedGradients } from '../engine/tensors/gradients.ts';
import { assemblyOf, checkModelGiven } from './givenModel.ts';
import type { AnyModel, AnyPaths, Model, ParameterValues } from './model.ts';
import { checkFinite, checkGradients, type LogDensity, logDensity, objectiveOf, termGradients } from './objective.ts';
import { type ParameterValue, valueFrom } from './parameter.ts';
import { layOut, naturalEntries, toNatural, toUnconstrained, type VariableLayout, valuesByPath } from './variables.ts';

/**
 * Gradients in the natural values of free parameters, by path; editors suggest the paths known to the model's type. Undefined for fixed parameters,
 * and an error for an unknown path.
 */
export type Gradients<P = AnyPaths> = Readonly<Record<string, ParameterValue>> & {
  readonly [Path in keyof P]: P[Path] extends Matrix ? Matrix : ParameterValue;
};

export interface Evaluation<P = AnyPaths> {
  /** The maximized log density, all constants included. */
  readonly objective: number;
  /** Value of each term by name; they sum to the objective. */
  readonly terms: Readonly<Record<string, number>>;
  /** Gradient of the objective in the natural values of every free parameter, by path. */
  readonly gradients: Gradients<P>;
}

/** An evaluation with the gradients of each term. */
export interface EvaluationByTerm<P = AnyPaths> extends Evaluation<P> {
  /** By the terms' names; they sum to `gradients`. */
  readonly termGradients: Readonly<Record<string, Gradients<P>>>;
}

/** Values in arguments: a matrix in any form. */
export type GivenValues<P = AnyPaths> = { readonly [Path in keyof P]?: number | readonly number[] | MatrixLike };

/** Options of {@link evaluate}. */
export interface EvaluateOptions extends OptionsIn<typeof evaluateOptions> {}

const evaluateOptions = v.strictObject({
  /** Seed of the initial values, if they are random; default 0. */
  seed: seedOption,
  /** Linear algebra engine; default the value of LATENTFIELD_ENGINE, or 'auto', the fastest on this machine. */
  engine: v.optional(engineChoice),
  /** 'byTerm' adds the gradients of each term, at the cost of a differentiation for each. */
  gradients: v.optional(v.picklist(['byTerm'], "'byTerm', or left out")),
});

/**
 * The log density of a model and its gradients at any values, without fitting.
 *
 * @param model - any model
 * @param values - natural (constrained) values by path; default the model's initial values
 * @param options - see {@link EvaluateOptions}
 * @returns objective, terms by name, gradients by path with respect to the natural values (fixed parameters have none); with `gradients: 'byTerm'`
 *   also the gradients of each term
 * @throws InvalidInputError for an unknown path or option, a wrong shape or a value outside its support
 * @throws NumericalError if the log density is not finite there
 * @example
 * ```ts
 * evaluate(gplvm(Y, { latentDim: 2 }), { 'mapping.noise': 0.01 }).objective;
 * evaluate(gplvm(Y, { latentDim: 2 }), {}, { gradients: 'byTerm' }).termGradients.standardNormal;
 * ```
 */
export function evaluate<P>(
  model: Model<P, unknown>,
  values: GivenValues<P> | undefined,
  options: EvaluateOptions & { readonly gradients: 'byTerm' },
): EvaluationByTerm<P>;
export function evaluate<P>(
  model: Model<P, unknown>,
  values?: GivenValues<P>,
  options?: EvaluateOptions,
): Evaluation<P>;
export function evaluate(
  model: AnyModel,
  values: GivenValues = {},
  options: EvaluateOptions = {},
): Evaluation | EvaluationByTerm {
  checkModelGiven(model, 'evaluate');
  const { seed, engine, gradients } = checkOptions(evaluateOptions, options, 'evaluate');
  const given = givenValues(values);
  return withFloat64(({ memory64 }) =>
    withEngine(memory64, engine, () => evaluation(model, given, seed, gradients === 'byTerm')),
  );
}

function evaluation(
  model: AnyModel,
  given: ParameterValues,
  seed: number,
  byTerm: boolean,
): Evaluation | EvaluationByTerm {
  const assembly = assemblyOf(model, seed);
  try {
    const layout = layOut(assembly.parameters);
    const natural = naturalEntries(layout, given);
    const density = logDensity(assembly, layout, natural, { seed });
    checkFinite(density);
    checkGradients(assembly, layout, natural, density.gradients, { seed });
    const { value: objective, terms } = density;
    const result = { objective, terms, gradients: byPath(layout, density.gradients) };
    if (!byTerm) return result;
    const ofTerms = Object.entries(termGradients(assembly, layout, natural, { seed }));
    return { ...result, termGradients: Object.fromEntries(ofTerms.map(([name, own]) => [name, byPath(layout, own)])) };
  } finally {
    assembly.dispose();
  }
}

/** Gradients by path; 0 if none arrives. Reading a name that looks like a path but is unknown to the model is an error. */
function byPath({ variables }: VariableLayout, gradients: LogDensity['gradients']): Gradients {
  const found: Record<string, ParameterValue> = {};
  variables.forEach(({ path, shape, start, size }, i) => {
    if (start >= 0) found[path] = valueFrom(gradients[i] ?? new Float64Array(size), shape);
  });
  const paths = variables.map(({ path }) => path);
  return new Proxy(found, {
    get: (target, key) => {
      if (typeof key === 'string' && !(key in target) && !paths.includes(key) && looksLikePath(key, paths)) {
        throw unknownName('gradient', key, paths, 'This evaluation');
      }
      return Reflect.get(target, key);
    },
  });
}

/** Whether a name is probably meant as a path, rather than a property that libraries look up on any object. */
function looksLikePath(name: string, paths: readonly string[]): boolean {
  return name.includes('.') || paths.some((path) => editDistance(path, name) <= 2);
}

function parameterValue(value: unknown, path: string): ParameterValue {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null) {
    throw new InvalidInputError(
      `The value of '${path}' must be a number, a list of numbers or a matrix, but ${describe(value)} was given.`,
    );
  }
  if (value instanceof Matrix || value instanceof tf.Tensor || typeof (value as readonly unknown[])[0] === 'object') {
    return Matrix.from(value as MatrixLike, `The value of '${path}'`);
  }
  return value as readonly number[];
}

/** Values by path with every matrix as a Matrix, from an argument. */
export function givenValues(values: GivenValues): ParameterValues {
  return Object.fromEntries(Object.entries(values).map(([path, value]) => [path, parameterValue(value, path)]));
}

/** A log density at a point. */
export interface OpenEvaluation {
  /** The log density, all constants included. */
  readonly value: number;
  /** Its gradient in the variables. */
  readonly gradient: Float64Array;
  /** Its terms by name, which sum to it. */
  readonly terms: Readonly<Record<string, number>>;
  /** The largest jitter that a factorization needed; 0 if none. With jitter, the value belongs to a different density. */
  readonly jitter: number;
}

/** A model as a function of unconstrained variables, for custom optimizers and samplers. */
export interface OpenModel {
  /** Number of variables. */
  readonly size: number;
  /** The model's initial values. */
  readonly start: Float64Array;
  /** Closed bounds of each variable, infinite except for `box` parameters. */
  readonly bounds: { readonly lower: Float64Array; readonly upper: Float64Array };
  /**
   * The log density log p(θ(x)) at x and its gradient. It is the density of the natural values θ; with the option `jacobian`, it is the density of
   * the variables x, log p(θ(x)) + log |∂θ/∂x|, the target of a sampler over x. Priors with `on: 'unconstrained'` are densities of x in both cases,
   * so that their parameters do not contribute to the Jacobian.
   */
  evaluate(x: ArrayLike<number>): OpenEvaluation;
  /**
   * The product H·v of the Hessian of the same density at x with a vector, from a central difference of two gradients along v: (g(x + h·v) − g(x −
   * h·v)) / 2h with a step h·v of ∛ε times the size of x, and an error of the order of 1e-10 of the largest curvature. A density with random numbers
   * uses the same numbers in both.
   */
  hessianVector(x: ArrayLike<number>, v: ArrayLike<number>): Float64Array;
  /** Natural values by path, as in `evaluate` and fits. */
  values(x: ArrayLike<number>): ParameterValues;
  /** The variables from natural values by path; default the model's initial values. */
  variables(values: ParameterValues): Float64Array;
  /** Frees its tensors; it cannot be used afterwards. */
  dispose(): void;
}

/** Options of {@link logDensityOf}. */
export interface LogDensityOptions extends OptionsIn<typeof schema> {}

/** Cube root of the machine epsilon, which balances the truncation and rounding errors of a central difference: ∛Number.EPSILON. */
const STEP = 6.055454452393343e-6;

const largest = (entries: Float64Array) => entries.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);

const schema = v.strictObject({
  /** Seed of the model's initial values, if they are random; default 0. */
  seed: seedOption,
  /** Linear algebra engine; default the value of LATENTFIELD_ENGINE, or 'auto'. */
  engine: v.optional(engineChoice),
  /** Whether to evaluate the density of the variables rather than of the natural values; default false. */
  jacobian: v.optional(v.boolean('true or false'), false),
});

/**
 * Opens a model as a plain function of the solver's variables: logarithms of positive parameters, logits of bounded ones, and real ones unchanged.
 *
 * The operations of the first evaluations are recorded and replayed in later ones, with the same bits and, for few rows, in a fraction of the time.
 * Functions of custom components are then not called again, unless they read numbers of tensors, on which later operations may depend.
 *
 * @param model - any model that `evaluate` accepts
 * @param options - `seed` of its initial values (0); `jacobian`: whether the density is a density of the variables (false), with a term `jacobian`;
 *   `engine`
 * @returns size, start and `evaluate(x)`; call `dispose()` when done
 * @throws InvalidInputError for an invalid model, an unknown option, or x of a different length; with `jacobian`, for a parameter whose transform
 *   does not define its Jacobian
 * @example
 * ```ts
 * const density = logDensityOf(gplvm(Y, { latentDim: 2 }), { seed: 1 });
 * const { value, gradient } = density.evaluate(density.start);
 * density.dispose();
 * ```
 */
export function logDensityOf(model: AnyModel, options: LogDensityOptions = {}): OpenModel {
  checkModelGiven(model, 'logDensityOf');
  const { seed, engine, jacobian } = checkOptions(schema, options, 'logDensityOf');
  const compute = <T>(work: () => T): T => withFloat64(({ memory64 }) => withEngine(memory64, engine, work));
  const { memory64 } = float64Backend();
  const assembly = compute(() => assemblyOf(model, seed));
  const layout = layOut(assembly.parameters);
  const { size } = layout;
  const repeated = repeatedGradients();
  const objective = objectiveOf(assembly, layout, seed, repeated);
  if (jacobian) checkJacobians(layout);
  const bounds = { lower: new Float64Array(size).fill(-Infinity), upper: new Float64Array(size).fill(Infinity) };
  for (const { parameter, start, size: entries } of layout.variables) {
    if (start < 0 || parameter.support !== 'box') continue;
    bounds.lower.fill(parameter.lower, start, start + entries);
    bounds.upper.fill(parameter.upper, start, start + entries);
  }
  const variablesAt = (values: ParameterValues) =>
    compute(() => toUnconstrained(layout, naturalEntries(layout, values)));
  let isOpen = true;
  const checked = (x: ArrayLike<number>) => {
    if (!isOpen) throw new InvalidInputError(`This model was disposed: open it again.`);
    const point = x instanceof Float64Array ? x : Float64Array.from(x);
    if (point.length === size) return point;
    throw new InvalidInputError(`The model '${model.name}' has ${size} variables, but ${point.length} were given.`);
  };
  const evaluate = (x: ArrayLike<number>): OpenEvaluation => {
    const point = checked(x);
    return withEngine(memory64, engine, () => {
      const { value, gradient, terms, jitter } = objective(point);
      for (let i = 0; i < gradient.length; i++) gradient[i] = -gradient[i]!;
      const own = { value: -value, gradient, terms, jitter };
      return jacobian ? ofVariables(own, layout, point) : own;
    });
  };
  return Object.freeze<OpenModel>({
    size,
    start: variablesAt({}),
    bounds,
    evaluate,
    hessianVector: (x, v) => {
      const [point, direction] = [checked(x), checked(v)];
      const length = largest(direction);
      if (length === 0) return new Float64Array(size);
      const step = (STEP * Math.max(1, largest(point))) / length;
      const above = evaluate(point.map((entry, i) => entry + step * direction[i]!)).gradient;
      const below = evaluate(point.map((entry, i) => entry - step * direction[i]!)).gradient;
      return above.map((entry, i) => (entry - below[i]!) / (2 * step));
    },
    values: (x) => {
      const point = checked(x);
      return valuesByPath(
        layout,
        compute(() => toNatural(layout, point)),
      );
    },
    variables: variablesAt,
    dispose: () => {
      if (!isOpen) return;
      compute(() => {
        repeated.dispose();
        assembly.dispose();
      });
      isOpen = false;
    },
  });
}

function checkJacobians({ variables }: VariableLayout): void {
  const unknown = variables.find(({ start, transform }) => start >= 0 && transform.logJacobian === undefined);
  if (unknown === undefined) return;
  throw new InvalidInputError(
    `The variables of '${unknown.path}' have no separate density, because several of them represent one value. Leave out jacobian, or choose a form of that part with other variables.`,
  );
}

/** The density of the variables x from the density of the natural values at x. A prior on the variables themselves is a density of x already. */
function ofVariables(
  { value, gradient, terms, jitter }: OpenEvaluation,
  { variables }: VariableLayout,
  x: Float64Array,
) {
  let sum = 0;
  for (let v = 0; v < variables.length; v++) {
    const { start, width, transform, parameter } = variables[v]!;
    if (start < 0 || parameter.prior?.ofParameter.on === 'unconstrained') continue;
    // Not a view of x, which takes longer to make than a copy of few entries.
    const own = transform.logJacobian!(x.slice(start, start + width));
    sum += own.value;
    for (let i = 0; i < own.gradient.length; i++) gradient[start + i]! += own.gradient[i]!;
  }
  (terms as Record<string, number>).jacobian = sum;
  return { value: value + sum, gradient, terms, jitter };
}
