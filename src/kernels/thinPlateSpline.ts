import { log, square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers } from '../core/observations.ts';
import { seededRandom } from '../core/random.ts';
import { kMeansRun } from '../engine/kMeans.ts';
import type { RadialProfile } from '../engine/tensors/ops.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { defineKernel } from './defineKernel.ts';
import type { Kernel, LeafPaths } from './kernel.ts';

/** Options of a thin plate spline. */
export interface ThinPlateSplineOptions {
  /** Centers of the basis functions: M×q points, or a number M of k-means centers; default the inputs of the process. */
  readonly centers?: MatrixLike | number;
  /** Constant of the thin plate ('corrected', the default), or the one printed in the paper. */
  readonly constant?: ThinPlateConstant;
}

interface Options {
  readonly centers: number[][] | number;
  readonly constant: ThinPlateConstant;
}

/**
 * Thin plate spline: k(x, x') = Σ_j η(‖x − x_j‖)·η(‖x' − x_j‖) + xᵀx' + 1, η(r) = c·r^{4−q}, times ln r for q = 2 and 4, q = 1 … 4.
 * The covariance of a spline A·η + B·(x; 1) with independent standard normal weights. It has no parameters, is invariant to rotations
 * of all points, and not to shifts.
 *
 * By default it is centered at the inputs of the process: the covariance of the latents depends on them twice, and
 * gradients go through both. With M centers its rank is M + q + 1, and a model of
 * more points than that is fitted and used at cost O(N·M²), without any N×N matrix. A number M means k-means centers of the latents at which a
 * model starts (from a fixed seed), which are then fixed and saved.
 *
 * @param options - `centers`, `constant`: see {@link ThinPlateSplineOptions}
 * @throws InvalidInputError for an unknown option, centers that are neither points nor a whole number ≥ 1, and, when it is
 *   evaluated, for points of more than 4 dimensions
 * @see Jiang et al. 2014, eqs. 8–17; its constant is wrong by √π^{q−1} for q = 2 and 4 (`constant: 'printed'` gives the paper's)
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, kernel: thinPlateSpline() });
 * gplvm(Y, { latentDim: 2, kernel: thinPlateSpline({ centers: 30 }) });
 * ```
 */
export const thinPlateSpline: (
  options?: ThinPlateSplineOptions,
) => Kernel<LeafPaths<'thinPlateSpline', never, object>> = defineKernel<never, Options, 'thinPlateSpline'>({
  name: 'thinPlateSpline',
  options: { centers: readCenters, constant: readConstant },
  covariance: (_p, A, B, inputs, options) => {
    const centers = centersFor(A, inputs, options);
    const left = features(A, centers, options.constant);
    if (A === B) return op.gramMatrix(left);
    return op.matMul(left, features(B, centers, options.constant), false, true) as Tensor2D;
  },
  diagonal: (_p, A, inputs, options) =>
    op.sum(op.square(features(A, centersFor(A, inputs, options), options.constant)), 1) as Tensor1D,
  capabilities: (options) => {
    const { centers, constant } = options;
    if (centers === undefined) {
      const at = (_p: object, X: Tensor2D) => ({ basis: basisAt(X, X, constant), features: affine(X) });
      return { structure: { type: 'symmetricBasis', at, logDensity: op.symmetricBasisLogDensity } };
    }
    if (typeof centers === 'number') {
      return { decidedAt: (inputs) => ({ centers: centersOf(inputs, centers).toArrays() }) };
    }
    return {
      structure: {
        type: 'features',
        rank: (columns) => centers.length + columns + 1,
        at: (_p, A) => features(A, centersFor(A, A, options), constant),
      },
    };
  },
});

/** (η(‖x − x_1‖), …, η(‖x − x_M‖), x, 1) of every row: k is their inner product. */
function features(X: Tensor2D, centers: Tensor2D, constant?: ThinPlateConstant): Tensor2D {
  return op.concat([basisAt(X, centers, constant), affine(X)], 1);
}

function basisAt(X: Tensor2D, centers: Tensor2D, constant: ThinPlateConstant = 'corrected'): Tensor2D {
  const { profile, factor } = thinPlate(X.shape[1], constant);
  return op.radialCovariance(X, centers, op.scalar(factor), profile);
}

function affine(X: Tensor2D): Tensor2D {
  return op.concat([X, op.ones<Tensor2D>([X.shape[0], 1])], 1);
}

function centersFor(A: Tensor2D, inputs: Tensor2D, { centers }: Partial<Options>): Tensor2D {
  if (centers === undefined) return inputs;
  if (typeof centers === 'number') {
    throw new InvalidInputError(
      `thinPlateSpline({ centers: ${centers} }) has its centers chosen where a model starts, but there is no model here. Give them as points.`,
    );
  }
  if (centers[0]!.length !== A.shape[1]) {
    throw new InvalidInputError(
      `The centers of a thin plate spline must be points like the others, of ${A.shape[1]} columns, but they have ${centers[0]!.length}.`,
    );
  }
  return op.tensor<Tensor2D>(centers);
}

function readCenters(given: unknown): number[][] | number {
  if (typeof given === 'number') {
    if (Number.isInteger(given) && given >= 1) return given;
    throw new InvalidInputError(
      `Option 'centers' of a thin plate spline is points or a whole number from 1, but ${given} was given.`,
    );
  }
  const points = checkNumbers(Matrix.from(given as MatrixLike, "Option 'centers'"), "Option 'centers'");
  if (points.rows > 0 && points.columns > 0) return points.toArrays();
  throw new InvalidInputError(
    `Option 'centers' must contain at least one point, but a ${points.rows}×${points.columns} matrix was given.`,
  );
}

function readConstant(given: unknown): ThinPlateConstant {
  if (given === 'corrected' || given === 'printed') return given;
  throw new InvalidInputError(`Option 'constant' is 'corrected' or 'printed', but ${describe(given)} was given.`);
}

/** The constant c in front of η: the thin plate's, or the one printed in the paper. */
export type ThinPlateConstant = 'corrected' | 'printed';

/**
 * η of the thin plate of order 2 as a function of s = r², without its constant: r^{4−q}, times ln r for q = 2 and 4; η(0) = 0.
 *
 * Slopes are η′(r)/(2r), taken as 0 at r = 0 where they are infinite.
 */
const profiles: Readonly<Record<number, RadialProfile>> = {
  1: {
    name: 'thinPlate1',
    compiled: 'thinPlate1',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i]! *= Math.sqrt(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = 1.5 * Math.sqrt(s[i]!);
    },
  },
  2: {
    name: 'thinPlate2',
    compiled: 'thinPlate2',
    value: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i]! *= 0.5 * log(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 * (log(s[i]!) + 1);
    },
  },
  3: {
    name: 'thinPlate3',
    compiled: 'thinPlate3',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = Math.sqrt(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 / Math.sqrt(s[i]!);
    },
  },
  4: {
    name: 'thinPlate4',
    compiled: 'thinPlate4',
    value: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 * log(s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) if (s[i]! > 0) s[i] = 0.5 / s[i]!;
    },
  },
};

/**
 * c·η of the thin plate spline of order 2 in q dimensions.
 *
 * c = (−1)^{q/2+1}/(8·π^{q/2}·(2 − q/2)!) for q = 2 and 4, Γ(q/2 − 2)/(16·π^{q/2}) otherwise: Δ²η is the delta function. The paper
 * prints √π where π^{q/2} belongs in the first.
 *
 * @throws InvalidInputError for q outside 1 … 4, where r^{4−q} is not a thin plate of order 2
 * @see Jiang et al. 2014, eqs. 8–10
 */
export function thinPlate(q: number, constant: ThinPlateConstant): { profile: RadialProfile; factor: number } {
  const profile = profiles[q];
  if (profile === undefined) {
    throw new InvalidInputError(
      `A thin plate spline of order 2 exists in 1 to 4 dimensions, but the points have ${q} columns. Choose fewer latent ` +
        'dimensions, or let it see some of them with select(thinPlateSpline(), columns).',
    );
  }
  return { profile, factor: FACTORS[constant][q]! };
}

/** By q, from 1. */
const FACTORS: Record<ThinPlateConstant, Readonly<Record<number, number>>> = {
  corrected: { 1: 1 / 12, 2: 1 / (8 * Math.PI), 3: -1 / (8 * Math.PI), 4: -1 / (8 * square(Math.PI)) },
  printed: { 1: 1 / 12, 2: 1 / (8 * Math.sqrt(Math.PI)), 3: -1 / (8 * Math.PI), 4: -1 / (8 * Math.sqrt(Math.PI)) },
};

/** A fixed seed: choosing centers is deterministic. */
const SEED = 0;
const MOST_ITERATIONS = 100;

/**
 * Centers of a k-means clustering of the rows of X, from one fixed seed (k-means++ start).
 *
 * @param X - N×q points
 * @param count - number of centers, at most N
 * @returns count×q, in the order of their first coordinates
 * @throws InvalidInputError if there are fewer distinct points than centers
 */
function centersOf(X: Matrix, count: number): Matrix {
  const different = new Set(X.toArrays().map(String)).size;
  if (count > different) {
    throw new InvalidInputError(`${count} centers were requested, but there are ${different} different points.`);
  }
  const { centers } = kMeansRun(X, count, seededRandom(SEED), MOST_ITERATIONS);
  return Matrix.from(centers.toArrays().sort((a, b) => a[0]! - b[0]! || a.at(-1)! - b.at(-1)!));
}
