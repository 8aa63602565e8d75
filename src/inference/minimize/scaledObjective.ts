import { square } from '../../core/elementary/index.ts';
import { InvalidInputError, NumericalError, OptimizationError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { products, quotients } from '../../engine/vectors.ts';
import type { Box, Curvature, Evaluation, Iterate } from '../../model/solver.ts';

/**
 * Objective of a minimization: the value at x and its gradient, an array of x's length. The array x is reused: copy it to keep it. The second
 * argument is the number of the evaluation, from 0 and continued after an interruption, which seeds a random objective.
 */
export interface ObjectiveFunction {
  (x: Float64Array, of?: EvaluationNumber): { readonly value: number; readonly gradient: ArrayLike<number> };
  /** Curvature at x, where `gradient` is the gradient, for solvers that request it. The gradient's array is reused, like the array of x. */
  curvature?(x: Float64Array, gradient: Float64Array): Curvature | undefined;
}

/** Number of an evaluation within a minimization. */
interface EvaluationNumber {
  /** Iteration number, from 0. */
  readonly iteration: number;
}

/** Objective as a function of z = x / scale. */
export interface ScaledObjective {
  /** Box in z. */
  readonly box: Box;
  /** Value and gradient with respect to z; the value is NaN if either is not finite or a NumericalError was thrown. */
  evaluate(z: Float64Array, of: EvaluationNumber): Evaluation;
  /**
   * Curvature with respect to z at an iterate.
   *
   * @throws InvalidInputError if the objective has no curvature
   */
  curvature(at: Readonly<Iterate>): Curvature;
  /** Indices of the variables in an evaluation, for mini-batch objectives. */
  placesOf?(evaluation: number): Int32Array;
  /** Reason why the last failed evaluation has the value NaN. */
  readonly reason: string;
  toScaled(x: Float64Array): Float64Array;
  /** Converts a point from z to x. */
  toOriginalPoint(z: Float64Array): Float64Array;
  /** Converts an iterate from z to x, ∂f/∂x and f. */
  toOriginal(iterate: Readonly<Iterate>): Iterate;
}

/**
 * Wraps an objective for a solver: diagonal scaling x = scale·z, and the value NaN for every kind of non-finite result.
 *
 * @param scale - positive, one entry per variable
 * @param bounds - bounds in x; evaluations never leave them, despite rounding of scale·z
 */
export function scaledObjective(objective: ObjectiveFunction, scale: Float64Array, bounds: Box): ScaledObjective {
  const size = scale.length;
  const x = new Float64Array(size);
  const gradient = new Float64Array(size);
  /** Gradient in x at the point whose curvature is requested. */
  let slopes: Float64Array | undefined;
  const box: Box = { lower: quotients(bounds.lower, scale), upper: quotients(bounds.upper, scale) };
  let reason = '';

  const toX = (z: Float64Array, into: Float64Array) => unscaledWithin(z, scale, box, bounds, into);

  const evaluateAtX = (of: EvaluationNumber) => {
    try {
      return { result: objective(x, of) };
    } catch (error) {
      if (!(error instanceof NumericalError)) throw error;
      reason = `it threw a NumericalError: ${error.message}`;
      return undefined;
    }
  };

  return {
    box,
    get reason() {
      return reason;
    },

    evaluate(z, of) {
      toX(z, x);
      const evaluated = evaluateAtX(of);
      if (evaluated === undefined) return { value: Number.NaN, gradient };
      const { result } = evaluated;
      checkResult(result, size);
      const { value, gradient: inX } = result;
      let bad = -1;
      for (let i = 0; i < size; i++) {
        const entry = inX[i]! * scale[i]!;
        gradient[i] = entry;
        if (!(Math.abs(entry) < Number.POSITIVE_INFINITY)) bad = i;
      }
      if (Number.isFinite(value) && bad < 0) return { value, gradient };
      reason = Number.isFinite(value)
        ? `entry ${bad} of its gradient is ${result.gradient[bad]}`
        : `its value is ${value}`;
      return { value: Number.NaN, gradient };
    },

    curvature(at) {
      slopes ??= new Float64Array(size);
      const curvature = objective.curvature?.(toX(at.x, x), quotients(at.gradient, scale, slopes));
      if (curvature !== undefined) return scaledCurvature(curvature, scale);
      throw new InvalidInputError(
        'The solver asks for the curvature of the objective, which gives none. Use lbfgs(), or lbfgsb() for bounds.',
      );
    },

    toScaled: (point) => quotients(point, scale),

    toOriginalPoint: (z) => toX(z, new Float64Array(size)),

    toOriginal: (iterate) => ({
      x: toX(iterate.x, new Float64Array(size)),
      value: iterate.value,
      gradient: quotients(iterate.gradient, scale),
    }),
  };
}

/** scale·z within the bounds of x, exactly at those bounds that are active in z. */
function unscaledWithin(
  z: Float64Array,
  scale: Float64Array,
  { lower: least, upper: most }: Box,
  { lower, upper }: Box,
  into: Float64Array,
): Float64Array {
  // Most variables of large problems are at a bound: only that is read of them.
  for (let i = 0; i < z.length; i++) {
    const entry = z[i]!;
    if (entry <= least[i]!) into[i] = lower[i]!;
    else if (entry >= most[i]!) into[i] = upper[i]!;
    else into[i] = Math.max(lower[i]!, Math.min(upper[i]!, scale[i]! * entry));
  }
  return into;
}

function checkResult(result: ReturnType<ObjectiveFunction>, size: number): void {
  const { value, gradient } = result ?? {};
  if (typeof value !== 'number' || typeof gradient !== 'object' || gradient === null) {
    throw new InvalidInputError(
      `The objective must return { value, gradient }, a number and an array of ${size}, but its value is ` +
        `${describe(value)} and its gradient ${describe(gradient)}.`,
    );
  }
  if (gradient.length !== size) {
    throw new InvalidInputError(
      `The objective's gradient must have one entry for each of the ${size} variables, but it has ${gradient.length}.`,
    );
  }
}

/**
 * Largest entry of x − P(x − g), where P is the projection onto the box: zero exactly at a stationary point. For a mini-batch iterate, whose
 * variables have no bounds, the largest entry over its variables.
 */
export function projectedGradientNorm({ x, gradient, places }: Readonly<Iterate>, { lower, upper }: Box): number {
  if (places !== undefined) return places.reduce((most, place) => Math.max(most, Math.abs(gradient[place]!)), 0);
  let largest = 0;
  for (let i = 0; i < x.length; i++) {
    const g = gradient[i]!;
    const projected = g < 0 ? Math.max(x[i]! - upper[i]!, g) : Math.min(x[i]! - lower[i]!, g);
    if (Math.abs(projected) > largest) largest = Math.abs(projected);
  }
  return largest;
}

/** Curvature with respect to z = x / scale. */
function scaledCurvature({ quadratic, hessian }: Curvature, scale: Float64Array): Curvature {
  const n = scale.length;
  return {
    hessian: () => hessian().map((entry, k) => entry * scale[Math.floor(k / n)]! * scale[k % n]!),
    quadratic: ({ variables, gradient, lower, upper }) => {
      const own = new Float64Array(variables.length);
      for (let a = 0; a < own.length; a++) own[a] = scale[variables[a]!]!;
      const descent = quadratic({
        variables,
        gradient: quotients(gradient, own),
        lower: products(lower, own),
        upper: products(upper, own),
      });
      const times = (places: Int32Array, v: Float64Array) => {
        const product = new Float64Array(v.length);
        for (let k = 0; k < v.length; k++) product[k] = v[k]! * own[places[k]!]!;
        return product;
      };
      return {
        diagonal: descent.diagonal.map((entry, a) => entry * square(own[a]!)),
        product: (places, v) => times(places, descent.product(places, times(places, v))),
        fill(places, target) {
          descent.fill(places, target);
          const count = places.length;
          const units = new Float64Array(count);
          for (let k = 0; k < count; k++) units[k] = own[places[k]!]!;
          for (let k = 0; k < count; k++) {
            const unit = units[k]!;
            for (let l = 0; l <= k; l++) target[k * count + l]! *= unit * units[l]!;
          }
        },
        slopes: (places) => times(places, descent.slopes(places)),
        move: (places, d) => descent.move(places, times(places, d)),
        sweep: (places) => descent.sweep(places),
        steps: () => quotients(descent.steps(), own),
      };
    },
  };
}

/**
 * Start of a minimization with its value and gradient, in the solver's variables.
 *
 * @throws OptimizationError if the objective is not finite at the start
 */
export function evaluateStart(objective: ScaledObjective, start: Float64Array): Iterate {
  const x = objective.toScaled(start);
  const { value, gradient, places } = objective.evaluate(x, { iteration: 0 });
  if (Number.isNaN(value)) {
    throw new OptimizationError(
      `The objective is not finite at the start: ${objective.reason.replace(/\.$/, '')}. Start from a point where it is.`,
    );
  }
  if (places === undefined) return { x, value, gradient: gradient.slice() };
  const whole = new Float64Array(x.length);
  places.forEach((place, k) => {
    whole[place] = gradient[k]!;
  });
  return { x, value, gradient: whole, places };
}
