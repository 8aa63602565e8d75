import * as v from 'valibot';
import { LatentFieldError } from '../core/errors.ts';
import { namedOptions, type OptionsIn, typed } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { type GivenValues, givenValues } from '../model/open.ts';
import { entriesOf, type ParameterValue, shapeOf, valueFrom } from '../model/parameter.ts';
import { valueTensors } from '../model/part.ts';
import { type CheckOptions, type ConformanceReport, checkEntries, conformance, finite, largest } from './report.ts';

export const differenceEntries = {
  /** Largest error allowed, relative to the largest entry of a gradient (1e-7). */
  tolerance: v.optional(typed<number>()),
  /** Maximum number of entries of each value that are perturbed, chosen at random (30). */
  entries: v.optional(typed<number>()),
  seed: v.optional(typed<number>()),
};

export interface DifferenceOptions extends OptionsIn<typeof differenceEntries> {}

/** Steps relative to the size of a value: if higher derivatives are too large for one, the next may work. */
const STEPS = [4e-3, 5e-4, 6e-5];

/** Smallest scale of a gradient, times the tolerance, since gradients may be 0 by symmetry, while differences of numbers of order 1 are not. */
const FLOOR = 1e-4;

/**
 * Compares gradients with central differences of sixth order,
 * f′(x) ≈ (45(f₊₁ − f₋₁) − 9(f₊₂ − f₋₂) + (f₊₃ − f₋₃))/(60h).
 *
 * @param f - the function
 * @param at - the point, by name
 * @param gradients - its gradients at the point; values without one are not perturbed
 * @returns a sentence about their agreement
 * @throws LatentFieldError if one disagrees, naming the value and its entry
 */
export function compareWithDifferences(
  f: (values: ParameterValues) => number,
  at: ParameterValues,
  gradients: Readonly<Record<string, ArrayLike<number>>>,
  { tolerance = 1e-7, entries = 30, seed = 1 }: DifferenceOptions = {},
): string {
  const random = seededRandom(seed);
  const value = f(at);
  finite([value], 'the value');
  let worst = 0;
  for (const [name, gradient] of Object.entries(gradients)) {
    finite(gradient, `the gradient in '${name}'`);
    const given = at[name]!;
    const origin = entriesOf(given);
    // Differences are limited by the rounding error of the value; sums that cancel in it are of order 1.
    const scale = Math.max(largest(gradient), 1e-5 * Math.abs(value), FLOOR);
    for (const i of chosen(origin.length, entries, random.integer)) {
      const along = (step: number) => f({ ...at, [name]: moved(given, i, origin[i]! + step) });
      const estimates = STEPS.map((step) => () => sixthOrder(along, step * sizeOf(origin, i, given)));
      const error = closest(gradient[i]!, estimates, tolerance * scale);
      if (error.distance > tolerance * scale) {
        throw new LatentFieldError(
          `the gradient in '${name}', entry ${i}, is ${gradient[i]}, but differences give ${error.estimate} (largest entry ${largest(gradient)})`,
        );
      }
      worst = Math.max(worst, error.distance / scale);
    }
  }
  return `largest error ${worst.toExponential(1)}, tolerance ${tolerance}`;
}

function sixthOrder(along: (step: number) => number, h: number): number {
  const odd = (k: number) => along(k * h) - along(-k * h);
  return (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
}

/** Closest estimate; the search ends at the first one that is close enough. */
function closest(
  gradient: number,
  estimates: (() => number)[],
  enough: number,
): { estimate: number; distance: number } {
  let best = { estimate: Number.NaN, distance: Infinity };
  for (const make of estimates) {
    const estimate = make();
    const distance = Math.abs(gradient - estimate);
    if (distance < best.distance || Number.isNaN(best.estimate)) best = { estimate, distance };
    if (best.distance <= enough) break;
  }
  return best;
}

/** Scale of an entry: its modulus for a parameter, the scale of all points for a coordinate. */
function sizeOf(entries: Float64Array, i: number, value: ParameterValue): number {
  const own = Math.abs(entries[i]!);
  return shapeOf(value).length === 2 || own === 0 ? largest(entries) / 3 || 1 : own;
}

function moved(value: ParameterValue, i: number, entry: number): ParameterValue {
  const entries = entriesOf(value);
  entries[i] = entry;
  return valueFrom(entries, shapeOf(value));
}

function chosen(size: number, most: number, integer: (below: number) => number): number[] {
  if (size <= most) return Array.from({ length: size }, (_, i) => i);
  const indices = new Set<number>();
  while (indices.size < most) indices.add(integer(size));
  return [...indices];
}

export type GradientCheckOptions = CheckOptions & DifferenceOptions;

/**
 * Checks the automatic gradient of a function against sixth-order central differences of its value.
 *
 * @param f - computes a scalar from tensors with the operations of `latentfield/ops`; the tensors are keyed like `values`
 * @param values - the point: numbers, lists (vectors) and matrices by name
 * @param options - `tolerance` (1e-7, relative to the largest entry of a gradient), `entries` (at most 30 per value), `seed`, `throws`
 * @returns a report with one check for the gradient
 * @throws ConformanceError if the gradient is wrong, not finite or missing, or tensors leak
 * @example
 * ```ts
 * checkGradient(({ x }) => op.sum(op.exp(x!)), { x: [0.1, -0.7] });
 * ```
 */
export function checkGradient(
  f: (values: TensorMap) => Scalar,
  values: GivenValues,
  options: GradientCheckOptions = {},
): ConformanceReport {
  namedOptions(options, 'checkGradient', { ...checkEntries, ...differenceEntries });
  const at = givenValues(values);
  return conformance('The function', options, [['gradient', () => gradientAgreement(f, at, options)]]);
}

/**
 * Compares the automatic gradients of f with differences.
 *
 * @throws LatentFieldError if they disagree
 */
export function gradientAgreement(
  f: (values: TensorMap) => Scalar,
  at: ParameterValues,
  options: DifferenceOptions,
): string {
  const names = Object.keys(at);
  const gradients = withFloat64(() => {
    const tensors = valueTensors(at);
    const { gradients } = valueAndGradients(
      () => f(tensors),
      names.map((name) => tensors[name]!),
    );
    return Object.fromEntries(names.map((name, i) => [name, gradients[i] ?? new Float64Array(tensors[name]!.size)]));
  });
  const value = (moved: ParameterValues) => withFloat64(() => op.valueOf(f(valueTensors(moved))));
  return compareWithDifferences(value, at, gradients, options);
}
