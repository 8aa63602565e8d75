import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { integerFromOne, numberAboveZero } from '../../core/options.ts';
import type { Metric } from '../../engine/neighbors/index.ts';
import { fit } from '../../inference/fit/fit.ts';
import { add } from '../../kernels/algebra.ts';
import { bias } from '../../kernels/constant.ts';
import { rbf } from '../../kernels/rbf.ts';
import { fixedAt } from '../../latents/pointLatents.ts';
import type { Mapped } from '../../model/abilities.ts';
import { readObservations } from '../../model/language/observations.ts';
import type { PointRows } from '../../model/language/variable.ts';
import { meanVariance } from '../../model/leastNoise.ts';
import type { Model } from '../../model/model.ts';
import type { PlacedPosterior } from '../../model/posterior.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { latentVariableModel } from '../gp/latentVariableModel.ts';
import type { MapModel } from './mapModel.ts';

export interface DecoderOptions {
  /** Number of inducing inputs, from 1; default 50, or the number of points. */
  readonly inducing?: number | undefined;
  /** Strength of the map's density, above 0, in a joint fit of map and decoder; by default the decoder is fitted to the finished map. */
  readonly strength?: number | undefined;
}

/** Map with a decoder. */
export type DecodedMap = Model<{ readonly [path: string]: number | Matrix | readonly number[] }, Mapped, 'searched'>;

export const decoderOption = v.optional(
  v.union(
    [
      v.boolean(),
      v.strictObject({
        inducing: v.optional(integerFromOne),
        strength: v.optional(numberAboveZero),
      }),
    ],
    'true, false, or { inducing, strength }',
  ),
  false,
);

/** @throws InvalidInputError for a decoder of precomputed distances, and for one that is fitted jointly with a map of another metric */
export function checkDecoded(metric: Metric, decoder: true | DecoderOptions, name: string): void {
  if (metric === 'precomputed') {
    throw new InvalidInputError(
      `A decoder predicts observations, but ${name} with metric 'precomputed' has distances only. Leave decoder out.`,
    );
  }
  if (metric !== 'euclidean' && decoder !== true && decoder.strength !== undefined) {
    throw new InvalidInputError(
      `The factor of ${name} that is fitted together with a decoder is by Euclidean distances. Leave strength out: the decoder is then fitted to the map by metric '${metric}'.`,
    );
  }
}

const INDUCING = 50;
/** Initial lengthscale, as a fraction of the standard deviation of the map. */
const LENGTHSCALE = 0.25;
/** Relative decrease of the objective below which the fit stops: predictions no longer change. */
const LEAST_GAIN = 1e-6;

/**
 * Map that is fitted first, with a sparse Gaussian process from its latents to the observations that `fit` then fits, either with the latents fixed
 * or jointly with them, with the density of the map as a factor.
 *
 * @param factor - density of the map at a strength
 */
export function decoded(
  map: MapModel,
  Y: MatrixLike,
  decoder: true | DecoderOptions,
  latentDim: number,
  factor: (strength: number) => Prior,
): DecodedMap {
  const { inducing, strength } = decoder === true ? {} : decoder;
  return Object.freeze({
    ...map,
    search: { relativeDecrease: LEAST_GAIN },
    choosesStart: false,
    choose: async ({ seed, signal, maxSeconds }) => {
      const { latents, message } = await fit(map, {
        seed,
        ...(signal && { signal }),
        ...(maxSeconds !== undefined && { maxSeconds }),
      });
      const deviation = Math.sqrt(latents.data.reduce((sum, entry) => sum + entry * entry, 0) / latents.data.length);
      const y = readObservations(Y);
      const variance = meanVariance(y.data);
      const model: Model = latentVariableModel({
        observations: y,
        latentDim,
        inducing: inducing ?? Math.min(INDUCING, latents.rows),
        kernel: add(rbf({ variance, lengthscale: LENGTHSCALE * deviation }), bias({ variance: 0.1 * variance })),
        ...(strength === undefined
          ? { posterior: heldMap(fixedAt(latents), map) }
          : { init: latents, priors: [factor(strength)] }),
      });
      return { model, message: ` The map: ${message}` };
    },
  } satisfies Model) as unknown as DecodedMap;
}

/** Latents fixed at a fitted map, whose density places new rows. */
export function heldMap(held: PointRows, map: MapModel): PointRows {
  const onMap: PointRows = Object.freeze<PointRows>({
    ...held,
    from: () => onMap,
    place: async (Y, latents) => {
      const { placement } = map.posterior({ latents }) as PlacedPosterior;
      return (await placement.place(Y)).latents;
    },
    toJSON: () => {
      // The observations are saved with the view.
      const { observations: _, ...saved } = map.toJSON();
      return { ...held.toJSON(), map: saved };
    },
  });
  return onMap;
}
