import { afterEach, describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { linearAlgebra } from '../../src/engine/dense/index.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { fit, fitSteps } from '../../src/inference/index.ts';
import { defineKernel } from '../../src/kernels/index.ts';
import { evaluate } from '../../src/model/open.ts';
import { gplvm, loadFit, pca } from '../../src/models/index.ts';

const { observations } = pipeFlow({ points: 20, seed: 1 });
const used = new Set<string>();

/** The linear kernel, which notes what engine is at work whenever it is evaluated. */
const noting = defineKernel({
  name: 'noting',
  parameters: {},
  covariance: (_p, A, B) => {
    used.add(withFloat64(({ memory64 }) => linearAlgebra(memory64).name));
    return op.matMul(A, B, false, true) as Tensor2D;
  },
});

/** The engines that were at work during `work`. */
async function enginesOf(work: () => unknown): Promise<string[]> {
  used.clear();
  await work();
  return [...used].sort();
}

const model = () => gplvm(observations, { latentDim: 2, kernel: noting(), priors: [] });

afterEach(() => void vi.unstubAllEnvs());

it("'auto' computes in WebAssembly, also where a native library is named", async () => {
  vi.stubEnv('LATENTFIELD_BLAS', '/usr/lib/libblas.so');
  for (const each of [model(), pca(observations, { latentDim: 2 })]) {
    const { diagnostics } = await fit(each, { maxIterations: 0, engine: 'auto' });
    expect(diagnostics).toMatchObject({ engine: 'wasm' });
    expect(diagnostics.engineReason).toBeUndefined();
  }
});

describe('the engine that a fit requests', () => {
  it.each(['typescript', 'wasm'] as const)('is at work in all that is done with its result: %s', async (engine) => {
    const result = await fit(model(), { maxIterations: 1, engine });
    expect(result.diagnostics.engine).toBe(engine);
    const points = [[0.1, 0.2]];
    const uses: Record<string, () => unknown> = {
      predict: () => result.predict(points),
      sample: () => result.sample(points),
      interpolate: () => result.interpolate(0, 1, 3),
      project: () => result.project(observations, { maxIterations: 1 }),
      reconstruct: () => result.reconstruct(observations, { maxIterations: 1 }),
    };
    for (const [name, use] of Object.entries(uses)) expect(await enginesOf(use), name).toEqual([engine]);
  });

  it('is at work in the results of its steps', async () => {
    for await (const step of fitSteps(model(), { maxIterations: 1, engine: 'typescript' })) {
      expect(await enginesOf(() => step.result().predict([[0, 0]]))).toEqual(['typescript']);
    }
  });

  it('is not kept by the file of a fit, which gets a new one', async () => {
    const json = (await fit(model(), { maxIterations: 0, engine: 'typescript' })).toJSON();
    const own = { kernels: { noting } };
    for (const engine of ['typescript', 'wasm'] as const) {
      const again = loadFit(JSON.parse(JSON.stringify(json)), own, { engine });
      expect(await enginesOf(() => again.predict([[0, 0]]))).toEqual([engine]);
    }
    expect(() => loadFit(json, own, { engine: 'gpu' as 'wasm' })).toThrow(/engine.*one of 'auto', 'wasm'/);
  });

  it('evaluates without a fit', async () => {
    for (const engine of ['typescript', 'wasm'] as const) {
      expect(await enginesOf(() => evaluate(model(), {}, { engine }))).toEqual([engine]);
    }
    expect(() => evaluate(model(), {}, { engine: 'gpu' as 'wasm' })).toThrow(/engine.*one of 'auto', 'wasm'/);
  });
});
