import { Matrix } from '../core/matrix.ts';
import type { AnyPosterior, Mapping, PlacedRows, Prediction, Projection } from '../model/posterior.ts';
import { predictedOverPlaces } from './placeModes.ts';
import { project } from './project.ts';
import type { ProjectionSettings } from './projectionSearch.ts';

/** How new observations are searched for. */
export type PlacingSettings = ProjectionSettings & { readonly signal?: AbortSignal | undefined };

/** New observations placed among the latents. */
export async function placed(
  posterior: AnyPosterior,
  Y: Matrix,
  { signal, ...settings }: PlacingSettings,
  fills = false,
): Promise<PlacedRows> {
  return project(posterior, Y, settings, signal, fills);
}

/** The places of rows as a fit gives them. */
export const projectionOf = ({ latents, latentVariances, logDensity }: PlacedRows): Projection => ({
  latents,
  ...(latentVariances && { latentVariances }),
  logDensity,
});

/** Predictions at the projections of observations, averaged over the posterior of their latent positions. */
export async function predictedAt(
  { latents, latentVariances, places }: PlacedRows,
  mapping: Mapping,
  noise: boolean,
): Promise<Prediction> {
  const predicted = mapping.predict(latents, noise, places === undefined ? latentVariances : undefined);
  if (places === undefined) return predicted;
  return predictedOverPlaces(await places(), predicted, (X) => mapping.predict(X, noise));
}

/** New observations with their missing entries as predicted where they were placed; observed ones as they are and without variance. */
export async function completed(posterior: AnyPosterior, Y: Matrix, settings: PlacingSettings): Promise<Prediction> {
  const at = await placed(posterior, Y, settings, true);
  const { mean, variance } = await predictedAt(at, posterior.mapping!, true);
  const filled = { mean: Matrix.from(Y), variance: Matrix.zeros(Y.rows, Y.columns) };
  Y.data.forEach((entry, i) => {
    if (!Number.isNaN(entry)) return;
    filled.mean.data[i] = mean.data[i]!;
    filled.variance.data[i] = variance.data[i]!;
  });
  return filled;
}
