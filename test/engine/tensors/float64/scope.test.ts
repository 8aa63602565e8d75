import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, test } from 'vitest';
import { InvalidInputError, NumericalError } from '../../../../src/core/errors.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { float64Backend, withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { writeGuard } from '../../../../src/engine/tensors/float64/writeGuard.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import { engine, type Tensor } from '../../../../src/engine/tensors/tensorflow.ts';

setWasmPaths(`${process.cwd()}/node_modules/@tensorflow/tfjs-backend-wasm/dist/`);

describe('write guard', () => {
  afterEach(() => {
    writeGuard.strict = true;
  });

  test('stops numbers that were rounded to float32 on their way in', () => {
    const refused = (work: () => unknown) => expect(() => withFloat64(() => void work())).toThrow(NumericalError);
    refused(() => tf.scalar(0.1));
    refused(() => tf.tensor([1, 2 / 3]));
    refused(() => tf.mul(op.tensor([1, 2]), 0.1));
    refused(() => tf.tensor([1, 1e-7]));
  });

  test('lets exact numbers, integers and truth values pass', () => {
    withFloat64(() => {
      expect([...doublesOf(tf.tensor([0.5, -3, 2 ** -16, 2 ** 24, Number.POSITIVE_INFINITY, Number.NaN]))]).toEqual([
        0.5,
        -3,
        2 ** -16,
        2 ** 24,
        Number.POSITIVE_INFINITY,
        Number.NaN,
      ]);
      expect([...doublesOf(tf.tensor([7, 1e6], [2], 'int32'))]).toEqual([7, 1e6]);
      expect([...doublesOf(op.tensor([0.1]))]).toEqual([0.1]);
    });
  });

  test('is off unless it is turned on', () => {
    writeGuard.strict = false;
    expect(withFloat64(() => doublesOf(tf.scalar(0.1))[0])).toBe(Math.fround(0.1));
  });
});

describe.each(['cpu', 'wasm'])('next to the %s backend', (name) => {
  test('a float64 tensor can be used there, rounded, and come back', async () => {
    await tf.setBackend(name);
    await tf.ready();
    const values = [0.1, -2 / 3, 1e5 / 7];
    const x = tf.keep(withFloat64(() => tf.keep(op.tensor(values))));
    const doubled: Tensor = tf.add(x, x);
    expect([...doubled.dataSync()]).toEqual(values.map((v) => Math.fround(2 * Math.fround(v))));
    const back = withFloat64(() => doublesOf(tf.square(x)));
    expect([...back]).toEqual(values.map((v) => Math.fround(v) ** 2));
    expect([...x.dataSync()]).toEqual(values.map(Math.fround));
    const flags = withFloat64(() => tf.keep(tf.greater(x, 0)));
    const counts = withFloat64(() => tf.keep(tf.cast(flags, 'int32')));
    expect([...tf.logicalNot(flags).dataSync()]).toEqual([0, 1, 0]);
    expect([...tf.add(counts, counts).dataSync()]).toEqual([2, 0, 2]);
    tf.dispose([x, doubled, flags, counts]);
  });

  test('reading a float64 tensor while the other backend is active keeps every digit', async () => {
    await tf.setBackend(name);
    const x = withFloat64(() => tf.keep(op.tensor([0.1, 1 / 3])));
    expect([...doublesOf(x)]).toEqual([0.1, 1 / 3]);
    expect([...x.dataSync()]).toEqual([Math.fround(0.1), Math.fround(1 / 3)]);
    expect([...(await x.data())]).toEqual([Math.fround(0.1), Math.fround(1 / 3)]);
    x.dispose();
  });

  test('tensors of the other backend come in through every input of a kernel', async () => {
    await tf.setBackend(name);
    const [a, b, c] = [tf.tensor([1, 2, 3]), tf.tensor([4, 5, 6]), tf.tensor([1, 0, 1], [3], 'bool')];
    const [sum, picked, joined] = withFloat64(() => [
      doublesOf(tf.add(tf.add(a, b), a)),
      doublesOf(tf.where(c, a, b)),
      doublesOf(tf.concat([a, b])),
    ]);
    expect([...sum!]).toEqual([6, 9, 12]);
    expect([...picked!]).toEqual([1, 5, 3]);
    expect([...joined!]).toEqual([1, 2, 3, 4, 5, 6]);
    tf.dispose([a, b, c]);
  });

  test('withFloat64 puts it back, also after an exception', async () => {
    await tf.setBackend(name);
    const before = { name: tf.getBackend(), instance: tf.backend(), tensors: tf.memory().numTensors };
    withFloat64(() => {
      expect(tf.getBackend()).toBe('float64');
      withFloat64(() => tf.ones([3]));
      expect(tf.getBackend()).toBe('float64');
    });
    expect(() =>
      withFloat64(() => {
        tf.ones([3]);
        throw new RangeError('inside');
      }),
    ).toThrow(RangeError);
    expect({ name: tf.getBackend(), instance: tf.backend(), tensors: tf.memory().numTensors }).toEqual(before);
  });
});

test('an operation that the backend lacks is named, with its replacement', () => {
  const { runKernel } = tf.engine();
  const run = () => withFloat64(() => tf.cumsum(tf.ones([3])));
  expect(run).toThrow(InvalidInputError);
  expect(run).toThrow("Cumsum is not available in double precision. Use the operations of 'latentfield/ops'");
  expect(tf.engine().runKernel).toBe(runKernel);
});

test('a backend that was never chosen stays unchosen', () => {
  const active = engine();
  const { backendName, backendInstance, pendingBackendInit } = active;
  Object.assign(active, { backendName: undefined, backendInstance: undefined, pendingBackendInit: undefined });
  try {
    expect(withFloat64(() => op.valueOf(op.add(0.1, 0.2)))).toBe(0.1 + 0.2);
    expect(active.backendName).toBeUndefined();
    expect(active.backendInstance).toBeUndefined();
  } finally {
    Object.assign(active, { backendName, backendInstance, pendingBackendInit });
  }
});

test('a backend that is still starting continues to start', async () => {
  await tf.setBackend('cpu');
  const factory = tf.findBackendFactory('wasm');
  tf.removeBackend('wasm');
  tf.registerBackend('wasm', factory, 2);
  const starting = tf.setBackend('wasm');
  expect(engine().pendingBackendInit).toBeInstanceOf(Promise);
  expect(withFloat64(() => op.valueOf(op.mul(0.1, 3)))).toBe(0.1 * 3);
  expect(await starting).toBe(true);
  expect(tf.getBackend()).toBe('wasm');
  const sum = tf.add([1, 2], 1);
  expect([...sum.dataSync()]).toEqual([2, 3]);
  sum.dispose();
  await tf.setBackend('cpu');
});

test('the result of withFloat64 is kept by the caller’s scope only on request', () => {
  const tensors = tf.memory().numTensors;
  const disposed = withFloat64(() => op.tensor([1]));
  expect(disposed.isDisposed).toBe(true);
  expect(tf.memory().numTensors).toBe(tensors);
  expect(float64Backend()).toBe(float64Backend());
});
