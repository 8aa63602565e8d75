import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NumericalError } from '../../../../src/core/errors.ts';
import { float64Backend, withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import { engine, type Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { fit } from '../../../../src/inference/index.ts';
import { evaluate } from '../../../../src/model/open.ts';
import { gplvm } from '../../../../src/models/index.ts';

const Y = [
  [0, 1],
  [2, 1.5],
  [1, -1],
  [3, 0.5],
];
const model = gplvm(Y, { latentDim: 1 });

describe('before any backend was chosen', () => {
  // Expected while the debug mode is off, by the same code that every other test holds to its oracle.
  const expected = evaluate(model);

  afterEach(() => {
    vi.restoreAllMocks();
    tf.env().set('DEBUG', false);
  });

  test('a fit and an evaluation work in the debug mode of TensorFlow.js, and choose none', async () => {
    expect(engine().backendInstance).toBeFalsy();
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    tf.enableDebugMode();
    expect(evaluate(model)).toEqual(expected);
    const { objective } = await fit(model, { maxIterations: 3 });
    expect(objective).toBeGreaterThan(expected.objective);
    await new Promise((resume) => setTimeout(resume));
    expect(logged.mock.calls.some(([line]) => String(line).includes('GaussianLogDensity'))).toBe(true);
    expect(engine().backendInstance).toBeFalsy();
  });

  test('a kernel that throws in the debug mode throws the same error', () => {
    vi.spyOn(console, 'log').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    tf.enableDebugMode();
    const indefinite = [1, 2, 2, 1];
    expect(() => withFloat64(() => void op.cholesky(op.tensor(indefinite, [2, 2]) as Tensor2D))).toThrow(
      NumericalError,
    );
  });

  test('tf.profile sees the kernels of an evaluation', async () => {
    const { kernelNames } = await tf.profile(() => void evaluate(model));
    expect(kernelNames).toContain('latentfield.RadialGaussianLogDensity');
  });
});

test('a backend that somebody removed comes back without a warning', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const before = evaluate(model);
  const removed = float64Backend();
  tf.removeBackend('float64');
  expect(evaluate(model)).toEqual(before);
  expect((await fit(model, { maxIterations: 2 })).objective).toBeGreaterThan(before.objective);
  expect(float64Backend()).not.toBe(removed);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
