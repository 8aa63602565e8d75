import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { pipeFlow } from '../../src/data/index.ts';
import { add, bias, gplvm, rbf, white } from '../../src/index.ts';
import { openProblem } from '../../src/inference/fit/fitProblem.ts';
import { FLOAT64 } from '../../src/tensors/float64/index.ts';

it('value and gradient of the standard GP-LVM take at most 10 TensorFlow.js kernels', async () => {
  const { observations } = pipeFlow({ points: 30, seed: 1 });
  const model = gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias(), white()), priors: [] });
  const problem = openProblem(model, 0, 'wasm');
  const { kernels } = await tf.profile(() => {
    problem.compute(() => problem.objective(problem.start));
    return [];
  });
  problem.dispose();
  // The profiler also lists the scopes of operations with gradients of their own, which run no kernel themselves.
  const run = kernels.map(({ name }) => name).filter((name) => tf.getKernel(name, FLOAT64) !== undefined);
  expect(run.length).toBeLessThanOrEqual(10);
  // All the work on N×N matrices is in these three; the rest keep tensors for the way back, without a copy.
  expect(run.filter((name) => name !== 'Identity')).toEqual([
    'latentfield.RadialGramMatrix',
    'latentfield.GaussianLogDensityFromObservations',
    'latentfield.RadialGramMatrixGradient',
  ]);
});
