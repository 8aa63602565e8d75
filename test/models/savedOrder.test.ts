import {
  type AnyModel,
  alle,
  backConstrained,
  bayesianGplvm,
  beta,
  discriminative,
  drill,
  dynamics,
  expectedMoments,
  fit,
  gamma,
  gaussianLatents,
  gplvm,
  halfNormal,
  inverseGamma,
  isomap,
  kernelPca,
  knnGraph,
  laplacian,
  laplacianEigenmaps,
  latentVariableModel,
  lle,
  llGplvm,
  loadFit,
  locality,
  logNormal,
  markov,
  maxEntropy,
  meu,
  mlpMap,
  mpme,
  mvu,
  normal,
  ordinal,
  type Prior,
  positive,
  ppca,
  rank,
  rankGplvm,
  rbf,
  seededRandom,
  squaredDifferences,
  standardNormal,
  studentT,
  tpslvm,
  tsneGplvm,
  tsneNeighbors,
  umapNeighbors,
  uncorrelated,
} from 'latentfield';
import { bestMultipliers } from 'latentfield/fields';
import { builtInKernels } from 'latentfield/kernels';
import { builtInMaps } from 'latentfield/latents';
import { builtInLikelihoods, type ParameterPrior } from 'latentfield/model';
import { builtInPriors } from 'latentfield/models';
import { describe, expect, it } from 'vitest';
import { own, savedModels } from '../../attacks/savedModels.mjs';
import * as families from '../../src/model/entrywise/families.ts';
import * as models from '../../src/models/builtIn.ts';

/** That a fit at its start, read and written again, has the same text. */
async function expectSameText(model: AnyModel) {
  const written = JSON.stringify(await fit(model, { maxIterations: 0, seed: 1, engine: 'wasm' }));
  expect(JSON.stringify(loadFit(JSON.parse(written), own, { engine: 'wasm' }))).toBe(written);
}

/** Options in the other order, as anybody may write them. */
const reversed = <T extends object>(options: T) => Object.fromEntries(Object.entries(options).reverse()) as T;

const draws = seededRandom(3);
const Y = Array.from({ length: 12 }, (_, i) =>
  [Math.cos(i / 4), Math.sin(i / 4), i / 6].map((entry) => entry + 0.05 * draws.normal()),
);
const holes = Y.map((row, i) => row.map((entry, j) => (i < 3 && i === j ? Number.NaN : entry)));
const graph = knnGraph(Y, 3);
const labels = Y.map((_, i) => Math.floor(i / 4));
const values = Y.map((_, i) => [i % 2, (i + 1) % 2]);
const priors: Record<string, () => Prior> = {
  discriminative: () => discriminative(labels, reversed({ strength: positive(0.1) })),
  dynamics: () =>
    dynamics(reversed({ kernel: rbf(), segments: [0, 6], order: 'difference' as const, initial: 'none' as const })),
  laplacian: () => laplacian(graph, reversed({ strength: 0.2, offset: 0.1 })),
  locality: () => locality(3, reversed({ strength: 0.2 })),
  markov: () => markov(reversed({ segments: [0, 6], initial: 'none' as const, coefficient: 0.9, variance: 2 })),
  rank: () => rank(),
  standardNormal: () => standardNormal(),
  tsne: () => tsneNeighbors(reversed({ perplexity: 3, strength: 2 })),
  umap: () => umapNeighbors(reversed({ neighbors: 3, minDist: 0.2, strength: 2 })),
  field: () =>
    maxEntropy(
      reversed({
        base: 1,
        copies: 1,
        slack: 5,
        multipliers: bestMultipliers(),
        expect: { near: squaredDifferences(graph) },
      }),
    ),
  moments: () => expectedMoments(reversed({ graph })),
  uncorrelated: () => uncorrelated(Y, reversed({ strength: 2 })),
};

const parameterPriors: Record<string, ParameterPrior> = {
  beta: beta({ concentration: 4, mean: 0.5 }),
  gamma: gamma({ rate: 1, shape: 2 }),
  halfNormal: halfNormal({ on: 'natural', scale: 1 }),
  inverseGamma: inverseGamma({ scale: 1, shape: positive(2, { prior: gamma({ rate: 1, shape: 2 }) }) }),
  logNormal: logNormal({ deviation: 1, mean: 0.1 }),
  normal: normal({ on: 'unconstrained', deviation: 1, mean: 0.1 }),
  studentT: studentT({ on: 'unconstrained', scale: 1, mean: 0.1, degreesOfFreedom: 4 }),
};

/** Named models with options of their own, in the other order. */
const named: readonly AnyModel[] = [
  latentVariableModel({
    views: {
      b: reversed({ observations: Y, kernel: rbf(), noise: 0.1, inducing: 3, scale: true }),
      a: { observations: holes, kernel: rbf(), missing: 'ignore' },
    },
    posterior: gaussianLatents(),
    latentDim: 1,
  }),
  alle(Y, reversed({ latentDim: 1, neighbors: 3, preset: 'lawrence2012' as const })),
  bayesianGplvm(Y, reversed({ latentDim: 1, inducing: 3, kernel: rbf(), noise: 0.1, scale: true })),
  drill(Y, reversed({ latentDim: 1, neighbors: 4, penalty: 0.05, disconnected: 'connect' as const })),
  gplvm(
    Y,
    reversed({ latentDim: 1, dynamics: { order: 'next' as const }, backConstraint: 'mlp' as const, noise: 0.2 }),
  ),
  isomap(Y, reversed({ latentDim: 1, neighbors: 5 })),
  kernelPca(Y, reversed({ latentDim: 1, kernel: rbf() })),
  laplacianEigenmaps(Y, reversed({ latentDim: 1, neighbors: 4, preset: 'lawrence2012' as const })),
  lle(Y, reversed({ latentDim: 1, neighbors: 4 })),
  llGplvm(Y, reversed({ latentDim: 1, neighbors: 3, strength: 2 })),
  meu(Y, reversed({ latentDim: 1, neighbors: 4, basePrecision: 0.5, slackPenalty: 3 })),
  meu(holes, reversed({ latentDim: 1, neighbors: 4, missing: 'ignore' as const, slackPenalty: 3 })),
  mpme(Y, reversed({ latentDim: 1, slackPenalty: 1, neighbors: 4 })),
  mvu(Y, reversed({ latentDim: 1, neighbors: 3 })),
  ppca(Y, reversed({ latentDim: 1 })),
  rankGplvm(Y, reversed({ latentDim: 2, strength: 2 })),
  tpslvm(Y, reversed({ latentDim: 1, centers: 4, noise: 0.1 })),
  tsneGplvm(Y, reversed({ latentDim: 1, perplexity: 3, strength: 2 })),
];

describe('a fit that is read and written again has the same text', () => {
  it.each(Object.entries(savedModels))('%s', (_, make) => expectSameText(make()));

  it('is of every named model', () => {
    const names = new Set(Object.values(savedModels).map((make) => make().name));
    expect(Object.keys(models).filter((name) => !names.has(name))).toEqual([]);
  });

  it('is of every prior', () => {
    expect(Object.keys(priors).sort()).toEqual(Object.keys(builtInPriors).sort());
    expect(Object.keys(parameterPriors)).toEqual(Object.keys(families).sort());
  });

  it.each(Object.keys(priors))('with prior %s', (name) =>
    expectSameText(gplvm(Y, reversed({ latentDim: 2, priors: [priors[name]!()], scale: true }))),
  );

  it.each(Object.keys(builtInKernels))('with kernel %s', (name) =>
    expectSameText(gplvm(Y, { latentDim: 2, kernel: builtInKernels[name]!() })),
  );

  it.each(Object.keys(builtInLikelihoods))('with likelihood %s', (name) => {
    const likelihood = name === 'ordinal' ? ordinal({ levels: 3 }) : builtInLikelihoods[name]!();
    // Amounts are above 0, fractions between 0 and 1.
    const Y = Object.hasOwn(families, name) ? values.map((row) => row.map((one) => 0.2 + 0.5 * one)) : values;
    return expectSameText(bayesianGplvm(Y, reversed({ latentDim: 1, inducing: 3, center: false, likelihood })));
  });

  it.each(Object.entries(parameterPriors))('with distribution %s of a parameter', (_, prior) =>
    expectSameText(gplvm(Y, { latentDim: 1, kernel: rbf({ lengthscale: positive(0.5, { prior }) }) })),
  );

  it.each(named.map((model) => [model.name, model] as const))('of %s with its options in the other order', (_, model) =>
    expectSameText(model),
  );

  it.each(Object.keys(builtInMaps))('with back-constraint %s', (name) =>
    expectSameText(
      gplvm(Y, {
        latentDim: 1,
        posterior: backConstrained(name === 'mlp' ? mlpMap({ hidden: 3 }) : builtInMaps[name]!()),
      }),
    ),
  );
});
