import { elementary } from '../../engine/index.ts';
import { type Fit, InvalidInputError, NumericalError } from '../../index.ts';
import { type PrecisionGrid, precisionGrid } from '../plot/index.ts';

/** Points along each axis of the precision grid, and of a coarse one that measures the time. */
const RESOLUTION = 60;
const SAMPLE = 6;

/** Time limit of the pictures. */
export interface PictureTime {
  readonly secondsLeft?: () => number;
  /** Called with a note about what is left out. */
  readonly note?: (text: string) => void;
}

/**
 * Predictive precision over the latents behind each panel; none if the model has no mapping from latents, or predicts without error.
 *
 * @param panels - the columns of each panel
 * @param aspect - width over height, if both axes have the same scale
 */
export function pictureBackground(
  { predict, latents }: Fit,
  panels: readonly (readonly number[])[],
  aspect: number | undefined,
  { secondsLeft = () => Infinity, note }: PictureTime,
): PrecisionGrid[] | undefined {
  if (predict === undefined) return undefined;
  const grid = (resolution: number, columns: readonly number[]) =>
    precisionGrid((X) => predict(X, { noise: true }), latents, {
      resolution,
      columns,
      ...(aspect === undefined ? {} : { aspect }),
    });
  try {
    if (secondsLeft() < Infinity) {
      const before = secondsLeft();
      grid(SAMPLE, panels[0]!);
      const expected = (before - secondsLeft()) * elementary.square(RESOLUTION / SAMPLE) * panels.length;
      if (expected > secondsLeft()) {
        note?.('the picture has no background, since --max-seconds is up.');
        return undefined;
      }
    }
    return panels.map((columns) => grid(RESOLUTION, columns));
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof NumericalError) return undefined;
    throw error;
  }
}
