import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { FLOAT64 } from '../../src/engine/tensors/float64/backend.ts';
import {
  add,
  bias,
  gamma,
  gplvm,
  halfNormal,
  inverseGamma,
  logNormal,
  type Matrix,
  type Model,
  positive,
  rbf,
  white,
} from '../../src/index.ts';
import { openProblem } from '../../src/inference/fit/fitProblem.ts';

const { observations } = pipeFlow({ points: 30, seed: 1 });

/** What TensorFlow.js runs for one evaluation of value and gradient: operations with gradients of their own, and kernels. */
async function operationsOf(model: Model) {
  const problem = openProblem(model, { seed: 0, engine: 'wasm' });
  const { kernels } = await tf.profile(() => {
    problem.compute(() => problem.objective(problem.start));
    return [];
  });
  problem.dispose();
  const names = kernels.map(({ name }) => name);
  return { all: names, kernels: names.filter((name) => tf.getKernel(name, FLOAT64) !== undefined) };
}

describe('value and gradient of the standard GP-LVM', () => {
  it('use one TensorFlow.js kernel without a prior, and no copy of the stored values', async () => {
    const model = gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias(), white()), priors: [] });
    const { kernels } = await operationsOf(model);
    expect(kernels).toEqual(['latentfield.RadialGaussianLogDensity']);
  });

  it('use at most 5 TensorFlow.js operations with the default prior, operations with custom gradients included', async () => {
    const { all } = await operationsOf(gplvm(observations, { latentDim: 2 }));
    expect(all.length).toBeLessThanOrEqual(5);
  });

  it('take operations on few numbers for priors on its parameters, as many for twice the points', async () => {
    const priors = [
      logNormal({ mean: 0, deviation: 1 }),
      gamma({ shape: 2, rate: positive(1, { prior: halfNormal({ scale: 1 }) }) }),
      inverseGamma({ shape: 3, scale: 2 }),
    ] as const;
    const kernel = (with_: boolean) =>
      add(
        rbf({
          variance: positive(1, with_ ? { prior: priors[0] } : {}),
          lengthscale: positive([1, 2], with_ ? { prior: priors[1] } : {}),
        }),
        bias(),
      );
    const noise = (with_: boolean) => positive(0.1, with_ ? { prior: priors[2] } : {});
    const model = (Y: Matrix, with_: boolean) => gplvm(Y, { latentDim: 2, kernel: kernel(with_), noise: noise(with_) });
    const added = async (Y: Matrix) => {
      const [plain, hierarchical] = [await operationsOf(model(Y, false)), await operationsOf(model(Y, true))];
      expect(hierarchical.all.slice(0, plain.all.length)).toEqual(plain.all);
      return hierarchical.all.slice(plain.all.length);
    };
    const few = await added(observations);
    expect(few).toEqual(await added(pipeFlow({ points: 60, seed: 1 }).observations));
    expect(few.filter((name) => name.startsWith('latentfield.'))).toEqual([]);
    expect(few.length).toBeLessThanOrEqual(230);
  });
});
