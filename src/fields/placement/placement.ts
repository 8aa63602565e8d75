import { log, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { Nearest } from '../../engine/neighbors/nearest.ts';
import { laplacianFactor } from '../../engine/sparse/index.ts';
import { sumOf } from '../../engine/vectors.ts';
import type { Projection } from '../../model/posterior.ts';
import type { FieldEmbedding } from '../embedding/fieldEmbedding.ts';
import { type JoiningWeights, joiningWeights } from './joiningWeights.ts';

/** A learned random field that new points can join. */
export interface JoinedField {
  /** The learned graph. */
  readonly graph: Graph;
  readonly basePrecision: number;
  readonly copies: number;
  readonly slackPenalty: number;
  /** Y, N×D */
  readonly observations: Matrix;
  /** Number of nearest points that a new point may be joined to, or 'all'. */
  readonly neighbors: number | 'all';
  /** Whether the columns of Y are the copies of the field, and thus have a density under it. */
  readonly density: boolean;
  /** φ between a new row and every point, N numbers, extrapolated from the observed entries. */
  distancesTo(row: Float64Array): Float64Array;
}

/** A field with its embedding. */
export interface PlacedField extends JoinedField {
  readonly embedding: FieldEmbedding;
  /** N×q */
  readonly latents: Matrix;
  readonly eigenvalues: Float64Array;
}

/** A new point's edges with positive weight to points of the field. */
export interface Joined {
  readonly neighbors: Int32Array;
  /** w, or Infinity for points that coincide with the new one if weights are unbounded. */
  readonly weights: Float64Array;
}

/** Number of candidates in the first attempt if a new point may be joined to all points, and largest number of further candidates at a time. */
const FIRST = 10;

/** Relative excess of c·M_jj over φ_j at which a further candidate is added. */
const PULLS = 1e-10;

/**
 * Joins a row to the field by the weights that maximize the field's objective with one more point and everything else fixed: see {@link
 * joiningWeights}. Candidates are its nearest points; if all points are allowed, the nearest are tried first, and others are added until none has
 * c·M_jj > φ_j.
 */
export function joined(field: JoinedField, row: Float64Array, solver: FieldSolver): Joined {
  const { copies, slackPenalty, basePrecision, graph } = field;
  const N = graph.size;
  const distances = field.distancesTo(row);
  const upper = 4 * slackPenalty;
  if (upper === Infinity) {
    const same = Int32Array.from(distances.keys()).filter((j) => distances[j] === 0);
    if (same.length > 0) return { neighbors: same, weights: new Float64Array(same.length).fill(Infinity) };
  }
  const all = field.neighbors === 'all';
  let candidates = nearest(distances, Math.min(N, all ? FIRST : (field.neighbors as number)));
  const common = (1 + 1 / N) / basePrecision;
  for (;;) {
    const columns = Array.from(candidates, (j) => solver.column(j));
    const k = candidates.length;
    const covariances = Float64Array.from({ length: k * k }, (_, p) => {
      const [a, b] = [Math.floor(p / k), p % k];
      return 0.5 * (columns[a]![candidates[b]!]! + columns[b]![candidates[a]!]!);
    });
    const found = joiningWeights({
      squaredDistances: Float64Array.from(candidates, (j) => distances[j]!),
      covariances,
      common,
      copies,
      upper,
    });
    const missed = all ? pulling(field, distances, candidates, columns, found, solver) : [];
    if (missed.length === 0) {
      const kept = Int32Array.from(candidates.keys()).filter((a) => found.weights[a]! > 0);
      return {
        neighbors: kept.map((a) => candidates[a]!),
        weights: Float64Array.from(kept, (a) => found.weights[a]!),
      };
    }
    candidates = Int32Array.from([...candidates, ...missed]);
  }
}

/** Indices of the k smallest distances, ties in order of index. */
function nearest(distances: Float64Array, k: number): Int32Array {
  const search = new Nearest(k);
  for (let j = 0; j < distances.length; j++) if (distances[j]! < search.worst) search.offer(distances[j]!, j);
  const rows = new Int32Array(k);
  search.drain(rows, new Float64Array(k), 0);
  return rows;
}

/** The points other than the candidates that violate optimality most: c·M_jj > φ_j. */
function pulling(
  { copies, graph: { size: N } }: JoinedField,
  distances: Float64Array,
  candidates: Int32Array,
  columns: readonly Float64Array[],
  { weights, shown, remaining, reduction }: JoiningWeights,
  solver: FieldSolver,
): number[] {
  const k = candidates.length;
  const among = new Set(candidates);
  const variances = solver.variances();
  const found: { j: number; excess: number }[] = [];
  for (let j = 0; j < N; j++) {
    if (among.has(j)) continue;
    let variance = variances[j]!;
    let h = 1;
    for (let a = 0; a < k; a++) {
      const own = columns[a]![j]!;
      h -= own * weights[a]! * shown[a]!;
      for (let b = 0; b < k; b++) variance -= own * reduction[a * k + b]! * columns[b]![j]!;
    }
    const excess = (copies * (variance + h * h * remaining)) / distances[j]! - 1;
    if (excess > PULLS) found.push({ j, excess });
  }
  return found
    .sort((a, b) => b.excess - a.excess || a.j - b.j)
    .slice(0, FIRST)
    .map(({ j }) => j);
}

/**
 * Projects rows (n×D) into the embedding of a learned field. A row is joined to the field by weights w (see {@link joined}); s = Σ_j w_j. Given its
 * neighbors, a copy of the field has mean (λ·m + Σ_j w_j·y_j)/(λ + s) and variance 1/(λ + s) at the new point, with m the mean of the copy. The
 * latents are eigenvectors, which satisfy the same equation at each point without this shrinkage. New latents are therefore computed from it:
 *
 * kernel PCA: Lf = μf, so x_* = Σ_j w_j·x_j / (s − μ), μ = 1/eigenvalue − λ;
 * eigenmap: (L + λI)f = μ·D_λ·f, so x_* = Σ_j w_j·x_j / ((λ + s)·(1 − μ)).
 *
 * A training point joined by its learned weights is mapped to its latents. For a point with s < 2μ, which is only weakly joined to the field, s − μ
 * could vanish: its denominator is max(s − μ, μ), so that it goes to the mean of all points as s → 0.
 *
 * @returns latents n×q; log p(y_*|Y) over the observed entries, NaN if the field is not a density of the observations
 * @see Bengio et al. 2004, "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering"
 */
export function placed(field: PlacedField, Y: Matrix): Projection {
  const solver = fieldSolver(field.graph, field.basePrecision);
  const q = field.latents.columns;
  const latents = Matrix.zeros(Y.rows, q);
  const logDensity = new Float64Array(Y.rows).fill(Number.NaN);
  for (let i = 0; i < Y.rows; i++) {
    const row = Y.row(i);
    const edges = joined(field, row, solver);
    latents.data.set(latentsOf(field, edges), i * q);
    if (field.density) logDensity[i] = logDensityOf(field, edges, row);
  }
  return { latents, logDensity };
}

/** Mean of the observations at new points given their neighbors, n×D: the field's reconstruction of rows with missing entries. */
export function reconstructed(field: JoinedField, Y: Matrix): Matrix {
  const solver = fieldSolver(field.graph, field.basePrecision);
  const result = Matrix.zeros(Y.rows, Y.columns);
  for (let i = 0; i < Y.rows; i++) result.data.set(meanOf(field, joined(field, Y.row(i), solver)), i * Y.columns);
  return result;
}

/** The latents of a point that is joined to the field by these edges. */
export function latentsOf(
  {
    latents,
    eigenvalues,
    embedding,
    basePrecision,
  }: Pick<PlacedField, 'latents' | 'eigenvalues' | 'embedding' | 'basePrecision'>,
  { neighbors, weights }: Joined,
): Float64Array {
  const { columns: q } = latents;
  const s = sumOf(weights);
  if (s === 0) return new Float64Array(q);
  if (s === Infinity) return meanOfRows(latents, neighbors);
  const total = weightedRows(latents, neighbors, weights);
  return total.map((entry, c) => {
    const value = eigenvalues[c]!;
    if (embedding === 'eigenmap') return entry / ((basePrecision + s) * (1 - value));
    const mu = Math.max(0, 1 / value - basePrecision);
    return entry / Math.max(s - mu, mu);
  });
}

/** E[y_*|Y]. The unknown mean of the copies is estimated jointly, which replaces λ by λN/(N + 1). */
function meanOf({ observations, basePrecision }: JoinedField, { neighbors, weights }: Joined): Float64Array {
  const { rows: N } = observations;
  const s = sumOf(weights);
  if (s === Infinity) return meanOfRows(observations, neighbors);
  const own = (basePrecision * N) / (N + 1);
  const mean = meanOfRows(observations);
  return weightedRows(observations, neighbors, weights).map((entry, d) => (entry + own * mean[d]!) / (s + own));
}

function logDensityOf(field: PlacedField, edges: Joined, row: Float64Array): number {
  const N = field.observations.rows;
  const precision = sumOf(edges.weights) + (field.basePrecision * N) / (N + 1);
  if (precision === Infinity) return Infinity;
  const mean = meanOf(field, edges);
  let density = 0;
  row.forEach((entry, d) => {
    if (Number.isNaN(entry)) return;
    density += 0.5 * (log(precision / (2 * Math.PI)) - precision * square(entry - mean[d]!));
  });
  return density;
}

function weightedRows({ data, columns }: Matrix, rows: Int32Array, weights: Float64Array): Float64Array {
  const total = new Float64Array(columns);
  rows.forEach((j, a) => {
    for (let c = 0; c < columns; c++) total[c]! += weights[a]! * data[j * columns + c]!;
  });
  return total;
}

function meanOfRows(matrix: Matrix, rows?: Int32Array): Float64Array {
  const chosen = rows ?? Int32Array.from({ length: matrix.rows }, (_, i) => i);
  return weightedRows(matrix, chosen, new Float64Array(chosen.length).fill(1 / chosen.length));
}

/** Parts of the covariance U = (L + λI)⁻¹ of a field without 11ᵀ/(λN), the part common to all points. */
interface FieldSolver {
  /** Column j, N numbers; must not be written to. */
  column(j: number): Float64Array;
  /** The diagonal. */
  variances(): Float64Array;
}

/** Largest number of cached entries: neighboring rows share columns of the covariance, but N² numbers are too many. */
const KEPT_NUMBERS = 4e6;

/** Solver based on the sparse factor of a learned field; no N×N array is formed. */
function fieldSolver(graph: Graph, basePrecision: number): FieldSolver {
  const { size: N, weights } = graph;
  const factor = laplacianFactor(graph);
  factor.update(weights, basePrecision);
  const kept = new Map<number, Float64Array>();
  let diagonal: Float64Array | undefined;
  return {
    column: (j) => {
      const known = kept.get(j);
      if (known !== undefined) return known;
      if ((kept.size + 1) * N > KEPT_NUMBERS) kept.clear();
      const column = new Float64Array(N).fill(-1 / N);
      column[j]! += 1;
      factor.solve(column, column);
      const mean = column.reduce((sum, entry) => sum + entry, 0) / N;
      for (let i = 0; i < N; i++) column[i]! -= mean;
      kept.set(j, column);
      return column;
    },
    variances: () => {
      diagonal ??= factor.variances().map((variance) => variance - 1 / (basePrecision * N));
      return diagonal;
    },
  };
}
