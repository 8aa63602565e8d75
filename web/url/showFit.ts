import { Matrix, type MatrixLike } from 'latentfield';
import { type Background, backgroundOf } from '../playground/background.ts';
import { deviationsOf } from '../playground/data/dataset.ts';
import type { Predict, stageIn } from './stage.ts';

/** A fit, or any other value with latents; its map decodes if it predicts. */
export interface Mapped {
  /** N×q; the first two dimensions are drawn. */
  readonly latents: MatrixLike;
  predict?(X: Matrix, options: { noise: true }): { readonly mean: Matrix; readonly variance: Matrix };
}

export type Stage = ReturnType<typeof stageIn>;

/** Shows a fit, then its background. */
export async function showFit(stage: Stage, fit: Mapped, observations: Matrix, signal?: AbortSignal): Promise<void> {
  const latents = Matrix.from(fit.latents);
  const predict = predictOf(fit, latents);
  stage.show(latents, predict);
  const background = predict && (await backgroundIn(latents, predict, stage.spans(), observations, signal));
  if (background !== undefined) stage.show(latents, predict, background);
}

/** Prediction of new rows, with their noise, at positions of a map of two dimensions. */
export const predictOf = ({ predict }: Mapped, { columns }: Matrix): Predict | undefined =>
  predict === undefined || columns !== 2 ? undefined : (X) => predict(X, { noise: true });

/** Cells along each axis of the background, and its margin beyond the visible part, relative to its length. */
const SIDE = 52;
const BEYOND = 0.25;

async function backgroundIn(
  latents: Matrix,
  predict: Predict,
  visible: readonly [x: readonly [number, number], y: readonly [number, number]],
  observations: Matrix,
  signal: AbortSignal | undefined,
): Promise<Background | undefined> {
  const [x, y] = visible.map(([left, right], axis) => {
    const values = [left, right, ...latents.column(axis)];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const beyond = BEYOND * (high - low) || 1;
    return [low - beyond, high + beyond] as const;
  });
  return backgroundOf(
    predict,
    { x: x!, y: y!, side: SIDE, middle: [0, 0], axes: [0, 1], spreads: deviationsOf(observations) },
    signal ?? new AbortController().signal,
  );
}
