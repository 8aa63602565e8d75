import {
  defineKernel,
  definePrior,
  evaluate,
  fit,
  fixed,
  gplvm,
  loadFit,
  Matrix,
  positive,
  seededRandom,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../tolerance.ts';

// A user's kernel: k(x, x') = v/(1 + r²/l²), the rational quadratic at α = 1 up to the scale of l.
const cauchy = defineKernel({
  name: 'cauchy',
  parameters: { variance: positive(1), lengthscale: positive(1) },
  covariance: (p, A, B) => {
    const r2 = op.squaredDistances(op.div(A, p.lengthscale), op.div(B, p.lengthscale));
    return op.div(p.variance, op.add(1, r2));
  },
});

const heavyTails = definePrior({
  name: 'heavyTails',
  parameters: { strength: fixed(1) },
  logDensity: (p, X) => op.mul(op.neg(p.strength), op.sum(op.log1p(op.square(X)))),
});

/** A noisy circle in 4 dimensions. */
function circle(N: number): number[][] {
  const random = seededRandom(1);
  return Array.from({ length: N }, (_, i) => {
    const angle = (2 * Math.PI * i) / N;
    return [Math.cos(angle), Math.sin(angle), Math.cos(2 * angle), Math.sin(2 * angle)].map(
      (entry) => entry + 0.05 * random.normal(),
    );
  });
}

const Y = circle(24);
const model = () => gplvm(Y, { latentDim: 2, kernel: cauchy(), priors: [heavyTails()] });

describe('a kernel and a prior defined outside the library', () => {
  it('pass the gradient check against sixth-order differences to 1e-8', () => {
    const X = new Matrix(
      Float64Array.from({ length: 48 }, (_, i) => Math.sin(i)),
      24,
      2,
    );
    const at = {
      latents: X,
      'mapping.kernel.cauchy.lengthscale': 0.8,
      'mapping.kernel.cauchy.variance': 1.3,
      'mapping.noise': 0.05,
    };
    const { gradients } = evaluate(model(), at);
    for (const path of Object.keys(gradients)) {
      const value = at[path as keyof typeof at];
      const entries = typeof value === 'number' ? 1 : value.data.length;
      const difference = Float64Array.from({ length: entries }, (_, i) => {
        const along = (step: number) => {
          if (typeof value === 'number') return evaluate(model(), { ...at, [path]: value + step }).objective;
          const moved = Matrix.from(value);
          moved.data[i] = moved.data[i]! + step;
          return evaluate(model(), { ...at, [path]: moved }).objective;
        };
        const h = 2e-3 * (typeof value === 'number' ? value : 1);
        const odd = (k: number) => along(k * h) - along(-k * h);
        return (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
      });
      const gradient = gradients[path]!;
      expectClose(gradient instanceof Matrix ? gradient.data : gradient, difference, 1e-8, path);
    }
    expect(Object.keys(gradients)).toEqual([
      'latents',
      'mapping.kernel.cauchy.variance',
      'mapping.kernel.cauchy.lengthscale',
      'mapping.noise',
    ]);
  });

  it('train: the gradient vanishes at the result, and the terms add up', async () => {
    // Scales are held as in the default GPLVM, and the noise, which four columns do not determine.
    const kernel = cauchy({ variance: fixed(1), lengthscale: fixed(1) });
    const held = gplvm(Y, { latentDim: 2, kernel, noise: fixed(0.01), priors: [heavyTails()] });
    const result = await fit(held, { maxIterations: 2000, tolerance: 1e-4, relativeDecrease: 0 });
    expect(result.status).toBe('converged');
    expect(result.diagnostics.gradientNorm).toBeLessThan(1e-4);
    expect(result.terms.mapping! + result.terms.heavyTails!).toBeCloseTo(result.objective, 9);
    // The mapping explains the data: residuals are of the size of the noise that was added.
    const { mean } = result.predict(result.latents);
    const squared = mean.data.reduce((sum, entry, i) => sum + (entry - Y.flat()[i]!) ** 2, 0);
    expect(Math.sqrt(squared / mean.data.length)).toBeLessThan(0.1);
  });

  it('are saved by name and come back through loadFit', async () => {
    const result = await fit(model(), { maxIterations: 20 });
    const text = JSON.stringify(result);
    expect(() => loadFit(JSON.parse(text))).toThrow(/no kernel 'cauchy'/);
    const again = loadFit(JSON.parse(text), { kernels: { cauchy }, priors: { heavyTails } });
    const X = [
      [0.1, -0.4],
      [3, 3],
    ];
    expect(Array.from(again.predict(X).mean.data)).toEqual(Array.from(result.predict(X).mean.data));
    expect(Array.from(again.predict(X).variance.data)).toEqual(Array.from(result.predict(X).variance.data));
    expect(Array.from(again.latents.data)).toEqual(Array.from(result.latents.data));
    expect(again.objective).toBe(result.objective);
  });
});
