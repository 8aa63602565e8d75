import { type Fit, fit, Matrix, pca } from 'latentfield';
import { type Background, backgroundOf } from '../playground/background.ts';
import { deviationsOf } from '../playground/data/dataset.ts';
import { type Predict, removeError, showError, stageIn } from './stage.ts';

/** Options of {@link map}. */
export interface MapOptions {
  /** Name of a model, default `'pca'`; others are loaded on demand. */
  readonly model?: string | undefined;
  /** Options of the model, such as `{ latentDim: 2 }`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Labels for coloring, one per row; more than ten different numbers are colored on a scale. */
  readonly labels?: readonly (string | number)[] | undefined;
  /** Names of the columns, for the row under the pointer. */
  readonly columns?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly maxIterations?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Map in an element. */
export interface DrawnMap {
  /** Fit that is shown. */
  readonly fit: Fit;
  /** Removes the map from the page. */
  release(): void;
}

/**
 * Draws a map of rows into an element: principal components at once, and the latents of another model when it is fitted, with its certainty in the
 * background. Dragging over a map of two dimensions decodes the row at the pointer, if the model predicts. Wheel and swipes stay the page's until the map
 * is clicked, and again after Escape. An error is shown in the element, and rejects the promise.
 *
 * @param element - element that the map fills; 420 pixels high if it has no height
 * @param rows - N×D, as lists of numbers
 */
export async function map(
  element: HTMLElement,
  rows: readonly (readonly number[])[],
  { model = 'pca', options, labels, columns, seed, maxIterations, signal }: MapOptions = {},
): Promise<DrawnMap> {
  removeError(element);
  let stage: ReturnType<typeof stageIn> | undefined;
  try {
    const observations = Matrix.from(rows);
    stage = stageIn(element, observations, { labels, columns });
    const principal = { latentDim: Math.min(2, observations.columns), ...(model === 'pca' && options) };
    let shown: Fit = (await fit(pca(observations, principal))) as Fit;
    stage.show(shown.latents, predictOf(shown));
    if (model !== 'pca') {
      stage.say(`Principal components, until ${model} is fitted.`);
      const { makeModel } = await import('./models.ts');
      shown = await fit(makeModel(model, rows, labels, { latentDim: 2, ...options }), {
        ...(seed !== undefined && { seed }),
        ...(maxIterations && { maxIterations }),
        ...(signal && { signal }),
      });
      stage.say('');
      const predict = predictOf(shown);
      stage.show(shown.latents, predict);
      const background = predict && (await backgroundIn(shown.latents, predict, stage.spans(), observations, signal));
      if (background !== undefined) stage.show(shown.latents, predict, background);
    }
    return { fit: shown, release: stage.release };
  } catch (error) {
    stage?.release();
    if (signal?.aborted !== true) showError(element, error);
    throw error;
  }
}

/** Prediction of new rows, with their noise, at positions of a map of two dimensions. */
function predictOf({ latents, predict }: Fit & { predict?: PredictWithNoise }): Predict | undefined {
  return predict === undefined || latents.columns !== 2 ? undefined : (X) => predict(X, { noise: true });
}

type PredictWithNoise = (X: Matrix, options: { noise: true }) => ReturnType<Predict>;

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
