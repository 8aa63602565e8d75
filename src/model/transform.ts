import { exp, expm1, log, log1p, tanh } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';

/** Map from a parameter's unconstrained variables, which the solver uses, to its natural value. */
export interface Transform {
  /** The value's entries from the variables. */
  toNatural(unconstrained: Float64Array): Float64Array;
  /** The variables from the value's entries. */
  toUnconstrained(natural: Float64Array): Float64Array;
  /** Gradient in the variables from the gradient in the value's entries, Jᵀg with J = ∂x/∂u, at `natural = toNatural(unconstrained)`. */
  pullBack(gradient: Float64Array, natural: Float64Array, unconstrained: Float64Array): Float64Array;
  /** Name of a custom transform in descriptions. */
  readonly title?: string;
  /** Name in files of a built-in transform that is not the default of its support. */
  readonly name?: string;
  /** Number of variables of a value with this many entries, for transforms whose entries depend on each other; default one variable per entry. */
  variables?(entries: number): number;
  /** Requirement on a value that is refused, as the end of 'must be …'. */
  refuses?(natural: Float64Array): string | undefined;
  /** log |∂x/∂u|, the logarithm of the change of volume, and its gradient in u; required by `samplePosterior`. */
  logJacobian?(unconstrained: Float64Array): LogJacobian;
}

/** The log Jacobian determinant of a transform. */
export interface LogJacobian {
  readonly value: number;
  readonly gradient: Float64Array;
}

/** Applies f to each entry in a loop: a typed array's own `map` takes three times as long for a few entries. */
function mapped(entries: Float64Array, f: (entry: number) => number): Float64Array {
  const result = new Float64Array(entries.length);
  for (let i = 0; i < entries.length; i++) result[i] = f(entries[i]!);
  return result;
}

/** Each entry times the slope at its natural value. */
function multiplied(entries: Float64Array, natural: Float64Array, slope: (natural: number) => number): Float64Array {
  const result = new Float64Array(entries.length);
  for (let i = 0; i < entries.length; i++) result[i] = entries[i]! * slope(natural[i]!);
  return result;
}

/** log |dx/du| and its slope for an elementwise transform. */
function entrywise(logSlope: (u: number) => number, slope: (u: number) => number) {
  return (unconstrained: Float64Array): LogJacobian => {
    let value = 0;
    for (let i = 0; i < unconstrained.length; i++) value += logSlope(unconstrained[i]!);
    return { value, gradient: mapped(unconstrained, slope) };
  };
}

/** log 1/(1 + exp(−u)), which does not overflow. */
export const logSigmoid = (u: number) => (u < 0 ? u - log1p(exp(u)) : -log1p(exp(-u)));

/** u = x */
export const identity: Transform = {
  toNatural: (unconstrained) => unconstrained.slice(),
  toUnconstrained: (natural) => natural.slice(),
  pullBack: (gradient) => gradient.slice(),
  logJacobian: entrywise(
    () => 0,
    () => 0,
  ),
};

/** x = exp(u) */
const exponential: Transform = {
  toNatural: (unconstrained) => mapped(unconstrained, exp),
  toUnconstrained: (natural) => natural.map(log),
  pullBack: (gradient, natural) => multiplied(gradient, natural, (x) => x),
  logJacobian: entrywise(
    (u) => u,
    () => 1,
  ),
};

/**
 * x = log(1 + exp(u)), the variables of GPy ("Logexp"): u is close to log x for small values, and to x for large ones. Above 36, x = u up to
 * rounding.
 */
export const softplus: Transform = {
  name: 'softplus',
  toNatural: (unconstrained) => mapped(unconstrained, (entry) => (entry > 36 ? entry : log1p(exp(entry)))),
  toUnconstrained: (natural) => natural.map((entry) => (entry > 36 ? entry : log(expm1(entry)))),
  pullBack: (gradient, natural) => multiplied(gradient, natural, (x) => -expm1(-x)),
  logJacobian: entrywise(logSigmoid, (u) => 1 / (1 + exp(u))),
};

/**
 * A positive value that stays above a floor f: x = exp(u) from 2f on, and f·(1 + exp(2·(u − log 2f))) below, with equal values and slopes where the
 * two meet. A search that would move x to 0 ends at f; values far above f are not affected.
 */
export const above = (floor: number): Transform => {
  const [turn, start] = [2 * floor, log(2 * floor)];
  const natural = (u: number) => (u >= start ? exp(u) : floor * (1 + exp(2 * (u - start))));
  const slope = (x: number) => (x >= turn ? x : 2 * (x - floor));
  return {
    toNatural: (unconstrained) => mapped(unconstrained, natural),
    // A value at or below the floor is moved as close to it as a search gets.
    toUnconstrained: (given) =>
      given.map((x) => (x >= turn ? log(x) : start + 0.5 * log(Math.max(x / floor - 1, Number.EPSILON)))),
    pullBack: (gradient, given) => multiplied(gradient, given, slope),
    logJacobian: entrywise(
      (u) => (u >= start ? u : log(turn) + 2 * (u - start)),
      (u) => (u >= start ? 1 : 2),
    ),
  };
};

/** x = lower + (upper − lower)/(1 + exp(−u)) */
const logistic = (lower: number, upper: number): Transform => ({
  toNatural: (unconstrained) => mapped(unconstrained, (entry) => lower + (upper - lower) / (1 + exp(-entry))),
  toUnconstrained: (natural) => natural.map((entry) => log((entry - lower) / (upper - entry))),
  pullBack: (gradient, natural) =>
    gradient.map((entry, i) => (entry * (natural[i]! - lower) * (upper - natural[i]!)) / (upper - lower)),
  logJacobian: entrywise(
    (u) => log(upper - lower) + logSigmoid(u) + logSigmoid(-u),
    (u) => -tanh(u / 2),
  ),
});

/** The transform of each support. */
export const transforms = {
  real: () => identity,
  positive: () => exponential,
  bounded: logistic,
  box: () => identity,
} satisfies Record<string, (lower: number, upper: number) => Transform>;

/** The solver's variable for a positive parameter x: 'log', log x, or 'softplus', log(exp(x) − 1). */
export type PositiveTransform = 'log' | 'softplus';

/** A natural value: a number, a vector (such as one entry per latent dimension), or a matrix (the latents). */
export type ParameterValue = number | readonly number[] | Matrix;

/** Shape of a natural value: [] for a number, [n] for a list, [rows, columns] for a matrix. */
export function shapeOf(value: ParameterValue): number[] {
  if (typeof value === 'number') return [];
  return value instanceof Matrix ? [value.rows, value.columns] : [value.length];
}

/** Names of the entries of a value, in row-major order: 'path', 'path[i]' or 'path[i, j]'. */
export function entryNames(path: string, shape: readonly number[]): string[] {
  if (shape.length === 0) return [path];
  const [rows, columns] = shape as [number, number?];
  return Array.from({ length: rows * (columns ?? 1) }, (_, i) =>
    columns === undefined ? `${path}[${i}]` : `${path}[${Math.floor(i / columns)}, ${i % columns}]`,
  );
}

/** A copy of the entries of a natural value. */
export function entriesOf(value: ParameterValue): Float64Array {
  if (typeof value === 'number') return Float64Array.of(value);
  return value instanceof Matrix ? value.data.slice() : Float64Array.from(value);
}

/** The natural value with these entries and this shape. */
export function valueFrom(entries: Float64Array, shape: readonly number[]): ParameterValue {
  if (shape.length === 0) return entries[0]!;
  if (shape.length === 2) return new Matrix(entries, shape[0]!, shape[1]!);
  // A loop: Array.from goes through the iterator, which takes three times as long.
  const list = new Array<number>(entries.length);
  for (let i = 0; i < list.length; i++) list[i] = entries[i]!;
  return list;
}

/** A natural value as plain JSON: rows for a Matrix. */
export type ParameterValueJSON = number | readonly number[] | readonly (readonly number[])[];

/** A natural value from its JSON form: rows become a Matrix. */
export function valueFromJSON(value: ParameterValueJSON): ParameterValue {
  if (typeof value === 'number') return value;
  return Array.isArray(value[0]) ? Matrix.from(value as number[][]) : (value as readonly number[]);
}
