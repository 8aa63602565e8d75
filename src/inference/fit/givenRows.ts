import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkEach, describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { isTable, type ObservationsLike } from '../../core/namedTable.ts';
import { checkEntries, checkNumbers, unobservedRow } from '../../core/observations.ts';
import { checkGiven, isWhole, unknownName } from '../../core/options.ts';
import type { KnownRowsOptions, LatentPlace } from '../../model/abilities.ts';
import type { RowModel, RowsByName, VariableWidth } from '../../model/rowModel.ts';
import { type GivenByName, isNamed, knownRowsOf } from './knownRows.ts';

/** Rows keyed by variable name, or rows of the only possible variable. */
export type GivenRows = GivenByName | ObservationsLike;

/** Matrix of observations, with a table's columns in the order of the fitted columns. */
export type Observed = (Y: ObservationsLike) => MatrixLike;

/** Rows of known variables in addition to bare rows: a bare matrix belongs to the only known variable. */
function besideRows({ known }: RowModel, beside: KnownRowsOptions['given'], caller: string): GivenByName {
  if (beside === undefined || isNamed(beside)) return beside ?? {};
  if (known.length === 1) return { [known[0]!.name]: beside as MatrixLike };
  throw unnamed(caller, `of ${listed(known) || 'no known variable'}`, beside);
}

const unnamed = (caller: string, names: string, given: unknown) =>
  new InvalidInputError(`${caller} takes rows by name, ${names}, but ${describe(given)} was given.`);

/**
 * Checks new rows of observed and known variables; a bare matrix or table belongs to the only observed variable.
 *
 * @param beside - rows of the known variables, for bare observations
 * @throws InvalidInputError for unknown names, wrong numbers of columns or rows, entries that are not numbers, missing known rows, and rows without any entry, which have no place
 */
export function observedRows(
  model: RowModel,
  given: GivenRows,
  observed: Observed,
  caller: string,
  acceptsMissing = model.placement?.acceptsMissing ?? model.placement === undefined,
  beside?: KnownRowsOptions['given'],
): RowsByName {
  const [only, ...others] = model.observed as readonly [VariableWidth, ...VariableWidth[]];
  if (!isNamed(given) && others.length > 0) {
    throw unnamed(caller, `such as { ${only.name}: Y }`, given);
  }
  const known = besideRows(model, beside ?? (isTable(given) ? knownRowsOf(given) : undefined), caller);
  const named = isNamed(given) ? { ...given, ...known } : { [only.name]: observed(given), ...known };
  const rows = checkedRows(named, [...model.observed, ...model.known], caller, {
    known: model.known,
    holed: acceptsMissing ? model.observed : [],
    bare: isNamed(given) ? undefined : only.name,
  });
  checkNeeded(model.known, rows, caller, !isNamed(given));
  const seen = model.observed.flatMap(({ name }) => rows[name] ?? []);
  if (seen.length === 0) {
    throw new InvalidInputError(
      `${caller} takes rows of at least one observed variable (${listed(model.observed)}), but none were given.`,
    );
  }
  // Known rows alone are information about a point, and imputed rows without entries have the predictive density under the prior of their latents.
  if (model.known.length === 0 && !(caller === 'impute' && model.isNormalized)) {
    for (let i = 0; i < seen[0]!.rows; i++)
      if (seen.every((own) => own.row(i).every(Number.isNaN))) throw unobservedRow(i, 'Y');
  }
  model.checkRows(rows);
  return rows;
}

/**
 * Checks the values of latent and known variables at which to predict; a bare matrix belongs to the only one.
 *
 * @throws InvalidInputError for unknown names, wrong numbers of columns or rows, entries that are not finite, and missing variables
 */
export function startingRows(
  model: RowModel,
  given: GivenRows,
  caller: string,
  beside?: KnownRowsOptions['given'],
): RowsByName {
  const needed = [...model.latents.filter(({ name }) => model.roots.includes(name)), ...model.known];
  const known = besideRows(model, beside, caller);
  const [only, ...others] = needed.filter(({ name }) => known[name] === undefined);
  if (!isNamed(given) && (only === undefined || others.length > 0)) {
    throw unnamed(caller, `of ${listed(needed)}`, given);
  }
  const named = isNamed(given) ? { ...given, ...known } : { [only!.name]: given as MatrixLike, ...known };
  const mapped = Object.entries(model.values).filter(
    ([name]) => model.rowNames.has(name) && !model.observed.some((own) => own.name === name),
  );
  const rows = checkedRows(
    named,
    [...model.latents, ...model.known, ...mapped.map(([name, { columns }]) => ({ name, columns }))],
    caller,
    { known: model.known },
  );
  checkNeeded(needed, rows, caller);
  for (const [name, transform] of Object.entries(model.transforms)) {
    const refused = rows[name] && transform.refuses(rows[name].data);
    if (refused !== undefined) throw new InvalidInputError(`${caller} takes '${name}' as ${refused}.`);
  }
  return rows;
}

/** Selects from results per observed variable: the requested variable's, or the only one. */
export function onlyOf<T>(
  found: Readonly<Record<string, T>>,
  { observed }: RowModel,
  caller: string,
  view?: unknown,
): T {
  const name = view ?? (observed.length === 1 ? observed[0]!.name : undefined);
  if (typeof name === 'string' && Object.hasOwn(found, name)) return found[name]!;
  if (name !== undefined) {
    const names = observed.map((own) => own.name);
    throw unknownName('variable', String(name), names, caller);
  }
  throw new InvalidInputError(
    `${caller} takes rows by name, or which variable is meant: { view: '${observed[0]!.name}' } (there are ${listed(observed)}).`,
  );
}

function checkNeeded(needed: readonly VariableWidth[], rows: RowsByName, caller: string, isBare = false): void {
  const absent = needed.find(({ name }) => rows[name] === undefined);
  if (absent === undefined) return;
  const { name, columns } = absent;
  throw new InvalidInputError(
    `${caller} needs rows of '${name}' too, n×${columns}. Give them ${isBare ? `as an option: ${caller}(Y, { given })` : `by name: { ${name}: … }`}.`,
    { code: 'missingVariable' },
  );
}

const listed = (of: readonly VariableWidth[]) =>
  of.map(({ name, columns }) => `'${name}' (${columns} wide)`).join(', ');

/** Checks rows by name: names, widths, entries, and equal numbers of rows. Messages call a bare matrix observations. */
function checkedRows(
  given: Readonly<Record<string, MatrixLike | undefined>>,
  allowed: readonly VariableWidth[],
  caller: string,
  {
    known = [],
    holed = [],
    bare,
  }: {
    readonly known?: readonly VariableWidth[];
    readonly holed?: readonly VariableWidth[];
    readonly bare?: string | undefined;
  },
): RowsByName {
  const found: Record<string, Matrix> = {};
  let count: number | undefined;
  for (const [name, rows] of Object.entries(given)) {
    if (rows === undefined) continue;
    const width = allowed.find((one) => one.name === name);
    if (width === undefined) throw unknownName('variable', name, [...new Set(allowed.map((one) => one.name))], caller);
    const called = name === bare ? 'observations' : `'${name}'`;
    const matrix = Matrix.from(rows, called);
    if (matrix.columns !== width.columns && !Number.isNaN(width.columns)) {
      throw new InvalidInputError(
        `${caller} takes ${called} with ${width.columns} columns, but a ${matrix.rows}×${matrix.columns} matrix was given.`,
      );
    }
    count ??= matrix.rows;
    if (matrix.rows !== count) {
      throw new InvalidInputError(
        `${caller} takes the same rows of all variables, but '${Object.keys(found)[0]}' has ${count} and '${name}' has ${matrix.rows}.`,
      );
    }
    found[name] = holed.some((one) => one.name === name)
      ? checkEntries(matrix, called, Number.isNaN)
      : checkNumbers(
          matrix,
          called,
          known.includes(width)
            ? undefined
            : 'This model supports complete rows only. Fill them in first, by impute of a fit of gplvm.',
        );
  }
  return found;
}

/**
 * Values of root and known variables on the path between two points, along the charts on which they lie; a value per row of a plate is taken from the
 * nearer end.
 */
export function pathBetween(
  { values, roots, known, indices, charts, latents }: RowModel,
  from: LatentPlace,
  to: LatentPlace,
  steps: number,
): RowsByName {
  checkGiven(steps, 'interpolate', 'a whole number of steps from 2', isWhole(2));
  const starts = latents.length > 0 && roots.length > 0 ? roots : latents.map(({ name }) => name);
  const all = [...starts, ...known.map(({ name }) => name)];
  const found: Record<string, Matrix> = {};
  for (const name of all) {
    const rows = values[name]!;
    const [first, last] = [from, to].map((end) => endOf(rows, name, end, all.length === 1)) as [
      Float64Array,
      Float64Array,
    ];
    const path = Matrix.zeros(steps, rows.columns);
    for (let k = 0; k < steps; k++) {
      const part = k / (steps - 1);
      const nearer = part < 0.5 ? first : last;
      const point = indices.has(name)
        ? nearer
        : (charts[name]?.between(first, last, part) ?? first.map((entry, c) => (1 - part) * entry + part * last[c]!));
      path.data.set(point, k * rows.columns);
    }
    found[name] = path;
  }
  return found;
}

/** Variances of the shown variable on the straight line between two fitted Gaussian rows, (1 − t)²·s_from + t²·s_to; undefined for points. */
export function variancesBetween(
  { variances, shown, charts, roots }: RowModel,
  from: LatentPlace,
  to: LatentPlace,
  steps: number,
): Matrix | undefined {
  const variance = variances[shown];
  if (variance === undefined || charts[shown] !== undefined || !roots.includes(shown)) return undefined;
  const ofEnd = (end: LatentPlace): ArrayLike<number> => (typeof end === 'number' ? variance.row(end) : []);
  const [first, last] = [ofEnd(from), ofEnd(to)];
  return Matrix.zeros(steps, variance.columns).map((_, k, c) => {
    const part = k / (steps - 1);
    const apart = square(1 - part) * (first[c] ?? 0) + square(part) * (last[c] ?? 0);
    return from === to ? (first[c] ?? 0) : apart;
  });
}

function endOf(rows: Matrix, name: string, end: LatentPlace, isOnly: boolean): Float64Array {
  if (typeof end === 'number') {
    if (Number.isInteger(end) && end >= 0 && end < rows.rows) return Float64Array.from(rows.row(end));
    throw new InvalidInputError(
      `interpolate takes the number of a point from 0 to ${rows.rows - 1}, but ${describe(end)} was given.`,
    );
  }
  // The length is compared first: an object that claims a length of a billion would otherwise be read to its end.
  const point = isOnly && end?.length === rows.columns ? Float64Array.from(end) : undefined;
  if (point?.every(Number.isFinite)) return point;
  throw new InvalidInputError(
    isOnly
      ? `interpolate takes a point of '${name}' as ${rows.columns} finite numbers, but ${describe(end)} was given.`
      : 'interpolate takes numbers of fitted points where a model has several variables that a path goes through.',
  );
}

/** Checks variances of points X, n×q, to be nonnegative. */
export function givenVariances(given: MatrixLike, X: Matrix): Matrix {
  const variances = sameShape(
    checkNumbers(Matrix.from(given, 'latentVariances'), 'latentVariances'),
    X,
    'latentVariances',
  );
  return checkEach(variances, 'latentVariances must be 0 or more', (entry) => entry >= 0);
}

/** Checks that a matrix has the same shape as another. */
export function sameShape(given: Matrix, like: Matrix, name = 'The complete observations'): Matrix {
  if (given.rows === like.rows && given.columns === like.columns) return given;
  throw new InvalidInputError(
    `${name} must be ${like.rows}×${like.columns}, but a ${given.rows}×${given.columns} matrix was given.`,
  );
}
