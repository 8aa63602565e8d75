import { describe, expect, it } from 'vitest';
import {
  add,
  backConstrained,
  discriminative,
  dynamics,
  evaluate,
  fit,
  InvalidInputError,
  kernelRegression,
  knnGraph,
  labelGraph,
  laplacian,
  latentVariableModel,
  locality,
  markov,
  NumericalError,
  type Prior,
  rank,
  rbf,
  tsneNeighbors,
  white,
} from '../../src/index.ts';
import { priorReference } from './priorReference.ts';

const { Y, labels, missing } = priorReference;
const evaluated = (prior: Prior) => () =>
  evaluate(latentVariableModel({ observations: Y, latentDim: 2, kernel: rbf(), priors: [prior] }));

describe('bad input is refused with a sentence', () => {
  const refused: [string, () => unknown, RegExp][] = [
    ['laplacian without a graph', () => laplacian(labels as never), /takes a graph, such as knnGraph/],
    [
      'laplacian of a strength below 0',
      () => laplacian(labelGraph(labels), { strength: -1 }),
      /from 0, but -1 was given/,
    ],
    [
      'laplacian with an unknown option',
      () => laplacian(labelGraph(labels), { alpha: 1 } as object),
      /no option 'alpha'/,
    ],
    ['a graph of other points', evaluated(laplacian(labelGraph([1, 1, 2]))), /graph of 3 points, but the model has 18/],
    [
      'a graph with an edge that is not one',
      () => laplacian({ size: 3, sources: Int32Array.of(2), targets: Int32Array.of(1), weights: Float64Array.of(1) }),
      /edge 0 is \(2, 1\) of weight 1/,
    ],
    [
      'a graph of plain arrays',
      () => laplacian({ size: 3, sources: [0], targets: [1], weights: [1] } as never),
      /sources and targets as Int32Array/,
    ],
    ['discriminative with one class', () => discriminative(Y.map(() => 1)), /at least two classes/],
    ['discriminative with too few labels', evaluated(discriminative([1, 2, 1])), /3 labels, but the model has 18/],
    ['discriminative with r of 0', () => discriminative(labels, { r: 0 }), /a number above 0, but 0 was given/],
    [
      'discriminative in no form',
      () => discriminative(labels, { form: 'theirs' as 'paper' }),
      /'published' or 'paper'/,
    ],
    ['locality of no neighbors', () => locality(0), /whole number of neighbors from 1/],
    ['locality of too many neighbors', evaluated(locality(18)), /from 1 to 17 for 18 points, but .neighbors. is 18/],
    ['locality with a lonely point', evaluated(locality(labelGraph(missing))), /point index 1 has no neighbor/],
    ['locality without regularization', () => locality(knnGraph(Y, 3), { regularization: 0 }), /a number above 0/],
    ['rank of a strength below 0', () => rank({ strength: -0.1 }), /'strength' of rank must be a number from 0/],
    [
      'rank that keeps the energy of latents that are not free',
      () =>
        evaluate(
          latentVariableModel({
            observations: Y,
            latentDim: 2,
            posterior: backConstrained(kernelRegression()),
            kernel: rbf(),
            priors: [rank()],
          }),
        ),
      /'rank' restricts the latents, which only free ones allow/,
    ],
    ['tsne at perplexity 1', () => tsneNeighbors({ perplexity: 1 }), /a number above 1, but 1 was given/],
    ['tsne at perplexity N − 1', evaluated(tsneNeighbors({ perplexity: 17 })), /less than 17, .* but 17 was given/],
    ['dynamics without a kernel', () => dynamics({ kernel: rbf as never }), /Call the factory/],
    ['dynamics in no order', () => dynamics({ order: 'second' as 'next' }), /'next' or 'difference'/],
    ['a misspelled option', () => dynamics({ segment: [3] } as object), /no option 'segment'. Did you mean 'segments'/],
    ['segments beyond the rows', evaluated(dynamics({ segments: [4, 18] })), /below 18.*\[4, 18\]/],
    ['segments out of order', evaluated(markov({ segments: [4, 2] })), /ascending order below 18.*\[4, 2\]/],
    ['a segment that is no row', () => markov({ segments: [1.5] }), /first rows of sequences/],
    ['sequences of one row each', evaluated(markov({ segments: Y.map((_, i) => i) })), /at least 2 rows/],
  ];
  it.each(refused)('%s', (_, work, message) => {
    expect(work).toThrow(InvalidInputError);
    expect(work).toThrow(message);
  });

  it('a scatter that cannot be inverted is named', () => {
    const alone = Y.map((_, i) => i);
    expect(evaluated(discriminative(alone, { form: 'paper' }))).toThrow(NumericalError);
    expect(evaluated(discriminative(alone, { form: 'paper' }))).toThrow(
      /within-class scatter of prior 'discriminative'/,
    );
  });

  it('a jitter that the dynamics needed is reported', async () => {
    const still = Y.map((_, i) => [i < 2 ? i : 1, 0.5]);
    const withKernel = (kernel: ReturnType<typeof rbf>) =>
      latentVariableModel({
        observations: Y,
        latentDim: 2,
        init: still,
        kernel: add(rbf(), white()),
        priors: [dynamics({ kernel })],
      });
    const smooth = await fit(withKernel(rbf()), { maxIterations: 0 });
    expect(smooth.diagnostics.jitter).toBeGreaterThan(0);
    const noisy = await fit(withKernel(add(rbf(), white())), { maxIterations: 0 });
    expect(noisy.diagnostics.jitter).toBe(0);
  });
});
