import {
  bayesianGplvm,
  evaluate,
  fit,
  fixed,
  gplvm,
  InvalidInputError,
  latentVariableModel,
  rbf,
  standardNormal,
} from 'latentfield';
import { checkVariational } from 'latentfield/models';
import { describe, expect, it } from 'vitest';

const kernel = rbf({ variance: fixed(1), lengthscale: fixed(1) });
const Y = [
  [0.3, -0.2, 0.1],
  [-0.3, 0.2, -0.1],
];
const model = bayesianGplvm(Y, { latentDim: 1, inducing: 2, kernel });

describe('checkVariational', () => {
  it('has the evidence that quadrature over the latents has, above the bound', async () => {
    const fitted = await fit(model, { maxIterations: 200 });
    const found = checkVariational(fitted, { draws: 4000, seed: 1 });
    const noise = fitted.parameters['mapping.noise'] as number;
    const exact = latentVariableModel({
      observations: Y,
      latentDim: 1,
      init: [[0.5], [-0.5]],
      kernel,
      noise,
      priors: [standardNormal()],
    });
    const step = 0.2;
    const places = Array.from({ length: 51 }, (_, i) => step * (i - 25));
    let sum = 0;
    for (const a of places) {
      // The same by the symmetry of both points.
      for (const b of places.filter((entry) => entry <= a)) {
        const { objective } = evaluate(exact, { latents: [[a], [b + 1e-9]] });
        sum += (a === b ? 1 : 2) * step * step * Math.exp(objective);
      }
    }
    expect(found.bound).toBeLessThan(Math.log(sum));
    expect(Math.abs(found.evidence - Math.log(sum))).toBeLessThan(4 / Math.sqrt(found.effectiveSize));
    expect(found.effectiveSize).toBeGreaterThan(100);
    expect(found.message).toMatch(found.k <= found.kLimit ? /can be trusted/ : /not to be trusted/);
  });

  it('warns of a posterior which leaves out most of the true one', async () => {
    const fitted = await fit(model, { maxIterations: 200 });
    // A tenth of the deviations: the tails of the ratios are those of a normal with a hundredth of the variance.
    const narrow = {
      ...fitted,
      toJSON: fitted.toJSON,
      latents: fitted.latents,
      parameters: fitted.parameters,
      latentVariances: { ...fitted.latentVariances, data: fitted.latentVariances.data.map((entry) => entry / 100) },
    };
    const found = checkVariational(narrow as typeof fitted, { draws: 1000 });
    expect(found.k).toBeGreaterThan(found.kLimit);
    expect(found.message).toMatch(/not to be trusted/);
  });

  it('refuses fits of other models and wrong options', async () => {
    const point = await fit(gplvm(Y, { latentDim: 1, kernel }), { maxIterations: 0 });
    expect(() => checkVariational(point as never)).toThrow(InvalidInputError);
    const fitted = await fit(model, { maxIterations: 0 });
    expect(() => checkVariational(fitted, { draws: 3 })).toThrow(/25/);
    expect(() => checkVariational(fitted, { seeds: 3 } as never)).toThrow(/'seed'/);
  });
});
