import {
  drill,
  evaluate,
  fit,
  InvalidInputError,
  knnGraph,
  loadFit,
  Matrix,
  meu,
  mpme,
  seededRandom,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { connectedComponents, spanningTree } from '../../../src/engine/graph/connectedComponents.ts';
import { connectingPrecision, observedConnectingPrecision } from '../../../src/fields/density/connectingPrecision.ts';
import { edgeDistances } from '../../../src/fields/density/edgeSquaredDistances.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';

function normals(points: number, columns: number, scale = 1): number[][] {
  const { normal } = seededRandom(7);
  return Array.from({ length: points }, () => Array.from({ length: columns }, () => scale * normal()));
}

const squared = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, d) => sum + (x - b[d]!) ** 2, 0);

/** Longest edge of the minimum spanning tree of all pairs, by Prim's algorithm. */
function longestOf(Y: number[][]): number {
  const least = Y.map((row) => squared(Y[0]!, row));
  const left = new Set(Y.keys());
  left.delete(0);
  let longest = 0;
  while (left.size > 0) {
    const next = [...left].reduce((best, i) => (least[i]! < least[best]! ? i : best));
    longest = Math.max(longest, least[next]!);
    left.delete(next);
    for (const i of left) least[i] = Math.min(least[i]!, squared(Y[next]!, Y[i]!));
  }
  return longest;
}

const componentsOf = (result: Awaited<ReturnType<typeof fit>>) => connectedComponents(result.graph!).sizes.length;

describe('the default base precision', () => {
  it.each([
    ['tiny', 1e-6],
    ['plain', 1],
    ['huge', 1e5],
  ])('connects the learned graph of standard normals in ten dimensions, in %s units, at every C', async (_, scale) => {
    const Y = normals(50, 10, scale);
    const objectives: number[] = [];
    for (const slackPenalty of [Infinity, 1e-3 / scale ** 2, 1e-6 / scale ** 2]) {
      const result = await fit(mpme(Y, { slackPenalty }));
      // At the smallest C all weights are at their limit.
      expect(result.status).toBe(slackPenalty < 1e-5 / scale ** 2 ? 'degenerate' : 'converged');
      expect(componentsOf(result)).toBe(1);
      expect(result.diagnostics.kktResidual).toBeLessThan(1e-8);
      objectives.push(result.objective);
    }
    // Weights are in units of 1/φ, so that the objective moves by c·N/2·log of the unit and nothing else.
    const plain = await fit(mpme(normals(50, 10)));
    expectClose(objectives[0]!, plain.objective - 2 * 50 * Math.log(scale), 1e-9);
    const latents = (await fit(mpme(Y))).latents.data.map((entry) => entry / scale);
    expectClose(latents.map(Math.abs), plain.latents.data.map(Math.abs), 1e-6);
  });

  it('is 2c/(N·φ*), φ* the longest edge of the minimum spanning tree', () => {
    const Y = swissRoll(40);
    const model = mpme(Y, { latentDim: 3 });
    // Without weights R = 2/λ, so that the gradient of an edge is c/λ − φ/2.
    const gradient = evaluate(model).gradients['field.weights'] as number[];
    const lambda = 3 / (gradient[0]! + squared(Y[0]!, Y[1]!) / 2);
    expectClose(lambda, (2 * 3) / (40 * longestOf(Y)), 1e-12);
  });

  it('leaves an explicit number alone, whose empty graph is degenerate', async () => {
    const Y = normals(30, 10);
    for (const model of [mpme(Y, { basePrecision: 1 }), meu(Y, { basePrecision: 1e3 })]) {
      const result = await fit(model);
      expect(result.status).toBe('degenerate');
      expect(componentsOf(result)).toBeGreaterThan(15);
      const [, rule] = result.message.match(/A base precision of ([\d.e-]+) connects all points/)!;
      const remade =
        model.name === 'mpme' ? mpme(Y, { basePrecision: Number(rule) }) : meu(Y, { basePrecision: Number(rule) });
      const connected = await fit(remade);
      expect(connected.status).toBe('converged');
      expect(componentsOf(connected)).toBe(1);
    }
  });
});

describe('the default penalty of drill', () => {
  // Two sheets on either side of the mean, and one point near it, whose second moments with its neighbors are small.
  const sheets = [...swissRoll(20), ...swissRoll(20).map((row) => row.map((x) => -x)), [0.03, 0.01, -0.02]];

  it.each([1e-3, 1, 1e3])('connects the learned graph, in units of %s', async (unit) => {
    const Y = sheets.map((row) => row.map((x) => unit * x));
    const usual = await fit(drill(Y, { neighbors: 4 }));
    expect(usual.status).toBe('converged');
    expect(componentsOf(usual)).toBe(1);
    expect(usual.diagnostics.kktResidual).toBeLessThan(1e-8);
    // A hundredth of the mean of S's diagonal, the usual penalty, does not.
    const squares = Y.flat().reduce((sum, y) => sum + y * y, 0) / (3 * Y.length);
    const mean = [0, 1, 2].reduce((sum, d) => sum + (Y.reduce((s, row) => s + row[d]!, 0) / Y.length) ** 2, 0) / 3;
    const apart = await fit(drill(Y, { neighbors: 4, penalty: 0.01 * (squares - mean) }));
    expect(apart.status).toBe('degenerate');
    expect(componentsOf(apart)).toBeGreaterThan(1);
  });
});

describe('points that are the same', () => {
  const Y = swissRoll(30);
  const twice = [...Y, Y[4]!, Y[9]!, Y[4]!];

  it.each([
    ['mpme', () => mpme(twice)],
    ['mpme of plain distances', () => mpme(twice, { distances: 'plain' })],
    ['meu', () => meu(twice, { neighbors: 5 })],
  ])('are tied by %s, have one place, and nothing else is changed by them much', async (_, make) => {
    const result = await fit(make());
    expect(result.status).toBe('converged');
    expect(result.message).toContain('Equal points share one node of the graph: 4 = 30 = 32; 9 = 31.');
    expect(result.latents.row(4)).toEqual(result.latents.row(30));
    expect(result.latents.row(4)).toEqual(result.latents.row(32));
    expect(result.latents.row(9)).toEqual(result.latents.row(31));
    expect(componentsOf(result)).toBe(1);
    expect(result.latents.data.every(Number.isFinite)).toBe(true);
    expectClose((await result.project([Y[4]!])).latents.row(0), result.latents.row(4), 1e-2);
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.latents).toEqual(result.latents);
  });

  it.each([
    ['mpme', 2],
    ['mpme', 3],
    ['mpme', 4],
    ['meu', 2],
    ['meu', 3],
    ['meu', 4],
  ] as const)(
    'are tied by %s where every row occurs %d times, and the optimality conditions are satisfied',
    async (name, times) => {
      const rows = swissRoll(20).flatMap((row) => Array.from({ length: times }, () => row));
      const { status, diagnostics, graph } = await fit(name === 'meu' ? meu(rows) : mpme(rows));
      expect(status).toBe('converged');
      expect(diagnostics.kktResidual).toBeLessThan(1e-7);
      const ties = graph!.sources.filter((i, e) => Math.floor(i / times) === Math.floor(graph!.targets[e]! / times));
      expect(ties).toHaveLength(20 * (times - 1));
    },
  );

  it('are one node of multiplicity two: sums of weights agree with a field of merged points', async () => {
    const options = { basePrecision: 1e-9, latentDim: 2 };
    const single = await fit(mpme(Y, options));
    const double = await fit(mpme([...Y, Y[4]!], options));
    const sums = new Map<string, number>();
    const { sources, targets, weights } = double.graph!;
    sources.forEach((i, e) => {
      const [a, b] = [i, targets[e]!].map((p) => (p === 30 ? 4 : p)).sort((p, q) => p - q);
      if (a !== b) sums.set(`${a} ${b}`, (sums.get(`${a} ${b}`) ?? 0) + weights[e]!);
    });
    const { graph } = single;
    expect([...sums.keys()].sort()).toEqual(Array.from(graph!.sources, (i, e) => `${i} ${graph!.targets[e]}`).sort());
    graph!.sources.forEach((i, e) => {
      expectClose(sums.get(`${i} ${graph!.targets[e]}`)!, graph!.weights[e]!, 1e-4);
    });
  });
});

describe('neighborhood graphs of several components', () => {
  const far = [...swissRoll(25), ...swissRoll(15).map((row) => row.map((x) => x + 300))];

  it('are joined, or the largest is shown, or it is an error', async () => {
    const options = { neighbors: 4 };
    const joined = await fit(meu(far, options));
    expect(joined.status).toBe('converged');
    expect(componentsOf(joined)).toBe(1);
    expect(joined.latents.rows).toBe(40);
    const largest = await fit(meu(far, { ...options, disconnected: 'largest' }));
    expect(largest.latents.rows).toBe(25);
    expect(largest.parameters.points).toEqual(Array.from({ length: 25 }, (_, i) => i));
    expect(largest.message).toContain('the 25 of 40 points in the largest, listed in parameters.points');
    expectClose(largest.objective, (await fit(meu(far.slice(0, 25), options))).objective, 1e-12);
    const again = loadFit(JSON.parse(JSON.stringify(largest)));
    expect(again.latents).toEqual(largest.latents);
    expect(() => meu(far, { ...options, disconnected: 'error' })).toThrow(InvalidInputError);
    expect(() => meu(far, { ...options, disconnected: 'error' })).toThrow(/2 components.*edges that join them/);
  });

  it('are joined by drill, or the largest is shown, or it is an error', async () => {
    const options = { neighbors: 4 };
    const joined = await fit(drill(far, options));
    expect(joined.status).toBe('converged');
    expect(componentsOf(joined)).toBe(1);
    expect(joined.message).toContain(
      'The candidate edges leave 2 components. The shortest edge between them joins them.',
    );
    const largest = await fit(drill(far, { ...options, disconnected: 'largest' }));
    expect(largest.parameters.points).toEqual(Array.from({ length: 25 }, (_, i) => i));
    expectClose(largest.objective, (await fit(drill(far.slice(0, 25), options))).objective, 1e-12);
    expect((await largest.project([far[3]!])).latents.row(0)).toEqual(largest.latents.row(3));
    expect(loadFit(JSON.parse(JSON.stringify(largest))).latents).toEqual(largest.latents);
    expect(() => drill(far, { ...options, disconnected: 'error' })).toThrow(/2 components.*edges that join them/);
  });

  it.each(['squared', 'plain'] as const)('are joined by mpme over neighbors, at %s distances', async (distances) => {
    const joined = await fit(mpme(far, { neighbors: 4, distances }));
    expect(joined.status).toBe('converged');
    expect(componentsOf(joined)).toBe(1);
    const between = (i: number, j: number) => squared(far[i]!, far[j]!);
    const across = Array.from(joined.graph.sources, (i, e) => [i, joined.graph.targets[e]!] as const).filter(
      ([i, j]) => i < 25 !== j < 25,
    );
    expect(across).toHaveLength(1);
    const [i, j] = across[0]!;
    for (let a = 0; a < 25; a++) {
      for (let b = 25; b < 40; b++) expect(between(a, b)).toBeGreaterThanOrEqual(between(i, j));
    }
    // The bridge meets its constraint: c·(U_ii + U_jj − 2·U_ij) is the distance.
    const U = joined.covariance();
    const expected = distances === 'squared' ? between(i, j) : Math.sqrt(between(i, j));
    expectClose(joined.latents.columns * (U.at(i, i) + U.at(j, j) - 2 * U.at(i, j)), expected, 1e-6);
  });

  it('are joined where entries are missing too', async () => {
    const holed = far.map((row, i) => row.map((x, d) => ((i + d) % 11 === 0 ? Number.NaN : x)));
    const result = await fit(meu(holed, { neighbors: 4, missing: 'ignore' }));
    expect(result.status).toBe('converged');
    expect(componentsOf(result)).toBe(1);
  });

  it('are learned by no default where the most informative column has holes', { tags: 'long' }, async () => {
    // Rows without the wide column seem near to all others: by the distances of the entries that are there, the graph fell apart.
    const { uniform, normal } = seededRandom(5);
    const wide = Array.from({ length: 60 }, () => [100 * normal(), normal(), normal(), normal()]).map((row) =>
      row.map((x) => (uniform() < 0.1 ? Number.NaN : x)),
    );
    const by = async (options = {}) => fit(meu(wide, { missing: 'ignore', scale: false, ...options }));
    const result = await by();
    expect(componentsOf(result)).toBe(1);
    const shattered = await by({ basePrecision: 0.01 });
    expect(componentsOf(shattered)).toBeGreaterThan(1);
    const named = Number(shattered.message.match(/A base precision of (\S+) connects all points/)![1]);
    expect(componentsOf(await by({ basePrecision: named }))).toBe(1);
  });

  it('have the base precision of a complete table by the formula for holes where none is missing', () => {
    const Y = Matrix.from(far);
    const graph = knnGraph(far, 30);
    expectClose(observedConnectingPrecision(Y, graph), connectingPrecision(graph, edgeDistances(Y, graph), 3), 1e-14);
    // Rows 0, 1, 2 in a chain; missing entries lie between 2 and 6, and between 3 and 8.
    const chain = {
      size: 3,
      sources: Int32Array.of(0, 1),
      targets: Int32Array.of(1, 2),
      weights: Float64Array.of(1, 1),
    };
    const holed = Matrix.from([
      [0, 2, 3],
      [3, Number.NaN, 8],
      [1, 6, Number.NaN],
    ]);
    const bounds = [(9 + 25 + 16) / 2, (4 + 25 + 16) / 1];
    expectClose(observedConnectingPrecision(holed, chain), 2 / (3 * Math.max(...bounds)), 1e-14);
  });
});

describe('distances from elsewhere', () => {
  const Y = swissRoll(60);
  const graph = knnGraph(Y, 8);
  const squaredDistances = edgeDistances(Matrix.from(Y), graph);

  it('of the pairs that may have a weight give the fit of the observations that have them', async () => {
    const own = await fit(meu(Y, { neighbors: 8 }));
    const given = await fit(meu({ graph, squaredDistances }, { copies: 3 }));
    expect(given.latents).toEqual(own.latents);
    const weighted = { ...graph, weights: squaredDistances };
    expect((await fit(meu({ graph: weighted }, { copies: 3 }))).latents).toEqual(own.latents);
    // In units of the weights the number of copies changes nothing.
    const one = await fit(meu({ graph: weighted }));
    expectClose(
      one.graph!.weights.map((w) => 3 * w),
      own.graph!.weights,
      1e-8,
    );
    const pairs = await fit(mpme({ graph, squaredDistances }));
    expect(pairs.latents).toEqual((await fit(mpme(Y, { neighbors: 8 }))).latents);
    expect(pairs.status).toBe('converged');
    const again = loadFit(JSON.parse(JSON.stringify(given)));
    expect(again.latents).toEqual(given.latents);
    expect(again.graph).toEqual(given.graph);
    expect('project' in given).toBe(false);
  });

  it('must join all points, or the largest component is taken', async () => {
    const first = Int32Array.from(graph.sources.keys()).filter(
      (e) => graph.sources[e]! !== 7 && graph.targets[e]! !== 7,
    );
    const apart = {
      graph: {
        size: 60,
        sources: first.map((e) => graph.sources[e]!),
        targets: first.map((e) => graph.targets[e]!),
        weights: Float64Array.from(first, (e) => squaredDistances[e]!),
      },
    };
    expect(() => meu(apart)).toThrow(/2 components.*Give edges that join them/);
    expect((await fit(meu(apart, { disconnected: 'largest' }))).latents.rows).toBe(59);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['too few', () => meu({ graph, squaredDistances: [1] }), /one number for each of the \d+ edges, but 1 were given/],
    [
      'negative',
      () => mpme({ graph, squaredDistances: squaredDistances.map(() => -1) }),
      /from 0, but the one of edge 0/,
    ],
    ['no graph', () => mpme({ graph: 3 as never }), /mpme takes a graph/],
    ['neighbors beside them', () => meu({ graph }, { neighbors: 4 }), /leave 'neighbors' out/],
    ['copies beside observations', () => meu(Y, { copies: 2 }), /leave 'copies' out/],
  ])('are refused: %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });
});

describe('mpme of many points', () => {
  it('is refused before anything is allocated, with models that work', () => {
    const many = new Matrix(new Float64Array(40_000), 20_000, 2);
    expect(() => mpme(many)).toThrow(InvalidInputError);
    expect(() => mpme(many)).toThrow(/up to 6000 points.*199990000 pairs.*neighbors: 20/);
  });

  it('begins at the weights of another fit', async () => {
    const Y = normals(120, 3);
    const cold = await fit(mpme(Y, { slackPenalty: 2 }));
    const warm = await fit(mpme(Y, { slackPenalty: 2.2, start: cold.graph! }));
    const anew = await fit(mpme(Y, { slackPenalty: 2.2 }));
    expectClose(warm.objective, anew.objective, 1e-12);
    expect(warm.diagnostics.evaluations).toBeLessThan(anew.diagnostics.evaluations);
  });
});

it('a spanning tree takes the first of equally long edges, and one of each component', () => {
  const edges = { size: 6, sources: Int32Array.of(0, 0, 1, 2, 4), targets: Int32Array.of(1, 2, 2, 3, 5) };
  expect(Array.from(spanningTree(edges, Float64Array.of(1, 1, 1, 5, 2)))).toEqual([0, 1, 3, 4]);
});
