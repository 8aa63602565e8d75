import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { seededRandom } from '../../src/core/random.ts';
import { clusteringAccuracy, kMeans, normalizedMutualInformation } from '../../src/inference/scores/clusterings.ts';
import { negativeLogPredictiveDensity, rootMeanSquaredError } from '../../src/inference/scores/heldOutEntries.ts';
import { continuity, trustworthiness } from '../../src/inference/scores/neighborScores.ts';
import { reference } from '../reference.ts';

interface Reference {
  readonly Y: number[][];
  readonly X: number[][];
  readonly neighbors: readonly { k: number; trustworthiness: number; continuity: number }[];
  readonly labelings: readonly {
    labels: number[];
    clusters: number[];
    arithmetic: number;
    geometric: number;
    accuracy: number;
  }[];
  readonly predictions: {
    observed: number[][];
    mean: number[][];
    variance: number[][];
    mask: boolean[][];
    rootMeanSquaredError: number;
    rootMeanSquaredErrorMasked: number;
    negativeLogPredictiveDensity: number;
    negativeLogPredictiveDensityMasked: number;
  };
  readonly points: number[][];
  readonly clusterings: readonly { k: number; withinSumOfSquares: number }[];
}
const { Y, X, neighbors, labelings, predictions, points, clusterings } = reference<Reference>('scores.json');
const near = (actual: number, expected: number) => expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-12);

describe.each(neighbors)('neighborhoods of $k points', ({ k, ...expected }) => {
  it('have the trustworthiness and continuity of scikit-learn', () => {
    near(trustworthiness(Y, X, k), expected.trustworthiness);
    near(continuity(Y, X, k), expected.continuity);
  });
});

describe('trustworthiness and continuity', () => {
  it('are 1 for the same neighbors, at any scale', () => {
    expect(trustworthiness(Y, Y, 7)).toBe(1);
    expect(continuity(Y, Matrix.from(Y.map((row) => row.map((entry) => 3 - 2 * entry))), 7)).toBe(1);
  });

  it('distinguish an embedding that joins distant points from one that tears near ones', () => {
    // The points 0 … 9 of a line, folded in the middle: neighbors on a branch stay, others appear.
    const line = Array.from({ length: 10 }, (_, i) => [i]);
    const folded = line.map(([x]) => [Math.abs(x! - 4.4)]);
    expect(trustworthiness(line, folded, 2)).toBeLessThan(continuity(line, folded, 2));
    // Counted by hand: the nearest points in X are 2, 3, 0 and 2; their ranks in Y are 2, 3, 2 and 1.
    expect(trustworthiness([[0], [1], [3], [7]], [[0], [7], [1], [3]], 1)).toBe(
      1 - ((1 + 2 + 1 + 0) * 2) / (4 * (8 - 3 - 1)),
    );
  });

  it('explain invalid input', () => {
    expect(() => trustworthiness(Y, X.slice(1), 3)).toThrow('same rows, but they have 60 and 59');
    expect(() => continuity(Y, X.slice(1), 3)).toThrow('Y and X must have the same rows, but they have 60 and 59.');
    expect(() => trustworthiness(Y, X, 30)).toThrow('k must be a whole number from 1 and less than N/2 = 30, but 30');
    expect(() => continuity([[1], [2], [Number.NaN]], [[1], [2], [3]], 1)).toThrow(
      /Y must contain finite numbers, but entry \[2\]/,
    );
    expect(() => continuity(Y, X, 0)).toThrow(InvalidInputError);
  });
});

describe('agreement of labels and clusters', () => {
  it.each(labelings)('agrees with scikit-learn and SciPy: $accuracy', ({ labels, clusters, ...expected }) => {
    near(normalizedMutualInformation(labels, clusters), expected.arithmetic);
    near(normalizedMutualInformation(labels, clusters, { average: 'geometric' }), expected.geometric);
    near(clusteringAccuracy(labels, clusters), expected.accuracy);
    const named = labels.map((label) => `class ${label}`);
    near(normalizedMutualInformation(clusters, named), expected.arithmetic);
    near(clusteringAccuracy(named, Int32Array.from(clusters)), expected.accuracy);
  });

  it('has the accuracy of the best of all matchings, with more clusters than labels and fewer', () => {
    /** The greatest number of points by any matching of each label with a cluster of its own or with none. */
    const best = (counts: readonly (readonly number[])[], taken: readonly number[] = []): number => {
      const row = counts[taken.length];
      if (row === undefined) return 0;
      const without = best(counts, [...taken, -1]);
      const gains = row.map((gain, c) => (taken.includes(c) ? 0 : gain + best(counts, [...taken, c])));
      return Math.max(without, ...gains);
    };
    const random = seededRandom(3);
    for (let table = 0; table < 60; table++) {
      const [rows, columns] = [1 + random.integer(5), 1 + random.integer(5)];
      const counts = Array.from({ length: rows }, () =>
        Array.from({ length: columns }, () => (random.uniform() < 0.3 ? 0 : random.integer(9))),
      );
      counts[0]![0]! += 1;
      const pairs = counts.flatMap((row, r) => row.flatMap((count, c) => Array.from({ length: count }, () => [r, c])));
      const accuracy = clusteringAccuracy(
        pairs.map(([r]) => r!),
        pairs.map(([, c]) => c!),
      );
      expect(accuracy).toBe(best(counts) / pairs.length);
    }
  });

  it('needs as many labels as clusters', () => {
    expect(() => normalizedMutualInformation([1, 2], [1])).toThrow('a and b must be as many');
    expect(() => clusteringAccuracy([], [])).toThrow('labels and clusters must be as many');
    expect(() => normalizedMutualInformation([1], [1], { average: 'max' as never })).toThrow(
      "'arithmetic' or 'geometric'",
    );
  });
});

describe('errors of predictions', () => {
  const { observed, mean, variance, mask } = predictions;
  const holes = observed.map((row, i) => row.map((entry, j) => (mask[i]![j] ? entry : Number.NaN)));

  it('agree with scikit-learn and SciPy, on all entries and on those that count', () => {
    near(rootMeanSquaredError(observed, mean), predictions.rootMeanSquaredError);
    near(rootMeanSquaredError(holes, mean, mask), predictions.rootMeanSquaredErrorMasked);
    near(negativeLogPredictiveDensity(observed, { mean, variance }), predictions.negativeLogPredictiveDensity);
    const numbers = Matrix.from(mask.map((row) => row.map(Number)));
    near(
      negativeLogPredictiveDensity(holes, { mean, variance }, numbers),
      predictions.negativeLogPredictiveDensityMasked,
    );
  });

  it('explain invalid input', () => {
    expect(() => rootMeanSquaredError(holes, mean)).toThrow(
      /Y must be finite where it counts, but entry \[\d\]\[\d\] is NaN/,
    );
    expect(() => rootMeanSquaredError(observed, mean.slice(1))).toThrow('mean must be 9×4');
    expect(() => rootMeanSquaredError([[1]], [[1]], [[false]])).toThrow('none of the 1×1 counts');
    expect(() => rootMeanSquaredError([[1]], [[1]], [[true, true]])).toThrow('The mask must be 1×1');
    expect(() => negativeLogPredictiveDensity([[1]], { mean: [[1]], variance: [[0]] })).toThrow(
      /variance must be positive/,
    );
  });
});

describe('k-means', () => {
  it.each(clusterings)(
    'finds the least sum of squares of 300 starts of scikit-learn: $k clusters',
    ({ k, ...expected }) => {
      const { clusters, centers, withinSumOfSquares } = kMeans(points, k, { restarts: 49 });
      expect(Math.abs(withinSumOfSquares / expected.withinSumOfSquares - 1)).toBeLessThan(1e-12);
      expect(centers.rows).toBe(k);
      points.forEach((point, i) => {
        const squares = centers
          .toArrays()
          .map((center) => (center[0]! - point[0]!) ** 2 + (center[1]! - point[1]!) ** 2);
        expect(squares[clusters[i]!]).toBe(Math.min(...squares));
      });
      expect(clusters[0]).toBe(0);
    },
  );

  it('gives the same clusters for the same seed', () => {
    const once = kMeans(points, 6, { seed: 3, restarts: 0 });
    expect(kMeans(points, 6, { seed: 3, restarts: 0 })).toEqual(once);
    const others = [4, 5, 6, 7].map((seed) => kMeans(points, 6, { seed, restarts: 0 }).withinSumOfSquares);
    expect(new Set([once.withinSumOfSquares, ...others]).size).toBeGreaterThan(1);
  });

  it('does not ask for more clusters than there are different points', () => {
    const twice = [
      [1, 1],
      [1, 1],
      [2, 0],
      [2, 0],
    ];
    expect(kMeans(twice, 2).withinSumOfSquares).toBe(0);
    expect(() => kMeans(twice, 3)).toThrow('from 1 to 2, the number of different points, but 3 was given');
  });
});
