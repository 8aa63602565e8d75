import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkOptions, editDistance, seedOption, unknownName } from '../core/options.ts';
import { type EngineChoice, engineChoice, withEngine } from '../engine/dense/index.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { assemblyOf, checkModelGiven } from './givenModel.ts';
import type { AnyModel, AnyPaths, Model, ParameterValues } from './model.ts';
import { checkFinite, checkGradients, type LogDensity, logDensity, termGradients } from './objective.ts';
import { type ParameterValue, valueFrom } from './parameter.ts';
import { layOut, naturalEntries, type VariableLayout } from './variables.ts';

/**
 * Gradients in the natural values of free parameters, by path: an editor offers those that the model's type knows. Undefined for those that are held, and
 * an error for a path that is none.
 */
export type Gradients<P = AnyPaths> = Readonly<Record<string, ParameterValue>> & {
  readonly [Path in keyof P]: P[Path] extends Matrix ? Matrix : ParameterValue;
};

export interface Evaluation<P = AnyPaths> {
  /** The maximised log density, all constants included. */
  readonly objective: number;
  /** Each factor's part by name; they add up to the objective. */
  readonly terms: Readonly<Record<string, number>>;
  /** Gradient of the objective in the natural values of every free parameter, by path. */
  readonly gradients: Gradients<P>;
}

/** An evaluation with the gradients of each term. */
export interface EvaluationByTerm<P = AnyPaths> extends Evaluation<P> {
  /** By the terms' names; they add up to `gradients`. */
  readonly termGradients: Readonly<Record<string, Gradients<P>>>;
}

/** Values as a caller may give them: a matrix in any of its forms. */
export type GivenValues<P = AnyPaths> = { readonly [Path in keyof P]?: number | readonly number[] | MatrixLike };

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  /** Seed of the initial values, where they are drawn; 0 unless given. */
  readonly seed?: number | undefined;
  /** Which linear algebra to use; 'auto', the fastest that this machine has, unless given or named by LATENTFIELD_ENGINE. */
  readonly engine?: EngineChoice | undefined;
  /** 'byTerm' adds the gradients of each term, at the cost of a differentiation for each. */
  readonly gradients?: 'byTerm' | undefined;
}

const schema = v.strictObject({
  seed: seedOption,
  engine: v.optional(engineChoice),
  gradients: v.optional(v.picklist(['byTerm'], "'byTerm', or left out")),
});

/**
 * The log density of a model and its gradients at given values, without fitting.
 *
 * @param model - any model
 * @param values - natural (constrained) values by path; the model's initial ones where none are given
 * @param options - see {@link EvaluateOptions}
 * @returns objective, terms by name, gradients by path with respect to the natural values (held parameters have none); with
 * `gradients: 'byTerm'` also those of each term
 * @throws InvalidInputError for an unknown path or option, a wrong shape or a value outside its support
 * @throws NumericalError when the log density is not finite there
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
  const { seed, engine, gradients } = checkOptions(schema, options, 'evaluate');
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

/** Gradients by path; 0 where none arrives. A path that is none of the model's, by what it looks like, is an error when it is read. */
function byPath({ variables }: VariableLayout, gradients: LogDensity['gradients']): Gradients {
  const found: Record<string, ParameterValue> = {};
  variables.forEach(({ path, shape, start, size }, i) => {
    if (start >= 0) found[path] = valueFrom(gradients[i] ?? new Float64Array(size), shape);
  });
  const paths = variables.map(({ path }) => path);
  return new Proxy(found, {
    get: (target, key) => {
      if (typeof key === 'string' && !(key in target) && !paths.includes(key) && isMeantAsPath(key, paths)) {
        throw unknownName('gradient', key, paths, 'This evaluation');
      }
      return Reflect.get(target, key);
    },
  });
}

/** Whether a name is one that somebody means as a path, and no property that a library looks for on any object. */
function isMeantAsPath(name: string, paths: readonly string[]): boolean {
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

/** Values by path with every matrix as a Matrix, from values as people give them. */
export function givenValues(values: GivenValues): ParameterValues {
  return Object.fromEntries(Object.entries(values).map(([path, value]) => [path, parameterValue(value, path)]));
}
