import * as tf from '@tensorflow/tfjs';
import { afterEach, describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import { covariance, defineKernel, evaluate, fit, gplvm, loadFit, rbf, seededRandom } from '../../src/index.ts';

const random = seededRandom(5);
const Y = Array.from({ length: 15 }, () => Array.from({ length: 4 }, () => random.normal()));
const model = () => gplvm(Y, { latentDim: 2 });

/** One gradient step of a user's own float32 model. */
function ownStep(weights: tf.Variable): number {
  return tf.tidy(() => {
    const x = tf.tensor2d([1, 2, 3, 4, 5, 6], [3, 2]);
    const loss = () => tf.mean(tf.square(tf.sub(tf.matMul(x, weights as unknown as tf.Tensor2D), 1))) as tf.Scalar;
    const { value, grads } = tf.variableGrads(loss, [weights]);
    weights.assign(tf.sub(weights, tf.mul(0.01, grads[weights.name]!)));
    return value.dataSync()[0]!;
  });
}

afterEach(() => tf.disposeVariables());

describe("the caller's own use of TensorFlow.js", () => {
  it('continues before, during and after a fit as if there were none', async () => {
    await tf.setBackend('cpu');
    const alone = tf.variable(tf.ones([2, 1]));
    const losses = Array.from({ length: 12 }, () => ownStep(alone));

    const beside = tf.variable(tf.ones([2, 1]));
    const seen = [ownStep(beside), ownStep(beside)];
    await fit(model(), {
      maxIterations: 20,
      onProgress: () => {
        expect(tf.getBackend()).toBe('cpu');
        if (seen.length < 10) seen.push(ownStep(beside));
      },
    });
    expect(tf.getBackend()).toBe('cpu');
    seen.push(ownStep(beside), ownStep(beside));
    expect(seen).toEqual(losses);
    expect(beside.dataSync()).toBeInstanceOf(Float32Array);
  });

  it('may hand in float32 tensors as observations', async () => {
    await tf.setBackend('cpu');
    const tensor = tf.tensor2d([1, 2, 3, 4, 5, 6.5, 7, 8.25], [4, 2]);
    const fromTensor = await fit(gplvm(tensor, { latentDim: 1 }), { maxIterations: 3 });
    const fromRows = await fit(gplvm(tensor.arraySync(), { latentDim: 1 }), { maxIterations: 3 });
    tensor.dispose();
    expect(fromTensor.objective).toBe(fromRows.objective);
  });

  it('finds the same number of tensors after every public call, failed and aborted ones too', async () => {
    await tf.setBackend('cpu');
    const broken = defineKernel({
      name: 'broken',
      parameters: { variance: 1 },
      covariance: (p, A, B) => {
        if (++calls > 3) throw new TypeError('a bug of the user');
        return op.mul(p.variance, op.exp(op.neg(op.squaredDistances(A, B)))) as tf.Tensor2D;
      },
    });
    let calls = 0;
    const before = tf.memory().numTensors;
    const unchanged = () => expect(tf.memory().numTensors).toBe(before);

    evaluate(model());
    unchanged();
    covariance(rbf(), Y);
    unchanged();
    const result = await fit(model(), { maxIterations: 5 });
    unchanged();
    result.predict([[0, 0]], { noise: true });
    unchanged();
    loadFit(JSON.parse(JSON.stringify(result))).predict([[0, 0]]);
    unchanged();
    expect(() => evaluate(model(), { 'mapping.noise': -1 })).toThrow();
    unchanged();
    await expect(fit(gplvm(Y, { latentDim: 2, kernel: broken() }))).rejects.toThrow('a bug of the user');
    unchanged();
    const controller = new AbortController();
    const aborted = await fit(model(), {
      signal: controller.signal,
      onProgress: ({ iteration }) => {
        if (iteration === 3) controller.abort();
      },
    });
    unchanged();
    expect(aborted.status).toBe('stopped');
    expect(aborted.diagnostics.iterations).toBe(3);
  });

  it('finds them after its own differentiation or operation failed inside a kernel', async () => {
    await tf.setBackend('cpu');
    const insideOwnGradient = defineKernel({
      name: 'inside',
      parameters: {},
      covariance: (_, A) => {
        const failing = (x: tf.Tensor) => {
          tf.exp(x);
          throw new TypeError('a bug of the user');
        };
        return tf.grad(failing)(A) as tf.Tensor2D;
      },
    });
    const afterSaving = defineKernel({
      name: 'saving',
      parameters: {},
      covariance: (_, A) =>
        tf.customGrad((...args: unknown[]) => {
          const [x, save] = args as [tf.Tensor, tf.GradSaveFunc];
          save([tf.exp(x)]);
          throw new TypeError('a bug of the user');
        })(A) as tf.Tensor2D,
    });
    const before = tf.memory().numTensors;
    for (const kernel of [insideOwnGradient(), afterSaving()]) {
      expect(() => covariance(kernel, Y)).toThrow('a bug of the user');
      expect(() => evaluate(gplvm(Y, { latentDim: 2, kernel }))).toThrow('a bug of the user');
      await expect(fit(gplvm(Y, { latentDim: 2, kernel }))).rejects.toThrow('a bug of the user');
      expect(tf.memory().numTensors).toBe(before);
    }
  });
});
