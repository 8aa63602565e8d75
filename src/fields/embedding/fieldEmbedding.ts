import { Matrix } from '../../core/matrix.ts';
import { degreesOf, type Edges, type Graph, supportGraph } from '../../engine/graph/graph.ts';
import { bottomEigenpairs, laplacianFactor, type SparseTerms } from '../../engine/sparse/index.ts';
import type { LearnedByLayer, LearnedField } from '../../model/posterior.ts';
import { imputedByField, laplacianTerms } from '../observed/imputedByField.ts';
import type { JoinedField } from '../placement/placement.ts';
import { type PrecisionEntries, withInverse } from '../solvers/momentProblem.ts';

/** Method of embedding a learned field: eigenvectors of its centered covariance, or of (L + λI)f = μ·D_λ·f. */
export type FieldEmbedding = 'kernelPca' | 'eigenmap';

/** The edges with positive weight. */
export function supportOf({ size, sources, targets }: Pick<Graph, 'size'> & Edges, weights: ArrayLike<number>): Graph {
  const positive: number[] = [];
  for (let e = 0; e < sources.length; e++) if (weights[e]! > 0) positive.push(e);
  const kept = Int32Array.from(positive);
  return Object.freeze({
    size,
    sources: kept.map((e) => sources[e]!),
    targets: kept.map((e) => targets[e]!),
    weights: Float64Array.from(kept, (e) => weights[e]!),
  });
}

/**
 * The embedding of a field of precision L + λI by its sparse factor.
 *
 * 'kernelPca': the q top eigenvectors of HUH, U = (L + λI)⁻¹, each times the square root of its eigenvalue. As 1 is an eigenvector of U, these are
 * the bottom eigenvectors of L + λI other than 1. 'eigenmap': columns f_2 … f_{q+1} of (L + λI)f = μ·D_λ·f, D_λ = diag(W1) + λI, with fᵀD_λf = 1 and
 * μ ascending; the first, which is constant only for λ = 0, is dropped.
 *
 * @returns latents N×q, and the eigenvalues of HUH or μ
 * @see Lawrence 2012, §2.6; Mao et al. 2017, eq. 16
 */
export function fieldEmbedding(
  graph: Graph,
  basePrecision: number,
  latentDim: number,
  embedding: FieldEmbedding,
): { readonly latents: Matrix; readonly eigenvalues: Float64Array } {
  const { size: N, weights } = graph;
  const factor = laplacianFactor(graph);
  factor.update(weights, basePrecision);
  const solve = (b: Float64Array, x: Float64Array) => {
    factor.solve(b, x);
  };
  if (embedding === 'eigenmap') {
    const degrees = degreesOf(graph, basePrecision);
    const { values, vectors } = bottomEigenpairs(N, solve, latentDim + 1, { metric: degrees });
    const latents = Matrix.zeros(N, latentDim).map((_, i, c) => vectors.at(i, c + 1));
    return { latents, eigenvalues: values.slice(1) };
  }
  const constant = new Float64Array(N).fill(1);
  const { values, vectors } = bottomEigenpairs(N, solve, latentDim, { known: [constant] });
  const eigenvalues = values.map((value) => 1 / value);
  return { latents: vectors.map((entry, _, c) => entry * Math.sqrt(eigenvalues[c]!)), eigenvalues };
}

/** L + λI. */
function fieldPrecision({ size: N, sources, targets, weights }: Graph, basePrecision: number): Matrix {
  const Q = Matrix.zeros(N, N);
  for (let i = 0; i < N; i++) Q.data[i * (N + 1)] = basePrecision;
  weights.forEach((weight, e) => {
    const i = sources[e]!;
    const j = targets[e]!;
    Q.data[i * N + j]! -= weight;
    Q.data[j * N + i]! -= weight;
    Q.data[i * (N + 1)]! += weight;
    Q.data[j * (N + 1)]! += weight;
  });
  return Q;
}

/** (L + λI)⁻¹, exactly symmetric. */
function fieldCovariance(graph: Graph, basePrecision: number): Matrix {
  const { size: N, weights } = graph;
  const factor = laplacianFactor(graph);
  factor.update(weights, basePrecision);
  const U = Matrix.zeros(N, N);
  const unit = new Float64Array(N);
  for (let i = 0; i < N; i++) {
    unit.fill(0);
    unit[i] = 1;
    factor.solve(unit, U.data.subarray(i * N, (i + 1) * N));
  }
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < i; j++) {
      const mean = (U.data[i * N + j]! + U.data[j * N + i]!) / 2;
      U.data[i * N + j] = mean;
      U.data[j * N + i] = mean;
    }
  }
  return U;
}

/** Findings, precision and covariance of the field of precision L + λI over the points of a graph. */
export function laplacianField(graph: Graph, basePrecision: number): LearnedField {
  return {
    precision: () => fieldPrecision(graph, basePrecision),
    covariance: () => fieldCovariance(graph, basePrecision),
    impute: async (Y, isCalibrated) => imputedByField(laplacianTerms(graph, basePrecision), Y, isCalibrated),
  };
}

/** Points and pairs of them. */
export type Ends = Pick<Graph, 'size' | 'sources' | 'targets'>;

/** The field whose precision Θ has these entries on the diagonal and at the edges; its graph has weights |Θ_ij|. */
export function momentField(ends: Ends, entries: PrecisionEntries): LearnedByLayer {
  const { size: N, sources, targets } = ends;
  return {
    graph: supportGraph(ends, entries.edges),
    field: {
      covariance: () => withInverse(ends, entries, (_, W) => new Matrix(Float64Array.from(W), N, N)),
      impute: async (Y, isCalibrated) => imputedByField(termsOf(ends, entries), Y, isCalibrated),
      precision: () => {
        const precision = Matrix.zeros(N, N);
        entries.diagonal.forEach((entry, i) => {
          precision.data[i * (N + 1)] = entry;
        });
        entries.edges.forEach((entry, e) => {
          precision.data[sources[e]! * N + targets[e]!] = entry;
          precision.data[targets[e]! * N + sources[e]!] = entry;
        });
        return precision;
      },
    },
  };
}

/** Θ as a sum of entries, each with its row and column. */
function termsOf({ size, sources, targets }: Ends, { diagonal, edges }: PrecisionEntries): SparseTerms {
  const ends = (of: Int32Array) => Int32Array.from([...diagonal.keys(), ...of]);
  return { size, rows: ends(sources), columns: ends(targets), values: Float64Array.from([...diagonal, ...edges]) };
}

// The code for projections is loaded on demand, as most pages do not use it.
const placing = () => import('../../later.ts');

/**
 * The learned field with coordinates from its sparse factor, and projections of new rows.
 *
 * @param rows - how new rows join the field; without it, they have no coordinates
 * @param ties - equal points, which get the same coordinates
 */
export function withCoordinates(
  learned: LearnedByLayer,
  base: number,
  rows: Omit<JoinedField, 'graph' | 'basePrecision'> | undefined,
  ties: readonly (readonly number[])[],
): LearnedByLayer {
  const graph: Graph = learned.graph;
  const joined = rows && { ...rows, graph, basePrecision: base };
  return {
    ...learned,
    field: {
      ...learned.field,
      ...(joined && { reconstruct: async (Y: Matrix) => (await placing()).reconstructed(joined, Y) }),
    },
    embedding: (dim, by) => {
      const found = fieldEmbedding(graph, base, dim, by);
      for (const points of ties) moveToMean(found.latents, points);
      if (joined === undefined) return found;
      const placement = {
        acceptsMissing: true,
        observedColumns: joined.observations.columns,
        place: async (Y: Matrix) => (await placing()).placed({ ...joined, ...found, embedding: by }, Y),
      };
      return { ...found, placement };
    },
  };
}

/** Replaces the coordinates of equal points by their mean. */
function moveToMean({ data, columns }: Matrix, points: readonly number[]): void {
  for (let c = 0; c < columns; c++) {
    const mean = points.reduce((sum, i) => sum + data[i * columns + c]!, 0) / points.length;
    for (const i of points) data[i * columns + c] = mean;
  }
}
