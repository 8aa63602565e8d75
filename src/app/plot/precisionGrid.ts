import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkFunction, checkGiven, givenOptions, isWhole, namedOptions } from '../../core/options.ts';
import { predictInSlices, type SliceOptions, TOGETHER } from '../../inference/minimize/slices.ts';
import { columnsShown } from './layers.ts';

/** Maximum number of points in each direction. */
const MOST = 1000;

/** Maximum number of variances that are predicted together. */
const MOST_VARIANCES = 2 ** 20;

/** Predictive precisions on a grid with equal spacing along each axis. */
export interface PrecisionGrid {
  /** Positions along the first axis, ascending. */
  readonly x: ArrayLike<number>;
  /** Positions along the second axis, ascending. */
  readonly y: ArrayLike<number>;
  /** Precisions, y.length × x.length: row i is at y[i]. */
  readonly values: Matrix;
}

/** Prediction at latent points n×q: the variance of each observed feature, n×D. */
export type Predict = (X: Matrix) => { readonly variance: Matrix };

export interface PrecisionGridOptions {
  /** Points along each axis, at least 2; default 60. */
  readonly resolution?: number;
  /** Margin of the grid around the latents, relative to their range; default 0.1. */
  readonly margin?: number;
  /** Latent dimensions along the axes, from 0; default the first two (or the only one). */
  readonly columns?: readonly number[];
  /** Width of the picture over its height: the grid is widened along one axis to give both the same scale. */
  readonly aspect?: number;
}

/**
 * Evaluates the predictive precision D/Σ_d var[y_d | x] over the bounding box of the latents, as the background of a
 * latentPlot. Latent dimensions that are not shown are fixed at their mean. With a single dimension the precision does not
 * depend on the second axis, which runs over the indices of the points.
 *
 * @param predict - predictive variance n×D at n latent points, such as `(X) => result.predict(X, { noise: true })`
 * @param latents - N×q
 * @param options - resolution, margin, columns
 * @returns positions along both axes, and precisions
 * @throws InvalidInputError if an option is out of range
 * @throws NumericalError if a predicted variance is not positive; any error of `predict`
 * @example
 * ```ts
 * const precision = precisionGrid((X) => result.predict(X, { noise: true }), result.latents);
 * ```
 */
export function precisionGrid(
  predict: Predict,
  latents: MatrixLike,
  options: PrecisionGridOptions = {},
): PrecisionGrid {
  const { at, precision, gridOf } = preparedGrid(predict, latents, options, 'precisionGrid');
  const precisions = new Float64Array(at.rows);
  for (let from = 0, count = TOGETHER; from < at.rows; ) {
    const rows = Math.min(count, at.rows - from);
    const points = new Matrix(at.data.slice(from * at.columns, (from + rows) * at.columns), rows, at.columns);
    const { values, columns } = precision(points);
    precisions.set(values.data, from);
    from += rows;
    count = TOGETHER * Math.max(1, Math.floor(MOST_VARIANCES / TOGETHER / columns));
  }
  return gridOf(precisions);
}

/**
 * {@link precisionGrid} in slices: it yields to the event loop every 40 ms, so that a page stays responsive, and can be aborted. See
 * `predictInSlices` for parts that cannot be divided.
 *
 * @param predict - predictive variance n×D at n latent points, independently per row
 * @param latents - N×q
 * @param options - options of `precisionGrid`, and `signal`
 * @returns the same grid as `precisionGrid`
 * @throws the same errors as `precisionGrid`; the reason of the signal after it is aborted
 * @example
 * ```ts
 * const { signal } = new AbortController();
 * const precision = await precisionGridInSlices((X) => result.predict(X, { noise: true }), result.latents, { signal });
 * ```
 */
export async function precisionGridInSlices(
  predict: Predict,
  latents: MatrixLike,
  options: PrecisionGridOptions & SliceOptions = {},
): Promise<PrecisionGrid> {
  const { at, precision, gridOf, signal } = preparedGrid(predict, latents, options, 'precisionGridInSlices');
  return gridOf((await predictInSlices(precision, at, { signal })).values.data);
}

/** Points of the grid, their predictive precision, and the grid of all precisions. */
function preparedGrid(
  predict: Predict,
  latents: MatrixLike,
  options: PrecisionGridOptions & SliceOptions,
  caller: string,
) {
  checkFunction(predict, caller, 'a prediction, such as (X) => result.predict(X)');
  const {
    resolution = 60,
    margin = 0.1,
    columns,
    aspect,
    signal,
  } = namedOptions(options, caller, ['resolution', 'margin', 'columns', 'aspect', 'signal']);
  checkGiven(resolution, 'A precision grid', `a whole resolution from 2 to ${MOST}`, isWhole(2, MOST));
  checkGiven(margin, 'A precision grid', 'a margin of 0 or more', (own) => own >= 0 && Number.isFinite(own));
  const X = Matrix.from(latents, 'latents');
  const [first, second] = columnsShown(X, columns);
  const across = range(X.column(first), margin);
  const up = range(second === undefined ? Float64Array.of(0, X.rows - 1) : X.column(second), margin);
  const [wide, high] = aspect === undefined ? [across, up] : widened(across, up, aspect);
  const x = axis(wide, resolution);
  const y = axis(high, second === undefined ? 2 : resolution);
  const at = gridPoints(X, first, second, x, second === undefined ? y.slice(0, 1) : y);
  /** Precisions n×1 at n points, computed in parts so that only the variances of a few points are in memory. */
  const precision = (points: Matrix) => {
    const variance = Matrix.from(givenOptions(predict(points), caller).variance, 'The predicted variance');
    return { values: new Matrix(precisionsOf(variance, points), points.rows, 1), columns: variance.columns };
  };
  const gridOf = (precisions: Float64Array): PrecisionGrid => {
    // A single dimension has one row, which both ends of the second axis share.
    const data = Float64Array.from({ length: x.length * y.length }, (_, k) => precisions[k % precisions.length]!);
    return { x, y, values: new Matrix(data, y.length, x.length) };
  };
  return { at, precision, gridOf, signal };
}

interface Range {
  readonly low: number;
  readonly length: number;
}

/** Range of some values, widened by a margin; ±1 if all are equal. */
export function range(values: Float64Array, margin: number): Range {
  const smallest = values.reduce((a, b) => Math.min(a, b));
  const largest = values.reduce((a, b) => Math.max(a, b));
  const widening = largest > smallest ? margin * (largest - smallest) : 1;
  return { low: smallest - widening, length: largest - smallest + 2 * widening };
}

/** Two ranges, with one widened around its middle so that the first is `aspect` times as long as the second. */
export function widened(across: Range, up: Range, aspect: number): [across: Range, up: Range] {
  if (!(aspect > 0 && Number.isFinite(aspect))) {
    throw new InvalidInputError(`The aspect of a picture is a number above 0, but ${aspect} was given.`);
  }
  const about = ({ low, length }: Range, to: number) => ({ low: low - (to - length) / 2, length: to });
  return across.length < aspect * up.length
    ? [about(across, aspect * up.length), up]
    : [across, about(up, across.length / aspect)];
}

/** Positions with equal spacing over a range. */
export const axis = ({ low, length }: Range, resolution: number): Float64Array =>
  Float64Array.from({ length: resolution }, (_, i) => low + i * (length / (resolution - 1)));

/** Points of a grid, row by row from the smallest y; dimensions that are not shown are at their mean. */
export function gridPoints(
  X: Matrix,
  first: number,
  second: number | undefined,
  x: Float64Array,
  y: Float64Array,
): Matrix {
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
