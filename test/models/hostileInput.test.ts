import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar } from '../../src/engine/tensors/tensorflow.ts';
import {
  alle,
  fit,
  gplvm,
  InvalidInputError,
  LatentFieldError,
  lbfgs,
  lbfgsb,
  llGplvm,
  Matrix,
  type MatrixLike,
  minimize,
  mpme,
  pca,
  scg,
  tsneGplvm,
} from '../../src/index.ts';
import { real } from '../../src/model/parameter.ts';
import { isAtNoiseFloor } from '../../src/models/index.ts';
import { densityModel } from '../inference/densityModel.ts';

const refusing = (what: object) =>
  new Proxy(what, {
    get: () => {
      throw new TypeError('nobody looks in here');
    },
  });
const disposed = () => {
  const tensor = tf.tensor2d([
    [1, 2],
    [3, 5],
  ]);
  tensor.dispose();
  return tensor;
};

describe('unreadable input is an error that reports it', () => {
  const rows = [
    [1, 2],
    [3, 5],
    [2, 2],
  ];
  const hostile: [string, () => unknown, RegExp][] = [
    ['a disposed tensor', disposed, /is a tensor that has been disposed/],
    ['a list that throws', () => refusing([]), /cannot be read: nobody looks in here/],
    ['an object that throws', () => refusing({}), /cannot be read/],
    ['a row that throws', () => [[1, 2], refusing([])], /cannot be read: nobody looks in here/],
    ['a length of −1', () => ({ length: -1 }), /must be an array of rows, a Matrix or a Tensor2D/],
    ['a row of length −1', () => [{ length: -1 }], /row index 0 is an object/],
    [
      'a matrix that was tampered with',
      () => Object.assign(Matrix.from(rows), { data: refusing([]) }),
      /cannot be read/,
    ],
  ];

  it.each(hostile)('in models: %s', (_, make, message) => {
    for (const model of [pca, gplvm, mpme, alle]) {
      const call = () => (model as (Y: MatrixLike, options: object) => unknown)(make() as MatrixLike, { latentDim: 1 });
      expect(call).toThrow(InvalidInputError);
      expect(call).toThrow(message);
    }
  });

  it('in new rows of a fit, in kernels and in isAtNoiseFloor', async () => {
    const result = await fit(gplvm(rows, { latentDim: 1 }), { maxIterations: 1 });
    await expect(result.project(refusing({}) as never)).rejects.toThrow(/cannot be read: nobody looks in here/);
    expect(() => result.sample(refusing({}) as never)).toThrow(/cannot be read: nobody looks in here/);
    for (const model of [tsneGplvm, llGplvm]) {
      expect(() => model(rows, { latentDim: 1, kernel: 'rbf' as never })).toThrow(InvalidInputError);
    }
    for (const given of [undefined, null, [1, 2, 3]]) {
      expect(() => isAtNoiseFloor(given as never)).toThrow(/isAtNoiseFloor takes a fit/);
    }
  });

  it.each<[string, unknown, RegExp]>([
    ['a length of −1', { length: -1 }, /start must be an array of numbers/],
    ['a length without end', { length: Number.POSITIVE_INFINITY }, /start must be an array of numbers/],
    ['an array that throws', refusing([]), /start/],
  ])('in minimize: %s', (_, start, message) => {
    const call = () => minimize((x) => ({ value: x[0]! ** 2, gradient: [2 * x[0]!] }), start as number[], lbfgs());
    expect(call).toThrow(InvalidInputError);
    expect(call).toThrow(message);
  });
});

describe('an objective without a bound', () => {
  const parabola = (x: Float64Array) => ({ value: -(x[0]! ** 2), gradient: [-2 * x[0]!] });
  const exponential = (x: Float64Array) => ({ value: -Math.exp(x[0]!), gradient: [-Math.exp(x[0]!)] });

  it.each([
    ['lbfgs', lbfgs(), exponential],
    ['lbfgsb', lbfgsb(), exponential],
    ['scg', scg(), parabola],
  ])('has not converged at the largest numbers there are: %s', (_, solver, objective) => {
    const { status, message, value } = minimize(objective, [1], solver);
    expect(value).toBeLessThan(-1e307);
    expect(status).toBe('failed');
    expect(message).toMatch(/^Failed: the objective has no bound\. Give the variables bounds, or priors/);
  });

  it('fails the fit of a model too', async () => {
    const endless = densityModel(
      { latents: real(Matrix.from([[1, 2]])) },
      ({ latents }) => op.sum(op.exp(latents!)) as Scalar,
    );
    const { status, message } = await fit(endless);
    expect(status).toBe('failed');
    expect(message).toMatch(/^Failed: the objective has no bound/);
  });

  it('is not what one of large numbers is', () => {
    const solution = minimize((x) => ({ value: 1e300 * (x[0]! ** 2 - 3), gradient: [2e300 * x[0]!] }), [0], lbfgs());
    expect([solution.status, solution.value]).toEqual(['converged', -3e300]);
  });
});

describe('messages', () => {
  it('name the parameter whose bounds a solver cannot keep to', async () => {
    const field = mpme(
      [
        [0, 1],
        [2, 3],
        [4, 4],
        [5, 1],
      ],
      { slackPenalty: 1 },
    );
    await expect(fit(field, { solver: scg() })).rejects.toThrow(
      /^scg cannot keep to bounds, but 'field\.weights' is bounded to \[0, 4\]\. Use lbfgsb\(\)/,
    );
  });

  it('stay below 500 characters, for any input, and keep the remedy', () => {
    const long = 'x'.repeat(4000);
    const { message } = new LatentFieldError(`There is no column '${long}'. Choose another one.`);
    expect(message.length).toBeLessThan(500);
    expect(message).toMatch(/^There is no column 'x+ … x+'\. Choose another one\.$/);
    const refused = () =>
      gplvm(
        [
          [1, 2],
          [3, 4],
        ],
        { latentDim: 1, [long]: 1 } as never,
      );
    expect(refused).toThrow(InvalidInputError);
    expect(refused).toThrow(/^.{20,499}$/s);
  });
});
