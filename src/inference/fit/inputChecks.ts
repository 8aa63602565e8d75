import { InvalidInputError, LatentFieldError, OptimizationError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkEntries, checkNumbers, checkObservedRows } from '../../core/observations.ts';
import { isMatrixLike } from '../../core/options.ts';
import type { LatentPlace } from '../../model/abilities.ts';
import type { AnyPosterior, Mapping } from '../../model/posterior.ts';

/** Milliseconds that a function of the caller's still has once the fit has been stopped. */
const MOST_AFTER_STOP = 2000;

/** Stands for what a function would have come to that the fit no longer waits for. */
export const UNFINISHED = Symbol('unfinished');

/**
 * A function of the caller's as a fit calls it: awaited, but no longer than two seconds after the fit has been stopped, so that one that
 * hangs does not outlast a limit. After that it is not called again.
 *
 * @param name - the option that it was given as
 * @param signal - that of whatever stops the fit
 * @returns what gives the function's value, or {@link UNFINISHED}; it throws an OptimizationError where the function throws or rejects, with that as its cause
 */
export function callersFunction<A extends unknown[]>(
  name: string,
  given: (...args: A) => unknown,
  signal: AbortSignal | undefined,
): (...args: A) => Promise<unknown> {
  let hangs = false;
  return async (...args) => {
    if (hangs) return UNFINISHED;
    try {
      const value = await withinGracePeriod(given(...args), signal);
      hangs = value === UNFINISHED;
      return value;
    } catch (cause) {
      if (cause instanceof LatentFieldError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new OptimizationError(`The function given as ${name} failed, which ended the fit: ${why}`, { cause });
    }
  };
}

async function withinGracePeriod(value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal === undefined || typeof (value as PromiseLike<unknown> | null)?.then !== 'function') return value;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begin = () => {};
  const waited = new Promise((resolve) => {
    begin = () => {
      timer = setTimeout(() => resolve(UNFINISHED), MOST_AFTER_STOP);
    };
  });
  if (signal.aborted) begin();
  signal.addEventListener('abort', begin);
  try {
    return await Promise.race([value, waited]);
  } finally {
    signal.removeEventListener('abort', begin);
    clearTimeout(timer);
  }
}

/** Points of the latent space that a fit was given, n×q. */
export function givenLatents(X: MatrixLike, latentDim: number, caller: string): Matrix {
  const points = Matrix.from(X, 'X');
  if (points.columns === latentDim) return checkNumbers(points, 'X');
  throw new InvalidInputError(
    `${caller} takes points of the ${latentDim}-dimensional latent space, but a ${points.rows}×${points.columns} matrix was given.`,
  );
}

/** Variances of points X, n×q, none below 0. */
export function givenVariances(given: MatrixLike, X: Matrix): Matrix {
  const variances = sameShape(
    checkNumbers(Matrix.from(given, 'latentVariances'), 'latentVariances'),
    X,
    'latentVariances',
  );
  const bad = variances.data.findIndex((entry) => entry < 0);
  if (bad < 0) return variances;
  throw new InvalidInputError(
    `latentVariances must be 0 or more, but row ${Math.floor(bad / X.columns)}, column ${bad % X.columns} is ${variances.data[bad]}.`,
  );
}

/** A matrix that must have as many rows and columns as another. */
export function sameShape(given: Matrix, like: Matrix, name = 'The complete observations'): Matrix {
  if (given.rows === like.rows && given.columns === like.columns) return given;
  throw new InvalidInputError(
    `${name} must be ${like.rows}×${like.columns}, but a ${given.rows}×${given.columns} matrix was given.`,
  );
}

/** New observations that a fit was given, n×D. */
export function givenObservations(
  given: MatrixLike,
  { mapping, placement, checkRows }: AnyPosterior,
  { acceptsMissing = placement?.acceptsMissing !== false } = {},
): Matrix {
  const Y = Matrix.from(given, 'Y');
  const columns = placement?.observedColumns ?? mapping?.observedColumns;
  if (columns !== undefined && Y.columns !== columns) {
    throw new InvalidInputError(
      `project takes observations with ${columns} columns, but a ${Y.rows}×${Y.columns} matrix was given.`,
    );
  }
  if (!acceptsMissing) {
    checkNumbers(Y, 'Y', 'This model places complete rows only. Fill it in first, by impute of a fit of gplvm.');
  } else checkObservedRows(checkEntries(Y, 'Y', Number.isNaN), 'Y');
  checkRows?.(Y);
  return Y;
}

/** New observations of some views side by side, NaN in the columns of the others. */
export function sideBySide(
  given: Readonly<Record<string, MatrixLike | undefined>>,
  views: Readonly<Record<string, Mapping>>,
): Matrix {
  const parts = Object.entries(isMatrixLike(given) ? {} : (given ?? {})).flatMap(([name, Y]) => {
    const { observedColumns } = viewOf(views, name);
    if (Y === undefined) return [];
    const rows = Matrix.from(Y, `Y of view '${name}'`);
    if (rows.columns === observedColumns) return [[name, rows] as const];
    throw new InvalidInputError(
      `View '${name}' has ${observedColumns} columns, but a ${rows.rows}×${rows.columns} matrix was given.`,
    );
  });
  const [first] = parts;
  const other = parts.find(([, { rows }]) => rows !== first?.[1].rows);
  if (first === undefined || other !== undefined) {
    throw new InvalidInputError(
      first === undefined
        ? `Give the observations of at least one view by its name, such as project({ ${Object.keys(views)[0]}: Y }).`
        : `Rows of different views are the same points, but view '${first[0]}' has ${first[1].rows} and '${other![0]}' has ${other![1].rows}.`,
    );
  }
  const byName = new Map(parts);
  const width = Object.values(views).reduce((sum, { observedColumns }) => sum + observedColumns, 0);
  const result = new Matrix(new Float64Array(first[1].rows * width).fill(Number.NaN), first[1].rows, width);
  let from = 0;
  for (const [name, { observedColumns }] of Object.entries(views)) {
    const rows = byName.get(name);
    for (let i = 0; rows !== undefined && i < rows.rows; i++) result.data.set(rows.row(i), i * width + from);
    from += observedColumns;
  }
  return result;
}

/** @throws InvalidInputError for a view that is not there, naming those that are */
export function viewOf(views: Readonly<Record<string, Mapping>>, name: unknown): Mapping {
  const view = typeof name === 'string' && Object.hasOwn(views, name) ? views[name] : undefined;
  if (view !== undefined) return view;
  const names = Object.keys(views)
    .map((known) => `'${known}'`)
    .join(', ');
  throw new InvalidInputError(
    name === undefined
      ? `This model has several views: say which with { view }, one of ${names}.`
      : `This model has no view '${String(name)}'. Its views are ${names}.`,
  );
}

/** The latents of a place: those of a training point by its number, or the point itself. */
export function latentsAt(latents: Matrix, place: LatentPlace): readonly number[] {
  if (typeof place !== 'number') return place;
  if (Number.isInteger(place) && place >= 0 && place < latents.rows) return Array.from(latents.row(place));
  throw new InvalidInputError(
    `interpolate takes latents, or points by number from 0 to ${latents.rows - 1}, but ${place} was given.`,
  );
}
