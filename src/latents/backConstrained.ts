import * as v from 'valibot';
import { log, square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { standardizationOf } from '../core/observations.ts';
import { checkGiven, checkOptions, isPart, namedOptions, numberAboveZero, type OptionsIn } from '../core/options.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { type Initialization, initialLatents, keptInit } from '../model/initialization.ts';
import type { MapStart } from '../model/language/mapped.ts';
import type { PointRows } from '../model/language/variable.ts';
import { real } from '../model/parameter.ts';
import type { Transform } from '../model/transform.ts';
import { defineMap, type LatentMap, withCheckedShape } from './defineMap.ts';

/** Added to the eigenvalues of K_b, whose diagonal is 1, when the coefficients are fitted to the initial latents. */
const RIDGE = 1e-6;

interface KernelRegressionOptions extends OptionsIn<typeof schema> {}

/** 1/⟨‖y − y'‖²⟩, averaged over pairs of observations: ⟨‖y − y'‖²⟩ is twice the sum of the variances. */
function defaultGamma(training: Matrix): number {
  const { mean } = standardizationOf(training, true, false);
  const spread = training.data.reduce((sum, entry, k) => sum + square(entry - mean[k % training.columns]!), 0);
  return spread > 0 ? training.rows / (2 * spread) : 1;
}

export const kernelRegressionFactory = defineMap({
  name: 'kernelRegression',
  // The coefficients are badly scaled: eigenvalues of K_b span ten orders. The solver sees them whitened.
  parameters: ({ features, latents }, _: KernelRegressionOptions) => {
    const spectrum = spectrumOf(features);
    const weights = real(regressed(spectrum, latents, RIDGE));
    return { weights: { ...weights, transform: whitened(spectrum, latents.columns) } };
  },
  features: (Y, training, options) => {
    const gamma = options?.gamma ?? defaultGamma(training);
    return withFloat64(() => {
      const points = matrixTensor(Y);
      const centers = Y === training ? points : matrixTensor(training);
      return tensorMatrix(op.exp(op.mul<Tensor2D>(-gamma / 2, op.squaredDistances(points, centers))));
    });
  },
  apply: (p, covariance) => op.matMul(covariance, p.weights),
});

const schema = v.strictObject({
  gamma: v.optional(numberAboveZero),
});

/**
 * Back-constraint by kernel regression on the observations: X = K_b·B, K_b = exp(−γ/2·‖y − y'‖²) between observations and training
 * observations. The path of B (N×q) is `latents.weights`. The optimizer moves Z with B = Q·Λ^{−½}·Z and K_b = QΛQᵀ, which needs a tenth of the
 * iterations.
 *
 * @param options - `gamma` γ > 0, an inverse squared length in the space of the observations; default one over their mean squared distance
 * @throws InvalidInputError if gamma is not above 0
 * @see Lawrence & Quiñonero-Candela 2006; Zhong et al. 2010
 * @example
 * ```ts
 * backConstrained(kernelRegression({ gamma: 0.01 }));
 * ```
 */
export function kernelRegression(options: { gamma?: number } = {}): LatentMap {
  const { gamma } = checkOptions(schema, options, 'kernelRegression');
  return kernelRegressionFactory({}, Object.freeze(gamma === undefined ? {} : { gamma }));
}

/** Eigenvalues below this fraction of the largest are raised to it, so that rounding does not blow up the coefficients. */
const LEAST = 1e-10;

/** Eigen-decomposition of a covariance, K = QΛQᵀ. */
interface Spectrum {
  /** N×N, one column per eigenvector. */
  readonly vectors: Matrix;
  readonly values: Float64Array;
}

function spectrumOf(K: Matrix): Spectrum {
  return withFloat64(() => {
    const { values, vectors } = op.symmetricEigen(matrixTensor(K), { name: 'The covariance of the observations' });
    const eigenvalues = doublesOf(values);
    const least = LEAST * eigenvalues[K.rows - 1]!;
    return {
      values: eigenvalues.map((value) => Math.max(value, least)),
      vectors: new Matrix(doublesOf(vectors), K.rows, K.rows),
    };
  });
}

/**
 * Well-scaled variables Z for coefficients B (N×q): the solver moves Z with B = Q·Λ^{−½}·Z, so that KB = Q·Λ^{½}·Z.
 *
 * @param spectrum - eigen-decomposition of K, N×N
 * @param q - number of columns of B
 */
function whitened({ vectors, values }: Spectrum, q: number): Transform {
  const root = values.map(Math.sqrt);
  return {
    toNatural: (Z) =>
      product(
        vectors,
        scaledRows(Z, q, (i) => 1 / root[i]!),
        q,
      ),
    toUnconstrained: (B) => scaledRows(transposedProduct(vectors, B, q), q, (i) => root[i]!),
    pullBack: (gradient) => scaledRows(transposedProduct(vectors, gradient, q), q, (i) => 1 / root[i]!),
    // |Q| = ±1.
    logJacobian: (Z) => ({
      value: -q * root.reduce((sum, entry) => sum + log(entry), 0),
      gradient: new Float64Array(Z.length),
    }),
  };
}

/** B = Q·(Λ + r·I)⁻¹·QᵀX, N×q, which makes KB close to X. */
function regressed({ vectors, values }: Spectrum, X: Matrix, ridge: number): Matrix {
  const q = X.columns;
  const inner = scaledRows(transposedProduct(vectors, X.data, q), q, (i) => 1 / (values[i]! + ridge));
  return new Matrix(product(vectors, inner, q), X.rows, q);
}

function scaledRows(entries: Float64Array, q: number, scaleOf: (row: number) => number): Float64Array {
  return entries.map((entry, k) => entry * scaleOf(Math.floor(k / q)));
}

/** QZ */
function product(Q: Matrix, Z: Float64Array, q: number): Float64Array {
  return withFloat64(() => doublesOf(op.matMul(matrixTensor(Q), op.tensor(Z, [Q.rows, q]))));
}

/** QᵀB */
function transposedProduct(Q: Matrix, B: Float64Array, q: number): Float64Array {
  return withFloat64(() => doublesOf(op.matMul(matrixTensor(Q), op.tensor(B, [Q.rows, q]), true)));
}

const PREFIX = 'latents.';

/**
 * Back-constrained latents: X = g(Y; A) is a smooth function of the observations, so that points close in Y stay close in X, and latents of new
 * observations are computed directly. The optimizer moves the parameters A, which are initialized by fitting `init`.
 *
 * @param map - `linearMap()`, `kernelRegression({ gamma })`, `mlpMap({ hidden })`, or a custom one of `defineMap`
 * @param options - `init`: initial latents, approximated by the map: 'pca' (the default), an N×q matrix used as is, or an object with N×q `latents`
 *   (a fitted embedding, scaled to unit variance per column)
 * @throws InvalidInputError if the map is invalid, or, when a model is made, if the initial latents do not match the observations
 * @see Lawrence & Quiñonero-Candela 2006; Jiang et al. 2014, eq. 28
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, posterior: backConstrained(kernelRegression({ gamma: 0.1 })) });
 * ```
 */
export function backConstrained(
  map: LatentMap,
  options: { init?: 'pca' | MatrixLike | Initialization } = {},
): PointRows {
  if (typeof map === 'function') {
    throw new InvalidInputError(
      'backConstrained takes a map, but function was given. Call the factory: linearMap(), not linearMap.',
    );
  }
  const expected = 'a map, such as kernelRegression({ gamma: 0.1 })';
  checkGiven(map, 'backConstrained', expected, (given) => isPart(given, 'map', ['parameters', 'features', 'apply']));
  const init = keptInit(namedOptions(options, 'backConstrained', ['init']).init ?? 'pca');
  return Object.freeze<PointRows>({
    kind: 'latents',
    name: 'backConstrained',
    init,
    parameters: (Y, latentDim, seed) => {
      const start = mapStart(map, Y, latentDim, seed, () => initialLatents(init, Y, latentDim));
      const parameters = withCheckedShape(map, map.parameters(start), start.features, latentDim);
      return Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [PREFIX + name, parameter]));
    },
    from: (other) => backConstrained(map, { init: other }),
    mapsObservations: true,
    features: map.features,
    apply: (p, features) => {
      const own = Object.entries(p).filter(([path]) => path.startsWith(PREFIX));
      const X = map.apply(
        Object.fromEntries(own.map(([path, tensor]) => [path.slice(PREFIX.length), tensor])),
        features,
      );
      if (X.rank === 2 && X.shape[0] === features.shape[0]) return X;
      throw new InvalidInputError(
        `Map '${map.name}' must give one row of latents for each of ${features.shape[0]} observations, but its result has shape [${X.shape}].`,
      );
    },
    // The fitted parameters are saved with the other values: the start is not needed again.
    toJSON: () => ({
      name: 'backConstrained',
      map: { name: map.name, ...(map.options === undefined ? {} : { options: map.options }) },
    }),
  });
}

function mapStart(
  map: LatentMap,
  observations: Matrix,
  latentDim: number,
  seed: number,
  initial: () => Matrix,
): MapStart {
  let features: Matrix | undefined;
  let latents: Matrix | undefined;
  return {
    observations,
    latentDim,
    seed,
    get features() {
      features ??= map.features(observations, observations);
      return features;
    },
    get latents() {
      latents ??= initial();
      return latents;
    },
  };
}
