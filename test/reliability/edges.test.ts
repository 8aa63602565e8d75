import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import { bestMultipliers } from '../../src/fields/index.ts';
import {
  choleskyFactor,
  type Density,
  defineDensity,
  defineModel,
  evaluate,
  expectedMoments,
  fit,
  fixed,
  type Graph,
  gaussianProcess,
  gplvm,
  graphUnion,
  isomap,
  type Kernel,
  knnGraph,
  known,
  labelGraph,
  laplacian,
  laplacianEigenmaps,
  latent,
  lbfgs,
  locality,
  Matrix,
  type Model,
  maxEntropy,
  meu,
  minimize,
  observed,
  rbf,
  samplePosterior,
  squaredDifferences,
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

describe('arguments of a model', () => {
  it('are refused with a hole among their rows, of any length', () => {
    const rows = Y.map((row) => [...row]);
    delete rows[2];
    expect(() => gplvm(rows, { latentDim: 1 })).toThrow(/row index 2 is undefined/);
    const long: number[][] = [];
    long.length = 2 ** 32 - 1;
    expect(() => Matrix.from(long, 'Y')).toThrow(/row index 0 is undefined/);
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

  it.each<[string, (graph: Graph) => Model]>([
    ['laplacian', (graph) => gplvm(Y, { latentDim: 1, priors: [laplacian(graph, { offset: 0.1 })] })],
    ['locality', (graph) => gplvm(Y, { latentDim: 1, priors: [locality(graph)] })],
    ['expectedMoments', (graph) => gplvm(Y, { latentDim: 1, priors: [expectedMoments({ graph })] })],
    [
      'squaredDifferences',
      (graph) =>
        gplvm(Y, {
          latentDim: 1,
          priors: [
            maxEntropy({
              copies: 1,
              slack: 5,
              multipliers: bestMultipliers(),
              expect: { near: squaredDifferences(graph) },
            }),
          ],
        }),
    ],
    ['meu', (graph) => meu({ graph }, { latentDim: 1 })],
    ['meu beside rows', (graph) => meu(Y, { latentDim: 1, graph })],
    ['laplacianEigenmaps', (graph) => laplacianEigenmaps({ graph }, { latentDim: 1 })],
    ['isomap', (graph) => isomap({ graph }, { latentDim: 1 })],
  ])('is a copy: a graph that is changed later changes neither a fit nor its file: %s', async (_, make) => {
    for (const graphOf of [
      () => knnGraph(Y, 4),
      () => graphUnion(labelGraph(Y.map((__, i) => i % 2)), knnGraph(Y, 4)),
    ]) {
      const saved = async (isChanged: boolean) => {
        const graph = graphOf();
        const model = make(graph);
        if (isChanged) {
          for (const { sources, targets, weights } of [graph, graph.complete?.rest ?? graph]) {
            weights.fill(7);
            sources.reverse();
            targets.reverse();
          }
          graph.complete?.classes.fill(0);
        }
        const result = await fit(model, { maxIterations: 2, restarts: 0, seed: 1 });
        const { model: of, values } = JSON.parse(JSON.stringify(result));
        return { of, values };
      };
      expect(await saved(true)).toEqual(await saved(false));
    }
  });

  it('is read by its own members: one of Object.prototype is neither an option nor a parameter', async () => {
    Object.defineProperty(Object.prototype, 'foo', { value: 1, enumerable: true, configurable: true, writable: true });
    try {
      expect((await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 1, restarts: 0 })).latents.rows).toBe(12);
    } finally {
      delete (Object.prototype as { foo?: number }).foo;
    }
  });

  it('are named with row and column where a known variable contains NaN', () => {
    const times = Y.map((_, i) => [i, i === 4 ? Number.NaN : 0]);
    expect(() => regression(times)).toThrow(/'x' of the model 'regression' .*entry \[4\]\[1\] is NaN/);
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

it('draws of a Cholesky factor do not count as constant where it is 0 by its form', async () => {
  const wishart = defineDensity({
    name: 'wishart',
    parameters: { L: choleskyFactor(2) },
    logDensity: ({ L }, { value }) => op.mul(-0.5, op.add(op.sum(op.square(L)), op.sum(op.square(value)))),
  });
  const model = under(wishart());
  const draws = await samplePosterior(model, { chains: 2, draws: 60, warmup: 60, seed: 1, priors: 'inTerms' });
  expect(Object.keys(draws.summary()).filter((name) => name.includes('L'))).toHaveLength(3);
  expect(draws.message).not.toMatch(/never (moved|changed)/);
});
