import { Matrix } from 'latentfield';
import { type Mapped, type Stage, showFit } from './showFit.ts';
import { removeError, showError, stageIn } from './stage.ts';

export type { Mapped } from './showFit.ts';

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
