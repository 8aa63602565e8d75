import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../../src/core/errors.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';

const halving: op.RadialProfile = {
  name: 'halving',
  value: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!);
  },
  slope: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2;
  },
};
const points = () =>
  op.tensor<Tensor2D>([
    [1, 2],
    [3, 5],
    [4, 4],
  ]);
const others = () => op.tensor<Tensor2D>([[0, 1]]);
const square = () => op.gramMatrix(points());
const one = () => op.scalar(1);

/** Every scalar argument of an operation: [operation, argument, the operation as a function of it alone]. */
/** A Gram matrix whose parameters are 1 but for those given. */
const gramWith = (given: Partial<op.RadialGramParameters>, X = points()) =>
  op.radialGramMatrix(X, halving, { variance: one(), lengthscale: one(), bias: one(), noise: one(), ...given });

const uses: [string, string, (x: Tensor) => Tensor][] = [
  ['addDiagonal', 'v', (x) => op.addDiagonal(square(), x)],
  ['addScalars', 'term 0', (x) => op.addScalars(x, one())],
  ['addScalars', 'term 1', (x) => op.addScalars(one(), x)],
  ['normalLogDensity', 'precision', (x) => op.normalLogDensity(points(), x)],
  ['radialCovariance', 'variance', (x) => op.radialCovariance(points(), others(), x, halving)],
  [
    'radialCovariance',
    'variance',
    (x) => {
      const same = points();
      return op.radialCovariance(same, same, x, halving);
    },
  ],
  ['radialGramMatrix', 'variance', (x) => gramWith({ variance: x })],
  ['radialGramMatrix', 'bias', (x) => gramWith({ bias: x })],
  ['radialGramMatrix', 'noise', (x) => gramWith({ noise: x })],
  ['radialGramMatrix', 'lengthscale', (x) => gramWith({ lengthscale: x })],
  [
    'symmetricBasisLogDensity',
    'noise',
    (x) => op.symmetricBasisLogDensity(square(), op.ones([3, 1]), x, op.ones([3, 1])),
  ],
];

describe.each(uses)('%s, %s', (operation, argument, apply) => {
  const given = (make: () => Tensor) => withFloat64(() => [...doublesOf(apply(make()))]);
  const slope = (make: () => Tensor) =>
    withFloat64(() => {
      const x = make();
      return valueAndGradients(() => op.sum(apply(x)) as Scalar, [x]).gradients[0];
    });

  it('is one number, for any rank and type', () => {
    const expected = given(() => op.scalar(3));
    expect(given(() => op.tensor([3]))).toEqual(expected);
    expect(given(() => op.tensor([[3]]))).toEqual(expected);
    expect(given(() => tf.scalar(3, 'int32'))).toEqual(expected);
    expect(slope(() => op.tensor([[3]]))).toEqual(slope(() => op.scalar(3)));
  });

  it('is nothing else', () => {
    const wrong: [() => unknown, string][] = [
      [() => op.tensor([1, 2, 3]), 'a tensor of type float32 and shape [3]'],
      [() => op.tensor([]), 'a tensor of type float32 and shape [0]'],
      [() => tf.scalar(true, 'bool'), 'a tensor of type bool and shape []'],
      [() => 2, '2'],
      [() => undefined, 'undefined'],
    ];
    for (const [make, name] of wrong) {
      const attempt = () => withFloat64(() => apply(make() as Tensor));
      expect(attempt).toThrow(InvalidInputError);
      expect(attempt).toThrow(new RegExp(`^${operation} needs a numeric tensor of one entry`));
      expect(attempt).toThrow(`as ${argument}, but ${name} was given.`);
    }
  });
});

it('radialGramMatrix explains points that are not a matrix, and invalid lengthscales', () => {
  const gram = (X: Tensor, l: Tensor) => gramWith({ lengthscale: l }, X as Tensor2D);
  expect(() => withFloat64(() => gram(op.tensor([1, 2, 3]), one()))).toThrow(
    'radialGramMatrix needs a numeric tensor of rank 2 as X, but a tensor of type float32 and shape [3] was given.',
  );
  expect(() => withFloat64(() => gram(points(), op.tensor([1, 2, 3])))).toThrow(
    'needs a numeric tensor of one entry or of 2, one for each column of X, as lengthscale, but a tensor of type float32 and ' +
      'shape [3] was given.',
  );
});
