import { readFileSync } from 'node:fs';
import {
  alle,
  classicalMds,
  fit,
  InvalidInputError,
  isomap,
  knnGraph,
  laplacianEigenmaps,
  lle,
  loadFit,
  Matrix,
  type Model,
  mvu,
  nearestNeighborError,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../../src/app/io/index.ts';
import { nearestNeighbors } from '../../../src/engine/neighbors/index.ts';
import { sharedFile } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';
import { expectColumns, swissRoll } from './columns.ts';

const Y = swissRoll(40);
const between = (points: number[][]) =>
  points.map((a) => points.map((b) => Math.hypot(...a.map((entry, d) => entry - b[d]!))));
const apart = [...swissRoll(20), ...swissRoll(14).map(([x, y, z]) => [x! + 100, y!, z!])];
/** The two nearest points of the two clouds. */
const bridge = (() => {
  const distances = between(apart);
  const pairs = Array.from({ length: 20 * 14 }, (_, p) => [Math.floor(p / 14), 20 + (p % 14)] as const);
  return pairs.reduce((best, pair) => (distances[pair[0]]![pair[1]]! < distances[best[0]]![best[1]]! ? pair : best));
})();
const saved = async (model: Model) => {
  const result = await fit(model);
  const again = await loadFit(JSON.parse(JSON.stringify(result.toJSON())));
  expect(again.latents).toEqual(result.latents);
  return { result, again };
};

describe('components of the graph of neighbors', () => {
  const [i, j] = bridge;
  const near = knnGraph(apart, 4);
  /** With the one edge that joins both clouds. */
  const joined = (() => {
    const edges = [...Array.from(near.sources, (a, e) => [a, near.targets[e]!] as const), bridge];
    edges.sort(([a, b], [c, d]) => a - c || b - d);
    return {
      size: apart.length,
      sources: Int32Array.from(edges, ([a]) => a),
      targets: Int32Array.from(edges, ([, b]) => b),
      weights: new Float64Array(edges.length).fill(1),
    };
  })();

  it.each<[string, (options: object) => Model, (graph: object) => Model]>([
    ['isomap', (o) => isomap(apart, { neighbors: 4, ...o }), (graph) => isomap(apart, graph)],
    [
      'laplacianEigenmaps',
      (o) => laplacianEigenmaps(apart, { neighbors: 4, ...o }),
      (g) => laplacianEigenmaps(apart, g),
    ],
    ['mvu', (o) => mvu(apart, { neighbors: 4, ...o }), (graph) => mvu(apart, graph)],
  ])('%s joins them by their shortest edge, or shows the largest', async (_, make, from) => {
    const { result } = await saved(make({}));
    expect(result.message).toContain('2 components, the largest of 20 of 34 points. The shortest edge between them');
    expect(result.latents.rows).toBe(34);
    expect(result.parameters.points).toBeUndefined();
    const byGraph = await fit(from({ graph: joined }));
    expect(byGraph.latents).toEqual(result.latents);
    const { result: largest } = await saved(make({ disconnected: 'largest' }));
    expect(largest.parameters.points).toEqual(Array.from({ length: 20 }, (__, n) => n));
    const placed = await largest.project!(apart.slice(0, 20));
    expectClose(placed.latents, largest.latents, 1e-8);
    await expect(fit(make({ disconnected: 'error' }))).rejects.toThrow(/2 components.*'connect' or 'largest'/);
  });

  it('lle reconstructs both ends of that edge by each other too', async () => {
    const { result } = await saved(lle(apart, { neighbors: 4 }));
    expect(result.message).toContain('The shortest edge between them joins them');
    // Without the edge the first column tells the clouds apart and is constant on each.
    const first = result.latents.column(0).slice(0, 20);
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(1e-3);
    const largest = await fit(lle(apart, { neighbors: 4, disconnected: 'largest' }));
    const alone = await fit(lle(apart.slice(0, 20), { neighbors: 4 }));
    expect(largest.latents).toEqual(alone.latents);
    expect(largest.parameters.points).toHaveLength(20);
    expectClose((await largest.project!(apart.slice(0, 20))).latents, largest.latents, 1e-8);
    expect([i, j].every(Number.isInteger)).toBe(true);
  });
});

describe('points at one place', () => {
  /** Each of the first points comes eight times: more often than it has neighbors. */
  const doubled = [...Y, ...Array.from({ length: 8 }, () => Y.slice(0, 3)).flat()];
  it.each<[string, Model]>([
    ['isomap', isomap(doubled)],
    ['lle', lle(doubled)],
    ['laplacianEigenmaps', laplacianEigenmaps(doubled)],
    ['mvu', mvu(doubled, { neighbors: 5 })],
  ])('do not stop %s', async (_, model) => {
    const result = await fit(model);
    expect(result.status).toBe('converged');
    const X = result.latents;
    if (model.name === 'mvu') {
      for (let n = 40; n < 64; n++) expectClose(X.row(n), X.row((n - 40) % 3), 1e-12);
      expect(result.message).toContain('24 points equal others');
    }
    if (model.name === 'isomap') {
      for (let n = 40; n < 64; n++) expectClose(X.row(n), X.row((n - 40) % 3), 1e-9);
    }
    expect(
      nearestNeighborError(
        X,
        doubled.map((_, n) => (n < 40 ? n % 3 : (n - 40) % 3)),
      ),
    ).toBeLessThan(1);
  });
});

const oil = sharedFile('data/oil_train_X.npy');
describe.runIf(oil)(
  'new points of oil flow, 750 fitted and 250 placed (shared/data/oil_train_X.npy)',
  { tags: 'long' },
  () => {
    it.each<[string, (Y: number[][]) => Model, number]>([
      ['classicalMds', classicalMds, 0.18],
      ['isomap', isomap, 0.09],
      ['lle', lle, 0.06],
      ['laplacianEigenmaps', laplacianEigenmaps, 0.02],
      ['alle', alle, 0.16],
    ])('%s are near their own kind about as often as in a fit of all', async (_, make, most) => {
      const { observations } = await readTable(oil!);
      const labels = new Int32Array(readFileSync(sharedFile('data/oil_train_y.npy')!).buffer.slice(128));
      const rows = Array.from({ length: 1000 }, (__, n) => n);
      const [fitted, placed] = [rows.filter((n) => n % 4 !== 0), rows.filter((n) => n % 4 === 0)];
      const pick = (numbers: readonly number[]) => numbers.map((n) => Array.from(observations.row(n)));
      const error = (X: Matrix, among: readonly number[], Z: Matrix, of: readonly number[]) => {
        const { indices } = nearestNeighbors(X, 1, { queries: Z });
        return of.filter((n, p) => labels[among[indices[p]!]!] !== labels[n]).length / of.length;
      };
      const result = await fit(make(pick(fitted)));
      const held = error(result.latents, fitted, (await result.project!(pick(placed))).latents, placed);
      const { latents } = await fit(make(pick([...fitted, ...placed])));
      const [X, Z] = [latents.toArrays().slice(0, 750), latents.toArrays().slice(750)].map((part) => Matrix.from(part));
      const refitted = error(X!, fitted, Z!, placed);
      expect(held).toBeLessThan(most);
      expect(held).toBeLessThan(refitted + 0.06);
    });
  },
);

const iris = sharedFile('data/iris_X.npy');
describe.runIf(iris)('iris, with two equal flowers (shared/data/iris_X.npy)', { tags: 'long' }, () => {
  it.each<[string, (Y: Matrix) => Model]>([
    ['isomap', isomap],
    ['lle', lle],
    ['lle, generalized', (Y) => lle(Y, { generalized: true })],
    ['laplacianEigenmaps', laplacianEigenmaps],
    ['mvu', mvu],
  ])('is shown whole by %s with its defaults', async (_, make) => {
    const result = await fit(make((await readTable(iris!)).observations));
    expect(result.status).toBe('converged');
    expect(result.latents.rows).toBe(150);
    const labels = Array.from({ length: 150 }, (__, n) => Math.floor(n / 50));
    expect(nearestNeighborError(result.latents, labels)).toBeLessThan(0.12);
  });
});

describe('landmarks', () => {
  it('that are all points give the same embedding', async () => {
    const whole = await fit(isomap(Y, { neighbors: 5, latentDim: 3 }));
    const { result } = await saved(isomap(Y, { neighbors: 5, latentDim: 3, landmarks: 40 }));
    expectColumns(result.latents, whole.latents.toArrays(), 1e-10);
    expectClose(result.eigenvalues, whole.eigenvalues, 1e-11);
  });

  it('place the other points by their paths to them, and new ones too', async () => {
    const { result, again } = await saved(isomap(Y, { neighbors: 5, landmarks: 12 }));
    const landmarks = result.parameters.landmarks as number[];
    expect(new Set(landmarks).size).toBe(12);
    expectClose((await again.project!(Y)).latents, result.latents, 1e-8);
    expectClose((await result.project!(Y.slice(0, 4))).latents, result.latents.data.slice(0, 8), 1e-8);
    const roll = swissRoll(200);
    const all = await fit(isomap(roll));
    const by = await fit(isomap(roll, { landmarks: 30 }));
    expect(Math.abs(correlation(by.latents, Array.from(all.latents.column(0))))).toBeGreaterThan(0.99);
  });

  it('need no N×N matrix', async () => {
    const many = swissRoll(21_000);
    expect(() => isomap(many)).toThrow(/isomap without landmarks .*: 21000 points would need 4 GB.*Give landmarks/);
    const result = await fit(isomap(many, { neighbors: 8, landmarks: 20 }));
    expect(result.latents.rows).toBe(21_000);
    // The roll unrolls: its first dimension is the length along the spiral.
    const t = many.map(([x, , z]) => Math.hypot(x!, z!));
    const along = t.map((r) => (r * Math.sqrt(1 + r * r) + Math.asinh(r)) / 2);
    expect(Math.abs(correlation(result.latents, along))).toBeGreaterThan(0.999);
  });

  it('are refused where they are too few or too many', () => {
    expect(() => isomap(Y, { landmarks: 2 })).toThrow(/from 3 \(latentDim \+ 1\) to 40 landmarks/);
    expect(() => isomap(Y, { landmarks: 41 })).toThrow(InvalidInputError);
  });
});

function correlation(X: Matrix, values: readonly number[]): number {
  const x = X.column(0);
  const centered = (v: ArrayLike<number>) => {
    const mean = Array.from(v).reduce((sum, entry) => sum + entry, 0) / v.length;
    return Array.from(v, (entry) => entry - mean);
  };
  const [a, b] = [centered(x), centered(values)];
  const product = (p: number[], q: number[]) => p.reduce((sum, entry, n) => sum + entry * q[n]!, 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

describe('a graph from elsewhere', () => {
  const distances = between(Y);
  const edges = knnGraph(Y, 6);
  const squaredDistances = Array.from(edges.sources, (a, e) => distances[a]![edges.targets[e]!]! ** 2);
  const weighted = { ...edges, weights: Float64Array.from(squaredDistances) };

  it.each<[string, (Y: never, options?: object) => Model]>([
    ['isomap', isomap],
    ['laplacianEigenmaps', laplacianEigenmaps],
    ['mvu', mvu],
  ])('alone does for %s what neighbors do', async (_, make) => {
    const options = make === laplacianEigenmaps ? { weights: 'heat', width: 5 } : {};
    const wanted = await fit(make(Y as never, { neighbors: 6, ...options }));
    const { result } = await saved(make({ graph: weighted } as never, options));
    expectColumns(result.latents, wanted.latents.toArrays(), 1e-6);
    const { result: apartFromIt } = await saved(make({ graph: edges, squaredDistances } as never, options));
    expect(apartFromIt.latents).toEqual(result.latents);
    const { result: beside } = await saved(make(Y as never, { graph: edges, ...options }));
    expectColumns(beside.latents, wanted.latents.toArrays(), 1e-6);
    expectClose((await beside.project!(Y)).latents, beside.latents, 1e-8);
    expect('project' in result).toBe(false);
  });

  it('lists the points that lle reconstructs each point from', async () => {
    const { result } = await saved(lle(Y, { graph: edges }));
    const wider = await fit(lle(Y, { neighbors: 6 }));
    expect(result.latents.rows).toBe(wider.latents.rows);
    expectClose((await result.project!(Y)).latents, result.latents, 1e-8);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['no graph', () => isomap({ graph: 3 } as never), /takes a graph/],
    [
      'lengths that are not squares',
      () => isomap({ graph: edges, distances: squaredDistances } as never),
      /this one has 'distances' too.*by their squares/,
    ],
    ['no observations for lle', () => lle({ graph: edges } as never), /Pass the graph as well: lle\(Y, { graph }\)/],
    ['another number of points', () => isomap(Y, { graph: knnGraph(apart, 3) }), /graph of 34 points.*40 observations/],
    [
      'too few squared distances',
      () => mvu({ graph: edges, squaredDistances: [1] }),
      /mvu takes squared distances as a list of one number for each/,
    ],
    [
      'a squared distance below 0',
      () => laplacianEigenmaps({ graph: edges, squaredDistances: squaredDistances.with(2, -1) }),
      /Squared distances are finite numbers from 0.*edge 2, .*is -1/,
    ],
    ['common neighbors without distances', () => mvu({ graph: weighted }, { commonNeighbors: true }), /a graph alone/],
  ])('is refused with %s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it('that is not connected cannot be joined without distances', async () => {
    const parts = knnGraph(apart, 4);
    await expect(fit(isomap({ graph: parts }))).rejects.toThrow(/no distances between them were given/);
    expect((await fit(isomap({ graph: parts }, { disconnected: 'largest' }))).latents.rows).toBe(20);
  });
});

describe('mvu with a flat optimum', () => {
  const ring = [
    [0, 1],
    [1, 2],
    [2, 3],
    [0, 3],
  ] as const;
  const cycle = (extra: readonly (readonly [number, number])[]) => {
    const edges = [...ring, ...extra].sort(([a, b], [c, d]) => a - c || b - d);
    return {
      size: 4,
      sources: Int32Array.from(edges, ([a]) => a),
      targets: Int32Array.from(edges, ([, b]) => b),
      weights: new Float64Array(edges.length).fill(1),
    };
  };

  it.each(['equality', 'inequality'] as const)(
    'reports it: the angle of a rhombus is free (%s)',
    async (constraints) => {
      const result = await fit(mvu({ graph: cycle([]) }, { constraints, latentDim: 1 }));
      expect(result.status).toBe('converged');
      expectClose(result.objective, 2, 1e-6);
      expect(result.message).toContain('The optimum is flat');
      const line = await fit(
        mvu(
          Array.from({ length: 9 }, (_, n) => [n]),
          { neighbors: 2, constraints, latentDim: 1 },
        ),
      );
      expect(line.message).not.toContain('flat');
      const diagonal = await fit(mvu({ graph: cycle([[0, 2]]) }, { constraints, latentDim: 1 }));
      // It fixes the angle only where it must have its length.
      expect(diagonal.message.includes('flat')).toBe(constraints === 'inequality');
      expectClose(diagonal.objective, 2, 1e-6);
    },
  );
});
