import { createRequire } from 'node:module';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../src/engine/tensors/gradients.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import { defineKernel, evaluate, fit, gplvm, seededRandom } from '../../../src/index.ts';

const require = createRequire(import.meta.url);

/** The modules of a package evaluated once more, as another copy of it in node_modules would be. */
function loadedAgain(name: string): typeof tf {
  for (const path of Object.keys(require.cache)) if (path.includes('/@tensorflow/')) delete require.cache[path];
  return require(name);
}

const random = seededRandom(5);
const Y = Array.from({ length: 12 }, () => Array.from({ length: 3 }, () => random.normal()));

describe('another copy of TensorFlow.js in the same program', () => {
  const copy = loadedAgain('@tensorflow/tfjs-core');
  const kernelOf = (exp: typeof tf.exp, neg: typeof tf.neg, mul: typeof tf.mul) =>
    defineKernel({
      name: 'squaredExponential',
      parameters: { variance: 1 },
      covariance: (p, A, B) => mul(p.variance, exp(neg(op.squaredDistances(A, B)))) as tf.Tensor2D,
    })();

  it('joins the same engine and tape: own parts written with it have the same objective and gradients, bit for bit', () => {
    expect(copy.exp).not.toBe(tf.exp);
    expect(copy.engine()).toBe(tf.engine());
    const before = tf.memory().numTensors;
    const own = evaluate(gplvm(Y, { latentDim: 2, kernel: kernelOf(copy.exp, copy.neg, copy.mul) }));
    expect(own).toEqual(evaluate(gplvm(Y, { latentDim: 2, kernel: kernelOf(tf.exp, tf.neg, tf.mul) })));
    expect(tf.memory().numTensors).toBe(before);
  });

  it('hands in its tensors as observations, and has its own backends and gradients', async () => {
    await copy.setBackend('cpu');
    const tensor = copy.tensor2d([1, 2, 3, 4, 5, 6.5, 7, 8.25], [4, 2]);
    const fromTensor = await fit(gplvm(tensor, { latentDim: 1 }), { maxIterations: 3 });
    const fromRows = await fit(gplvm(tensor.arraySync(), { latentDim: 1 }), { maxIterations: 3 });
    expect(fromTensor.objective).toBe(fromRows.objective);
    expect(copy.getBackend()).toBe('cpu');
    expect(
      Array.from(
        copy
          .grad((x: tf.Tensor) => copy.square(x))(tensor)
          .dataSync(),
      ),
    ).toEqual([2, 4, 6, 8, 10, 13, 14, 16.5]);
  });
});

it('the whole of TensorFlow.js, loaded later, does not put its gradients in place of those on doubles', () => {
  const gradient = () =>
    withFloat64(() => {
      const [x, y] = [op.tensor([[1, 2, 4]]), op.tensor([[0], [5]])];
      return valueAndGradients(() => op.sum(op.squaredDifference(x, y)), [x, y]).gradients.map((g) => Array.from(g!));
    });
  const expected = [
    [-6, -2, 6],
    [-14, 16],
  ];
  expect(gradient()).toEqual(expected);
  loadedAgain('@tensorflow/tfjs');
  expect(gradient()).toEqual(expected);
  expect(evaluate(gplvm(Y, { latentDim: 2 })).objective).toBeLessThan(0);
});
