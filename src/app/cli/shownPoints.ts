import { type Fit, InvalidInputError, Matrix } from '../../index.ts';

/**
 * Rows of the data that the latents belong to, for models that show and list a part of them (isomap of the largest component); undefined for all
 * others.
 */
function shownPoints({ parameters, latents }: Fit): readonly number[] | undefined {
  const { points } = parameters;
  return Array.isArray(points) && points.length === latents.rows ? points : undefined;
}

/** The values of the rows that the latents belong to. */
export function ofPoints<T extends string | number>(fit: Fit, all: ArrayLike<T> | undefined): T[] | undefined {
  return all === undefined ? undefined : (shownPoints(fit)?.map((i) => all[i]!) ?? Array.from(all));
}

/**
 * The rows of a table that the latents belong to.
 *
 * @throws InvalidInputError if the table cannot be the fitted one
 */
export function rowsOfPoints(fit: Fit, table: Matrix): Matrix {
  const points = shownPoints(fit);
  const expected = points === undefined ? table.rows === fit.latents.rows : Math.max(...points) < table.rows;
  if (!expected) {
    throw new InvalidInputError(
      `The fit has ${fit.latents.rows} points, but the data have ${table.rows} rows. Give the data that were fitted.`,
    );
  }
  return points === undefined ? table : selectRows(table, points);
}

/** Selects rows of a matrix. */
export const selectRows = (matrix: Matrix, rows: readonly number[]): Matrix =>
  Matrix.from(rows.map((i) => matrix.row(i)));
