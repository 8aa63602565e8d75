import { counted, countGiven } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';

/**
 * The rate of points whose nearest other point carries another label: the leave-one-out error of the 1-nearest-neighbour
 * classifier, 1/N·Σ_i [label(argmin_{j≠i} ‖x_i − x_j‖) ≠ label(i)]. Of equally near points the one of lowest index counts.
 *
 * @param X - points, N×q, N at least 2
 * @param labels - N labels, compared by identity
 * @returns a rate in [0, 1]
 * @throws InvalidInputError when there are fewer than 2 points, a number is not finite, or there are not N labels
 * @example
 * ```ts
 * nearestNeighbourError([[0], [1], [5], [6]], ['a', 'a', 'b', 'b']); // 0
 * ```
 */
export function nearestNeighbourError(X: MatrixLike, labels: ArrayLike<string | number | boolean>): number {
  const { data, rows, columns } = Matrix.from(X, 'X');
  if (rows < 2) throw new InvalidInputError(`A nearest neighbour takes at least 2 points, but X has ${rows} rows.`);
  if (labels.length !== rows) {
    throw new InvalidInputError(
      `X has ${counted(rows, 'row')}, but ${countGiven(labels.length, 'label')}. Give one label for each row.`,
    );
  }
  const bad = data.findIndex((entry) => !Number.isFinite(entry));
  if (bad >= 0) {
    throw new InvalidInputError(
      `X must be finite, but row ${Math.floor(bad / columns)}, column ${bad % columns} is ${data[bad]}.`,
    );
  }
  let errors = 0;
  for (let i = 0; i < rows; i++) {
    let nearest = -1;
    let smallest = Number.POSITIVE_INFINITY;
    for (let j = 0; j < rows; j++) {
      if (j === i) continue;
      let distance = 0;
      for (let d = 0; d < columns; d++) distance += (data[i * columns + d]! - data[j * columns + d]!) ** 2;
      if (distance < smallest || nearest < 0) {
        smallest = distance;
        nearest = j;
      }
    }
    if (labels[nearest] !== labels[i]) errors++;
  }
  return errors / rows;
}
