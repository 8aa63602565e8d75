import * as tf from '@tensorflow/tfjs-core';
import type { ParameterValues, TensorMap } from '../../model/model.ts';
import { real } from '../../model/parameter.ts';
import { valueTensors } from '../../model/valueTensors.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import type { Tensor2D } from '../../tensors/tensorflow.ts';
import { collapsedBound } from './collapsedBound.ts';
import { collapsedData } from './collapsedData.ts';
import { inducingFactor } from './inducingFactor.ts';
import { inducingStart } from './inducingInputs.ts';
import type { InducingPosterior } from './inducingMoments.ts';
import { latentExpectations, noExpectations } from './latentExpectations.ts';
import { optimalPosterior } from './optimalPosterior.ts';
import { isInBlocks, summedStatistics } from './shards.ts';
import {
  INDUCING,
  kernelParameters,
  kernelValues,
  likelihoodParameters,
  NOISE,
  startMeans,
  type VariationalModel,
  type VariationalParts,
} from './variationalParts.ts';

/** Iterations before the noise is free: were it free at once, it would grow to explain what the latents do not yet. */
const NOISE_HELD = 100;

/** What the bound is made of at some values, and the constants it needs. */
function collapsed(
  { kernel, latents, observations, seen, patterns, jitter, shards }: VariationalParts,
  forBound = false,
) {
  const data = collapsedData(seen, patterns, { forBound });
  const features = tf.keep(matrixTensor(latents.features(observations, observations)));
  const open = shards?.open(tensorMatrix(data.observations), kernel);
  const inBlocks = open !== undefined || (data.weights === undefined && isInBlocks(observations.rows));
  return {
    features,
    at(values: TensorMap, onJitter?: (jitter: number) => void) {
      const p = kernelValues(kernel, values);
      const Z = values[INDUCING] as Tensor2D;
      const x = latents.apply(values, features);
      const options = { ...(onJitter && { onJitter }) };
      const factor = inducingFactor(kernel, p, Z, { jitter, ...options });
      const rest = { x, Z, factor, noise: values[NOISE]!, options };
      if (inBlocks) return { ...rest, ...summedStatistics(open, kernel, p, { x, Z }, data) };
      const expectations = latentExpectations(kernel, p, { x, Z, ...(data.weights && { weights: data.weights }) });
      if (expectations === undefined) throw noExpectations(kernel.name, Z.shape[1]);
      return { ...rest, data, expectations };
    },
    dispose() {
      open?.close();
      data.dispose();
      features.dispose();
    },
  };
}

/** The collapsed bound, and less it the divergence of the latents from their prior. */
export const collapsedModel: VariationalModel = {
  parameters: (parts, seed) => {
    const { observations, latentDim, latents, kernel, likelihood, inducing } = parts;
    const own = latents.parameters(observations, latentDim, seed);
    return {
      ...own,
      [INDUCING]: real(inducingStart(inducing, startMeans(parts, own))),
      ...kernelParameters(kernel),
      ...likelihoodParameters(likelihood),
    };
  },
  held: { paths: [NOISE], iterations: NOISE_HELD },
  constants: (parts) => {
    const bound = collapsed(parts, true);
    return {
      features: bound.features,
      bound: (values, { onJitter }) => {
        const { x, factor, expectations, data, noise, options } = bound.at(values, onJitter);
        return { mapping: collapsedBound(factor, expectations, noise, data, options), x };
      },
      dispose: bound.dispose,
    };
  },
  posterior,
};

/** q(u), optimal at these values. */
function posterior(parts: VariationalParts, values: ParameterValues): InducingPosterior {
  return withFloat64(() => {
    // All rows are here, and what is asked once is not worth the way to the shards.
    const bound = collapsed({ ...parts, shards: undefined });
    try {
      const { Z, factor, expectations, data, noise } = bound.at(valueTensors(values));
      return optimalPosterior(Z, factor, expectations, noise, data);
    } finally {
      bound.dispose();
    }
  });
}
