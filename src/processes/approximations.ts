import * as v from 'valibot';
import { square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkAllPairs, checkNumbers } from '../core/observations.ts';
import {
  checkGiven,
  checkOptions,
  isPart,
  isWhole,
  numberAboveZero,
  numberFromZero,
  type OptionsIn,
  typed,
} from '../core/options.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Kernel, KernelFeatures, Spectrum } from '../kernels/kernel.ts';
import { type Basis, featuresOf, symmetricBasisOf } from '../kernels/structure.ts';
import type { Approximation } from '../model/approximation.ts';
import type { Noise } from '../model/entrywise/likelihood.ts';
import type { TensorMap } from '../model/model.ts';
import { fixed, type Parameter, real } from '../model/parameter.ts';
import type { Covariance, CovarianceStructure } from './covariance/covariance.ts';
import { denseStructure } from './covariance/dense.ts';
import { inducingCovariance, lowRankStructure } from './covariance/lowRank.ts';
import { checkInducing, type Inducing, inducingStart, ofKernel } from './variational/inducingVariables.ts';

/** Covariance of noisy observations at the inputs X (N×q), for natural values of a process's parameters. */
type CovarianceAt = (p: TensorMap, X: Tensor2D, noise: Noise) => Covariance;

/** How the covariance of a process is computed: result of {@link exact}, {@link inducing} or {@link basis}. */
export interface ProcessApproximation {
  readonly kind: 'processApproximation';
  readonly name: 'exact' | 'inducing' | 'basis';
  /**
   * Additional parameters of the process, whose inputs start at this N×q matrix.
   *
   * @throws InvalidInputError for more points than it has memory for, before anything is computed from them
   */
  readonly parameters: (inputs: () => Matrix, kernel: Kernel) => Readonly<Record<string, Parameter>>;
  /** The covariance under a kernel. */
  readonly of: (kernel: Kernel) => CovarianceAt;
  /** k(X, X), N×N, for draws of the functions; default the covariance of the kernel. */
  readonly gram?: (kernel: Kernel, p: TensorMap, X: Tensor2D) => Tensor2D;
  /** Its name and size in `diagnostics.approximations`; undefined if it is exact. */
  readonly reported: (kernel: Kernel, p: TensorMap, X: Tensor2D) => Pick<Approximation, 'name' | 'count'> | undefined;
  /** Its options, as files keep them. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** One with inducing inputs, whose bound also takes uncertain inputs, other likelihoods and batches. */
export interface InducingApproximation extends ProcessApproximation {
  readonly name: 'inducing';
  readonly options: { readonly inducing: Inducing; readonly jitter?: number | undefined };
}

export const isApproximation = (value: unknown): value is ProcessApproximation =>
  isPart(value, 'processApproximation', ['parameters', 'of', 'reported']);

export const isInducing = (given: ProcessApproximation): given is InducingApproximation => given.name === 'inducing';

/**
 * The approximation of a process by its options: `approximation`, or its short form `inducing`; exact by default.
 *
 * @throws InvalidInputError for both, or anything else
 */
export function approximationFrom(
  given: { readonly approximation?: unknown; readonly inducing?: Inducing | undefined },
  owner: string,
): ProcessApproximation {
  const { approximation, inducing: inputs } = given;
  if (approximation === undefined) return inputs === undefined ? exact() : inducing(inputs);
  if (isApproximation(approximation) && inputs === undefined) return approximation;
  throw new InvalidInputError(
    `Option 'approximation' of ${owner} is exact(), inducing(50) or basis(20), without 'inducing', but ${describe(inputs ?? approximation)} was given.`,
  );
}

/**
 * The covariance itself, by the cheapest linear algebra that its kernel allows: with features if they are fewer than the points, otherwise with N×N
 * matrices at cost O(N³).
 *
 * @returns a value of the option `approximation` of `gaussianProcess`
 * @example
 * ```ts
 * gaussianProcess({ kernel: rbf(), approximation: exact() });
 * ```
 */
export function exact(): ProcessApproximation {
  return EXACT;
}

const EXACT: ProcessApproximation = /* @__PURE__ */ Object.freeze<ProcessApproximation>({
  kind: 'processApproximation',
  name: 'exact',
  parameters: (inputs, kernel) => {
    const { rows, columns } = inputs();
    structureOf(kernel, rows, columns);
    return {};
  },
  of: (kernel) => {
    const structures = new Map<string, CovarianceStructure>();
    return (p, X, noise) => {
      const key = `${X.shape}`;
      const structure = structures.get(key) ?? structureOf(kernel, ...X.shape);
      structures.set(key, structure);
      return structure.at(ofKernel(kernel, p), X, noise);
    };
  },
  reported: () => undefined,
  options: {},
});

/** Largest number of points whose covariance, factor and gradient fit into the 4 GiB of the float64 backend. */
const MOST_POINTS = Math.floor(Math.sqrt(2 ** 32 / (3 * 8)));

/**
 * The cheapest linear algebra that a kernel allows for this number of points and columns: with its features if they are fewer than the points, with a
 * symmetric basis if it has one, otherwise with N×N matrices.
 *
 * @throws InvalidInputError for more points than N×N matrices have memory for
 */
export function structureOf(kernel: Kernel, points: number, columns: number): CovarianceStructure {
  const features = featuresOf(kernel, columns);
  if (features !== undefined && features.rank > 0 && features.rank < points) return lowRankStructure(features);
  checkAllPairs(
    'A Gaussian process with this kernel',
    points,
    'Give it inducing inputs (inducing: 100), or a kernel of fewer features than points, such as linear.',
    MOST_POINTS,
  );
  const own = symmetricBasisOf(kernel, columns);
  return own === undefined ? denseStructure(kernel) : symmetricBasisStructure(kernel, own);
}

/**
 * A kernel with k(X, X) = E² + UUᵀ at the inputs of the process. The density of complete data uses E and U, where one factor gives the gradients in
 * both; everything else is as for any kernel.
 */
function symmetricBasisStructure(kernel: Kernel, own: Basis): CovarianceStructure {
  const dense = denseStructure(kernel);
  return {
    kind: 'symmetricBasis',
    at: (p, X, noise) => {
      const asAny = dense.at(p, X, noise);
      return {
        ...asAny,
        logDensity: (data, options) => {
          const { rows, observations, constants } = data;
          const whole = noise.per === 'all' && rows === undefined && observations.shape[1] <= observations.shape[0];
          if (!whole || constants === undefined) return asAny.logDensity(data, options);
          const { basis: E, features } = own.at(p, X);
          const white = own.white?.(p);
          const variance = white === undefined ? noise.variance : op.addScalars(noise.variance, white);
          return own.logDensity(E, features, variance, observations, options);
        },
      };
    },
  };
}

const inducingSchema = v.strictObject({
  /** Added to the diagonal of the covariance of the inducing inputs, ≥ 0; default 1e-8 of its mean. */
  jitter: v.optional(numberFromZero),
});

/** Options of {@link inducing}. */
export interface InducingOptions extends OptionsIn<typeof inducingSchema> {}

/**
 * The process through M inducing inputs: its log density is replaced by a lower bound, at cost O(N·M·(M + D)), which equals it if the inducing inputs
 * are the inputs (Titsias 2009, eq. 9). They are parameters `inducing`. The bound also takes inputs that are Gaussian rows, likelihoods that are not
 * Gaussian, and batches of rows.
 *
 * @param inputs - their number M, from 1 to N, or where they start, M×q
 * @param options - `jitter`, added to the diagonal of the covariance of the inducing inputs, ≥ 0; default 1e-8 of its mean
 * @returns a value of the option `approximation` of `gaussianProcess`; `inducing: M` is its short form
 * @throws InvalidInputError for a number that is not whole or below 1, or entries that are not finite
 * @example
 * ```ts
 * gaussianProcess({ kernel: rbf(), approximation: inducing(20) });
 * ```
 */
export function inducing(inputs: Inducing, options: InducingOptions = {}): InducingApproximation {
  const { jitter } = checkOptions(inducingSchema, options, 'inducing');
  const start = checkInducing(inputs, 'the process');
  return Object.freeze<InducingApproximation>({
    kind: 'processApproximation',
    name: 'inducing',
    parameters: (latents) => ({ inducing: real(inducingStart(start, latents())) }),
    of: (kernel) => (p, X, noise) =>
      inducingCovariance(kernel, ofKernel(kernel, p), p.inducing as Tensor2D, jitter, X, noise),
    reported: (_, { inducing: Z }) => ({ name: 'inducingInputs', count: Z!.shape[0]! }),
    options: { inducing: start, ...(jitter !== undefined && { jitter }) },
  });
}

const basisSchema = v.strictObject({
  /** Half widths of the domain, as a multiple of the largest distance of the initial inputs from its center; default 1.5. */
  boundary: v.optional(numberAboveZero, 1.5),
  /** Lower and upper ends of the domain, 2×q; default around the initial inputs. */
  domain: v.optional(typed<MatrixLike>()),
});

/** Options of {@link basis}. */
export interface BasisOptions extends OptionsIn<typeof basisSchema> {}

/** Most basis functions: their Gram matrix is factored in each evaluation. */
const MOST_FUNCTIONS = 5000;

/**
 * The process as a sum of eigenfunctions of the Laplacian on a box, weighted by the spectral density S of its kernel (Hilbert-space approximation):
 * k(x, x') ≈ Σ_j S(ω_j)·φ_j(x)·φ_j(x'), φ_j(x) = Π_d √(2/w_d)·sin(ω_jd·(x_d − a_d)), ω_jd = π·j_d/w_d, on the box [a, a + w], with at most m frequencies along
 * each dimension (those within a ball of radius m). An evaluation costs O(N·M²) with M ≤ m^q functions, without N×N matrices and without further
 * parameters that move. Good for one to three input dimensions, and for draws of latents of many rows. Beyond the ends
 * of the box the functions repeat with the opposite sign: it should be wider than the inputs by a lengthscale or two.
 *
 * For Gaussian noise, and kernels made of `rbf`, `matern12`, `matern32`, `matern52`, custom radial kernels with a `spectrum`, and kernels of finitely many
 * features. The box is the fixed parameter `domain`, 2×q. For at most 2000 rows the error of the log density is measured at the result:
 * `diagnostics.approximations`.
 *
 * @param functions - m, the number of frequencies along each dimension, from 1
 * @param options - `boundary`, the half widths of the box as a multiple of the largest distance of the initial inputs from its center (1.5); or `domain`,
 * its lower and upper ends, 2×q
 * @returns a value of the option `approximation` of `gaussianProcess`
 * @throws InvalidInputError for a number that is not whole or below 1, ends that are not in order, and, when the process is evaluated, a kernel without a
 * spectral density or more than 5000 functions
 * @see Solin & Särkkä 2020, §3; Riutort-Mayol et al. 2023
 * @example
 * ```ts
 * gaussianProcess({ kernel: add(rbf({ lengthscale: 0.5 }), bias()), approximation: basis(20, { domain: [[-3], [3]] }) });
 * ```
 */
export function basis(functions: number, options: BasisOptions = {}): ProcessApproximation {
  checkGiven(functions, 'basis', 'a whole number of frequencies along each dimension, from 1', isWhole(1));
  const { boundary, domain: given } = checkOptions(basisSchema, options, 'basis');
  const domain = given === undefined ? undefined : readDomain(given);
  const featuresAt = (kernel: Kernel, p: TensorMap, X: Tensor2D) => {
    const ends = doublesOf(p.domain!);
    const q = X.shape[1];
    const features = featuresOf(kernel, q, (spectrum, columns) => sines(functions, spectrum, ends, q, columns));
    if (features !== undefined && features.rank <= MOST_FUNCTIONS) return features;
    throw new InvalidInputError(
      features === undefined
        ? `basis(${functions}) takes kernels made of rbf, matern12, matern32, matern52 and kernels of finitely many features, but '${kernel.name}' has no spectral density. Use inducing(50).`
        : `basis(${functions}) makes ${features.rank} functions of ${q} dimensions, but at most ${MOST_FUNCTIONS} are supported. Use a smaller number, or inducing(50).`,
    );
  };
  return Object.freeze<ProcessApproximation>({
    kind: 'processApproximation',
    name: 'basis',
    parameters: (inputs) => ({ domain: fixed(domain ?? around(inputs(), boundary)) }),
    of: (kernel) => (p, X, noise) => lowRankStructure(featuresAt(kernel, p, X)).at(ofKernel(kernel, p), X, noise),
    gram: (kernel, p, X) => {
      const { at, white } = featuresAt(kernel, p, X);
      const K = op.gramMatrix(at(ofKernel(kernel, p), X));
      return white === undefined ? K : op.addDiagonal(K, white(ofKernel(kernel, p)));
    },
    reported: (kernel, p, X) => ({ name: 'basisFunctions', count: featuresAt(kernel, p, X).rank }),
    options: { functions, ...(domain === undefined ? { boundary } : { domain }) },
  });
}

function readDomain(given: MatrixLike): Matrix {
  const name = "Option 'domain' of basis";
  const ends = checkNumbers(Matrix.from(given, name), name);
  const isOrdered = ends.rows === 2 && ends.row(0).every((lower, d) => lower < ends.at(1, d));
  if (isOrdered) return ends;
  throw new InvalidInputError(
    `${name} has a row of lower ends and a row of upper ends above them, such as [[-3, -3], [3, 3]], but ${describe(given)} was given.`,
  );
}

/** The box around inputs whose half widths are `boundary` times their largest distances from its center, 2×q. */
function around(inputs: Matrix, boundary: number): Matrix {
  const ends = Matrix.zeros(2, inputs.columns);
  for (let d = 0; d < inputs.columns; d++) {
    const entries = inputs.column(d);
    const [least, most] = [Math.min(...entries), Math.max(...entries)];
    const [center, half] = [(least + most) / 2, most > least ? (boundary * (most - least)) / 2 : boundary];
    ends.data[d] = center - half;
    ends.data[inputs.columns + d] = center + half;
  }
  return ends;
}

/** Numbers j of the functions, from 1 along each of q dimensions, whose (j − 1)/m lie within the unit ball. */
function frequencies(m: number, q: number): number[][] {
  let all: number[][] = [[]];
  for (let d = 0; d < q; d++) {
    all = all.flatMap((begun) => Array.from({ length: m }, (_, j) => [...begun, j + 1]).filter(isWithin(m)));
  }
  return all;
}

const isWithin = (m: number) => (numbers: readonly number[]) =>
  numbers.reduce((sum, j) => sum + square((j - 1) / m), 0) < 1;

/** The features √S(ω_j)·φ_j of a radial covariance in these columns. */
function sines(
  m: number,
  spectrum: Spectrum,
  ends: Float64Array,
  q: number,
  columns: readonly number[],
): KernelFeatures {
  const numbers = frequencies(m, columns.length);
  const widths = columns.map((d) => ends[q + d]! - ends[d]!);
  /** ω², M×(number of columns). */
  const squares = numbers.flatMap((of) => of.map((j, d) => square((Math.PI * j) / widths[d]!)));
  return {
    type: 'features',
    rank: () => numbers.length,
    at: ({ variance, lengthscale }, A) => {
      const along = columns.map((column, d) => {
        const omega = Float64Array.from({ length: m }, (_, j) => (Math.PI * (j + 1)) / widths[d]!);
        const position = op.sub(op.gather(A, [d], 1), ends[column]!);
        const waves = op.mul(Math.sqrt(2 / widths[d]!), op.sin(op.mul(position, op.tensor(omega, [1, m]))));
        return columns.length === 1
          ? waves
          : op.gather(
              waves,
              Int32Array.from(numbers, (of) => of[d]! - 1),
              1,
            );
      });
      const lengths = op.mul(lengthscale!, op.ones([1, columns.length]));
      const s = op.matMul<Tensor2D>(
        op.square(lengths) as Tensor2D,
        op.tensor(squares, [numbers.length, columns.length]) as Tensor2D,
        false,
        true,
      );
      const density = op.mul(op.mul(variance!, op.exp(op.sum(op.log(lengths)))), spectrum(s, columns.length));
      return along.reduce<Tensor>((product, waves) => op.mul(product, waves), op.sqrt(density)) as Tensor2D;
    },
  };
}
