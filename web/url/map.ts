import { type Fit, fit, Matrix, pca } from 'latentfield';
import { type Mapped, predictOf, type Stage, showFit } from './showFit.ts';
import { removeError, showError, stageIn } from './stage.ts';

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
  let stage: Stage | undefined;
  try {
    const observations = Matrix.from(rows);
    stage = stageIn(element, observations, { labels, columns });
    const principal = { latentDim: Math.min(2, observations.columns), ...(model === 'pca' && options) };
    let shown: Fit = (await fit(pca(observations, principal))) as Fit;
    if (model === 'pca') await showFit(stage, shown as Mapped, observations, signal);
    else {
      stage.show(shown.latents, predictOf(shown as Mapped, shown.latents));
      stage.say(`Principal components, until ${model} is fitted.`);
      const { makeModel } = await import('./models.ts');
      shown = await fit(makeModel(model, rows, labels, { latentDim: 2, ...options }), {
        ...(seed !== undefined && { seed }),
        ...(maxIterations && { maxIterations }),
        ...(signal && { signal }),
      });
      stage.say('');
      await showFit(stage, shown as Mapped, observations, signal);
    }
    return { fit: shown, release: stage.release };
  } catch (error) {
    stage?.release();
    if (signal?.aborted !== true) showError(element, error);
    throw error;
  }
}
