import * as v from 'valibot';
import { log, square } from '../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { checkGiven, checkOptions, type OptionsIn, signalOption } from '../core/options.ts';
import { shortNumber } from '../core/wording.ts';
import { engineChoice } from '../engine/dense/index.ts';
import { symmetricMatrix } from '../engine/dense/symmetric.ts';
import { doublesOf, matrixTensor } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Fit } from '../model/fit.ts';
import type { AnyModel } from '../model/model.ts';
import { type GivenValues, givenValues } from '../model/open.ts';
import { entryNames } from '../model/transform.ts';
import { toNatural, type Variable } from '../model/variables.ts';
import { type FitProblem, openProblem } from './fit/fitProblem.ts';
import { slices } from './minimize/slices.ts';

/** Step of central differences that balances truncation and rounding errors: the cube root of the rounding unit, ∛Number.EPSILON. */
const STEP = 6.055454452393343e-6;

/**
 * Rows and columns of the Hessian of a problem's objective at x by central differences of its gradient,
 * (g(x + h·e_i) − g(x − h·e_i))/2h, not symmetrized.
 *
 * @param rows - variables to move
 * @param columns - entries of the gradient to use
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

/** Eigenvalues and inverse of a symmetric matrix. */
interface Inversion {
  /** Inverse; undefined if the matrix is not positive definite. */
  readonly inverse: Matrix | undefined;
  readonly logDeterminant: number;
  readonly smallest: number;
  readonly largest: number;
  /** Eigenvector of the smallest eigenvalue. */
  readonly direction: Float64Array;
}

/**
 * Inverse of the symmetric part of a matrix that is symmetric up to differencing errors, by eigenvalues. It counts as positive definite if the
 * smallest eigenvalue exceeds these errors, which its asymmetry measures. Runs on the float64 backend.
 *
 * @param along - orthonormal directions, rows of length n, along which the matrix is singular: the result is the pseudo-inverse, and the determinant
 * on their complement
 */
function inverseOf(matrix: Matrix, along: readonly Float64Array[] = []): Inversion {
  const n = matrix.rows;
  const symmetric = Matrix.zeros(n, n);
  let asymmetry = 0;
  let scale = 0;
  for (let i = 0; i < n; i++) {
    scale += Math.abs(matrix.at(i, i)) / n;
    for (let j = 0; j < n; j++) {
      symmetric.data[i * n + j] = (matrix.at(i, j) + matrix.at(j, i)) / 2;
      asymmetry = Math.max(asymmetry, Math.abs(matrix.at(i, j) - matrix.at(j, i)));
    }
  }
  addOuterProducts(symmetric, along, scale);
  const eigen = op.symmetricEigen(matrixTensor(symmetric), { name: 'The negative Hessian' });
  const values = doublesOf(eigen.values);
  const vectors = new Matrix(doublesOf(eigen.vectors), n, n);
  const smallest = values[0]!;
  const largest = values[n - 1]!;
  const direction = vectors.column(0);
  const logDeterminant = values.reduce((sum, value) => sum + log(value), 0) - along.length * log(scale);
  if (!(smallest > Math.max(Math.sqrt(n) * asymmetry, square(STEP) * largest))) {
    return { inverse: undefined, logDeterminant, smallest, largest, direction };
  }
  const half = matrixTensor(vectors.map((entry, _, k) => entry / Math.sqrt(values[k]!)));
  const inverse = new Matrix(doublesOf(op.matMul(half, half, false, true)), n, n);
  addOuterProducts(inverse, along, -1 / scale);
  return { inverse, logDeterminant, smallest, largest, direction };
}

/** A ← A + c·Σ qqᵀ */
function addOuterProducts({ data, rows }: Matrix, vectors: readonly Float64Array[], c: number): void {
  for (const q of vectors) {
    for (let i = 0; i < rows; i++) for (let j = 0; j < rows; j++) data[i * rows + j]! += c * q[i]! * q[j]!;
  }
}

/** Options of {@link laplaceApproximation}. */
export interface LaplaceOptions extends OptionsIn<typeof schema> {}

/** Gaussian approximation of the points of a variable. */
export interface LaplacePoints {
  /** Mean, N×q. */
  readonly mean: Matrix;
  /** Covariances of the points, N matrices q×q. */
  readonly covariances: readonly Matrix[];
}

/** Gaussian approximation of the density around a maximum, over all free variables. */
export interface LaplaceApproximation {
  /**
   * Covariance of all hyperparameters, in natural space, with the latents integrated out unless they are fixed; undefined if the model has no free
   * hyperparameters.
   */
  readonly parameters?: {
    /** Names of the p values: a path, with the position of the entry for parameters with several entries (`mapping.kernel.rbf.lengthscale[1]`). */
    readonly names: readonly string[];
    /** Mean, p values. */
    readonly mean: Float64Array;
    /** Covariance, p×p. */
    readonly covariance: Matrix;
  };
  /** Covariance of each latent point, with all other free variables integrated out; undefined if the latents are a function of the observations. */
  readonly latents?: LaplacePoints;
  /** Gaussian approximations of every variable with one point per row, by path, for models with several of them, such as z and h of a deep process. */
  readonly points?: Readonly<Record<string, LaplacePoints>>;
  /**
   * If latents vary: log p(Y, X) + (m − k)/2·log 2π − ½·log|H| + log V, Laplace's approximation of the log evidence log p(Y) at these
   * hyperparameters, if the latents have a proper prior. H is the m×m negative Hessian in all entries of the points; If k rotations leave the density
   * unchanged, |H| is the determinant on the complement of these directions, and V the volume of the set of rotated points. The approximation is
   * exact for jointly normal points and observations. Equal modes that no rotation reaches, such as mirrored maps, are not counted.
   */
  readonly evidence?: number;
  /** If latents vary: the number k of independent rotations of points that leave the density unchanged. Covariances then describe maps aligned by rotation. */
  readonly rotations?: number;
}

const schema = v.strictObject({
  /** Whether hyperparameters vary; default true. Otherwise they are fixed at their values. */
  parameters: v.optional(v.boolean(), true),
  /** Whether free latents vary, which costs 2·N·q evaluations of the gradient; default true. Otherwise they are fixed at their values. */
  latents: v.optional(v.boolean(), true),
  /** Signal that aborts the computation, which then rejects with the signal's reason. */
  signal: signalOption,
  /** Linear algebra engine; default LATENTFIELD_ENGINE, or 'auto'. */
  engine: v.optional(engineChoice),
});

/**
 * Gaussian uncertainty around a maximum of a model's log density: the covariance H⁻¹ of all free variables, with H the full negative Hessian, by central
 * differences of the gradient in the solver's variables u, mapped to natural space by θ = θ(u) (J·H⁻¹·Jᵀ, J = ∂θ/∂u, which at a
 * maximum is the inverse of the Hessian in θ itself). Its blocks are marginal covariances: of each point with all other points and the
 * hyperparameters integrated out.
 *
 * Variables that are excluded by `parameters: false` or `latents: false` are fixed. Rotations of latents that leave the density unchanged are
 * projected out, as if maps were aligned (orthogonal Procrustes). Multipliers of a constraint layer, weights of a back-constraint, inducing inputs,
 * and variational means and variances of latents are not included.
 *
 * @param model - any model
 * @param at - a fit of the model, or values by path as for `evaluate`
 * @param options - `parameters`, `latents`, `signal`, `engine`: see {@link LaplaceOptions}
 * @returns mean and covariance of the hyperparameters (p×p) and of each latent point (q×q), and the evidence
 * @throws NumericalError if H is not positive definite, so that the point is not a strict maximum; it names the variable that moves most along the
 * flattest direction
 * @throws InvalidInputError for values that do not fit the model, and for a model that computes its solution, which has no parameters
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
      `The model '${model.name}' computes its solution, which is not the maximum of a log density, so its uncertainty is not defined.`,
    );
  }
  const problem = openProblem(model, { seed: 0, engine: asked.engine });
  try {
    const x = problem.variablesAt(givenValues(valuesOf(at, problem)));
    const { variables } = problem.layout;
    const free = pointsOf(problem);
    const points = asked.latents ? free : [];
    const parameters = asked.parameters
      ? variables.filter((variable) => isHyperparameter(variable) && !free.includes(variable))
      : [];
    checkMovable(points);
    if (points.length + parameters.length === 0) return {};
    const hessian = await hessianOf(problem, x, [...points, ...parameters], asked.signal);
    const rotations = points.map((variable) => rotationsOf(problem, x, variable));
    const covariance = covarianceOf(problem, hessian, rotations, [...points, ...parameters]);
    return {
      ...(parameters.length > 0 && { parameters: parametersIn(problem, x, parameters, covariance) }),
      ...(points.length > 0 && {
        ...pointsIn(x, points, covariance),
        evidence: evidenceOf(problem, x, points, hessian, rotations),
        rotations: rotations.reduce((sum, { directions }) => sum + directions.length, 0),
      }),
    };
  } finally {
    problem.dispose();
  }
}

/** Variational means and variances of latents, and inducing inputs: they are not parameters of the model. */
const isOfPosterior = ({ path }: Variable) => /^latents\.|\.posterior\.(mean|variance)$|(^|\.)inducing$/.test(path);

const isHyperparameter = (variable: Variable) =>
  variable.start >= 0 && variable.parameter.support !== 'box' && !isOfPosterior(variable);

/** Variables with free points, in the order of the model: the first are its latents. */
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

/** Indices of the solver's variables that belong to some variables of the model. */
const placesOf = (variables: readonly Variable[]): number[] =>
  variables.flatMap(({ start, width }) => Array.from({ length: width }, (_, i) => start + i));

const widthOf = (variables: readonly Variable[]): number => variables.reduce((sum, { width }) => sum + width, 0);

/** @throws InvalidInputError for points that a prior constrains jointly */
function checkMovable(points: readonly Variable[]): void {
  const restricted = points.find(({ parameter }) => parameter.transform !== undefined);
  if (restricted === undefined) return;
  throw new InvalidInputError(
    `The points of '${restricted.path}' do not move one by one in this model: a prior restricts all of them together. Pass latents: false.`,
  );
}

/** Negative Hessian of the log density in some variables at x, with all others fixed. */
function hessianOf(
  problem: FitProblem,
  x: Float64Array,
  variables: readonly Variable[],
  signal: AbortSignal | undefined,
): Promise<Matrix> {
  const places = placesOf(variables);
  return gradientDifferences(problem, x, places, places, signal);
}

/** Covariance of variables from their negative Hessian, points first. */
function covarianceOf(
  problem: FitProblem,
  hessian: Matrix,
  rotations: readonly Rotations[],
  variables: readonly Variable[],
): Matrix {
  const { inverse, smallest, largest, direction } = problem.compute(() =>
    inverseOf(hessian, directionsIn(rotations, hessian.rows)),
  );
  if (inverse !== undefined) return inverse;
  const steepest = direction.reduce((best, entry, i) => (Math.abs(entry) > Math.abs(direction[best]!) ? i : best), 0);
  const entry = variables.flatMap((variable) =>
    variable.width === variable.size ? entryNames(variable.path, variable.shape) : innerNamesOf(variable),
  )[steepest];
  throw new NumericalError(
    `The log density has no strict maximum here: the eigenvalues of its negative Hessian (${hessian.rows}×${hessian.rows}) ` +
      `reach from ${shortNumber(smallest)} to ${shortNumber(largest)}, the smallest mostly along '${entry}'. ` +
      'Fit the model further, fix that variable (a parameter with fixed(…), all with parameters: false or latents: false), or give it a prior.',
  );
}

function parametersIn(
  problem: FitProblem,
  x: Float64Array,
  variables: readonly Variable[],
  covariance: Matrix,
): NonNullable<LaplaceApproximation['parameters']> {
  const names = variables.flatMap(({ path, shape }) => entryNames(path, shape));
  const width = widthOf(variables);
  const first = covariance.rows - width;
  const natural = problem.compute(() => toNatural(problem.layout, x));
  const jacobian = Matrix.zeros(names.length, width);
  const mean = new Float64Array(names.length);
  let [row, before] = [0, 0];
  for (const variable of variables) {
    const { start, size, transform } = variable;
    const value = natural[problem.layout.variables.indexOf(variable)]!;
    for (let i = 0; i < size; i++) {
      const unit = Float64Array.from({ length: size }, (_, j) => (i === j ? 1 : 0));
      const slope = transform.pullBack(unit, value, x.subarray(start, start + variable.width));
      jacobian.data.set(slope, (row + i) * width + before);
      mean[row + i] = value[i]!;
    }
    row += size;
    before += variable.width;
  }
  return { names, mean, covariance: congruence(jacobian, blockOf(covariance, first, width)) };
}

/** n×n diagonal block of a matrix that begins at a row. */
function blockOf(matrix: Matrix, first: number, n: number): Matrix {
  return Matrix.zeros(n, n).map((_, i, j) => matrix.at(first + i, first + j));
}

/** Names of the solver's variables of a parameter whose number differs from the number of its entries. */
const innerNamesOf = ({ path, width }: Variable): string[] =>
  Array.from({ length: width }, (_, i) => `${path} (free entry ${i})`);

function pointsIn(
  x: Float64Array,
  variables: readonly Variable[],
  covariance: Matrix,
): Required<Pick<LaplaceApproximation, 'latents' | 'points'>> {
  const points: Record<string, LaplacePoints> = {};
  let first = 0;
  for (const { path, start, size, shape } of variables) {
    const [rows, columns] = shape as [number, number];
    points[path] = {
      mean: new Matrix(x.slice(start, start + size), rows, columns),
      covariances: Array.from({ length: rows }, (_, n) => blockOf(covariance, first + n * columns, columns)),
    };
    first += size;
  }
  return { latents: points[variables[0]!.path]!, points };
}

/** See {@link LaplaceApproximation.evidence}. */
function evidenceOf(
  problem: FitProblem,
  x: Float64Array,
  points: readonly Variable[],
  hessian: Matrix,
  rotations: readonly Rotations[],
): number {
  const m = widthOf(points);
  const directions = directionsIn(rotations, m);
  const { logDeterminant } = problem.compute(() => inverseOf(blockOf(hessian, 0, m), directions));
  const volume = rotations.reduce((sum, { logVolume }) => sum + logVolume, 0);
  return problem.densityAt(x).value + ((m - directions.length) / 2) * log(2 * Math.PI) - logDeterminant / 2 + volume;
}

/** Rotations of the points of one variable that leave the density unchanged. */
interface Rotations {
  /** Number of entries of the variable. */
  readonly size: number;
  /** Orthonormal basis of the directions of points under rotation, each of length N·q. */
  readonly directions: readonly Float64Array[];
  /** Logarithm of the volume of the set of all rotated points. */
  readonly logVolume: number;
}

/** Maximum relative change of the log density for rotated points to count as equally dense. */
const UNTURNED = 1e-9;
/** Eigenvalue of a Gram matrix, relative to the largest, below which a rotation leaves the points unchanged. */
const DEPENDENT = 1e-12;

/**
 * Rotations under which a density is invariant: a plane of two columns counts if the density is the same after a rotation in it, and columns joined
 * by planes rotate as SO(r).
 * The points X·R, R in SO(r), have volume Vol(SO(r))/Vol(SO(s))·√det G, with G the Gram matrix of the independent directions X·A, A = e_i e_jᵀ − e_j e_iᵀ, and
 * SO(s) the rotations that leave X unchanged, if its rank is below r − 1.
 */
function rotationsOf(problem: FitProblem, x: Float64Array, { start, size, shape }: Variable): Rotations {
  const [rows, columns] = shape as [number, number];
  const value = problem.densityAt(x).value;
  const isSameTurned = (i: number, j: number) => {
    const turned = x.slice();
    for (let n = start; n < start + rows * columns; n += columns) {
      turned[n + i] = 0.6 * x[n + i]! - 0.8 * x[n + j]!;
      turned[n + j] = 0.8 * x[n + i]! + 0.6 * x[n + j]!;
    }
    return Math.abs(problem.densityAt(turned).value - value) <= UNTURNED * Math.max(1, Math.abs(value));
  };
  /** X·(e_i e_jᵀ − e_j e_iᵀ), up to its sign */
  const turnIn = (i: number, j: number) => {
    const direction = new Float64Array(size);
    for (let n = 0; n < size; n += columns) {
      direction[n + i] = -x[start + n + j]!;
      direction[n + j] = x[start + n + i]!;
    }
    return direction;
  };
  // Columns that turn into each other, as groups.
  const group = Array.from({ length: columns }, (_, d) => d);
  for (let j = 1; j < columns; j++) {
    const i = Array.from({ length: j }, (_, d) => d).find((d) => group[d] === d && isSameTurned(d, j));
    if (i !== undefined) group[j] = i;
  }
  const directions: Float64Array[] = [];
  let logVolume = 0;
  for (const leader of new Set(group)) {
    const together = Array.from({ length: columns }, (_, d) => d).filter((d) => group[d] === leader);
    const turns = together.flatMap((j, b) => together.slice(0, b).map((i) => turnIn(i, j)));
    const { values, vectors } = gramEigenpairs(problem, turns);
    const steepest = values.at(-1) ?? 0;
    let still = 0;
    for (const [k, value] of values.entries()) {
      if (!(value > DEPENDENT * steepest)) {
        still++;
        continue;
      }
      const direction = new Float64Array(size);
      for (const [t, turn] of turns.entries()) {
        const weight = vectors.at(t, k) / Math.sqrt(value);
        for (let e = 0; e < size; e++) direction[e]! += weight * turn[e]!;
      }
      directions.push(direction);
      logVolume += log(value) / 2;
    }
    // s(s − 1)/2 rotations leave the points as they are.
    const s = still === 0 ? 0 : (1 + Math.sqrt(1 + 8 * still)) / 2;
    logVolume += logVolumeOfRotations(together.length) - logVolumeOfRotations(s);
  }
  return { size, directions, logVolume };
}

/** Eigenvalues, ascending, and eigenvectors of the Gram matrix of vectors. */
function gramEigenpairs(
  problem: FitProblem,
  vectors: readonly Float64Array[],
): { values: Float64Array; vectors: Matrix } {
  const k = vectors.length;
  if (k === 0) return { values: new Float64Array(), vectors: Matrix.zeros(0, 0) };
  const gram = vectors.map((a) => vectors.map((b) => a.reduce((sum, entry, e) => sum + entry * b[e]!, 0)));
  return problem.compute(() => {
    const eigen = op.symmetricEigen(matrixTensor(Matrix.from(gram)), { name: 'The Gram matrix of rotations' });
    return { values: doublesOf(eigen.values), vectors: new Matrix(doublesOf(eigen.vectors), k, k) };
  });
}

/** log Vol(SO(r)) = Σ_{k=2}^{r} log |S^{k−1}|, where a rotation by one radian in a plane has length 1. */
function logVolumeOfRotations(r: number): number {
  let sum = 0;
  // Surfaces of spheres: |S¹| = 2π, |S²| = 4π, |S^{k−1}| = |S^{k−3}|·2π/(k − 2).
  const surfaces = [0, 2, 2 * Math.PI];
  for (let k = 2; k <= r; k++) {
    surfaces[k] ??= (surfaces[k - 2]! * 2 * Math.PI) / (k - 2);
    sum += log(surfaces[k]!);
  }
  return sum;
}

/** Directions of rotations of several concatenated variables, in vectors of length n. */
function directionsIn(rotations: readonly Rotations[], n: number): Float64Array[] {
  let first = 0;
  return rotations.flatMap(({ size, directions }) => {
    const from = first;
    first += size;
    return directions.map((direction) => {
      const whole = new Float64Array(n);
      whole.set(direction, from);
      return whole;
    });
  });
}

/** J·S·Jᵀ */
function congruence(J: Matrix, S: Matrix): Matrix {
  const m = S.rows;
  return symmetricMatrix(J.rows, (i, j) => {
    let sum = 0;
    for (let a = 0; a < m; a++) for (let b = 0; b < m; b++) sum += J.at(i, a) * S.at(a, b) * J.at(j, b);
    return sum;
  });
}
