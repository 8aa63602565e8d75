import { Matrix } from '../core/matrix.ts';
import type { AnyPosterior, Mapping, Prediction, Projection } from '../model/posterior.ts';
import { project } from './project.ts';
import type { ProjectionSettings } from './projectionSearch.ts';

/** How new observations are searched for. */
export type PlacingSettings = ProjectionSettings & { readonly signal?: AbortSignal | undefined };

/** New observations placed among the latents. */
export async function placed(
  posterior: AnyPosterior,
  Y: Matrix,
  { signal, ...settings }: PlacingSettings,
): Promise<Projection> {
  return project(posterior, Y, settings, signal);
}

/** What a mapping predicts where observations were placed, their variances taken into account. */
export const predictedAt = ({ latents, latentVariances }: Projection, mapping: Mapping, noise: boolean): Prediction =>
  mapping.predict(latents, noise, latentVariances);

/** New observations with their missing entries as predicted where they were placed; observed ones as they are and without variance. */
export async function completed(posterior: AnyPosterior, Y: Matrix, settings: PlacingSettings): Promise<Prediction> {
  const at = await placed(posterior, Y, settings);
  const { mean, variance } = predictedAt(at, posterior.mapping!, true);
  const filled = { mean: Matrix.from(Y), variance: Matrix.zeros(Y.rows, Y.columns) };
  Y.data.forEach((entry, i) => {
    if (!Number.isNaN(entry)) return;
    filled.mean.data[i] = mean.data[i]!;
    filled.variance.data[i] = variance.data[i]!;
  });
  return filled;
}
