// @module-tag long
import { describe, expect, it } from 'vitest';
import { latentVariableModel } from '../../src/index.ts';
import { type FitStep, fitSteps } from '../../src/inference/index.ts';
import { nearestNeighborError } from '../../src/inference/scores/neighborScores.ts';
import { add, bias, type Kernel, rbf, thinPlateSpline } from '../../src/kernels/index.ts';
import type { Model } from '../../src/model/model.ts';
import { positive } from '../../src/model/parameter.ts';
import type { PositiveTransform } from '../../src/model/transform.ts';
import { sharedReference } from '../reference.ts';

interface Optimizers {
  readonly Y: number[][];
  readonly labels: number[];
  readonly runs: readonly { run: string; prior: number; evals: number; iterations: number; objective: number }[];
}
interface GpyFit {
  readonly Y: number[][];
  readonly X0: number[][];
  readonly labels: number[];
  readonly ll_final: number;
}
const scipy = sharedReference<Optimizers>('optimizers.json');
const gpy = sharedReference<GpyFit>('gpy-fit-oil300.json');

const endless = { tolerance: 0, relativeDecrease: 0, engine: 'wasm' } as const;

/** The last step of a fit that takes no more evaluations. */
async function after(evaluations: number, model: Model): Promise<FitStep> {
  let last: FitStep | undefined;
  for await (const step of fitSteps(model, { ...endless, maxIterations: evaluations })) {
    if (step.evaluations > evaluations) break;
    last = step;
  }
  return last!;
}

describe.runIf(scipy !== undefined && gpy !== undefined)(
  'the optimum of real data (shared/reference/optimizers.json)',
  () => {
    const scipyObjective = (run: string) =>
      scipy!.runs.find((entry) => entry.run === run && entry.prior === 0)!.objective;
    const fromPca = (kernel: Kernel, noise: number) =>
      latentVariableModel({ observations: scipy!.Y, latentDim: 2, kernel, noise });

    it('of a GPLVM of 100 oil flows is at least SciPy’s, minus 1 %, after 500 evaluations', async () => {
      const kernel = add(rbf({ variance: 1, lengthscale: 1 }), bias({ variance: Math.exp(-2) }));
      const { objective } = await after(500, fromPca(kernel, Math.exp(-2)));
      const expected = scipyObjective('rbf L-BFGS-B float64');
      expect(expected).toBeCloseTo(1047.07, 2);
      expect(objective).toBeGreaterThan(0.99 * expected);
    });

    it('of a TPSLVM of 100 oil flows is at least SciPy’s, minus 1 %, after 500 evaluations', async () => {
      const { objective } = await after(500, fromPca(thinPlateSpline(), 1));
      const expected = scipyObjective('tps L-BFGS-B float64');
      expect(expected).toBeCloseTo(832.49, 2);
      expect(objective).toBeGreaterThan(0.99 * expected);
    });

    /** GPy's model from GPy's start; its white noise is the noise here, its held likelihood variance of 1e-6 left out. */
    const fromGpy = (transform: PositiveTransform) => {
      const p = (start: number) => positive(start, { transform });
      return latentVariableModel({
        observations: gpy!.Y,
        latentDim: 2,
        init: gpy!.X0,
        kernel: add(rbf({ variance: p(1), lengthscale: p(1) }), bias({ variance: p(0.1) })),
        noise: p(0.1),
      });
    };

    it.each([
      ['the logarithms of the hyperparameters, the default', 'log'],
      ['GPy’s own variables', 'softplus'],
    ] as const)(
      'of a GPLVM of 300 oil flows is at least GPy’s, minus 1 percent, after 500 evaluations in %s',
      async (_, transform) => {
        const { objective, latents } = await after(500, fromGpy(transform));
        expect(gpy!.ll_final).toBeGreaterThan(4091.85);
        expect(objective).toBeGreaterThan(0.99 * 4091.85);
        expect(nearestNeighborError(latents, gpy!.labels)).toBeLessThanOrEqual(5 / 300);
      },
    );
  },
);
