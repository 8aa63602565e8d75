import { describe, expect, it } from 'vitest';
import { graphFromJSON, graphToJSON } from '../../../src/engine/graph/json.ts';
import { graphUnion } from '../../../src/engine/index.ts';
import {
  completeGraph,
  epsilonGraph,
  type Graph,
  InvalidInputError,
  knnGraph,
  labelGraph,
} from '../../../src/index.ts';
import { laplacianEigenvalues } from '../../../src/priors/laplacian.ts';
import { type EdgesJSON, priorReference } from '../../priors/priorReference.ts';
import { expectClose } from '../../tolerance.ts';

const { graphs, Y, missing } = priorReference;

function expectEdges(graph: Graph, expected: EdgesJSON): void {
  expect(Array.from(graph.sources)).toEqual(expected.sources);
  expect(Array.from(graph.targets)).toEqual(expected.targets);
  expectClose(graph.weights, expected.weights, 1e-14, 'weights');
  expect(graph.sources).toBeInstanceOf(Int32Array);
  expect(graph.targets).toBeInstanceOf(Int32Array);
  expect(graph.weights).toBeInstanceOf(Float64Array);
}

describe('neighborhood graphs', () => {
  it.each(graphs.grid.knn)(
    'of the $k nearest on a grid full of ties agree with a sort by distance, then index',
    (expected) => {
      const graph = knnGraph(graphs.grid.points, expected.k);
      expect(graph.size).toBe(12);
      expectEdges(graph, expected);
    },
  );

  it.each(graphs.grid.epsilon)('within radius $radius on a grid', (expected) => {
    expectEdges(epsilonGraph(graphs.grid.points, expected.radius), expected);
  });

  it('weigh by the heat kernel', () => {
    const { k, width } = graphs.heat;
    expectEdges(knnGraph(Y, k, { weights: 'heat', width }), graphs.heat);
    expectEdges(epsilonGraph([[0], [1], [3]], 2.5, { weights: 'heat', width: 2 }), {
      sources: [0, 1],
      targets: [1, 2],
      weights: [Math.exp(-1 / 8), Math.exp(-4 / 8)],
    });
  });

  it('of coincident points', () => {
    expectEdges(knnGraph([[1], [1], [1], [9]], 1), { sources: [0, 0, 0], targets: [1, 2, 3], weights: [1, 1, 1] });
    expect(epsilonGraph([[0], [5]], 1).sources.length).toBe(0);
  });
});

describe('label graphs', () => {
  it('join points of one class, and nothing to a point without a label', () => {
    expectEdges(labelGraph(missing), graphs.labels);
    for (const none of [undefined, Number.NaN, '', -1]) {
      expectEdges(labelGraph(missing.map((label) => label ?? none)), graphs.labels);
    }
  });

  it('count −1 next to a single other label as a class', () => {
    expectEdges(labelGraph([-1, 1, -1, 1]), { sources: [0, 1], targets: [2, 3], weights: [1, 1] });
    expectEdges(labelGraph([-1, 1, -1, 2, 1]), { sources: [1], targets: [4], weights: [1] });
  });

  it('and complete graphs make their edges only when they are read', () => {
    const graph = completeGraph(200_000);
    expect(graph.size).toBe(200_000);
    expect(graph.complete?.count).toBe(1);
    expectEdges(completeGraph(4), {
      sources: [0, 0, 0, 1, 1, 2],
      targets: [1, 2, 3, 2, 3, 3],
      weights: Array(6).fill(1),
    });
  });

  it('of 6000 points in 10 classes are used by their classes', () => {
    const graph = labelGraph(Array.from({ length: 6000 }, (_, i) => i % 10));
    const eigenvalues = laplacianEigenvalues(graph);
    expect(eigenvalues.filter((value) => value === 0).length).toBe(10);
    expect(eigenvalues.filter((value) => value === 600).length).toBe(5990);
  });
});

describe('unions', () => {
  const { k, width } = graphs.union;
  const neighbors = knnGraph(Y, k, { weights: 'heat', width });
  const binary = { sources: graphs.labels.sources, targets: graphs.labels.targets, weights: graphs.labels.weights };
  const plain: Graph = {
    size: Y.length,
    sources: Int32Array.from(binary.sources),
    targets: Int32Array.from(binary.targets),
    weights: Float64Array.from(binary.weights),
  };

  it('of a label graph and neighbors keep the larger weight, the classes and, either way round, the same edges', () => {
    expect(graphUnion(labelGraph(missing), neighbors).complete?.count).toBe(3);
    expectEdges(graphUnion(labelGraph(missing), neighbors), graphs.union);
    expectEdges(graphUnion(neighbors, labelGraph(missing)), graphs.union);
    expectEdges(graphUnion(plain, neighbors), graphs.union);
  });

  it('keep what an edge within a class weighs above 1', () => {
    const heavy: Graph = {
      size: 3,
      sources: Int32Array.of(0, 1),
      targets: Int32Array.of(1, 2),
      weights: Float64Array.of(2.5, 0.5),
    };
    const expected = { sources: [0, 1], targets: [1, 2], weights: [2.5, 0.5] };
    expectEdges(graphUnion(labelGraph(['a', 'a', 'b']), heavy), expected);
    expectEdges(graphUnion(graphUnion(labelGraph(['a', 'a', 'b']), heavy), heavy), expected);
  });

  it('survive JSON with their classes', () => {
    const graph = graphUnion(labelGraph(missing), neighbors);
    const again = graphFromJSON(JSON.parse(JSON.stringify(graphToJSON(graph))));
    expect(again.complete?.count).toBe(3);
    expectEdges(again, { ...graphs.union, weights: Array.from(graph.weights) });
    expectEdges(graphFromJSON(JSON.parse(JSON.stringify(graphToJSON(neighbors)))), {
      sources: Array.from(neighbors.sources),
      targets: Array.from(neighbors.targets),
      weights: Array.from(neighbors.weights),
    });
  });
});

describe('bad input is refused with a sentence', () => {
  const refused: [string, () => unknown, RegExp][] = [
    ['k of 0', () => knnGraph(Y, 0), /from 1 to 17 for 18 points, but 'neighbors' is 0/],
    ['k of N', () => knnGraph(Y, 18), /from 1 to 17 for 18 points, but 'neighbors' is 18/],
    ['a fraction', () => knnGraph(Y, 2.5), /but 'neighbors' is 2.5/],
    ['a radius of 0', () => epsilonGraph(Y, 0), /radius above 0, but 0 was given/],
    [
      'NaN',
      () => knnGraph([[0], [Number.NaN]], 1),
      /Y of knnGraph must contain finite numbers, but entry \[1\]\[0\] is NaN/,
    ],
    ['one point', () => knnGraph([[0]], 1), /at least 2 points, but a 1×1 matrix/],
    [
      'an unknown option',
      () => knnGraph(Y, 2, { weight: 'heat' } as object),
      /no option 'weight'. Did you mean 'weights'/,
    ],
    ['a width of 0', () => knnGraph(Y, 2, { weights: 'heat', width: 0 }), /a number above 0, but 0 was given/],
    [
      'no label at all',
      () => labelGraph([undefined, null]),
      /at least one label that is not missing, but none of 2 is/,
    ],
    ['a label that is none', () => labelGraph([1, {} as number]), /label 1 is an object/],
    ['no labels', () => labelGraph(undefined as never), /a list with one label a point, but undefined was given/],
    ['a fraction of a point', () => completeGraph(2.5), /but 2.5 was given/],
    ['different points', () => graphUnion(completeGraph(3), completeGraph(4)), /3 points and the other 4/],
    ['no graph', () => graphUnion([] as never, completeGraph(4)), /takes a graph/],
    ['an offset for a large graph', () => laplacianEigenvalues({ ...largeGraph() }), /at most 4000 points/],
  ];
  it.each(refused)('%s', (_, work, message) => {
    expect(work).toThrow(InvalidInputError);
    expect(work).toThrow(message);
  });
});

const largeGraph = (): Graph => ({
  size: 5000,
  sources: Int32Array.of(0),
  targets: Int32Array.of(1),
  weights: Float64Array.of(1),
});
