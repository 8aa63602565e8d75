import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';

/** The latent dimensions along the two axes of a picture; the second is undefined where there is only one. */
export function columnsShown(latents: Matrix, columns?: readonly number[]): [number, number | undefined] {
  const shown = columns ?? (latents.columns < 2 ? [0] : [0, 1]);
  const areValid = shown.every((column) => Number.isInteger(column) && column >= 0 && column < latents.columns);
  if (latents.rows === 0 || shown.length < 1 || shown.length > 2 || !areValid) {
    throw new InvalidInputError(
      `A picture shows one or two columns of the latents, but columns [${shown.join(', ')}] of ${latents.rows}×${latents.columns} latents were asked for.`,
    );
  }
  return [shown[0]!, shown[1]];
}
