import { beforeAll, describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import type { EngineChoice } from '../../src/engine/dense/index.ts';
import { findNative } from '../../src/engine/native/index.ts';
import { float64Backend } from '../../src/engine/tensors/float64/scope.ts';
import { add, bias, fit, gplvm, type Kernel, matern32, rbf, thinPlateSpline } from '../../src/index.ts';
import { openProblem } from '../../src/inference/fit/fitProblem.ts';
import { withNativeLibrary } from '../engine/native/nativeLibrary.ts';
import { withoutStructure } from '../kernels/withoutStructure.ts';
import { expectClose } from '../tolerance.ts';

const N = 150;
const kernels: Record<string, Kernel> = {
  'rbf + bias': add(rbf(), bias({ variance: 0.1 })),
  'matern32 + bias': add(matern32(), bias({ variance: 0.1 })),
  thinPlateSpline: thinPlateSpline(),
};

/** Objective and gradient as `fit` sees them: at the start, and a little elsewhere. */
function evaluations(kernel: Kernel, engine: EngineChoice, points = N) {
  const model = gplvm(pipeFlow({ points, seed: 1 }).observations, { latentDim: 2, kernel, noise: 0.1, priors: [] });
  const problem = openProblem(model, { seed: 0, engine });
  expect(problem.chosenEngine.engine).toBe(engine);
  const values = [1, 1.01, 0.9].map((factor) => {
    const { value, gradient } = problem.compute(() => problem.objective(problem.start.map((entry) => factor * entry)));
    return { value, gradient: Float64Array.from(gradient) };
  });
  problem.dispose();
  return values;
}

/** The rank of the covariance at the start of such a problem, absent where it is factored whole. */
function rankAt(kernel: Kernel, engine: EngineChoice, points: number) {
  const model = gplvm(pipeFlow({ points, seed: 1 }).observations, { latentDim: 2, kernel, noise: 0.1, priors: [] });
  const problem = openProblem(model, { seed: 0, engine });
  const { rank } = problem.densityAt(problem.start);
  problem.dispose();
  return rank;
}

describe.each(Object.entries(kernels))('the objective of a GP-LVM with %s', (_name, kernel) => {
  it('is the same on every engine to 1e-11', () => {
    const [wasm, typescript] = [evaluations(kernel, 'wasm'), evaluations(kernel, 'typescript')];
    wasm.forEach(({ value, gradient }, i) => {
      expectClose([value], [typescript[i]!.value], 1e-11, 'value');
      expectClose(gradient, typescript[i]!.gradient, 1e-9, 'gradient');
    });
  });

  it.each(['wasm', 'typescript'] as const)('has the same bits every time on %s', (engine) => {
    expect(evaluations(kernel, engine)).toEqual(evaluations(kernel, engine));
  });

  it('takes no more than 8 matrices of N×N', () => {
    const points = 300;
    const { memory64 } = float64Backend();
    const before = memory64.liveBytes;
    memory64.resetPeak();
    evaluations(kernel, 'wasm', points);
    expect((memory64.peakBytes - before) / (8 * points * points)).toBeLessThanOrEqual(8);
    expect(memory64.liveBytes).toBe(before);
  });
});

/** Smooth enough for a form of low rank: see docs/project/engines.md. */
const smooth = () => add(rbf({ lengthscale: 2 }), bias({ variance: 0.1 }));

describe('the objective of a GP-LVM of 510 points under a smooth covariance', () => {
  it('is the same on every engine to 1e-11', () => {
    const [wasm, typescript] = [evaluations(smooth(), 'wasm', 510), evaluations(smooth(), 'typescript', 510)];
    wasm.forEach(({ value, gradient }, i) => {
      expectClose([value], [typescript[i]!.value], 1e-11, 'value');
      expectClose(gradient, typescript[i]!.gradient, 1e-9, 'gradient');
    });
    expect(evaluations(smooth(), 'wasm', 510)).toEqual(wasm);
    const rank = rankAt(smooth(), 'wasm', 510);
    expect(rank).toBeGreaterThan(0);
    expect(rankAt(smooth(), 'typescript', 510)).toBe(rank);
  });
});

withNativeLibrary('on the native engine', () => {
  // Other numbers of threads may add up in another order.
  beforeAll(() => void findNative({ threads: 1 }));

  describe.each(Object.entries(kernels))('the objective of a GP-LVM with %s', (_name, kernel) => {
    it('agrees with the WebAssembly engine to 1e-11', () => {
      const [native, wasm] = [evaluations(kernel, 'native'), evaluations(kernel, 'wasm')];
      native.forEach(({ value, gradient }, i) => {
        expectClose([value], [wasm[i]!.value], 1e-11, 'value');
        expectClose(gradient, wasm[i]!.gradient, 1e-9, 'gradient');
      });
    });

    it('has the same bits every time', () => {
      expect(evaluations(kernel, 'native')).toEqual(evaluations(kernel, 'native'));
    });
  });

  it('a fit that requests threads reports that the library has its own', async () => {
    const model = gplvm(pipeFlow({ points: 30, seed: 1 }).observations, { latentDim: 2 });
    const { diagnostics } = await fit(model, { engine: 'native', threads: 2, maxIterations: 1 });
    expect(diagnostics.threads).toBe(1);
    expect(diagnostics.threadsReason).toMatch(/^The native library has its own threads/);
  });

  it.each<[string, Kernel, number]>([
    ['a smooth covariance', smooth(), 20],
    ['one that is nothing beside the noise', rbf({ variance: 1e-16 }), 0],
  ])('the objective of 600 points under %s agrees with the WebAssembly engine to 1e-11', (_name, kernel, least) => {
    const [native, wasm] = [evaluations(kernel, 'native', 600), evaluations(kernel, 'wasm', 600)];
    expect(rankAt(kernel, 'native', 600)).toBeGreaterThanOrEqual(least);
    expect(rankAt(kernel, 'native', 600)).toBe(rankAt(kernel, 'wasm', 600));
    native.forEach(({ value, gradient }, i) => {
      expectClose([value], [wasm[i]!.value], 1e-11, 'value');
      expectClose(gradient, wasm[i]!.gradient, 1e-9, 'gradient');
    });
  });
});

describe('a thin plate spline with its basis known to be symmetric', () => {
  it('has the objective and gradient that it has as any covariance', () => {
    const [known, unknown] = [
      evaluations(thinPlateSpline(), 'wasm'),
      evaluations(withoutStructure(thinPlateSpline()), 'wasm'),
    ];
    known.forEach(({ value, gradient }, i) => {
      expectClose([value], [unknown[i]!.value], 1e-12, 'value');
      expectClose(gradient, unknown[i]!.gradient, 1e-10, 'gradient');
    });
  });
});
