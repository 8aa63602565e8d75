import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eliminationTree } from '../../../src/engine/sparse/assemblyTree.ts';
import { adjacencyOf, type EdgeList, patternOfGraph } from '../../../src/engine/sparse/index.ts';
import { minimumDegreeOrder } from '../../../src/engine/sparse/minimumDegree.ts';
import {
  completeGraph,
  cycleGraph,
  graphOf,
  gridGraph,
  pathGraph,
  randomGraph,
  rollGraph,
  starGraph,
} from './graphs.ts';

const adjacency = (graph: EdgeList) => adjacencyOf(patternOfGraph(graph).pattern);
const natural = (size: number) => Int32Array.from({ length: size }, (_, k) => k);
const order = (graph: EdgeList) => minimumDegreeOrder(adjacency(graph));

/** Entries of L. */
function entries(graph: EdgeList, sequence: Int32Array): number {
  return eliminationTree(adjacency(graph), sequence).counts.reduce((sum, count) => sum + count, 0);
}

/** Entries of L by elimination as it is defined: the later neighbors of a node become a clique. */
function entriesByDefinition({ size, sources, targets }: EdgeList, sequence: Int32Array): number {
  const neighbors = Array.from({ length: size }, () => new Set<number>());
  sources.forEach((i, e) => {
    neighbors[i]!.add(targets[e]!);
    neighbors[targets[e]!]!.add(i);
  });
  let count = 0;
  for (const node of sequence) {
    const later = [...neighbors[node]!];
    count += 1 + later.length;
    for (const i of later) {
      neighbors[i]!.delete(node);
      for (const j of later) if (i !== j) neighbors[i]!.add(j);
    }
  }
  return count;
}

describe('the column counts of the elimination tree', () => {
  it('agree with elimination by definition', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.nat(),
        (n, p, seed) => {
          const graph = randomGraph(n, p, seed);
          const sequence = order(graph);
          expect(entries(graph, sequence)).toBe(entriesByDefinition(graph, sequence));
          expect(entries(graph, natural(n))).toBe(entriesByDefinition(graph, natural(n)));
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });
});

describe('the minimum degree order', () => {
  it('names every node once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 80 }),
        fc.double({ min: 0, max: 0.6, noNaN: true }),
        fc.nat(),
        (n, p, seed) => {
          expect(
            order(randomGraph(n, p, seed))
              .slice()
              .sort(),
          ).toEqual(natural(n));
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });

  it.each([
    ['path', pathGraph(200), 199],
    ['star', starGraph(200), 199],
    [
      'two paths and a point',
      graphOf(7, [
        [0, 4],
        [4, 2],
        [1, 6],
        [6, 5],
      ]),
      4,
    ],
  ])('fills nothing in on a tree: %s', (_, graph, edges) => {
    expect(entries(graph, order(graph))).toBe(graph.size + edges);
  });

  it('has the least fill there is on a cycle, and no choice on a complete graph', () => {
    expect(entries(cycleGraph(100), order(cycleGraph(100)))).toBe(100 + 100 + 97);
    expect(entries(completeGraph(20), order(completeGraph(20)))).toBe(210);
  });

  it('takes the nodes amid the edges of a banded graph first, and fills nothing in among the others', () => {
    const size = 30;
    const pairs = natural(size).reduce<[number, number][]>((all, i) => {
      for (let j = i + 1; j <= Math.min(size - 1, i + 3); j++) all.push([(7 * i) % size, (7 * j) % size]);
      return all;
    }, []);
    const halves = pairs.flatMap(([i, j], e) => [[i, size + e] as const, [j, size + e] as const]);
    const graph = graphOf(size + pairs.length, halves);
    // A column with its two ends for each node amid an edge, then that edge itself.
    expect(entries(graph, order(graph))).toBe(3 * pairs.length + size + pairs.length);
  });

  // SuperLU's multiple minimum degree has 2.18, 3.21 and 5.39 on these.
  it.each([
    [20, 20, 2.1],
    [40, 40, 3],
    [100, 100, 5],
  ])('has less fill than the order by rows on a %i×%i grid, by a factor of %f', (rows, columns, factor) => {
    const graph = gridGraph(rows, columns);
    expect(entries(graph, natural(graph.size)) / entries(graph, order(graph))).toBeGreaterThan(factor);
  });

  it('stays within a tenth of exact minimum degree on a grid and on a neighborhood graph', () => {
    for (const graph of [gridGraph(20, 20), rollGraph(400, 6)]) {
      const exact = entriesByDefinition(graph, exactMinimumDegree(graph));
      expect(entries(graph, order(graph)) / exact).toBeLessThan(1.1);
    }
  });

  it('puts nodes that touch nearly everything last', () => {
    const rim = cycleGraph(2000);
    const sources = Int32Array.from([...rim.sources, ...natural(2000)]);
    const targets = Int32Array.from([...rim.targets, ...natural(2000).fill(2000)]);
    const wheel = { size: 2001, sources, targets };
    expect(order(wheel)[2000]).toBe(2000);
    expect(entries(wheel, order(wheel))).toBe(2000 + 2000 + 1997 + 2001);
  });

  it('is the same every time', () => {
    expect(order(rollGraph(500, 6))).toEqual(order(rollGraph(500, 6)));
  });

  it('is empty for no nodes', () => {
    expect(order(graphOf(0, []))).toEqual(new Int32Array(0));
  });
});

function exactMinimumDegree({ size, sources, targets }: EdgeList): Int32Array {
  const neighbors = Array.from({ length: size }, () => new Set<number>());
  sources.forEach((i, e) => {
    neighbors[i]!.add(targets[e]!);
    neighbors[targets[e]!]!.add(i);
  });
  const left = new Set(natural(size));
  return Int32Array.from({ length: size }, () => {
    const node = [...left].reduce((a, b) => (neighbors[b]!.size < neighbors[a]!.size ? b : a));
    left.delete(node);
    const later = [...neighbors[node]!];
    for (const i of later) {
      neighbors[i]!.delete(node);
      for (const j of later) if (i !== j) neighbors[i]!.add(j);
    }
    return node;
  });
}
