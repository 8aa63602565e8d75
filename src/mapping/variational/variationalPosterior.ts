import { log } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { type Standardization, standardized } from '../../core/observations.ts';
import { firstRows, paddedRows } from '../../core/paddedRows.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { slopeVariances } from '../../kernels/slopeVariance.ts';
import type { ParameterValues } from '../../model/model.ts';
import type {
  DistributedPosterior,
  FillingPosterior,
  LatentMoments,
  MappedPosterior,
  PlacedPosterior,
} from '../../model/posterior.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { ConditionedProcess } from '../conditionedProcess.ts';
import { type InducingPosterior, inducingProcess } from './inducingMoments.ts';
import { missingEntries } from './missingEntries.ts';
import { lessDivergence, placedDensity, placesRows } from './placedRows.ts';
import { hasPlaces, placesOf } from './places.ts';
import {
  kernelValues,
  latentMoments,
  likelihoodValues,
  type VariationalModel,
  type VariationalParts,
} from './variationalParts.ts';

/** The functions given all observations, by one of the bounds at these values; made when first needed. */
export function conditioned(
  bound: VariationalModel,
  parts: VariationalParts,
  values: ParameterValues,
  standardization: Standardization,
): { readonly process: () => ConditionedProcess; readonly inducing: () => InducingPosterior } {
  const { kernel, likelihood } = parts;
  const inducing = lazily(() => bound.posterior(parts, values));
  const known = { likelihood, values: likelihoodValues(likelihood, values) };
  const process = () => inducingProcess(kernel, kernelValues(kernel, values), inducing(), known, standardization);
  return { process: lazily(process), inducing };
}

/** What a variational model can do at these values, with its process made when first needed. */
export function variationalPosterior(
  parts: VariationalParts,
  values: ParameterValues,
  standardization: Standardization,
  bound: VariationalModel,
): DistributedPosterior & MappedPosterior & Partial<FillingPosterior & PlacedPosterior> {
  const { latents, observations, seen } = parts;
  const { process, inducing } = conditioned(bound, parts, values, standardization);
  const { mean, variance } = latentMoments(parts, values, observations);
  const relevance = relevanceOf(parts, values);
  const predictiveDensity = (X: Matrix, Y: Matrix) => process().predictiveDensity(X, Y, standardNormalRows);
  return {
    latents: mean,
    distribution: {
      variances: variance,
      ...(relevance && { relevance }),
      ...(placesRows(parts.likelihood) && {
        placedBound: (Y: Matrix, x: LatentMoments) =>
          lessDivergence([placedDensity(parts, values, inducing, standardization, Y, x)], x),
      }),
    },
    mapping: {
      observedColumns: seen.columns,
      predict: (X, noise, variances) => process().predict(X, noise, variances),
      metric: (X) => process().metric(X),
      sample: (X, random, noise) => process().sample(X, random, noise),
      predictiveDensity,
    },
    ...(hasPlaces(parts.likelihood) && {
      missing: missingEntries(() => placesOf(parts, values, inducing()), standardization),
    }),
    ...(latents.mapsObservations && {
      placement: {
        acceptsMissing: true,
        searchesMissing: true,
        observedColumns: seen.columns,
        place: (Y: Matrix) => {
          const { mean: X, variance: spread } = placedMoments(parts, values, Y, standardization);
          return { latents: X, latentVariances: spread, logDensity: predictiveDensity(X, Y).density };
        },
      },
    }),
  };
}

/** Means and variances of the latents of new observations by an encoder. */
export function placedMoments(
  parts: Pick<VariationalParts, 'latents' | 'observations'>,
  values: ParameterValues,
  Y: Matrix,
  standardization: Standardization,
): LatentMoments {
  const { mean, variance } = latentMoments(parts, values, standardized(paddedRows(Y), standardization));
  return { mean: firstRows(mean, Y.rows), variance: firstRows(variance, Y.rows) };
}

/** log N(x_i | 0, I) of each row. */
export function standardNormalRows(X: Tensor2D): Tensor1D {
  const q = X.shape[1];
  return op.mul(-0.5, op.add(op.sum(op.square(X), 1), q * log(2 * Math.PI))) as Tensor1D;
}

/** How much the mapping varies along each dimension, relative to the largest, 0 everywhere where none is above 0; undefined where the kernel does not say. */
export function relevanceOf(
  { kernel, latentDim }: VariationalParts,
  values: ParameterValues,
): Float64Array | undefined {
  const slopes = slopeVariances(kernel, kernelValues(kernel, values), latentDim);
  if (slopes === undefined) return undefined;
  const largest = slopes.reduce((most, slope) => Math.max(most, slope), 0);
  return largest === 0 ? slopes : slopes.map((slope) => slope / largest);
}
