import { InvalidInputError, NumericalError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { columnsShown } from './columnsShown.ts';

/** Predictive precisions at the points of a grid, equally spaced along each axis. */
export interface PrecisionGrid {
  /** Positions along the first axis, ascending. */
  readonly x: ArrayLike<number>;
  /** Positions along the second axis, ascending. */
  readonly y: ArrayLike<number>;
  /** Precisions, y.length × x.length: row i is at y[i]. */
  readonly values: Matrix;
}

/** A prediction at latent points n×q: the variance of each observed feature, n×D. */
export type Predict = (X: Matrix) => { readonly variance: Matrix };

export interface PrecisionGridOptions {
  /** Points along each axis, at least 2; 60 unless given. */
  readonly resolution?: number;
  /** How far the grid reaches beyond the latents, as a part of their range; 0.1 unless given. */
  readonly margin?: number;
  /** The latent dimensions along the axes, from 0; the first two (or the only one) unless given. */
  readonly columns?: readonly number[];
}

/**
 * Evaluates the predictive precision D/Σ_d var[y_d | x] over the bounding box of the latents, as the background of a
 * latentPlot. Latent dimensions that are not shown are held at their mean. With a single dimension the precision does not
 * depend on the second axis, which runs over the indices of the points.
 *
 * @param predict - predictive variance n×D at n latent points, such as `(X) => result.predict(X, { noise: true })`
 * @param latents - N×q
 * @param options - resolution, margin, columns
 * @returns positions along both axes, and precisions
 * @throws InvalidInputError when an option is out of range
 * @throws NumericalError when a predicted variance is not positive
 * @example
 * ```ts
 * const precision = precisionGrid((X) => result.predict(X, { noise: true }), result.latents);
 * ```
 */
export function precisionGrid(
  predict: Predict,
  latents: MatrixLike,
  { resolution = 60, margin = 0.1, columns }: PrecisionGridOptions = {},
): PrecisionGrid {
  if (!Number.isInteger(resolution) || resolution < 2) {
    throw new InvalidInputError(
      `A precision grid takes a whole resolution of at least 2, but ${resolution} was given.`,
    );
  }
  if (!(margin >= 0 && Number.isFinite(margin))) {
    throw new InvalidInputError(`A precision grid takes a margin of 0 or more, but ${margin} was given.`);
  }
  const X = Matrix.from(latents, 'latents');
  const [first, second] = columnsShown(X, columns);
  const x = axis(X.column(first), resolution, margin);
  const y =
    second === undefined ? axis(Float64Array.of(0, X.rows - 1), 2, margin) : axis(X.column(second), resolution, margin);
  const at = gridPoints(X, first, second, x, second === undefined ? y.slice(0, 1) : y);
  const precisions = precisionsOf(predict(at).variance, at);
  // Of a single dimension there is one row, which both ends of the second axis share.
  const data = Float64Array.from({ length: x.length * y.length }, (_, k) => precisions[k % precisions.length]!);
  return { x, y, values: new Matrix(data, y.length, x.length) };
}

/** Equally spaced positions over the range of some values, widened by a margin; ±1 where all are equal. */
function axis(values: Float64Array, resolution: number, margin: number): Float64Array {
  const smallest = values.reduce((a, b) => Math.min(a, b));
  const largest = values.reduce((a, b) => Math.max(a, b));
  const widening = largest > smallest ? margin * (largest - smallest) : 1;
  const low = smallest - widening;
  const step = (largest - smallest + 2 * widening) / (resolution - 1);
  return Float64Array.from({ length: resolution }, (_, i) => low + i * step);
}

function gridPoints(X: Matrix, first: number, second: number | undefined, x: Float64Array, y: Float64Array): Matrix {
  const means = Array.from(
    { length: X.columns },
    (_, d) => X.column(d).reduce((sum, entry) => sum + entry, 0) / X.rows,
  );
  const points = Matrix.zeros(x.length * y.length, X.columns);
  for (let p = 0; p < points.rows; p++) {
    points.data.set(means, p * X.columns);
    points.data[p * X.columns + first] = x[p % x.length]!;
    if (second !== undefined) points.data[p * X.columns + second] = y[Math.floor(p / x.length)]!;
  }
  return points;
}

function precisionsOf(variance: Matrix, at: Matrix): Float64Array {
  return Float64Array.from({ length: at.rows }, (_, p) => {
    const precision = variance.columns / variance.row(p).reduce((sum, entry) => sum + entry, 0);
    if (!(precision > 0 && Number.isFinite(precision))) {
      throw new NumericalError(
        `The predicted variance at (${Array.from(at.row(p)).join(', ')}) is ${1 / precision}, which has no precision. Predict with noise.`,
      );
    }
    return precision;
  });
}
