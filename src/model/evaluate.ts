import * as tf from '@tensorflow/tfjs-core';
import * as v from 'valibot';
import { InvalidInputError, NumericalError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkOptions } from '../core/options.ts';
import { type EngineChoice, engineChoice, withEngine } from '../numerics/dense/index.ts';
import { withFloat64 } from '../tensors/float64/scope.ts';
import type { AnyModel, ParameterValues } from './model.ts';
import { checkFinite, type LogDensity, logDensity } from './objective.ts';
import { type ParameterValue, valueFrom } from './parameter.ts';
import { layOut, naturalEntries, type VariableLayout } from './variables.ts';

export interface Evaluation {
  /** The maximised log density, all constants included. */
  readonly objective: number;
  /** Each factor's part by name; they add up to the objective. */
  readonly terms: Readonly<Record<string, number>>;
  /** Gradient of the objective in the natural values of every free parameter, by path. */
  readonly gradients: Readonly<Record<string, ParameterValue>>;
}

/** Values as a caller may give them: a matrix in any of its forms. */
export type GivenValues = Readonly<Record<string, number | readonly number[] | MatrixLike>>;

const wholeNumber = 'a whole number';
const schema = v.strictObject({
  seed: v.optional(v.pipe(v.number(wholeNumber), v.integer(wholeNumber)), 0),
  engine: v.optional(engineChoice),
});

/**
 * The log density of a model and its gradients at given values, without fitting.
 *
 * @param model - any model
 * @param values - natural (constrained) values by path; the model's initial ones where none are given
 * @param options - `seed` of the initial values, where they are drawn (0 unless given); `engine`, the linear algebra to use ('auto', the
 * fastest that this machine has, unless given or named by LATENTFIELD_ENGINE)
 * @returns objective, terms by name, gradients by path with respect to the natural values (held parameters have none)
 * @throws InvalidInputError for an unknown path or option, a wrong shape or a value outside its support
 * @throws NumericalError when the log density is not finite there
 * @example
 * ```ts
 * evaluate(gplvm(Y, { latentDim: 2 }), { 'mapping.noise': 0.01 }).objective;
 * ```
 */
export function evaluate(
  model: AnyModel,
  values: GivenValues = {},
  options: { seed?: number; engine?: EngineChoice } = {},
): Evaluation {
  const { seed, engine } = checkOptions(schema, options, 'evaluate');
  const given = givenValues(values);
  return withFloat64(({ memory64 }) => withEngine(memory64, engine, () => evaluation(model, given, seed)));
}

function evaluation(model: AnyModel, given: ParameterValues, seed: number): Evaluation {
  const assembly = model.assemble(seed);
  try {
    const layout = layOut(assembly.parameters);
    const density = logDensity(assembly, layout, naturalEntries(layout, given), { seed });
    checkFinite(density);
    checkGradients(layout, density);
    const gradients: Record<string, ParameterValue> = {};
    layout.variables.forEach(({ path, shape, start, size }, i) => {
      if (start >= 0) gradients[path] = valueFrom(density.gradients[i] ?? new Float64Array(size), shape);
    });
    return { objective: density.value, terms: density.terms, gradients };
  } finally {
    assembly.dispose();
  }
}

function checkGradients({ variables }: VariableLayout, { gradients }: LogDensity): void {
  variables.forEach(({ path }, i) => {
    const entry = gradients[i]?.findIndex((value) => !Number.isFinite(value)) ?? -1;
    if (entry < 0) return;
    throw new NumericalError(
      `The gradient in '${path}' is ${gradients[i]![entry]} (entry ${entry}), though the log density is finite. Check the ` +
        'operations that lead there with checkGradient of latentfield/testing: a square root or quotient at 0, perhaps.',
    );
  });
}

function parameterValue(value: GivenValues[string], path: string): ParameterValue {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null) {
    throw new InvalidInputError(
      `The value of '${path}' must be a number, a list of numbers or a matrix, but ${describe(value)} was given.`,
    );
  }
  if (value instanceof Matrix || value instanceof tf.Tensor || typeof value[0] === 'object') {
    return Matrix.from(value as MatrixLike, `The value of '${path}'`);
  }
  return value as readonly number[];
}

/** Values by path with every matrix as a Matrix, from values as people give them. */
export function givenValues(values: GivenValues): ParameterValues {
  return Object.fromEntries(Object.entries(values).map(([path, value]) => [path, parameterValue(value, path)]));
}
