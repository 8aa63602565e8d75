import { InvalidInputError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';

/** Throws where all rows are the same. Rounding would give them an embedding all the same, of about 1e-16. */
export function checkVaried({ rows, columns, data }: Matrix, name: string): void {
  if (data.some((entry, k) => entry !== data[k % columns]!)) return;
  throw new InvalidInputError(
    `All ${rows} points are the same, so ${name} has nothing to embed. Give points that differ.`,
  );
}
