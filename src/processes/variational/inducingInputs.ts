import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import { seededRandom } from '../../core/random.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';

/** Number of inducing inputs, from 1 to the number of points, or their initial values (M×q). */
export type Inducing = number | MatrixLike;

/** A fixed seed: choosing inducing inputs is deterministic. */
const SEED = 0;

/**
 * Initial inducing inputs, M×q: the given ones, or M of the latents (N×q), chosen one after the other with probabilities that grow with the squared
 * distance from those already chosen (k-means++), so that they cover the latents and do not coincide.
 *
 * @throws InvalidInputError unless there are 1 to N of them with q columns
 */
export function inducingStart(given: Inducing, latents: Matrix): Matrix {
  if (typeof given === 'number') checkInducing(given, latents.rows, 'the process');
  if (typeof given !== 'number') return checkColumns(checkNumbers(Matrix.from(given, 'inducing'), 'inducing'), latents);
  return new Matrix(
    Float64Array.from(spreadOut(latents, given).flatMap((i) => Array.from(latents.row(i)))),
    given,
    latents.columns,
  );
}

/** Throws unless it is a number of inducing inputs for this number of points, or a matrix of them. */
export function checkInducing(given: unknown, points: number, caller: string): Inducing {
  if (typeof given !== 'number') {
    if (typeof given === 'object' && given !== null) return given as MatrixLike;
    throw new InvalidInputError(
      `Option 'inducing' of ${caller} must be a number of inducing inputs or an M×q matrix of them, but ${describe(given)} was given.`,
    );
  }
  if (Number.isInteger(given) && given >= 1 && given <= points) return given;
  throw new InvalidInputError(
    `Option 'inducing' of ${caller} must be a whole number from 1 to ${points}, the number of points, but ${given} was given.`,
  );
}

function checkColumns(Z: Matrix, { columns }: Matrix): Matrix {
  if (Z.columns === columns && Z.rows > 0) return Z;
  throw new InvalidInputError(
    `inducing must have ${columns} columns, one a latent dimension, and at least one row, but a ${Z.rows}×${Z.columns} matrix was given.`,
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

/** A point drawn with probability proportional to its squared distance; the first one left if all that remain coincide with chosen ones. */
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
 * number, leave it singular. A relative jitter makes results independent of the unit of the observations; GPy adds 1e-8 whatever the variance is.
 */
const INDUCING_JITTER = 1e-8;

/** L with LLᵀ = k(Z, Z) + jitter·I, M×M, without `white`, the white noise of the kernel, if the inducing variables do not include it. */
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
