import {
  classicalMds,
  evaluate,
  fit,
  InvalidInputError,
  isomap,
  loadFit,
  Matrix,
  type MatrixLike,
  type Model,
  nearestNeighborError,
  seededRandom,
  tsne,
  umap,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { completed } from '../../src/core/progressiveWork.ts';
import { jointProbabilities } from '../../src/engine/neighborEmbedding/affinities.ts';
import { type Metric, metricNeighborsInParts, metricNeighborsOf } from '../../src/engine/neighbors/index.ts';
import { reference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';

interface Found {
  readonly distances: number[][];
  readonly indices: number[][];
}
const given = reference<{
  Y: number[][];
  grades: number[][];
  distances: number[][];
  queries: number[][];
  k: number;
  perplexity: number;
  metrics: Record<Metric, Found & { P: number[][]; ofQueries?: Found }>;
}>('metrics.json');
const rowsOf = (metric: Metric) =>
  Matrix.from(metric === 'hamming' ? given.grades : metric === 'precomputed' ? given.distances : given.Y);

describe.each(Object.entries(given.metrics) as [Metric, (typeof given.metrics)[Metric]][])(
  'the metric %s',
  (metric, expected) => {
    const agrees = (found: { indices: Int32Array; distances: Float64Array }, wanted: Found) => {
      wanted.distances.flat().forEach((distance, p) => {
        expect(Math.abs(found.distances[p]! - distance)).toBeLessThan(1e-12);
      });
      // Equally near rows may come in another order.
      const flat = wanted.distances.flat();
      wanted.indices.flat().forEach((index, p) => {
        const isTied =
          p % given.k === given.k - 1 ||
          flat.some(
            (d, r) => r !== p && Math.floor(r / given.k) === Math.floor(p / given.k) && Math.abs(d - flat[p]!) < 1e-12,
          );
        if (!isTied) expect(found.indices[p]).toBe(index);
      });
    };

    it('has the neighbors of scikit-learn', () => {
      agrees(completed(metricNeighborsInParts(metric, rowsOf(metric), given.k)), expected);
    });

    if (expected.ofQueries !== undefined) {
      it('has the neighbors of scikit-learn for other rows', () => {
        agrees(metricNeighborsOf(metric, rowsOf(metric), given.k, Matrix.from(given.queries)), expected.ofQueries!);
      });
    }

    // Of ties by hamming either may be the neighbor.
    const compared = metric === 'hamming' ? [] : [metric];
    it.each(compared)("has the probabilities of scikit-learn's t-SNE by %s", () => {
      const { perplexity, k } = given;
      const { sources, targets, weights } = completed(
        jointProbabilities(rowsOf(metric), { perplexity, neighbors: k, metric }, 'test'),
      );
      const P = expected.P.map((row) => row.map(() => 0));
      sources.forEach((i, e) => {
        P[i]![targets[e]!] = weights[e]!;
        P[targets[e]!]![i] = weights[e]!;
      });
      // scikit-learn searches in single precision, until the entropy is within 1e-5.
      P.flat().forEach((p, at) => {
        expect(Math.abs(p - expected.P.flat()[at]!)).toBeLessThan(2e-6);
      });
    });
  },
);

describe('maps by a metric', () => {
  const random = seededRandom(2);
  const labels = Array.from({ length: 90 }, (_, i) => i % 3);
  const directions = [0, 1, 2].map(() => Array.from({ length: 8 }, () => random.normal()));
  /** Rows whose lengths say nothing, and whose directions say what they are. */
  const Y = Matrix.from(
    labels.map((label) => {
      const length = 10 ** (2 * random.uniform());
      return directions[label]!.map((entry) => length * (entry + 0.25 * random.normal()));
    }),
  );

  const makers = [
    ['tsne', (Y: Matrix) => tsne(Y, { metric: 'cosine', neighbors: 12, perplexity: 4 })],
    ['umap', (Y: Matrix) => umap(Y, { metric: 'cosine', neighbors: 12 })],
  ] as const;
  it.each(makers)('distinguish directions, place new rows, and come back from JSON: %s', async (_, make) => {
    const map = await fit(make(Y), { seed: 1 });
    expect(nearestNeighborError(map.latents, labels)).toBeLessThan(0.02);
    const longer = new Matrix(
      Y.data.map((y) => 7 * y),
      Y.rows,
      Y.columns,
    );
    const { latents } = await map.project(Matrix.from([longer.row(4), longer.row(11)]));
    const near = (x: Float64Array) => labels[nearest(map.latents, x)];
    expect([near(latents.row(0)), near(latents.row(1))]).toEqual([labels[4], labels[11]]);
    const again = loadFit(JSON.parse(JSON.stringify(map)));
    expect((await again.project(Matrix.from([longer.row(4)]))).latents).toEqual(
      (await map.project(Matrix.from([longer.row(4)]))).latents,
    );
  });

  it('of precomputed distances agree with maps of the points, where both start alike', async () => {
    const distances = Y.toArrays().map((a) =>
      Y.toArrays().map((b) => Math.hypot(...a.map((entry, j) => entry - b[j]!))),
    );
    const init = (await fit(classicalMds(distances, { input: 'distances' }))).latents;
    const options = { init, perplexity: 5 };
    const own = await fit(tsne(distances, { ...options, metric: 'precomputed', steps: 100 }));
    expect(evaluate(tsne(Y, options), { latents: own.latents }).objective).toBeCloseTo(own.objective, 9);
    const { latents } = await own.project([distances[3]!]);
    expect(latents.row(0)).toEqual(own.latents.row(3));
  });

  it.each([
    ['tsne', (Y: MatrixLike, options?: { metric: Metric; steps?: number }) => tsne(Y, options), 1e-4],
    ['umap', (Y: MatrixLike, options?: { metric: Metric; steps?: number }) => umap(Y, options), 5],
  ] as const)('of distances start like maps of points: %s', async (_, make, deviation) => {
    const distances = Y.toArrays().map((a) =>
      Y.toArrays().map((b) => Math.hypot(...a.map((entry, j) => entry - b[j]!))),
    );
    const start = async (model: Model) => (await fit(model, { maxIterations: 0 })).latents;
    const [own, ofPoints] = [await start(make(distances, { metric: 'precomputed' })), await start(make(Y))];
    expect(Math.hypot(...own.column(0))).toBeCloseTo(deviation * Math.sqrt(Y.rows), 9);
    for (let c = 0; c < 2; c++) {
      const sign = Math.sign(own.at(0, c) * ofPoints.at(0, c));
      expectClose(
        own.column(c),
        ofPoints.column(c).map((entry) => sign * entry),
        1e-9,
        `column ${c}`,
      );
    }
    const run = () => fit(make(distances, { metric: 'precomputed', steps: 50 }), { seed: 3 });
    expect((await run()).latents).toEqual((await run()).latents);
  });

  it('accept distances that were rounded in single precision, and report it', async () => {
    const round = Math.fround;
    const unit = Y.toArrays().map((row) => {
      const length = Math.hypot(...row);
      return row.map((entry) => round(entry / length));
    });
    const given = unit.map((a) =>
      unit.map((b) => round(1 - a.reduce((sum, entry, d) => round(sum + round(entry * b[d]!)), 0))),
    );
    given[2]![5] = round(given[2]![5]! * (1 + 1e-7));
    const off = given.filter((row, i) => row[i] !== 0).length;
    expect(off).toBeGreaterThan(0);
    for (const model of [
      tsne(given, { metric: 'precomputed', steps: 50 }),
      umap(given, { metric: 'precomputed', steps: 50 }),
      classicalMds(given, { input: 'distances' }),
      isomap(given, { input: 'distances', neighbors: 8 }),
    ]) {
      const { message, status } = await fit(model);
      expect(status).toBe('converged');
      expect(message).toMatch(`Rounding is removed from ${off + 1} distances`);
    }
    given[0]![1] = given[0]![1]! + 1e-4;
    expect(() => umap(given, { metric: 'precomputed' })).toThrow(/entry \[0\]\[1\] .* Take their means/);
  });

  it('name rows that repeat others', async () => {
    const copied = Matrix.from(Y.toArrays().map((row, i) => (i < 30 ? Y.toArrays()[0]! : row)));
    const { message } = await fit(tsne(copied, { steps: 50 }));
    expect(message).toMatch('29 of the 90 rows repeat others (row index 1 is row index 0): the map spreads them.');
  });

  it('refuse what cannot be', () => {
    const zero = Matrix.from(Y.toArrays().map((row, i) => (i === 5 ? row.map(() => 0) : row)));
    expect(() => tsne(Y, { metric: 'jaccard' as 'cosine' })).toThrow(/'metric' of tsne must be 'euclidean', 'cosine'/);
    expect(() => tsne(Y, { metric: 'precomputed' })).toThrow(/N×N matrix, N ≥ 2, but it is 90×8/);
    expect(() =>
      umap(
        [
          [0, 1, 2],
          [1, 0, 3],
          [2, 4, 0],
        ],
        { metric: 'precomputed', neighbors: 2, init: [[1], [2], [3]], latentDim: 1 },
      ),
    ).toThrow(/entry \[1\]\[2\] .* is 3 and entry \[2\]\[1\] is 4/);
    const sides = [
      [0, 1, 2],
      [1, 0, 3],
      [2, 3, 0],
    ];
    expect(() => umap(sides, { metric: 'precomputed', neighbors: 2, init: 'eigenmaps' })).toThrow(/distances only/);
    // Their points lie on a line.
    expect(() => evaluate(tsne(sides, { metric: 'precomputed' }))).toThrow(/1 positive eigenvalue only/);
    expect(() => umap(Y, { metric: 'cosine', decoder: { strength: 10 } })).toThrow(/Leave strength out/);
    expect(() => completed(metricNeighborsInParts('cosine', zero, 3))).toThrow(InvalidInputError);
    expect(() => completed(metricNeighborsInParts('cosine', zero, 3))).toThrow(/Row index 5 is 0 throughout/);
  });
});

function nearest(X: Matrix, x: Float64Array): number {
  const squares = Array.from({ length: X.rows }, (_, i) =>
    X.row(i).reduce((sum, entry, c) => sum + (entry - x[c]!) ** 2, 0),
  );
  return squares.indexOf(Math.min(...squares));
}
