import { expect, it } from 'vitest';
import { doublesOf } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { Matrix, standardNormal } from '../../src/index.ts';
import { expectClose } from '../tolerance.ts';
import { contextOf } from './priorDensity.ts';

const rows = [
  [0.3, -1.2, 2],
  [1.1, 0, -0.4],
];
const precision = 1.7;
/** log N(x | 0, I/γ) of a row. */
const logDensityOf = (row: readonly number[], gamma = precision) =>
  row.reduce((sum, x) => sum - (gamma * x * x) / 2 + Math.log(gamma / (2 * Math.PI)) / 2, 0);
const whole = (gamma: number) => rows.reduce((sum, row) => sum + logDensityOf(row, gamma), 0);

it('the standard normal prior is the closed form, with gradients in latents and precision', () => {
  withFloat64(() => {
    const X = op.tensor<Tensor2D>(Float64Array.from(rows.flat()), [2, 3]);
    const gamma = op.scalar(precision);
    const { value, gradients } = valueAndGradients(() => op.normalLogDensity(X, gamma) as Scalar, [X, gamma]);
    expect(value).toBeCloseTo(whole(precision), 12);
    expectClose(
      gradients[0]!,
      rows.flat().map((x) => -precision * x),
      1e-13,
    );
    const h = 1e-5;
    expect(gradients[1]![0]).toBeCloseTo((whole(precision + h) - whole(precision - h)) / (2 * h), 8);
  });
});

it('the density of each point is the density of its row', () => {
  withFloat64(() => {
    const X = op.tensor<Tensor2D>(Float64Array.from(rows.flat()), [2, 3]);
    const prior = standardNormal();
    const fitted = { value: X, given: [] };
    const context = contextOf(prior, Matrix.from(rows), 3);
    const own = prior.condition!({ precision: op.scalar(precision) }, fitted, context).logPredictive!(fitted);
    expectClose(
      doublesOf(own),
      rows.map((row) => logDensityOf(row)),
      1e-13,
    );
  });
});
