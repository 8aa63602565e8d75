import * as tf from '@tensorflow/tfjs';
import { expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { float64Backend, withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { add, bias, fit, gplvm, rbf, white } from '../../src/index.ts';
import { objectiveOf } from '../../src/model/objective.ts';
import { layOut, naturalEntries, toUnconstrained } from '../../src/model/variables.ts';

const model = (points: number) =>
  gplvm(pipeFlow({ points, seed: 1 }).observations, {
    latentDim: 2,
    kernel: add(rbf(), bias(), white({ variance: 0.1 })),
    priors: [],
  });

it('memory stays flat over 10 000 evaluations of an objective', { tags: 'long' }, () => {
  withFloat64(({ memory64 }) => {
    const assembly = model(12).assemble(0);
    const layout = layOut(assembly.parameters);
    const objective = objectiveOf(assembly, layout);
    const x = toUnconstrained(layout, naturalEntries(layout, {}));
    objective(x);
    const held = () => [memory64.liveBytes, memory64.liveBlocks, memory64.reservedBytes, tf.memory().numTensors];
    const before = held();
    for (let k = 0; k < 10_000; k++) objective(x.map((entry) => entry * (1 + 1e-6 * k)));
    expect(held()).toEqual(before);
    assembly.dispose();
  });
});

it('a fit of N points takes no more than 10 matrices of N×N at any time, and gives them back', async () => {
  const N = 600;
  const { memory64 } = float64Backend();
  const before = memory64.liveBytes;
  memory64.resetPeak();
  const result = await fit(model(N), { maxIterations: 3 });
  expect(result.diagnostics.iterations).toBe(3);
  expect((memory64.peakBytes - before) / (8 * N * N)).toBeLessThanOrEqual(10);
  expect(memory64.liveBytes).toBe(before);
});
