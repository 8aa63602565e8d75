import * as v from 'valibot';
import { log, square } from '../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { checkGiven, checkOptions, signalOption } from '../core/options.ts';
import { shortNumber } from '../core/wording.ts';
import { type EngineChoice, engineChoice } from '../engine/dense/index.ts';
import { doublesOf, matrixTensor } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import { cholesky } from '../engine/typescript/matrices.ts';
import type { Fit } from '../model/fit.ts';
import type { AnyModel } from '../model/model.ts';
import { type GivenValues, givenValues } from '../model/open.ts';
import { toNatural, type Variable } from '../model/variables.ts';
import { type FitProblem, openProblem } from './fit/fitProblem.ts';
import { slices } from './minimize/slices.ts';

/** Cube root of the rounding unit: where the errors of a central difference, of truncation and of rounding, balance: ∛Number.EPSILON. */
const STEP = 6.055454452393343e-6;

/**
 * Rows and columns of the Hessian of a problem's objective at x by central differences of its gradient,
 * (g(x + h·e_i) − g(x − h·e_i))/2h, not symmetrized.
 *
 * @param rows - variables to move
 * @param columns - entries of the gradient to take
 * @param signal - aborting it throws the signal's reason
 */
async function gradientDifferences(
  { objective, compute }: FitProblem,
  x: Float64Array,
  rows: readonly number[],
  columns: readonly number[],
  signal?: AbortSignal,
): Promise<Matrix> {
  const result = Matrix.zeros(rows.length, columns.length);
  const slice = slices();
  for (const [r, i] of rows.entries()) {
    signal?.throwIfAborted();
    const above = x.slice();
    const below = x.slice();
    above[i] = x[i]! + STEP * Math.max(1, Math.abs(x[i]!));
    below[i] = x[i]! - STEP * Math.max(1, Math.abs(x[i]!));
    const upper = compute(() => objective(above).gradient);
    const lower = compute(() => objective(below).gradient);
    columns.forEach((j, c) => {
      result.data[r * columns.length + c] = (upper[j]! - lower[j]!) / (above[i]! - below[i]!);
    });
    if (slice.isOver()) await slice.leave();
  }
  return result;
}

/** Definiteness and condition of a symmetric matrix by its eigenvalues. */
interface Inversion {
  /** Undefined when the matrix is not positive definite. */
  readonly inverse: Matrix | undefined;
  readonly smallest: number;
  readonly largest: number;
  /** Eigenvector of the smallest eigenvalue. */
  readonly direction: Float64Array;
}

/**
 * Inverse of a matrix that is symmetric but for the errors of differences: of its symmetric part, by eigenvalues. It counts as
 * positive definite when the smallest exceeds those errors, which its asymmetry shows. On the float64 backend.
 */
function inverseOf(matrix: Matrix): Inversion {
  const n = matrix.rows;
  const symmetric = Matrix.zeros(n, n);
  let asymmetry = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      symmetric.data[i * n + j] = (matrix.at(i, j) + matrix.at(j, i)) / 2;
      asymmetry = Math.max(asymmetry, Math.abs(matrix.at(i, j) - matrix.at(j, i)));
    }
  }
  const eigen = op.symmetricEigen(matrixTensor(symmetric), { name: 'The negative Hessian' });
  const values = doublesOf(eigen.values);
  const vectors = new Matrix(doublesOf(eigen.vectors), n, n);
  const smallest = values[0]!;
  const largest = values[n - 1]!;
  const direction = vectors.column(0);
  if (!(smallest > Math.max(n * asymmetry, square(STEP) * largest))) {
    return { inverse: undefined, smallest, largest, direction };
  }
  const inverse = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (vectors.at(i, k) * vectors.at(j, k)) / values[k]!;
      inverse.data[i * n + j] = sum;
    }
  }
  return { inverse, smallest, largest, direction };
}

/** Options of {@link laplaceApproximation}. */
export interface LaplaceOptions {
  /** Whether the hyperparameters are wanted; they are unless turned off. */
  readonly parameters?: boolean;
  /** Whether free latents are wanted: 2·N·q evaluations of the gradient; they are unless turned off. */
  readonly latents?: boolean;
  /** Aborting it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Which linear algebra to use; 'auto' unless given or named by LATENTFIELD_ENGINE. */
  readonly engine?: EngineChoice;
}

/** Points of a variable as Gaussians. */
export interface LaplacePoints {
  /** N×q */
  readonly mean: Matrix;
  /** N matrices, q×q */
  readonly covariances: readonly Matrix[];
}

/** A Gaussian about a maximum of the log density. */
export interface LaplaceApproximation {
  /** Covariance of all hyperparameters together, in natural space, the latents held; missing when the model has none that is free. */
  readonly parameters?: {
    /** p names: a path, with the place of the entry where it has several (`mapping.kernel.rbf.lengthscale[1]`). */
    readonly names: readonly string[];
    /** p values */
    readonly mean: Float64Array;
    /** p×p */
    readonly covariance: Matrix;
  };
  /** Covariance of each latent point, all else held; missing when the latents are a function of the observations. */
  readonly latents?: LaplacePoints;
  /** The same of every variable that has a point a row, by their paths, for models of several: z and h of a deep process, say. */
  readonly points?: Readonly<Record<string, LaplacePoints>>;
  /**
   * With the latents: log p(Y, X) + Nq/2·log 2π + ½·Σ_n log|Σ_n|, the log evidence log p(Y) at these hyperparameters where the latents have a
   * proper prior, as a Gaussian with these covariances has it; over the points of all variables where there are several. Beside it stands the bound of a model whose latents
   * are distributions.
   */
  readonly evidence?: number;
}

const schema = v.strictObject({
  parameters: v.optional(v.boolean(), true),
  latents: v.optional(v.boolean(), true),
  signal: signalOption,
  engine: v.optional(engineChoice),
});

/**
 * Gaussian uncertainty about a maximum of a model's log density: covariances H⁻¹ with H the negative Hessian, by central
 * differences of the gradient in the solver's variables u, mapped to natural space by θ = θ(u) (J·H⁻¹·Jᵀ, J = ∂θ/∂u, which at a
 * maximum is the inverse of the Hessian in θ itself). For the hyperparameters H is full, for the latents its q×q blocks on the
 * diagonal.
 *
 * Each covariance is conditional on the other variables: narrower than the marginal one. What only the whole configuration
 * of latents can do, such as turning, does not show in it. Multipliers of a constraint layer, weights of a back-constraint, inducing inputs, and means and variances by
 * which latents are inferred take no part.
 *
 * @param model - any model
 * @param at - a fit of it, or values by path as `evaluate` takes them
 * @param options - `parameters`, `latents`, `signal`, `engine`: see {@link LaplaceOptions}
 * @returns mean and covariance of the hyperparameters (p×p) and of each latent point (q×q)
 * @throws NumericalError when H is not positive definite, so that the point is no maximum, naming the direction or the points
 * @throws InvalidInputError for values that do not fit the model, and a model that computes its solution: it has no parameters
 * @see MacKay, Information Theory, Inference, and Learning Algorithms (2003), ch. 27
 * @example
 * ```ts
 * const model = gplvm(Y, { latentDim: 2 });
 * const { latents } = await laplaceApproximation(model, await fit(model));
 * latents?.covariances[0]; // Matrix 2×2: how well the first point is placed
 * ```
 */
export async function laplaceApproximation(
  model: AnyModel,
  at: Fit | GivenValues,
  options: LaplaceOptions = {},
): Promise<LaplaceApproximation> {
  const asked = checkOptions(schema, options, 'laplaceApproximation');
  checkGiven(
    model,
    'laplaceApproximation',
    'a model and a fit of it',
    ({ assemble }) => typeof assemble === 'function',
  );
  if (model.solve !== undefined) {
    throw new InvalidInputError(
      `The model '${model.name}' computes its solution, so no log density of parameters has its maximum there, and nothing can be said of how sure it is.`,
    );
  }
  const problem = openProblem(model, { seed: 0, engine: asked.engine });
  try {
    const x = problem.variablesAt(givenValues(valuesOf(at, problem)));
    const { variables } = problem.layout;
    const points = pointsOf(problem);
    const hyperparameters = variables.filter((variable) => isHyperparameter(variable) && !points.includes(variable));
    return {
      ...(asked.parameters && hyperparameters.length > 0
        ? { parameters: await parametersAt(problem, x, hyperparameters, asked.signal) }
        : {}),
      ...(asked.latents && points.length > 0 ? await latentsWithEvidence(problem, x, points, asked.signal) : {}),
    };
  } finally {
    problem.dispose();
  }
}

/** Means and variances of distributions by which latents are inferred, and the inducing inputs of approximations: no parameters of the model itself. */
const isOfPosterior = ({ path }: Variable) => /^latents\.|\.posterior\.(mean|variance)$|(^|\.)inducing$/.test(path);

const isHyperparameter = (variable: Variable) =>
  variable.start >= 0 && variable.parameter.support !== 'box' && !isOfPosterior(variable);

/** Variables whose points are free, in the order of the model: the first are its latents. */
const pointsOf = ({ layout, pointwise }: FitProblem): Variable[] =>
  layout.variables.filter(
    (variable) =>
      variable.start >= 0 &&
      variable.shape.length === 2 &&
      (variable.path === 'latents' || pointwise.includes(variable.path)) &&
      !isOfPosterior(variable),
  );

function valuesOf(at: Fit | GivenValues, { layout }: FitProblem): GivenValues {
  if (!('predict' in at && typeof at.predict === 'function')) return at as GivenValues;
  const { latents, parameters, values = {} } = at as Fit & { readonly values?: Readonly<Record<string, Matrix>> };
  const free = layout.variables.filter(({ path }) => !Object.hasOwn(parameters, path));
  const named = free.flatMap(({ path }) => {
    const own = path === 'latents' ? latents : values[path];
    return own === undefined ? [] : [[path, own] as const];
  });
  return { ...Object.fromEntries(named), ...parameters } as GivenValues;
}

async function parametersAt(
  problem: FitProblem,
  x: Float64Array,
  variables: readonly Variable[],
  signal: AbortSignal | undefined,
): Promise<NonNullable<LaplaceApproximation['parameters']>> {
  const places = variables.flatMap(({ start, width }) => Array.from({ length: width }, (_, i) => start + i));
  const names = variables.flatMap(namesOf);
  const hessian = await gradientDifferences(problem, x, places, places, signal);
  const { inverse, smallest, largest, direction } = problem.compute(() => inverseOf(hessian));
  if (inverse === undefined) {
    const steepest = direction.reduce((best, entry, i) => (Math.abs(entry) > Math.abs(direction[best]!) ? i : best), 0);
    throw new NumericalError(
      `The log density has no strict maximum in the parameters here: the eigenvalues of its negative Hessian (${names.length}×${names.length}) ` +
        `reach from ${shortNumber(smallest)} to ${shortNumber(largest)}, the smallest mostly along '${names[steepest]}'. ` +
        'Fit the model further, hold that parameter with fixed(…), or give it a prior.',
    );
  }
  const natural = problem.compute(() => toNatural(problem.layout, x));
  const jacobian = Matrix.zeros(names.length, places.length);
  const mean = new Float64Array(names.length);
  let [first, before] = [0, 0];
  for (const variable of variables) {
    const { start, size, width, transform } = variable;
    const value = natural[problem.layout.variables.indexOf(variable)]!;
    for (let i = 0; i < size; i++) {
      const unit = Float64Array.from({ length: size }, (_, j) => (i === j ? 1 : 0));
      const row = transform.pullBack(unit, value, x.subarray(start, start + width));
      jacobian.data.set(row, (first + i) * places.length + before);
      mean[first + i] = value[i]!;
    }
    first += size;
    before += width;
  }
  return { names, mean, covariance: congruence(jacobian, inverse) };
}

function namesOf({ path, shape, size }: Variable): string[] {
  if (shape.length === 0) return [path];
  const columns = shape[1];
  return Array.from({ length: size }, (_, i) =>
    columns === undefined ? `${path}[${i}]` : `${path}[${Math.floor(i / columns)}, ${i % columns}]`,
  );
}

async function latentsWithEvidence(
  problem: FitProblem,
  x: Float64Array,
  variables: readonly Variable[],
  signal: AbortSignal | undefined,
): Promise<Required<Pick<LaplaceApproximation, 'latents' | 'points' | 'evidence'>>> {
  const points: Record<string, LaplacePoints> = {};
  let evidence = problem.densityAt(x).value;
  for (const variable of variables) {
    const own = await latentsAt(problem, x, variable, signal);
    const logDeterminants = own.covariances.reduce((sum, covariance) => sum + logDeterminant(covariance), 0);
    evidence += (variable.size / 2) * log(2 * Math.PI) + logDeterminants / 2;
    points[variable.path] = own;
  }
  return { latents: points[variables[0]!.path]!, points, evidence };
}

/** log |A| of a small positive definite matrix. */
function logDeterminant(A: Matrix): number {
  const { data, rows } = Matrix.from(A);
  cholesky(rows, { data, start: 0, rowStride: rows, columnStride: 1 });
  return Array.from({ length: rows }, (_, i) => 2 * log(data[i * rows + i]!)).reduce((sum, entry) => sum + entry);
}

async function latentsAt(
  problem: FitProblem,
  x: Float64Array,
  { start, size, shape, parameter, path }: Variable,
  signal: AbortSignal | undefined,
): Promise<LaplacePoints> {
  if (parameter.transform !== undefined) {
    throw new InvalidInputError(
      `The points of '${path}' do not move on their own in this model: a prior restricts all of them together. Ask with latents: false.`,
    );
  }
  const [rows, columns] = shape as [number, number];
  const covariances: Matrix[] = [];
  const bad: number[] = [];
  for (let n = 0; n < rows; n++) {
    const places = Array.from({ length: columns }, (_, d) => start + n * columns + d);
    const hessian = await gradientDifferences(problem, x, places, places, signal);
    const { inverse } = problem.compute(() => inverseOf(hessian));
    if (inverse === undefined) bad.push(n);
    else covariances.push(inverse);
  }
  if (bad.length > 0) {
    throw new NumericalError(
      `The log density has no strict maximum in the latents of ${bad.length} of ${rows} points here (rows ${bad.slice(0, 5).join(', ')}${bad.length > 5 ? ', …' : ''}): ` +
        'the negative Hessian of each is not positive definite. Fit the model further, put a prior on the latents, or ask with latents: false.',
    );
  }
  return { mean: new Matrix(x.slice(start, start + size), rows, columns), covariances };
}

/** J·S·Jᵀ */
function congruence(J: Matrix, S: Matrix): Matrix {
  const m = S.rows;
  const n = J.rows;
  const result = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let a = 0; a < m; a++) for (let b = 0; b < m; b++) sum += J.at(i, a) * S.at(a, b) * J.at(j, b);
      result.data[i * n + j] = sum;
      result.data[j * n + i] = sum;
    }
  }
  return result;
}
