import { NumericalError } from '../../core/errors.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import { sumOfSquares } from '../../engine/tensors/linearAlgebra/operations/gaussianLogDensity.ts';
import { patternedLogDensity } from '../../engine/tensors/linearAlgebra/patternedLogDensity.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type Gram, gramOf, noisyGram } from '../../kernels/structure.ts';
import type { Noise } from '../../model/entrywise/likelihood.ts';
import type { TensorMap } from '../../model/model.ts';
import {
  type Conditioned,
  type Covariance,
  type CovarianceStructure,
  columnNoiseLogDensity,
  type Moments,
  noiseOf,
  type ObservedData,
  type ObservedPlace,
  observedPart,
  observedRows,
  shiftedInverse,
  spectrumOf,
} from './covariance.ts';

/**
 * Any kernel, with N×N matrices: K + Σ = LLᵀ, at cost O(N³). Noise with one variance per column uses one eigen-decomposition of K for all columns.
 *
 * @see Rasmussen & Williams 2006, algorithm 2.1
 */
export function denseStructure(kernel: Kernel): CovarianceStructure {
  const gram = noisyGram(kernel);
  return {
    kind: 'dense',
    at: (p, X, noise) => {
      const at = (A: Tensor2D) => crossAt(kernel, p, X, A);
      const check = (data: ObservedData) => checkRounding(doublesOf(kernel.diagonal(p, X, X)), data);
      const K = lazily(() => gram(p, X, noise.per === 'all' ? noise.variance : undefined));
      if (noise.per === 'column')
        return checked(
          byColumn(() => K().matrix(), noise, at),
          check,
        );
      const rows = () => gramOf(() => op.add<Tensor2D>(K().matrix(), op.mul(op.eye(X.shape[0]), noise.variance)));
      return checked(factored(noise.per === 'row' ? lazily(rows) : K, at), check);
    },
  };
}

/** Largest rounding error of the covariance, relative to the observations' mean square. */
const MOST_ROUNDING = 1e-3;

/**
 * Throws if rounding errors of the predictive variances, 2⁻⁵² of the prior variance, are not small compared with the observations.
 *
 * @param prior - k(x, x) at the inputs
 * @throws NumericalError if they are not small
 */
function checkRounding(prior: Float64Array, { observations }: ObservedData): void {
  const entries = doublesOf(observations);
  const meanSquare = sumOfSquares(entries) / entries.length;
  const largest = prior.reduce((most, entry) => Math.max(most, entry), 0);
  if (!(meanSquare > 0) || !(largest * Number.EPSILON > MOST_ROUNDING * meanSquare)) return;
  throw new NumericalError(
    `The kernel's variance reaches ${largest.toPrecision(3)} at the latents, but the mean square of the observations is ${meanSquare.toPrecision(3)}: ` +
      'rounding leaves nothing of predictions. Divide the latents, or the variance of the kernel, or give it a smaller start.',
  );
}

const checked = (covariance: Covariance, check: (data: ObservedData) => void): Covariance => ({
  ...covariance,
  condition(data, options) {
    check(data);
    return covariance.condition(data, options);
  },
});

/** Covariances between new inputs and the inputs of the process. */
interface Cross {
  /** k(A, X), n×N. */
  readonly cross: Tensor2D;
  /** k(a, a), n×1. */
  readonly variance: Tensor2D;
  /** k(A, A), n×n. */
  within(): Tensor2D;
}

function crossAt(kernel: Kernel, p: TensorMap, X: Tensor2D, A: Tensor2D): Cross {
  return {
    cross: kernel.covariance(p, A, X, X),
    variance: op.reshape<Tensor2D>(kernel.diagonal(p, A, X), [-1, 1]),
    within: () => kernel.covariance(p, A, A, X),
  };
}

/** k(A, X) to the observed rows, n×(rows). */
const observedColumns = (cross: Tensor2D, { rows }: ObservedPlace) =>
  rows === undefined ? cross : op.gather<Tensor2D>(cross, rows, 1);

/** One factor of K + Σ for all columns of the data: mean k*ᵀK⁻¹Y, covariance k** − HᵀH with H = L⁻¹k*. */
function factored(K: () => Gram, at: (A: Tensor2D) => Cross): Covariance {
  return {
    logDensity: (data, options) => observedGram(K(), data).logDensity(gaussianData(data), options),
    patternsLogDensity: (data, options) => {
      const patterns = data.flatMap(({ constants, observations }) =>
        constants && !constants.outerProduct ? [{ rows: constants.rows, columns: observations.shape[1] }] : [],
      );
      if (data.length < 2 || patterns.length < data.length) return undefined;
      const entries = op.concat(data.map(({ observations }) => op.reshape(observations, [-1])));
      return patternedLogDensity(K().matrix(), entries, patterns, options);
    },
    condition: (data, options) => {
      const factor = op.cholesky(observedPart(K().matrix(), data), options);
      return { factor, weights: op.choleskySolve(factor, data.observations) };
    },
    momentsAt: (A) => {
      const { cross, variance, within } = at(A);
      // Transposed once for all patterns, so that each takes whole rows of it.
      const across = op.transpose(cross) as Tensor2D;
      return (place, { factor, weights }: Conditioned): Moments => {
        const own = observedRows(across, place);
        const half = op.triangularSolve(factor!, own);
        return {
          mean: own === across ? op.matMul<Tensor2D>(cross, weights!) : op.matMul<Tensor2D>(own, weights!, true, false),
          variance: op.sub<Tensor2D>(variance, op.reshape(op.sum(op.square(half), 0), [-1, 1])),
          covariance: () => op.sub<Tensor2D>(within(), op.gramMatrix(op.transpose(half) as Tensor2D)),
        };
      };
    },
  };
}

const observedGram = (K: Gram, data: ObservedData) =>
  data.rows === undefined ? K : gramOf(() => observedPart(K.matrix(), data));

/** One eigen-decomposition K = VΛVᵀ for all columns j, with (Λ + σ_j²)⁻¹. */
function byColumn(K: () => Tensor2D, noise: Noise, at: (A: Tensor2D) => Cross): Covariance {
  return {
    logDensity: (data, options) => {
      const [own, variances] = [observedPart(K(), data), noiseOf(noise, data)];
      // An eigen-decomposition costs as much as several factors, so a single column gets a factor.
      return data.observations.shape[1] === 1
        ? op.gaussianLogDensity(op.addDiagonal(own, variances), gaussianData(data), options)
        : columnNoiseLogDensity(own, data.observations, variances, options);
    },
    condition: (data, options) => {
      const { vectors, inverses } = spectrumOf(observedPart(K(), data), noiseOf(noise, data), options);
      return { vectors, inverses, weights: shiftedInverse(vectors, inverses, data.observations) };
    },
    momentsAt: (A) => {
      const { cross, variance, within } = at(A);
      return (place, { vectors, inverses, weights }: Conditioned): Moments => {
        const own = observedColumns(cross, place);
        const rotated = op.matMul<Tensor2D>(own, vectors!);
        return {
          mean: op.matMul<Tensor2D>(own, weights!),
          variance: op.sub<Tensor2D>(variance, op.matMul(op.square(rotated), inverses!)),
          covariance: (column) => op.sub<Tensor2D>(within(), op.gramMatrix(op.mul(rotated, rootOf(inverses!, column)))),
        };
      };
    },
  };
}

/** Square root of one column, as a row. */
const rootOf = (inverses: Tensor2D, column: number): Tensor => op.sqrt(op.gather(op.transpose(inverses), [column]));

function gaussianData({ observations, constants }: ObservedData): op.GaussianData {
  if (constants === undefined) return { observations };
  const { outerProduct } = constants;
  if (outerProduct !== undefined) return { outerProduct, columns: observations.shape[1] };
  return { observations, constant: true };
}
