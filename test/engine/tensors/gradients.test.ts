import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { doublesOf } from '../../../src/engine/tensors/doubles.ts';
import { float64Backend, withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../src/engine/tensors/gradients.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import { engine, type Scalar } from '../../../src/engine/tensors/tensorflow.ts';

const state = () => [tf.memory().numTensors, float64Backend().memory64.liveBytes];

describe('valueAndGradients', () => {
  test('returns doubles', () => {
    const { value, gradients } = withFloat64(() => {
      const [x, y] = [op.tensor([0.1, 0.2]), op.scalar(0.3)];
      return valueAndGradients(() => op.sum(op.mul(op.square(x), y)), [x, y]);
    });
    expect(value).toBeCloseTo(0.015, 16);
    expect(gradients).toEqual([Float64Array.of(0.2 * 0.3, 0.4 * 0.3), Float64Array.of(0.1 * 0.1 + 0.2 * 0.2)]);
  });

  test('leaves undefined what receives no gradient', () => {
    const { gradients } = withFloat64(() => {
      const [x, y] = [op.tensor([1, 2]), op.tensor([3])];
      return valueAndGradients(() => op.sum(x), [x, y]);
    });
    expect(gradients).toEqual([Float64Array.of(1, 1), undefined]);
    const constant = withFloat64(() => valueAndGradients(() => op.scalar(4), [op.scalar(1)]));
    expect(constant).toEqual({ value: 4, values: Float64Array.of(4), gradients: [undefined] });
  });

  test('adds up gradients that are plain numbers and ones that are tensors, of several scalars', () => {
    const { value, gradients } = withFloat64(() => {
      const [x, precision] = [op.tensor([1, -1]), op.scalar(2)];
      const density = (points: typeof x) => op.normalLogDensity(points, precision);
      const scalars = () => [density(x), op.sum<Scalar>(op.square(x)), op.mul<Scalar>(2, density(op.mul(x, 2)))];
      return valueAndGradients(scalars, [x, precision]);
    });
    // log N(x; 0, 1/γ) = −γ/2·Σ x² + log(γ/2π) for two entries.
    expect(value).toBeCloseTo(-2 + 2 - 16 + 3 * Math.log(1 / Math.PI), 14);
    expect(gradients).toEqual([Float64Array.of(-16, 16), Float64Array.of(-7.5)]);
  });

  test('of TensorFlow.js itself reach through operations whose gradients are plain numbers', () => {
    const gradient = withFloat64(() => {
      const half = (x: tf.Tensor) =>
        op.mul<Scalar>(0.5, op.addScalars(op.normalLogDensity(x, op.scalar(2)), op.sum(x)));
      return doublesOf(tf.grad(half)(op.tensor([1, -1])));
    });
    expect(gradient).toEqual(Float64Array.of(-0.5, 1.5));
  });

  test('leaves no tensor behind, even after errors', () => {
    withFloat64(() => {
      const x = op.tensor([
        [1, 2],
        [3, 4],
      ]);
      op.addDiagonal(x as tf.Tensor2D, op.scalar(1)).dispose();
      const before = state();
      const deep = () => op.sum(op.exp(op.matMul(op.sin(x), op.square(x))));
      const failures: [() => unknown, RegExp][] = [
        // Forward: an exception of the caller's, one of a kernel, and one of an operation, each under a filled tape.
        [
          () => {
            deep();
            throw new RangeError('of the caller');
          },
          /of the caller/,
        ],
        [() => op.gather(op.square(x), [7]), /Index 7/],
        [() => op.add(op.square(x), op.zeros([3])), /broadcast/],
        // Backward: no gradient is known.
        [
          () => (tf.engine().runKernel('latentfield.Trace', { k: op.exp(x) }) as Scalar[])[0],
          /latentfield.Trace has no gradient/,
        ],
        // After: not a number.
        [() => op.square(x), /returned a tensor of shape \[2,2\]/],
      ];
      for (const [f, message] of failures) {
        expect(() => valueAndGradients(f as () => Scalar, [x])).toThrow(message);
        expect(state()).toEqual(before);
        expect(engine().state.activeTape).toBeNull();
        expect(engine().state.gradientDepth).toBe(0);
      }
      valueAndGradients(deep as () => Scalar, [x]);
      expect(state()).toEqual(before);
    });
  });

  test('refuses a function that is not one number', () => {
    withFloat64(() => {
      const x = op.tensor([1, 2]);
      expect(() => valueAndGradients(() => op.square(x) as unknown as Scalar, [x])).toThrow(InvalidInputError);
    });
  });

  test('leaves the tape of an outer differentiation alone when it fails inside', async () => {
    await tf.setBackend('cpu');
    const before = tf.memory().numTensors;
    const f = (x: Scalar) => {
      const y = tf.square(x);
      expect(() =>
        valueAndGradients(() => {
          throw new RangeError('inside');
        }, [x]),
      ).toThrow(RangeError);
      return tf.mul(y, x) as Scalar;
    };
    const gradient = tf.tidy(
      () =>
        tf
          .grad(f as never)(tf.scalar(2))
          .dataSync()[0]! as never,
    ) as unknown as number;
    expect(gradient).toBe(12);
    expect(tf.memory().numTensors).toBe(before);
  });
});
