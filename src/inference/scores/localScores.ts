import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkGiven, checkOptions, type OptionsIn, typed } from '../../core/options.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { counted, countGiven } from '../../core/wording.ts';
import { classesOf, type Labels } from '../../engine/graph/labelGraph.ts';
import { type RankedBlock, rankedTogether } from '../../engine/neighbors/rankedNeighbors.ts';
import { meanOf, sumOf } from '../../engine/vectors.ts';
import { pointsFrom, squaredDistancesFrom } from './points.ts';

/** Options of {@link localScores}. */
export interface LocalScoreOptions extends OptionsIn<typeof schema> {}

/** Scores of an embedding, each the mean over points except for the stress. */
export interface OverallScores {
  /** 1 − 2/(N·k·(2N − 3k − 1))·Σ_i Σ_{j ∈ k nearest of i in X, not in Y} (r_Y(i, j) − k); r(i, j) is the rank of j among the neighbors of i. */
  readonly trustworthiness: number;
  /** Trustworthiness with Y and X exchanged. */
  readonly continuity: number;
  /** 1 − 1/C·Σ_{j ∈ k nearest in X} |r_Y − r_X|/r_X, C = Σ_{r=1}^k |N − 2r + 1|/r: 1 if neighbors in X have the same ranks in Y. */
  readonly relativeRankFalse: number;
  /** 1 − 1/C·Σ_{j ∈ k nearest in Y} |r_Y − r_X|/r_Y. */
  readonly relativeRankMissing: number;
  /** Share of the k nearest in Y among the k nearest in X; k/(N − 1) for a random map. */
  readonly overlap: number;
  /** Share of the k nearest in X that have the label of the point; NaN without labels. */
  readonly neighborhoodHit: number;
  /**
   * Mean distance in Y of the k nearest in X, relative to the mean distance in Y from the point to all others: 1 by chance, small if neighbors on the
   * map are also neighbors in the data.
   */
  readonly neighborDistance: number;
  /** √(Σ(d_Y − d_X)²/Σd_Y²), with unscaled distances. */
  readonly stress: number;
  /** Least stress over all scales of the map: √(1 − (Σd_Y·d_X)²/(Σd_X²·Σd_Y²)). */
  readonly scaledStress: number;
}

/** Preservation of neighborhoods and distances of data Y by an embedding X. */
export interface LocalScores {
  /** Number of neighbors k. */
  readonly neighbors: number;
  readonly overall: OverallScores;
  /**
   * Scores per point, N entries each; `neighborhoodHit` is NaN where a point has no label. The stress is computed from the distances to the point, at
   * the scale of `scaledStress`.
   */
  readonly pointwise: { readonly [Score in Exclude<keyof OverallScores, 'stress'>]: Float64Array };
  /** Scores derived from the co-ranking matrix Q_kl = #{(i, j): r_Y(i, j) = k, r_X(i, j) = l}. */
  readonly coRanking: {
    /** First rows and columns of the matrix, k and l from 1. */
    readonly matrix: Matrix;
    /** Q_NX(K) = 1/(K·N)·Σ_{k,l ≤ K} Q_kl for K = 1 … N − 1: the share of common K nearest neighbors. */
    readonly agreement: Float64Array;
    /** R_NX(K) = ((N − 1)·Q_NX(K) − K)/(N − 1 − K), K = 1 … N − 2: 0 for a random map, 1 for a map that keeps all ranks. */
    readonly rescaled: Float64Array;
    /** Σ_K R_NX(K)/K / Σ_K 1/K: average over all sizes of neighborhoods, weighted toward small ones. */
    readonly area: number;
    /** The K that maximizes Q_NX(K) − K/(N − 1): the size of the best-preserved neighborhoods. */
    readonly splitAt: number;
    /** Mean of Q_NX(K) up to that size, and from there to N − 1. */
    readonly local: number;
    readonly global: number;
  };
  /** Pearson correlation of distances in Y and X, over all pairs and over the pairs (i, j) where j is in the farther half of the map from i. */
  readonly distances: { readonly correlation: number; readonly farCorrelation: number };
  /** Neighbors in X that are far apart in Y, worst first, and neighbors in Y that are far apart in X: points and their rank in the other space. */
  readonly falsePairs: readonly NeighborPair[];
  readonly tornPairs: readonly NeighborPair[];
}

/** Two points that are neighbors in one space but not in the other. */
export interface NeighborPair {
  readonly from: number;
  readonly to: number;
  /** Rank of `to` among the neighbors of `from` in the space where they are far apart. */
  readonly rank: number;
}

const whole = (least: number) => {
  const expected = `a whole number from ${least}`;
  return v.optional(v.pipe(v.number(expected), v.integer(expected), v.minValue(least, expected)));
};
const schema = v.strictObject({
  /** Number of neighbors k, from 1 and less than N/2; default 10, or the most that N allows. */
  neighbors: whole(1),
  /** N labels, for the neighborhood hit; a missing one is undefined, null, NaN or ''. */
  labels: v.optional(typed<Labels>()),
  /** Size of the stored block of the co-ranking matrix, from 0; default 100, at most N − 1. */
  coRanking: whole(0),
  /** Maximum number of listed pairs of each kind; default 20. */
  pairs: whole(0),
});

/**
 * Scores of an embedding, point by point and overall: trustworthiness, continuity, relative rank errors, overlap of neighborhoods, neighborhood hit,
 * stress, and the co-ranking matrix with its derived scores. Rows are ranked in blocks, so that no N×N array is stored. Ties in one space are ranked
 * as in the other, so that the order of rows does not matter.
 *
 * @param Y - data, N×D
 * @param X - embedding, N×q
 * @param options - see {@link LocalScoreOptions}
 * @throws InvalidInputError if a number is not finite, Y and X differ in their rows, there are fewer than 4 rows, or k is out of range
 * @see Venna & Kaski 2001 (trustworthiness, continuity); Lee & Verleysen 2007, 2009 (relative rank errors; co-ranking); Lee, Peluffo-Ordóñez,
 * Verleysen 2015 (R_NX);
 * Jeon et al. 2023 (ZADU, pointwise forms)
 * @example
 * ```ts
 * const { overall, pointwise } = localScores(Y, result.latents, { neighbors: 10 });
 * overall.trustworthiness;
 * pointwise.trustworthiness[0]; // of the first point
 * ```
 */
export function localScores(Y: MatrixLike, X: MatrixLike, options: LocalScoreOptions = {}): LocalScores {
  return completed(localScoresInParts(Y, X, options));
}

/** {@link localScores}, with a pause after each block of rows. */
export function* localScoresInParts(
  Y: MatrixLike,
  X: MatrixLike,
  options: LocalScoreOptions,
): ProgressiveWork<LocalScores> {
  const given = checkOptions(schema, options, 'localScores');
  const { data, embedding, k } = samePoints(Y, X, given.neighbors);
  const N = data.rows;
  const classes = given.labels === undefined ? undefined : labelsOf(given.labels, N);
  const size = Math.min(given.coRanking ?? 100, N - 1);
  const table = () => new Float64Array(N);
  const pointwise = {
    trustworthiness: table(),
    continuity: table(),
    relativeRankFalse: table(),
    relativeRankMissing: table(),
    overlap: table(),
    neighborhoodHit: table().fill(Number.NaN),
    neighborDistance: table(),
    scaledStress: table(),
  };
  // Sums of d_Y, d_X, d_Y², d_Y·d_X and d_X²: of all pairs, and of those in the farther half of the map.
  const [all, far] = [new Float64Array(5), new Float64Array(5)];
  const near = (N - 1) >> 1;
  // For each row Σd_Y², and for the residuals of a scale, e = d_Y − guess·d_X: Σe², Σe·d_X and Σd_X², which lose no digits where the guess is near the best scale.
  const guess = scaleGuess(data, embedding);
  const rows = { yy: table(), ee: table(), ex: table(), xx: table() };
  const row: RowComparison = {
    ...{ k, size, half: near, scale: guess, near: 0 },
    all: new Float64Array(5),
    far: new Float64Array(5),
    rest: new Float64Array(3),
    nearestY: new Int32Array(k + 1),
    nearestX: new Int32Array(k + 1),
    largest: new Int32Array(N),
    matrix: new Float64Array(size * size),
  };
  const { nearestY, nearestX } = row;
  const falsePairs = worst(given.pairs ?? 20);
  const tornPairs = worst(given.pairs ?? 20);
  const most = 2 / (k * (2 * N - 3 * k - 1));
  let relative = 0;
  for (let r = 1; r <= k; r++) relative += Math.abs(N - 2 * r + 1) / r;
  let difference = 0;

  for (const [blockY, blockX] of rankedTogether(data, embedding)) {
    for (let p = 0; p < blockY.count; p++) {
      const i = blockY.first + p;
      const [ranksY, ranksX] = [blockY.ranks(p), blockX.ranks(p)];
      compareRow(row, ranksY, ranksX, blockY.squares(p), blockX.squares(p));
      let [trust, torn, rankFalse, rankMissing, shared] = [0, 0, 0, 0, 0];
      for (let r = 1; r <= k; r++) {
        const j = nearestX[r]!;
        const rank = ranksY[j]!;
        if (rank > k) {
          trust += rank - k;
          falsePairs.offer(i, j, rank);
        } else shared++;
        rankFalse += Math.abs(rank - r) / r;
        const shownRank = ranksX[nearestY[r]!]!;
        if (shownRank > k) {
          torn += shownRank - k;
          tornPairs.offer(i, nearestY[r]!, shownRank);
        }
        rankMissing += Math.abs(shownRank - r) / r;
      }
      pointwise.trustworthiness[i] = 1 - trust * most;
      pointwise.continuity[i] = 1 - torn * most;
      pointwise.relativeRankFalse[i] = 1 - rankFalse / relative;
      pointwise.relativeRankMissing[i] = 1 - rankMissing / relative;
      pointwise.overlap[i] = shared / k;
      if (classes !== undefined && classes[i]! >= 0)
        pointwise.neighborhoodHit[i] = hitsOf(blockX, p, k, nearestX, classes) / k;
      pointwise.neighborDistance[i] = ((row.near / k) * (N - 1)) / row.all[0]!;
      rows.yy[i] = row.all[2]!;
      rows.ee[i] = row.rest[0]!;
      rows.ex[i] = row.rest[1]!;
      rows.xx[i] = row.all[4]!;
      difference += row.rest[2]!;
      row.all.forEach((own, m) => {
        all[m]! += own;
        far[m]! += row.far[m]!;
      });
    }
    yield (blockY.first + blockY.count) / N;
  }
  const [yy, ee, ex, xx] = [sumOf(rows.yy), sumOf(rows.ee), sumOf(rows.ex), sumOf(rows.xx)];
  // The best scale is guess + more.
  const more = xx > 0 ? ex / xx : 0;
  const scaled = (own: number, e2: number, e1: number, x2: number) =>
    Math.sqrt(Math.max(0, e2 - 2 * more * e1 + more * more * x2) / own);
  rows.yy.forEach((own, i) => {
    pointwise.scaledStress[i] = scaled(own, rows.ee[i]!, rows.ex[i]!, rows.xx[i]!);
  });
  const hit = pointwise.neighborhoodHit.filter((own) => !Number.isNaN(own));
  return Object.freeze({
    neighbors: k,
    overall: {
      trustworthiness: meanOf(pointwise.trustworthiness),
      continuity: meanOf(pointwise.continuity),
      relativeRankFalse: meanOf(pointwise.relativeRankFalse),
      relativeRankMissing: meanOf(pointwise.relativeRankMissing),
      overlap: meanOf(pointwise.overlap),
      neighborhoodHit: meanOf(hit),
      neighborDistance: meanOf(pointwise.neighborDistance),
      stress: Math.sqrt(difference / yy),
      scaledStress: scaled(yy, ee, ex, xx),
    },
    pointwise,
    coRanking: agreementOf(Float64Array.from(row.largest), new Matrix(row.matrix, size, size)),
    distances: { correlation: correlationOf(all, N * (N - 1)), farCorrelation: correlationOf(far, N * (N - 1 - near)) },
    falsePairs: falsePairs.list(),
    tornPairs: tornPairs.list(),
  });
}

/** Scores of one row of distances, and counts over all rows. */
interface RowComparison {
  readonly k: number;
  /** Rows of the co-ranking matrix. */
  readonly size: number;
  /** Largest rank in the nearer half of the map. */
  readonly half: number;
  /** Scale of the map that makes the residual e = d_Y − scale·d_X small. */
  readonly scale: number;
  /** Sum of d_Y over the k nearest in X. */
  near: number;
  /** Sums of d_Y, d_X, d_Y², d_Y·d_X and d_X² over all points, and over those in the farther half of the map. */
  readonly all: Float64Array;
  readonly far: Float64Array;
  /** Sums of e², e·d_X and (d_Y − d_X)². */
  readonly rest: Float64Array;
  /** Points by their ranks, from 1 to k. */
  readonly nearestY: Int32Array;
  readonly nearestX: Int32Array;
  /** Number of pairs with each max(r_Y, r_X), accumulated over all rows like the matrix. */
  readonly largest: Int32Array;
  readonly matrix: Float64Array;
}

function compareRow(
  row: RowComparison,
  ranksY: Int32Array,
  ranksX: Int32Array,
  squaresY: Float64Array,
  squaresX: Float64Array,
): void {
  const { k, size, half, scale, largest, nearestY, nearestX, matrix } = row;
  let [y1, x1, yy, yx, xx] = [0, 0, 0, 0, 0];
  let [farY, farX, farYY, farYX, farXX] = [0, 0, 0, 0, 0];
  let [ee, ex, difference, near] = [0, 0, 0, 0];
  for (let j = 0; j < ranksY.length; j++) {
    const a = ranksY[j]!;
    const b = ranksX[j]!;
    const y = Math.sqrt(squaresY[j]!);
    const x = Math.sqrt(squaresX[j]!);
    const e = y - scale * x;
    ee += e * e;
    ex += e * x;
    difference += (y - x) * (y - x);
    y1 += y;
    x1 += x;
    yy += y * y;
    yx += y * x;
    xx += x * x;
    // 1 in the farther half of the map, and the larger of two ranks, without branches that a processor could not predict.
    const isFar = (half - b) >>> 31;
    const [ownY, ownX] = [isFar * y, isFar * x];
    farY += ownY;
    farX += ownX;
    farYY += ownY * y;
    farYX += ownY * x;
    farXX += ownX * x;
    largest[a - ((a - b) & ((a - b) >> 31))]!++;
    if (a <= k) nearestY[a] = j;
    if (b <= k) {
      nearestX[b] = j;
      near += y;
    }
    if (a <= size && b <= size && a > 0) matrix[(a - 1) * size + b - 1]!++;
  }
  row.near = near;
  row.all.set([y1, x1, yy, yx, xx]);
  row.far.set([farY, farX, farYY, farYX, farXX]);
  row.rest.set([ee, ex, difference]);
}

/** Number of the k nearest on the map that share the label of row p; points tied with the k-th count by their mean share. */
function hitsOf(map: RankedBlock, p: number, k: number, nearest: Int32Array, classes: Int32Array): number {
  const own = classes[map.first + p]!;
  const ranks = map.ranks(p);
  let [hits, tied, tiedHits, places] = [0, 0, 0, 0];
  for (let j = 0; j < ranks.length; j++) {
    if (ranks[j] === 0) continue;
    const isHit = classes[j] === own ? 1 : 0;
    if (map.areTied(p, nearest[k]!, j)) {
      tied++;
      tiedHits += isHit;
      if (ranks[j]! <= k) places++;
    } else if (ranks[j]! <= k) hits += isHit;
  }
  return hits + (places * tiedHits) / tied;
}

/** Default number of neighbors, if there are enough points. */
const NEIGHBORS = 10;

/** Default number of neighbors of scores: at most a quarter of the points. */
export function usualNeighbors(points: number): number {
  checkGiven(points, 'usualNeighbors', 'a number of points', Number.isInteger);
  return Math.max(1, Math.min(NEIGHBORS, Math.ceil(points / 4) - 1));
}

/** Converts both arguments to matrices, which must have the same number of rows, more than twice the number of neighbors. */
export function samePoints(
  Y: MatrixLike,
  X: MatrixLike,
  given: number | undefined,
): { data: Matrix; embedding: Matrix; k: number } {
  const data = pointsFrom(Y, 'Y', 3);
  const embedding = pointsFrom(X, 'X', 3);
  const { rows: N } = data;
  if (embedding.rows !== N) {
    throw new InvalidInputError(`Y and X must have the same rows, but they have ${N} and ${embedding.rows}.`);
  }
  const k = given ?? Math.min(NEIGHBORS, Math.ceil(N / 2) - 1);
  if (!Number.isInteger(k) || k < 1 || k >= N / 2) {
    throw new InvalidInputError(`k must be a whole number from 1 and less than N/2 = ${N / 2}, but ${k} was given.`);
  }
  return { data, embedding, k };
}

function labelsOf(labels: Labels, N: number): Int32Array {
  const { classes } = classesOf(labels, 'localScores');
  if (classes.length === N) return classes;
  throw new InvalidInputError(
    `Y has ${counted(N, 'row')}, but ${countGiven(classes.length, 'label')}. Give one label for each row.`,
  );
}

/** Approximately optimal scale of the map: that computed from distances to the outermost point of the data, which weigh most. */
function scaleGuess(data: Matrix, embedding: Matrix): number {
  const center = Array.from({ length: data.columns }, (_, d) => meanOf(data.column(d)));
  let [farthest, most] = [0, -1];
  for (let i = 0; i < data.rows; i++) {
    const reach = center.reduce((total, own, d) => total + square(data.at(i, d) - own), 0);
    if (reach > most) [farthest, most] = [i, reach];
  }
  const squares = [data, embedding].map((points) => {
    const own = new Float64Array(points.rows);
    squaredDistancesFrom(points, farthest, own);
    return own;
  }) as [Float64Array, Float64Array];
  const [yx, xx] = [sumOf(squares[0].map((own, j) => Math.sqrt(own * squares[1][j]!))), sumOf(squares[1])];
  return xx > 0 ? yx / xx : 0;
}

/** Q_NX and R_NX from the number of pairs with each max(r_Y, r_X), with their summaries. */
function agreementOf(largest: Float64Array, matrix: Matrix): LocalScores['coRanking'] {
  const N = largest.length;
  const agreement = new Float64Array(N - 1);
  let within = 0;
  for (let K = 1; K < N; K++) {
    within += largest[K]!;
    agreement[K - 1] = within / (K * N);
  }
  const rescaled = agreement.slice(0, N - 2).map((own, at) => ((N - 1) * own - at - 1) / (N - 2 - at));
  let [weighted, weights, splitAt] = [0, 0, 1];
  const beyondChance = (K: number) => agreement[K - 1]! - K / (N - 1);
  for (let K = 1; K < N; K++) if (beyondChance(K) > beyondChance(splitAt)) splitAt = K;
  rescaled.forEach((own, at) => {
    weighted += own / (at + 1);
    weights += 1 / (at + 1);
  });
  return {
    matrix,
    agreement,
    rescaled,
    area: weighted / weights,
    splitAt,
    local: meanOf(agreement.subarray(0, splitAt)),
    global: meanOf(agreement.subarray(splitAt - 1)),
  };
}

/** Correlation of y and x from Σy, Σx, Σy², Σyx and Σx²; NaN if one of them is constant. */
function correlationOf([y, x, yy, yx, xx]: Float64Array, count: number): number {
  return (yx! - (y! * x!) / count) / Math.sqrt((yy! - square(y!) / count) * (xx! - square(x!) / count));
}

/** Collects the pairs of greatest rank, the first if tied. */
function worst(most: number) {
  const kept: NeighborPair[] = [];
  return {
    offer(from: number, to: number, rank: number): void {
      if (most === 0 || (kept.length === most && rank <= kept[most - 1]!.rank)) return;
      let at = kept.length;
      while (at > 0 && kept[at - 1]!.rank < rank) at--;
      kept.splice(at, 0, { from, to, rank });
      if (kept.length > most) kept.pop();
    },
    list: (): readonly NeighborPair[] => kept,
  };
}
