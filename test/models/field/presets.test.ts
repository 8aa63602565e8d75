import {
  alle,
  drill,
  fit,
  gplvm,
  InvalidInputError,
  knnGraph,
  laplacianEigenmaps,
  loadFit,
  mvu,
  seededRandom,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { filledParents, fillReducingOrder } from '../../../src/models/field/alle.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';

const preset = 'lawrence2012';
const Y = swissRoll(26);
const N = Y.length;

describe("the author's settings", () => {
  it('take DRILL without a penalty', async () => {
    const { normal } = seededRandom(4);
    const wide = Array.from({ length: 10 }, () => Array.from({ length: 12 }, () => normal()));
    const named = await fit(drill(wide, { neighbors: 2, preset }));
    const spelled = await fit(drill(wide, { neighbors: 2, penalty: 0 }));
    expect(named.latents.data).toEqual(spelled.latents.data);
    const own = await fit(drill(wide, { neighbors: 2, preset, penalty: 0.3 }));
    expect(own.objective).toBeLessThan(named.objective);
  });

  it('reconstruct the points of ALLE from the pattern of a sparse factor, fill included', async () => {
    const graph = knnGraph(Y, 3);
    const order = fillReducingOrder(graph);
    // Elimination on an N×N array: what is left of a point's neighbors is joined.
    const joined = Y.map(() => new Array<boolean>(N).fill(false));
    const join = (i: number, j: number) => {
      joined[i]![j] = true;
      joined[j]![i] = true;
    };
    graph.sources.forEach((i, e) => {
      join(i, graph.targets[e]!);
    });
    const expected = Y.map((): number[] => []);
    order.forEach((i, place) => {
      const later = order.slice(place + 1).filter((j) => joined[i]![j]);
      for (const a of later) for (const b of later) if (a !== b) join(a, b);
      expected[i] = later.sort((a, b) => a - b);
    });
    const parents = filledParents(graph, order);
    expect(parents.map((list) => Array.from(list))).toEqual(expected);
    expect(expected.flat().length).toBeGreaterThan(graph.sources.length);
    // Parents of a point are joined to each other, so the precision has no entry beside theirs.
    const result = await fit(alle(Y, { neighbors: 3, preset }));
    const pairs = expected.flatMap((list, i) => list.map((j) => `${Math.min(i, j)} ${Math.max(i, j)}`));
    const learned = Array.from(result.graph.sources, (i, e) => `${i} ${result.graph.targets[e]}`);
    expect(learned.sort()).toEqual(pairs.sort());
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.precision!().data).toEqual(result.precision().data);
  });

  it('count mutual edges of Laplacian eigenmaps twice', async () => {
    const k = 4;
    const width = 3;
    const distance = (i: number, j: number) => Math.hypot(...Y[i]!.map((entry, d) => entry - Y[j]![d]!));
    const nearest = Y.map((_, i) =>
      Array.from(Y.keys())
        .filter((j) => j !== i)
        .sort((a, b) => distance(i, a) - distance(i, b))
        .slice(0, k),
    );
    const times = (i: number, j: number) => Number(nearest[i]!.includes(j)) + Number(nearest[j]!.includes(i));
    const W = Y.map((_, i) => Y.map((__, j) => times(i, j) * Math.exp(-(distance(i, j) ** 2) / (2 * width * width))));
    const degrees = W.map((row) => row.reduce((sum, w) => sum + w, 0));
    expect(W.flat().some((_, p) => times(Math.floor(p / N), p % N) === 1)).toBe(true);
    const { latents, eigenvalues, project } = await fit(laplacianEigenmaps(Y, { neighbors: k, width, preset }));
    for (let c = 0; c < 2; c++) {
      const u = Y.map((_, i) => latents.at(i, c));
      const Lu = W.map((row, i) => degrees[i]! * u[i]! - row.reduce((sum, w, j) => sum + w * u[j]!, 0));
      expectClose(
        Lu,
        u.map((entry, i) => eigenvalues[c]! * degrees[i]! * entry),
        1e-9,
      );
    }
    const { latents: placed } = await project(Y.slice(0, 3));
    expectClose(
      placed,
      [0, 1, 2].map((i) => Array.from(latents.row(i))),
      1e-12,
    );
    expect(() => laplacianEigenmaps(Y, { radius: 5, preset })).toThrow(InvalidInputError);
  });
});

describe('choices that do not depend on others', () => {
  it('shows the same unfolding in any number of dimensions', async () => {
    const options = { neighbors: 3, constraints: 'equality' } as const;
    const flat = await fit(mvu(Y.slice(0, 12), { ...options, latentDim: 2 }));
    const high = await fit(mvu(Y.slice(0, 12), { ...options, latentDim: 8 }));
    for (let i = 0; i < 12; i++)
      expect(Array.from(high.latents.row(i).slice(0, 2))).toEqual(Array.from(flat.latents.row(i)));
    expect(Array.from(high.eigenvalues.slice(0, 2))).toEqual(Array.from(flat.eigenvalues));
    expect(high.eigenvalues.length).toBe(8);
  });

  it('takes an undefined kernel of dynamics for the default', () => {
    const paths = (dynamics: true | { kernel: undefined }) =>
      JSON.stringify(gplvm(Y, { latentDim: 2, dynamics }).toJSON().priors);
    expect(paths({ kernel: undefined })).toBe(paths(true));
  });
});
