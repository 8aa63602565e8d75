import { describe, expect, it } from 'vitest';
import { adjacencyPlot, latentPlot } from '../../src/app/plot/index.ts';
import { graphUnion } from '../../src/engine/index.ts';
import { withFloat64 } from '../../src/engine/tensors/index.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { defineFieldLayer } from '../../src/fields/index.ts';
import {
  expectedMoments,
  fit,
  type Graph,
  gplvm,
  InvalidInputError,
  isomap,
  knnGraph,
  labelGraph,
  laplacian,
  laplacianEigenmaps,
  lle,
  locality,
  maxEntropy,
  meu,
  mpme,
  mvu,
  squaredDifferences,
} from '../../src/index.ts';

const Y = Array.from({ length: 8 }, (_, i) => [Math.sin(i), Math.cos(2 * i), i / 8]);
const graph = knnGraph(Y, 2);
const edges = { ...graph };
const throwing = (name: string, of: object): object =>
  Object.defineProperty({ ...of }, name, {
    get: () => {
      throw new TypeError('nobody looks in here');
    },
  });
const proxy = (of: object, from: number) => {
  let reads = 0;
  return new Proxy(of, {
    get: (target, name) => {
      if (reads++ >= from) throw new TypeError('nobody looks in here');
      return Reflect.get(target, name);
    },
  });
};

/** What is no graph of these points, though it may look like one. */
const hostile: Readonly<Record<string, unknown>> = {
  'a size alone': { size: 8 },
  'no size': { ...edges, size: undefined },
  'a size that no memory holds': { ...edges, size: 2 ** 40 },
  'lists of numbers': { ...edges, sources: [0], targets: [1], weights: [1] },
  'fewer weights than edges': { ...edges, weights: new Float64Array(1) },
  'an edge to a point that is not there': { ...edges, targets: edges.targets.map(() => 8) },
  'weights that are not numbers': { ...edges, weights: edges.weights.map(() => Number.NaN) },
  'edges that are not in order': { ...edges, sources: edges.sources.slice().reverse() },
  'complete classes that are null': { ...edges, complete: null },
  'complete classes without classes': { ...edges, complete: {} },
  'classes without edges': { size: 8, complete: { ...labelGraph([0, 0, 0, 0, 1, 1, 1, 1]).complete } },
  'classes without the rest': { ...edges, complete: { classes: new Int32Array(8), count: 1, rest: null } },
  'classes beyond their number': {
    ...edges,
    complete: { ...labelGraph([0, 0, 0, 0, 1, 1, 1, 1]).complete, count: 1 },
  },
  'edges that throw': throwing('targets', edges),
  'classes that throw': throwing('classes', { ...edges, complete: throwing('classes', {}) }),
  'a proxy that throws': proxy(edges, 0),
  'a proxy that throws after its size': proxy(edges, 2),
};

const points = { latents: Y.map((row) => row.slice(0, 2)) };
const layer = defineFieldLayer({
  name: 'layer',
  precision: (_, { size, sources }) => ({ diagonal: op.ones([size]), edges: op.zeros([sources.length]) }),
});

/** The public functions that take a graph, or squared distances at its edges. */
const takers: Readonly<Record<string, (given: Graph) => unknown>> = {
  adjacencyPlot: (given) => adjacencyPlot(given),
  expectedMoments: (given) => expectedMoments({ graph: given }),
  'defineFieldLayer(…)()': (given) => layer({}, given),
  'graphUnion, first': (given) => graphUnion(given, graph),
  'graphUnion, second': (given) => graphUnion(graph, given),
  'isomap of a graph': (given) => isomap({ graph: given }),
  'isomap beside points': (given) => isomap(Y, { graph: given }),
  laplacian: (given) => laplacian(given),
  laplacianEigenmaps: (given) => laplacianEigenmaps(Y, { graph: given }),
  'op.laplacianQuadraticForm': (given) => withFloat64(() => op.laplacianQuadraticForm(op.tensor(Y) as Tensor2D, given)),
  latentPlot: (given) => latentPlot({ ...points, graph: given }),
  lle: (given) => lle(Y, { graph: given }),
  'locality in a model': (given) => fit(gplvm(Y, { latentDim: 1, priors: [locality(given)] }), { maxIterations: 0 }),
  'maxEntropy of saved constraints': (given) =>
    maxEntropy({ base: 0.1, expect: { near: { kind: 'constraints', graph: given } as never } }),
  'meu of a graph': (given) => meu({ graph: given }),
  'meu beside points': (given) => meu(Y, { graph: given }),
  'mpme of a graph': (given) => mpme({ graph: given }),
  'mpme that starts at one': (given) => mpme(Y, { neighbors: 3, start: given }),
  mvu: (given) => mvu(Y, { graph: given }),
  squaredDifferences: (given) => squaredDifferences(given),
};

/** What comes of a call: its error, whether it is thrown or rejected. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('invalid graphs', () => {
  it.each(Object.entries(takers))('are refused by %s, for any defect', async (_, take) => {
    for (const [what, given] of Object.entries(hostile)) {
      const error = await errorOf(() => take(given as Graph));
      expect(error, what).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message.length).toBeLessThan(500);
    }
  });
});

describe('squared distances', () => {
  const count = graph.sources.length;
  const ones = Array.from({ length: count }, () => 1);
  const wrong = {
    'a proxy that throws': proxy(ones, 0),
    'a list that cannot be read to its end': throwing(String(count - 1), ones),
    'large integers': ones.map(() => 1n),
    symbols: ones.map(() => Symbol('one')),
    'an impossible length': { length: 1e9 },
    'a number': 3,
    'too few': ones.slice(1),
    'numbers below 0': ones.map(() => -1),
  };
  it.each([
    ['squaredDifferences', (given: never) => squaredDifferences(graph, given)],
    ['meu', (given: never) => meu({ graph, squaredDistances: given })],
    ['mpme', (given: never) => mpme(Y, { graph, squaredDistances: given })],
    ['isomap', (given: never) => isomap({ graph, squaredDistances: given })],
    ['expectedMoments', (given: never) => expectedMoments({ graph, secondMoments: given })],
    [
      'moments of expectedMoments',
      (given: never) => expectedMoments({ graph, secondMoments: { variances: given, covariances: given } }),
    ],
  ])('are checked by %s', async (_, take) => {
    for (const [what, given] of Object.entries(wrong)) {
      expect(await errorOf(() => take(given as never)), what).toBeInstanceOf(InvalidInputError);
    }
  });
});
