import { expect, it } from 'vitest';
import { fit, gplvm, rbf } from '../../src/index.ts';

// Points far apart without noise: k(x, x) − k²/k, which rounding puts on either side of 0.
it.each([2, 3, 5, 6, 7, 10, 11, 13, 14, 15])(
  'the variance of a function that is known, %i less itself, is not below 0',
  async (variance) => {
    const Y = Array.from({ length: 6 }, (_, i) => [i, i % 2]);
    const model = gplvm(Y, { latentDim: 1, kernel: rbf({ variance, lengthscale: 1e-3 }), noise: 1e-30, priors: [] });
    const result = await fit(model, { maxIterations: 0 });
    const predicted = result.predict(result.latents, { noise: false });
    for (const entry of predicted.variance.data) {
      expect(entry).toBeGreaterThanOrEqual(0);
      expect(entry).toBeLessThanOrEqual(1e-14 * variance);
    }
  },
);
