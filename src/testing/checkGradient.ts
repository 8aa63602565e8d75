import { namedOptions } from '../core/options.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar } from '../engine/tensors/tensorflow.ts';
import { type GivenValues, givenValues } from '../model/evaluate.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { compareWithDifferences, type DifferenceOptions } from './differences.ts';
import { type CheckOptions, type ConformanceReport, conformance } from './report.ts';

export type GradientCheckOptions = CheckOptions & DifferenceOptions;

/**
 * Checks the automatic gradient of a function against sixth-order central differences of its value.
 *
 * @param f - makes a scalar from tensors with the operations of `latentfield/ops`; the tensors have the names of `values`
 * @param values - the point: numbers, lists (vectors) and matrices by name
 * @param options - `tolerance` (1e-7, of the largest entry of a gradient), `entries` (30 of each value at most), `seed`, `throws`
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
  namedOptions(options, 'checkGradient', ['throws', 'seed', 'tolerance', 'entries']);
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
