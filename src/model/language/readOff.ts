import { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { topEigenpairs } from '../../engine/dense/eigenpairs.ts';
import type { AnyPosterior, FieldCoordinates, LearnedField, Posterior } from '../posterior.ts';
import type { FittedGraph } from './fittedGraph.ts';
import { joinedColumns } from './graph.ts';
import type { EmbeddedVariable } from './variable.ts';

/** Coordinates that are read off a field by its eigenvectors. */
export function readOff({ precision, covariance }: LearnedField, { dim, by }: EmbeddedVariable): FieldCoordinates {
  return {
    latents:
      by === 'eigenmap' ? eigenmapCoordinates(precision(), covariance(), dim) : principalCoordinates(covariance(), dim),
  };
}

/**
 * Rows whose products are those that are expected of Gaussian rows: x_iᵀx_i is m_iᵀm_i + Σ_d s_id, which a column of its own adds to each; of rows that are correlated, the columns of
 * their factors do.
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

/** Top eigenvectors of HUH, each times the root of its eigenvalue, N×dim. */
function principalCoordinates({ data, rows: N }: Matrix, dim: number): Matrix {
  const means = new Float64Array(N);
  for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) means[i]! += data[i * N + j]! / N;
  const grand = means.reduce((sum, mean) => sum + mean, 0) / N;
  const centered = Matrix.zeros(N, N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) centered.data[i * N + j] = data[i * N + j]! - means[i]! - means[j]! + grand;
  }
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
  return new Matrix(
    vectors.data.map((entry, k) => entry * Math.sqrt(Math.max(0, values[k % dim]!))),
    N,
    dim,
  );
}

/** f_2 … f_{dim+1} of Q·f = μ·diag(Q)·f, N×dim: with D = diag(Q), D^½·f are the top eigenvectors of D^½·Q⁻¹·D^½ beside the first. */
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
  const result = Matrix.zeros(N, dim);
  for (let i = 0; i < N; i++) for (let c = 0; c < dim; c++) result.data[i * dim + c] = vectors.at(i, c + 1) / roots[i]!;
  return result;
}

/** What fits of a model can do whose points are all that it speaks of: the values that are shown, the random fields, and how what they are of is placed. */
export function fieldPosterior(of: FittedGraph): AnyPosterior {
  const posterior = { latents: latentsOf(of), ...placingOf(of), fitted: of };
  return withFields(posterior, of);
}

/** Rows of the variable that is shown; without columns where that is observed. */
function latentsOf({ values, model: { graph } }: FittedGraph): Matrix {
  const { name, variable } = graph.shown;
  return variable.role === 'observed' ? Matrix.zeros(graph.points, 0) : values[name]!;
}

/** How new rows are placed by the density of what is shown, or by the field that it is read off. */
function placingOf({ model, coordinates, values }: FittedGraph): Partial<AnyPosterior> {
  const { graph, columns } = model;
  const { name, given, densities } = graph.shown;
  const { eigenvalues, placement } = coordinates[name] ?? {};
  if (name in coordinates) return { ...(eigenvalues && { eigenvalues }), ...(placement && { placement }) };
  const placed = densities.find(({ density }) => density.search?.place !== undefined);
  if (placed === undefined || given.length !== 1) return {};
  const place = (rows: Matrix) => placed.density.search!.place!(rows, values[name]!);
  return { placement: { acceptsMissing: false, observedColumns: columns.get(given[0]!)!, place } };
}

/** A posterior with the random fields of the model's variables: graph and field are those of the first. They are computed when they are asked for, which may take a search. */
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
