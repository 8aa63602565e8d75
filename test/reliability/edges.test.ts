import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import {
  choleskyFactor,
  type Density,
  defineDensity,
  defineModel,
  evaluate,
  fit,
  fixed,
  gaussianProcess,
  gplvm,
  type Kernel,
  known,
  latent,
  lbfgs,
  Matrix,
  minimize,
  observed,
  rbf,
  samplePosterior,
} from '../../src/index.ts';

const Y = Array.from({ length: 12 }, (_, i) => [Math.sin(i / 2), Math.cos(i / 3), i / 12]);
const regression = (times: number[][], kernel: Kernel = rbf()) =>
  defineModel({
    name: 'regression',
    variables: () => {
      const x = known(times);
      return { x, y: observed(Y, { given: x, density: gaussianProcess({ kernel, noise: 0.1 }) }) };
    },
  })(undefined);

/** Latents under a density, from which a process observes. */
const under = (density: Density) =>
  defineModel({
    name: 'under',
    variables: () => {
      const z = latent({ dim: 1, density });
      return {
        z,
        y: observed(Y, {
          given: z,
          density: gaussianProcess({ kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }), noise: fixed(0.1) }),
        }),
      };
    },
  })(undefined);

describe('what a model was given', () => {
  it('is refused with a hole among its rows, of whatever length', () => {
    const rows = Y.map((row) => [...row]);
    delete rows[2];
    expect(() => gplvm(rows, { latentDim: 1 })).toThrow(/row 2 is undefined/);
    const long: number[][] = [];
    long.length = 2 ** 32 - 1;
    expect(() => Matrix.from(long, 'Y')).toThrow(/row 0 is undefined/);
  });

  it('is a copy: a start that is changed later changes no fit', async () => {
    const init = Y.map(([a]) => [a!]);
    const start = () => init.map((row) => [...row]);
    const options = { maxIterations: 0, restarts: 0 };
    const before = await fit(gplvm(Y, { latentDim: 1, init: start() }), options);
    const changed = start();
    const model = gplvm(Y, { latentDim: 1, init: changed });
    for (const row of changed) row[0] = 100;
    expect((await fit(model, options)).latents).toEqual(before.latents);
  });

  it('is read by its own members: one of Object.prototype is neither an option nor a parameter', async () => {
    Object.defineProperty(Object.prototype, 'foo', { value: 1, enumerable: true, configurable: true, writable: true });
    try {
      expect((await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 1, restarts: 0 })).latents.rows).toBe(12);
    } finally {
      delete (Object.prototype as { foo?: number }).foo;
    }
  });

  it('is named with its row and column where a known variable holds NaN', () => {
    const times = Y.map((_, i) => [i, i === 4 ? Number.NaN : 0]);
    expect(() => regression(times)).toThrow(/'x' of the model 'regression' .*row 4, column 1 is NaN/);
  });

  it('is named with the kernel, its lengthscales and the columns where their numbers differ', async () => {
    const model = regression(
      Y.map((_, i) => [i, 0]),
      rbf({ lengthscale: [1, 2, 3] }),
    );
    await expect(fit(model)).rejects.toThrow(/Kernel 'rbf' has 3 lengthscales, but its inputs have 2 columns/);
  });
});

it('the records of a fit cannot be changed', async () => {
  const { trace, terms, diagnostics } = await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 2, restarts: 0 });
  for (const record of [trace, trace[0], terms, diagnostics]) expect(Object.isFrozen(record)).toBe(true);
});

it('fit and evaluate name the term that is −∞ at the start', async () => {
  const outside = defineDensity({
    name: 'outside',
    parameters: { a: 1 },
    logDensity: ({ a }, { value }) => op.add(op.log(op.sub(a, a)), op.sum(value)),
  });
  const model = under(outside());
  expect(() => evaluate(model)).toThrow(/term 'z' is −∞/);
  await expect(fit(model)).rejects.toThrow(/not finite at the start: term 'z' is −∞/);
});

it('a value that falls for ever has failed, though single steps are below its last digits', () => {
  const { status, message } = minimize(
    ([x]) => ({ value: -(x! ** 3) * 1e30, gradient: [-3 * x! ** 2 * 1e30] }),
    [1e3],
    lbfgs(),
    { maxIterations: 200 },
  );
  expect(status, message).not.toBe('converged');
});

it('draws of a Cholesky factor are not said to have stood still where it is 0 by its form', async () => {
  const wishart = defineDensity({
    name: 'wishart',
    parameters: { L: choleskyFactor(2) },
    logDensity: ({ L }, { value }) => op.mul(-0.5, op.add(op.sum(op.square(L)), op.sum(op.square(value)))),
  });
  const model = under(wishart());
  const draws = await samplePosterior(model, { chains: 2, draws: 60, warmup: 60, seed: 1, priors: 'inTerms' });
  expect(Object.keys(draws.summary()).filter((name) => name.includes('L'))).toHaveLength(3);
  expect(draws.message).not.toMatch(/never moved/);
});
