import * as tf from '@tensorflow/tfjs-core';
import { expect, test, vi } from 'vitest';

const Y = Array.from({ length: 8 }, (_, i) => [Math.sin(i), Math.cos(1.3 * i) + i / 9]);

/** A copy of the library, as a second package in the same program would load it. */
async function copy() {
  vi.resetModules();
  const { samplePosterior } = await import('../../../../src/inference/sampling/draw.ts');
  const { fit } = await import('../../../../src/inference/fit/fit.ts');
  const { gplvm } = await import('../../../../src/models/gp/gplvm.ts');
  const op = await import('../../../../src/engine/tensors/ops.ts');
  return { samplePosterior, fit, gplvm, op };
}

type Copy = Awaited<ReturnType<typeof copy>>;

async function results({ samplePosterior, fit, gplvm }: Copy) {
  const model = gplvm(Y, { latentDim: 1 });
  const draws = await samplePosterior(model, { chains: 1, draws: 5, warmup: 5, seed: 1, priors: 'weak' });
  return [
    (await fit(model, { maxIterations: 5 })).objective,
    ...Object.values(draws.values).flatMap((values) => [...values]),
  ];
}

test('two copies of the library that share TensorFlow.js give the results of one, in any order and without a warning', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const first = await copy();
  const alone = await results(first);
  const second = await copy();
  expect(await results(second)).toEqual(alone);
  expect(await results(first)).toEqual(alone);
  expect(await results(second)).toEqual(alone);
  const slope = ({ op }: Copy) =>
    tf
      .grad((x) => op.lgamma(op.erf(x)))(tf.scalar(0.5))
      .dataSync()[0];
  expect(slope(second)).toBe(slope(first));
  // TensorFlow.js greets once, when its own backend is used.
  expect(warned.mock.calls.filter(([message]) => !String(message).includes('Hi, looks like'))).toEqual([]);
});
