import { Matrix, type MatrixLike } from 'latentfield';
import { type Background, backgroundOf } from '../playground/background.ts';
import { deviationsOf } from '../playground/data/dataset.ts';
import { type Predict, removeError, showError, stageIn } from './stage.ts';

/** A fit, or any other value with latents; its map decodes if it predicts. */
export interface Mapped {
  /** N×q; the first two dimensions are drawn. */
  readonly latents: MatrixLike;
  predict?(X: Matrix, options: { noise: true }): { readonly mean: Matrix; readonly variance: Matrix };
}

/** Options of {@link drawMap}. */
export interface DrawOptions {
  /** Fitted rows, N×D: they are read under the pointer, and set the scale of the uncertainty. */
  readonly rows: readonly (readonly number[])[];
  /** Labels for coloring, one per row; more than ten different numbers are colored on a scale. */
  readonly labels?: readonly (string | number)[] | undefined;
  /** Names of the columns, for the row under the pointer. */
  readonly columns?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Map of a fit in an element. */
export interface Drawn {
  /** Removes the map from the page. */
  release(): void;
}

/**
 * Draws the map of a fit into an element, with its certainty in the background. Dragging over a map of two dimensions decodes the row at the pointer,
 * if the fit predicts. It contains no model: a page loads those that it imports. An error is shown in the element, and rejects the promise.
 *
 * @param element - element that the map fills; 420 pixels high if it has no height
 * @param fit - result of `fit` or `loadFit`, or `{ latents }`
 */
export async function drawMap(
  element: HTMLElement,
  fit: Mapped,
  { rows, labels, columns, signal }: DrawOptions,
): Promise<Drawn> {
  removeError(element);
  let stage: Stage | undefined;
  try {
    const observations = Matrix.from(rows);
    stage = stageIn(element, observations, { labels, columns });
    await showFit(stage, fit, observations, signal);
    return { release: stage.release };
  } catch (error) {
    stage?.release();
    if (signal?.aborted !== true) showError(element, error);
    throw error;
  }
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
