import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import { seededRandom } from '../../core/random.ts';
import { matrixTensor } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import type { TensorMap } from '../../model/model.ts';
import { type Parameter, real } from '../../model/parameter.ts';
import type { FunctionMoments } from '../functionMoments.ts';

/** Values of the kernel's parameters. */
export const ofKernel = <T>({ parameters }: Kernel, p: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, p[`kernel.${name}`]!]));

/** Values of the likelihood's parameters. */
export const ofLikelihood = <T>({ parameters }: Likelihood, p: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.keys(parameters).map((name) => [name, p[name]!]));

/** True for Gaussian rows. */
export const isSpread = (rows: Tensor2D | op.GaussianRows): rows is op.GaussianRows => 'variance' in rows;

/**
 * The parents of a process side by side; points are Gaussians of variance 0.
 *
 * @param variances - variances of the uncertain parents
 */
export function inputsOf(
  given: readonly (Tensor2D | op.GaussianRows)[],
  variances: readonly (Tensor2D | undefined)[] = [],
): op.GaussianRows {
  const rows = given.map((own, i) =>
    isSpread(own) ? own : { mean: own, variance: variances[i] ?? op.zeros<Tensor2D>(own.shape) },
  );
  const [first] = rows as [op.GaussianRows];
  if (rows.length === 1) return first;
  const side = (of: 'mean' | 'variance') =>
    op.concat(
      rows.map((own) => own[of]),
      1,
    ) as Tensor2D;
  return { mean: side('mean'), variance: side('variance') };
}

/** Number of columns up to the last uncertain parent; the columns of all parents if none is uncertain. */
export function uncertainColumns(given: readonly (Tensor2D | op.GaussianRows)[]): number {
  const last = given.findLastIndex(isSpread);
  const some = last < 0 ? given : given.slice(0, last + 1);
  return some.reduce((sum, own) => sum + (isSpread(own) ? own.mean : own).shape[1], 0);
}

/** Number of inducing inputs, from 1 to the number of points, or their initial values (M×q). */
export type Inducing = number | MatrixLike;

/** A fixed seed: choosing inducing inputs is deterministic. */
const SEED = 0;

/**
 * Initial inducing inputs, M×q: as passed, or M of the latents (N×q), chosen one after the other with probabilities that grow with the squared
 * distance from those already chosen (k-means++), so that they cover the latents and do not coincide.
 *
 * @throws InvalidInputError unless there are 1 to N of them with q columns
 */
export function inducingStart(given: Inducing, latents: Matrix): Matrix {
  const start = checkInducing(given, 'the process', latents.rows);
  if (start instanceof Matrix) return checkColumns(start, latents);
  return Matrix.from(spreadOut(latents, start).map((i) => latents.row(i)));
}

/** A number of inducing inputs, from 1 to the number of points, or a matrix of finite numbers. */
export function checkInducing(given: Inducing, owner: string, points = Number.POSITIVE_INFINITY): number | Matrix {
  const name = `Option 'inducing' of ${owner}`;
  if (typeof given !== 'number') return checkNumbers(Matrix.from(given, name), name);
  if (Number.isInteger(given) && given >= 1 && given <= points) return given;
  throw new InvalidInputError(
    `${name} must be a whole number from 1${points < Number.POSITIVE_INFINITY ? ` to ${points}, the number of points` : ''}, but ${given} was given.`,
  );
}

function checkColumns(Z: Matrix, { columns }: Matrix): Matrix {
  if (Z.columns === columns && Z.rows > 0) return Z;
  throw new InvalidInputError(
    `inducing must have ${columns} columns and at least one row, but a ${Z.rows}×${Z.columns} matrix was given.`,
  );
}

function spreadOut(X: Matrix, count: number): number[] {
  const random = seededRandom(SEED);
  const distances = new Float64Array(X.rows).fill(Number.POSITIVE_INFINITY);
  const isChosen = new Uint8Array(X.rows);
  const chosen: number[] = [];
  let next = random.integer(X.rows);
  while (chosen.length < count) {
    chosen.push(next);
    isChosen[next] = 1;
    for (let i = 0; i < X.rows; i++) {
      let distance = 0;
      for (let d = 0; d < X.columns; d++) distance += square(X.at(i, d) - X.at(next, d));
      distances[i] = Math.min(distances[i]!, distance);
    }
    next = drawn(distances, isChosen, random.uniform());
  }
  return chosen;
}

/** A point drawn with probability proportional to its squared distance; the first remaining one if all remaining points coincide with chosen ones. */
function drawn(distances: Float64Array, isChosen: Uint8Array, uniform: number): number {
  const total = distances.reduce((sum, distance) => sum + distance, 0);
  let rest = uniform * total;
  let last = isChosen.indexOf(0);
  for (let i = 0; i < distances.length; i++) {
    if (isChosen[i] === 1 || distances[i] === 0) continue;
    last = i;
    rest -= distances[i]!;
    if (rest < 0) return i;
  }
  return last;
}

/**
 * Default jitter of K_uu = k(Z, Z), relative to the mean of its diagonal: inducing inputs close to each other, or a kernel of lower rank than their
 * number, make it singular. A relative jitter makes results independent of the unit of the observations; GPy adds 1e-8 for any variance.
 */
const INDUCING_JITTER = 1e-8;

/** L with LLᵀ = k(Z, Z) + jitter·I, M×M, without `white`, the white noise of the kernel, if the inducing variables exclude it. */
export function inducingFactor(
  kernel: Kernel,
  p: TensorMap,
  Z: Tensor2D,
  options: op.PositiveDefiniteOptions & {
    readonly jitter?: number | undefined;
    readonly white?: Tensor | undefined;
  } = {},
): Tensor2D {
  const { jitter, white, ...rest } = options;
  const K = kernel.covariance(p, Z, Z, Z);
  const smooth = white === undefined ? K : op.addDiagonal(K, op.neg(white));
  const added =
    jitter === undefined ? op.mul<Scalar>(INDUCING_JITTER, op.mean(op.diagPart(smooth))) : op.scalar(jitter);
  const name = 'The covariance of the inducing inputs';
  return op.cholesky(jitter === 0 ? smooth : op.addDiagonal(smooth, added), { ...rest, name });
}

/** Means of q(v), M×D, whitened. */
export const Q_MEAN = 'variational.mean';
/** Transposed roots of its covariances CCᵀ: Cᵀ, M×M, lower triangular, common to all columns, or C_dᵀ for each column, D·M×M. */
const Q_ROOT = 'variational.root';

/** q(u) as variables of a bound that is not collapsed. */
export interface InducingVariables {
  /** M×D */
  readonly mean: Tensor2D;
  /** Transposed roots, c·M×M with c = 1 or D, zeros above the diagonal of each. */
  readonly roots: Tensor2D;
}

/** Largest number of entries of separate covariances for all columns; beyond it, all columns share one. */
const MOST_ROOTS = 60_000;

/**
 * The variables at an initial q(u) that all columns share. With Gaussian noise of one variance, all columns have the same covariance at the optimum.
 * With other likelihoods each column has a separate one if D·M² is at most 60 000. Otherwise they share one, which gives a lower bound, at a cost
 * that does not grow as D·M².
 */
export function inducingVariables(
  { groups, factor }: InducingPosterior,
  D: number,
  likelihood: Pick<Likelihood, 'conjugate'>,
): Record<string, Parameter> {
  const M = factor.rows;
  const perColumn = likelihood.conjugate === undefined && D * M * M <= MOST_ROOTS;
  const mean = Matrix.zeros(M, D);
  const roots = Matrix.zeros(perColumn ? D * M : M, M);
  for (const group of groups) {
    group.columns.forEach((column, c) => {
      for (let i = 0; i < M; i++) mean.data[i * D + column] = group.mean.at(i, c);
      if (perColumn || column === 0) roots.data.set(group.roots.data, perColumn ? column * M * M : 0);
    });
  }
  return { [Q_MEAN]: real(mean), [Q_ROOT]: real(roots) };
}

/** q(u) among a process's values. Entries above the diagonal of a root are ignored. */
export function variablesFrom(p: TensorMap): InducingVariables {
  const root = p[Q_ROOT] as Tensor2D;
  const [rows, M] = root.shape;
  const mask = Float64Array.from({ length: rows * M }, (_, i) => (i % M <= Math.floor(i / M) % M ? 1 : 0));
  return { mean: p[Q_MEAN] as Tensor2D, roots: op.mul<Tensor2D>(root, op.tensor(mask, [rows, M])) };
}

/** Σ_d KL(N(m_d, C_d·C_dᵀ)‖N(0, I)) = ½·Σ_d (‖m_d‖² + ‖C_d‖² − M) − Σ_d log|det C_d|. */
export function inducingDivergence({ mean, roots }: InducingVariables): Scalar {
  const [M, D] = mean.shape;
  const count = roots.shape[0] / M;
  const diagonal = op.reshape(op.sum(op.mul(op.reshape(roots, [count, M, M]), op.reshape(op.eye(M), [1, M, M])), 2), [
    count * M,
  ]);
  const logDeterminants = op.mul(0.5, op.sum(op.log(op.square(diagonal))));
  const own = op.sub(op.mul(0.5, op.sub(op.sum(op.square(roots)), count * M)), logDeterminants);
  return op.add<Scalar>(op.mul(0.5, op.sum(op.square(mean))), op.mul(D / count, own));
}

/**
 * q(u) of the functions at the inducing inputs, whitened: u = L·v with LLᵀ = K_uu, and q(v_d) = N(m_d, C_d·C_dᵀ).
 * T: type of a matrix, plain numbers or a tensor.
 */
export interface InducingPosterior<T = Matrix> {
  /** Z, M×q. */
  readonly inducing: T;
  /** L, M×M. */
  readonly factor: T;
  readonly groups: readonly InducingGroup<T>[];
}

/** Columns with the same q(u). */
interface InducingGroup<T = Matrix> {
  readonly columns: Int32Array;
  /** m, M×c. */
  readonly mean: T;
  /** Cᵀ common to all columns, M×M, or C_dᵀ for each column, c·M×M. */
  readonly roots: T;
}

/**
 * Moments at inputs A (n×q): with a = L⁻¹k_u(x), mean m_dᵀa and variance k(x, x) − ‖a‖² + ‖C_dᵀa‖².
 *
 * @param p - natural values of the kernel's parameters
 * @see Titsias 2009, eq. 6; Hensman, Fusi & Lawrence 2013
 */
export function inducingMoments(
  kernel: Kernel,
  p: TensorMap,
  { inducing, factor, groups }: InducingPosterior<Tensor2D>,
  A: Tensor2D,
): FunctionMoments[] {
  const m = factor.shape[0];
  const cross = kernel.covariance(p, A, inducing, inducing);
  const half = op.triangularSolve(factor, op.transpose(cross) as Tensor2D);
  const rest = op.sub(kernel.diagonal(p, A, inducing), op.sum(op.square(half), 0));
  return groups.map(({ columns, mean, roots }): FunctionMoments => {
    const count = roots.shape[0] / m;
    const own = count === 1 ? op.sum(op.square(op.matMul(roots, half)), 0, true) : op.columnForms(roots, half);
    return {
      columns,
      mean: op.matMul<Tensor2D>(half, mean, true, false),
      variance: op.transpose(op.add(rest, own)) as Tensor2D,
      covariance: (column) => {
        const gram = (x: Tensor2D) => op.gramMatrix(op.transpose(x) as Tensor2D);
        const root = count === 1 ? roots : op.slice<Tensor2D>(roots, [column * m, 0], [m, m]);
        return op.add<Tensor2D>(
          op.sub(kernel.covariance(p, A, A, inducing), gram(half)),
          gram(op.matMul<Tensor2D>(root, half)),
        );
      },
    };
  });
}

/** Converts its matrices to tensors. */
export function tensorsOf({ inducing, factor, groups }: InducingPosterior): InducingPosterior<Tensor2D> {
  return {
    inducing: matrixTensor(inducing),
    factor: matrixTensor(factor),
    groups: groups.map(({ columns, mean, roots }) => ({
      columns,
      mean: matrixTensor(mean),
      roots: matrixTensor(roots),
    })),
  };
}
