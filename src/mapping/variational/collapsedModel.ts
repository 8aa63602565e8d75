import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { type Standardization, standardized } from '../../core/observations.ts';
import { slopeVariances } from '../../kernels/slopeVariance.ts';
import type { Assembly, ParameterValues, Posterior, TensorMap } from '../../model/model.ts';
import { real } from '../../model/parameter.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { ConditionedProcess } from '../conditionedProcess.ts';
import { collapsedBound } from './collapsedBound.ts';
import { collapsedData } from './collapsedData.ts';
import { standardNormalDivergence } from './divergence.ts';
import { inducingFactor } from './inducingFactor.ts';
import { inducingStart } from './inducingInputs.ts';
import { inducingProcess } from './inducingProcess.ts';
import { latentExpectations } from './latentExpectations.ts';
import { optimalPosterior } from './optimalPosterior.ts';
import { INDUCING, kernelParameters, kernelValues, NOISE, type VariationalParts } from './variationalParts.ts';

/** What the bound is made of at some values, and the constants it needs. */
function collapsed({ kernel, latents, observations, seen, patterns, jitter }: VariationalParts) {
  const data = collapsedData(seen, patterns);
  const features = tf.keep(matrixTensor(latents.features(observations, observations)));
  return {
    data,
    at(values: TensorMap, onJitter?: (jitter: number) => void) {
      const p = kernelValues(kernel, values);
      const Z = values[INDUCING] as Tensor2D;
      const x = latents.apply(values, features);
      const options = { ...(onJitter && { onJitter }) };
      const factor = inducingFactor(kernel, p, Z, { jitter, ...options });
      const expectations = latentExpectations(kernel, p, { x, Z, ...(data.weights && { weights: data.weights }) });
      if (expectations === undefined) throw noExpectations(kernel.name, Z.shape[1]);
      return { x, Z, factor, expectations, noise: values[NOISE]!, options };
    },
    dispose() {
      data.dispose();
      features.dispose();
    },
  };
}

function noExpectations(name: string, q: number): InvalidInputError {
  return new InvalidInputError(
    `The kernel '${name}' has no expectations in closed form, and Gauss–Hermite quadrature takes at most 3 latent dimensions, but there are ${q}. ` +
      'Use rbf, linear, bias, white, or sums and scalings of them with one rbf, or fewer dimensions.',
  );
}

/** The model with its constants as tensors: the collapsed bound, and less the divergence of the latents from their prior. */
export function collapsedAssembly(parts: VariationalParts, seed: number): Assembly {
  const { observations, latentDim, latents, kernel, noise, inducing } = parts;
  const own = latents.parameters(observations, latentDim, seed);
  const start = startMeans(parts, own);
  const bound = collapsed(parts);
  return {
    parameters: {
      ...own,
      [INDUCING]: real(inducingStart(inducing, start)),
      ...kernelParameters(kernel),
      [NOISE]: noise,
    },
    terms: (values, { onJitter }) => {
      const { x, factor, expectations, noise, options } = bound.at(values, onJitter);
      return {
        mapping: collapsedBound(factor, expectations, noise, bound.data, options),
        divergence: op.neg(standardNormalDivergence(x)),
      };
    },
    dispose: bound.dispose,
  };
}

/** The latents' means where they start, N×q. */
function startMeans({ latents, observations }: VariationalParts, own: ReturnType<typeof latents.parameters>): Matrix {
  const values = Object.fromEntries(Object.entries(own).map(([path, { initial }]) => [path, initial]));
  return latentMoments({ latents, observations }, values, observations).mean;
}

/** Means and variances of the latents of observations at a model's values. */
function latentMoments(
  { latents, observations }: Pick<VariationalParts, 'latents' | 'observations'>,
  values: ParameterValues,
  Y: Matrix,
): { mean: Matrix; variance: Matrix } {
  const own = Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('latents.')));
  return withFloat64(() => {
    const x = latents.apply(valueTensors(own), matrixTensor(latents.features(Y, observations)));
    return { mean: tensorMatrix(x.mean), variance: tensorMatrix(x.variance) };
  });
}

/** What the model can do at these values. */
export function collapsedPosterior(
  parts: VariationalParts,
  values: ParameterValues,
  standardization: Standardization,
): Posterior {
  const { kernel, latents, observations, latentDim } = parts;
  const { mean, variance } = latentMoments(parts, values, observations);
  const own = kernelValues(kernel, values);
  let conditioned: ConditionedProcess | undefined;
  const process = () => {
    conditioned ??= inducingProcess(kernel, own, values[NOISE] as number, optimum(parts, values), standardization);
    return conditioned;
  };
  const predictiveDensity = (X: Matrix, Y: Matrix) => process().predictiveDensity(X, Y, standardNormalRows);
  const slopes = slopeVariances(kernel, own, latentDim);
  return {
    latents: mean,
    latentVariances: variance,
    ...(slopes && { relevance: relative(slopes) }),
    mapping: {
      observedColumns: observations.columns,
      predict: (X, noise) => process().predict(X, noise),
      sample: (X, random, noise) => process().sample(X, random, noise),
      predictiveDensity,
    },
    ...(latents.mapsObservations && {
      placement: {
        acceptsMissing: false,
        observedColumns: observations.columns,
        place: (Y: Matrix) => {
          const X = latentMoments(parts, values, standardized(Y, standardization)).mean;
          return { latents: X, logDensity: predictiveDensity(X, Y).density };
        },
      },
    }),
  };
}

function optimum(parts: VariationalParts, values: ParameterValues) {
  return withFloat64(() => {
    const bound = collapsed(parts);
    try {
      const { Z, factor, expectations, noise } = bound.at(valueTensors(values));
      return optimalPosterior(Z, factor, expectations, noise, bound.data);
    } finally {
      bound.dispose();
    }
  });
}

/** log N(x_i | 0, I) of each row. */
function standardNormalRows(X: Tensor2D): Tensor1D {
  const q = X.shape[1];
  return op.mul(-0.5, op.add(op.sum(op.square(X), 1), q * Math.log(2 * Math.PI))) as Tensor1D;
}

/** Relative to the largest; 0 everywhere where none is above 0. */
function relative(slopes: Float64Array): Float64Array {
  const largest = slopes.reduce((most, slope) => Math.max(most, slope), 0);
  return largest === 0 ? slopes : slopes.map((slope) => slope / largest);
}
