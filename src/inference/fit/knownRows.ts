import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { isTable, type NamedTable } from '../../core/namedTable.ts';
import { checkGiven, givenList, isMatrixLike, readGiven } from '../../core/options.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { shortNumber } from '../../core/wording.ts';
import { meanOf } from '../../engine/vectors.ts';
import type { KnownRowsOptions } from '../../model/abilities.ts';
import type { Fit, FittedModel } from '../../model/fit.ts';

/** Rows of known variables by name: covariates `given`, n×p, and the `offset` of the functions, n×1. */
export type KnownRows = Readonly<Record<string, Matrix>>;

/** Rows by name, as opposed to a matrix or a table. */
export type GivenByName = Readonly<Record<string, MatrixLike | undefined>>;

/** True for rows by name, as opposed to a matrix or a table. */
export const isNamed = (given: unknown): given is GivenByName =>
  typeof given === 'object' &&
  given !== null &&
  readGiven(
    'The rows',
    () => !isMatrixLike(given) && !isTable(given) && Object.getPrototypeOf(given) === Object.prototype,
  );

/**
 * Covariates and offset of the fitted rows, or of a table's rows, in the form that `project`, `impute`, `predict`, `score` and others take as `given`.
 *
 * @param of - result of `fit`, or a table
 * @returns `given`, n×p, and `offset`, n×1, as far as there are any; undefined if there are none
 * @throws InvalidInputError for anything else
 * @example
 * ```ts
 * const result = await fit(ppca(Y, { latentDim: 1 }));
 * knownRowsOf(result); // undefined: ppca has no covariates
 * ```
 */
export function knownRowsOf(of: FittedModel | Pick<NamedTable, 'given' | 'offset'>): KnownRows | undefined {
  checkGiven(of, 'knownRowsOf', 'what fit returned, or a table', (own) => typeof own === 'object' && own !== null);
  const { given, offset } = readGiven('The fit or table', () => {
    const { values, ...table } = of as NamedTable & { readonly values?: { given?: Matrix; offset?: Matrix } };
    const { given, offset } = values ?? { given: table.given?.rows, offset: table.offset?.rows };
    return { given, offset };
  });
  return given || offset ? { ...(given && { given }), ...(offset && { offset }) } : undefined;
}

/**
 * The chosen rows of known variables.
 *
 * @param known - covariates, N×p, or rows of several variables by name, as `given` of `project`
 * @param rows - row numbers from 0, which may repeat
 * @returns the same form with these rows; undefined without known variables
 * @throws InvalidInputError for a row that does not exist
 * @example
 * ```ts
 * chosenRows({ offset: [[0.1], [0.2], [0.3]] }, [2, 0]);
 * ```
 */
export function chosenRows(known: KnownRows | undefined, rows: ArrayLike<number>): KnownRows | undefined;
export function chosenRows(known: KnownRowsOptions['given'], rows: ArrayLike<number>): KnownRowsOptions['given'];
export function chosenRows(known: KnownRowsOptions['given'], rows: ArrayLike<number>): KnownRowsOptions['given'] {
  const numbers = givenList(rows, 'chosenRows', 'a list of row numbers');
  const chosen = (own: MatrixLike | undefined) => {
    const all = Matrix.from(own as MatrixLike, 'The covariates');
    const wrong = numbers.find((row) => !(Number.isInteger(row) && row >= 0 && row < all.rows));
    if (wrong === undefined) return rowsOf(all, numbers);
    throw new InvalidInputError(
      `chosenRows takes row numbers from 0 to ${all.rows - 1}, but ${describe(wrong)} was given.`,
    );
  };
  if (known === undefined) return undefined;
  if (!isNamed(known)) return chosen(known as MatrixLike);
  return Object.fromEntries(Object.entries(known).map(([name, all]) => [name, chosen(all)]));
}

const isLevel = (entries: Float64Array) => entries.every((entry) => entry === 0 || entry === 1);

/** Means of the columns, and of columns of 0 and 1 the most frequent combination. */
function typicalRow(rows: Matrix): Float64Array {
  const columns = Array.from({ length: rows.columns }, (_, j) => rows.column(j));
  const typical = Float64Array.from(columns, meanOf);
  const levels = columns.flatMap((own, j) => (isLevel(own) ? [j] : []));
  const counts = new Map<string, number>();
  for (let i = 0; i < rows.rows; i++) {
    const key = levels.map((j) => rows.at(i, j)).join('');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [most] = [...counts].reduce((best, own) => (own[1] > best[1] ? own : best));
  levels.forEach((j, k) => {
    typical[j] = Number(most[k]);
  });
  return typical;
}

/** Prediction at latents alone. */
export interface TypicalPrediction {
  /** `predict` of the fit; undefined if it has none. */
  readonly predict: Fit['predict'];
  /** The values of the covariates and the offset, "season=winter, the mean of dose (2.3)"; undefined without any. */
  readonly at: string | undefined;
}

/**
 * Predictions of a fit at latents alone, for pictures: at the mean of each number among the covariates, the most frequent combination of levels, and the
 * mean of the offset.
 *
 * @param fitted - result of `fit`
 * @returns `predict`, and in words `at` which values it predicts
 * @throws InvalidInputError for anything else
 * @example
 * ```ts
 * const { predict, at } = typicalPrediction(await fit(ppca(Y, { latentDim: 1 })));
 * predict!([[0.5]]).mean; // `at` is undefined: ppca has no covariates
 * ```
 */
export function typicalPrediction(fitted: FittedModel): TypicalPrediction {
  const known = knownRowsOf(fitted);
  const { predict, table } = fitted as Fit;
  if (known === undefined) return { predict, at: undefined };
  const typical = Object.fromEntries(
    Object.entries(known).map(([name, rows]) => [name, new Matrix(typicalRow(rows), 1, rows.columns)]),
  );
  const words = Object.entries(known).flatMap(([variable, rows]) =>
    Array.from(typical[variable]!.data).flatMap((value, j) => {
      const name = variable === 'offset' ? 'the offset' : (table?.covariates?.[j] ?? `covariate ${j + 1}`);
      if (!isLevel(rows.column(j))) return [`the mean of ${name} (${shortNumber(value)})`];
      if (name.includes('=')) return value === 1 ? [name] : [];
      return [`${name} = ${value}`];
    }),
  );
  return {
    at: words.join(', '),
    predict:
      predict &&
      ((X, options) => predict(X, { ...options, given: chosenRows(typical, new Uint32Array(Matrix.from(X).rows)) })),
  };
}
