import { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { topEigenpairs } from '../../engine/dense/eigenpairs.ts';
import type { AnyPosterior, FieldCoordinates, LearnedField, Posterior } from '../posterior.ts';
import type { FittedGraph } from './fittedGraph.ts';
import type { EmbeddedVariable } from './variable.ts';

/** Coordinates computed from the eigenvectors of a field. */
export function readOff({ precision, covariance }: LearnedField, { dim, by }: EmbeddedVariable): FieldCoordinates {
  return {
    latents:
      by === 'eigenmap' ? eigenmapCoordinates(precision(), covariance(), dim) : principalCoordinates(covariance(), dim),
  };
}

/**
 * Appends columns to rows so that their inner products are the expected ones of Gaussian rows: x_iᵀx_i becomes m_iᵀm_i + Σ_d s_id by one extra column
 * per row; for correlated rows, the columns of their factors are appended.
 */
export function withDeviations(
  mean: Matrix,
  variance: Matrix | undefined,
  factors: readonly Matrix[] | undefined,
): Matrix {
  if (factors !== undefined) return joinedColumns([mean, ...factors]);
  if (variance === undefined) return mean;
  const deviations = Matrix.zeros(mean.rows, mean.rows);
  for (let i = 0; i < mean.rows; i++) {
    deviations.data[i * (mean.rows + 1)] = Math.sqrt(variance.row(i).reduce((sum, own) => sum + own, 0));
  }
  return joinedColumns([mean, deviations]);
}

/** Top eigenvectors of HUH, each times the square root of its eigenvalue, N×dim. */
function principalCoordinates(U: Matrix, dim: number): Matrix {
  const { data, rows: N } = U;
  const means = new Float64Array(N);
  for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) means[i]! += data[i * N + j]! / N;
  const grand = means.reduce((sum, mean) => sum + mean, 0) / N;
  const centered = U.map((entry, i, j) => entry - means[i]! - means[j]! + grand);
  const { values, vectors } = topEigenpairs(
    (x, y) => {
      for (let i = 0; i < N; i++) {
        let sum = 0;
        for (let j = 0; j < N; j++) sum += centered.data[i * N + j]! * x[j]!;
        y[i] = sum;
      }
    },
    N,
    dim,
  );
  return vectors.map((entry, _, c) => entry * Math.sqrt(Math.max(0, values[c]!)));
}

/** f_2 … f_{dim+1} in Q·f = μ·diag(Q)·f, N×dim: with D = diag(Q), the vectors D^½·f are the top eigenvectors of D^½·Q⁻¹·D^½ after the first. */
function eigenmapCoordinates(Q: Matrix, { data: U, rows: N }: Matrix, dim: number): Matrix {
  const roots = Float64Array.from({ length: N }, (_, i) => Math.sqrt(Q.at(i, i)));
  const { vectors } = topEigenpairs(
    (x, y) => {
      for (let i = 0; i < N; i++) {
        let sum = 0;
        for (let j = 0; j < N; j++) sum += U[i * N + j]! * roots[j]! * x[j]!;
        y[i] = roots[i]! * sum;
      }
    },
    N,
    dim + 1,
  );
  return Matrix.zeros(N, dim).map((_, i, c) => vectors.at(i, c + 1) / roots[i]!);
}

/** Posterior of a model that is about its points only, without a mapping: the values shown by fits, the random fields, and the projection of new rows. */
export function fieldPosterior(of: FittedGraph): AnyPosterior {
  const posterior = { latents: latentsOf(of), ...placingOf(of), fitted: of };
  return withFields(posterior, of);
}

/** Rows of the shown variable; without columns if it is observed. */
function latentsOf({ values, model: { graph } }: FittedGraph): Matrix {
  const { name, variable } = graph.shown;
  return variable.role === 'observed' ? Matrix.zeros(graph.points, 0) : values[name]!;
}

/** Projection of new rows by the density of the shown variable, or by the field that it is computed from. */
function placingOf({ model, coordinates, values }: FittedGraph): Partial<AnyPosterior> {
  const { graph, columns } = model;
  const { name, given, densities } = graph.shown;
  const { eigenvalues, placement } = coordinates[name] ?? {};
  if (name in coordinates) return { ...(eigenvalues && { eigenvalues }), ...(placement && { placement }) };
  const placed = densities.find(({ density }) => density.search?.place !== undefined);
  if (placed === undefined || given.length !== 1) return {};
  const place = (rows: Matrix) => placed.density.search!.place!(rows, values[name]!);
  return { placement: { observedColumns: columns.get(given[0]!)!, place } };
}

/** A posterior with the random fields of the model's variables; graph and field are the first one's. They are computed on demand, which may take a search. */
function withFields(posterior: Posterior, { fields }: FittedGraph): AnyPosterior {
  const all = Object.values(fields);
  if (all.length === 0) return posterior;
  const learned = lazily(() => all.map((field) => field()));
  return {
    ...posterior,
    get graph() {
      return learned()[0]!.graph;
    },
    get field() {
      return learned()[0]!.field;
    },
    kktResidual: () => {
      const residuals = learned().flatMap(({ kktResidual }) => kktResidual?.() ?? []);
      return residuals.length === 0 ? undefined : Math.max(...residuals);
    },
  };
}
