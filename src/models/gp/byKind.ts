import * as v from 'valibot';
import { exp, expm1, log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { isTable, type NamedTable, type ObservationsLike } from '../../core/namedTable.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { checkOptions, givenOptions, integerFromOne, missingOption } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { rememberedTable } from '../../core/rememberedTable.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { checkSaved } from '../../core/saved.ts';
import { add } from '../../kernels/algebra.ts';
import { bias } from '../../kernels/constant.ts';
import { rbf } from '../../kernels/rbf.ts';
import { gaussianLatents } from '../../latents/latentDistribution.ts';
import { bernoulli } from '../../model/entrywise/bernoulli.ts';
import { categorical } from '../../model/entrywise/categorical.ts';
import { negativeBinomial } from '../../model/entrywise/counts.ts';
import { beta, inverseGamma } from '../../model/entrywise/families.ts';
import { functionsOf, type Likelihood } from '../../model/entrywise/likelihood.ts';
import { ordinal } from '../../model/entrywise/ordinal.ts';
import { madeHere } from '../../model/givenModel.ts';
import { initialLatents } from '../../model/initialization.ts';
import type { FittedVariables } from '../../model/language/derived.ts';
import { latent } from '../../model/language/latent.ts';
import { observed } from '../../model/language/variable.ts';
import { meanVariance } from '../../model/leastNoise.ts';
import type { Model, ModelJSON } from '../../model/model.ts';
import { fixed, type Parameter, positive } from '../../model/parameter.ts';
import { type AnyPosterior, imputed, type Prediction } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import { standardNormal } from '../../priors/standardNormal.ts';
import { startLengthscales } from './bayesianGplvm.ts';
import {
  COLUMN_KINDS,
  type ColumnKind,
  type ColumnKindsByName,
  type KindOfColumn,
  kindsInWords,
  kindsOfColumns,
  levelsOf,
  momentsOf,
  presentIn,
} from './columnKinds.ts';
import { covariates } from './covariates.ts';
import { MOST_EXACT, searchOfMany } from './family.ts';
import { declaredModel, givenEntry, inputsOf, MAPPING, settings, unitNormal } from './latentVariableModel.ts';
import {
  type CheckedView,
  functionVariance,
  pointProcess,
  processEntries,
  readUnder,
  rowsProcess,
  withoutOffset,
} from './process.ts';

/** Models that support densities by the kinds of columns. */
type Base = 'gplvm' | 'bayesianGplvm';

/** Choice of densities by the kinds of columns. A plain frozen value. */
export interface ColumnsByKind {
  readonly kind: 'columnsByKind';
  /** Model of this name with these densities. */
  readonly model: (base: Base, Y: ObservationsLike, options: object) => Model;
}

export interface ByKindOptions {
  /** Kinds of columns by name, which override the detected ones: `{ age: 'count', plan: 'category' }`. */
  readonly as?: ColumnKindsByName;
}

/**
 * Densities by the kinds of columns, for tables of numbers, amounts, fractions, counts, grades, yes and no, and categories: one latent space, and a view
 * of it for each kind. Amounts enter by their logarithms, and a category by columns of 0 and 1 for its levels, as made by `readTable` with `oneHot`. The message of
 * a fit lists the kind of each column; predictions, draws and imputations are in the original values, with the probability of each level for a
 * category. New rows with an unknown level are rejected.
 *
 * @param options - `as`, kinds by column; the others are detected
 * @returns the option `columns` of `gplvm` and `bayesianGplvm`, which can then be combined with `latentDim`, `inducing`, `missing` and `rowWeights`
 * @example
 * ```ts
 * const table = {
 *   columns: ['age', 'visits', 'plan=basic', 'plan=pro', 'plan=team'],
 *   observations: Matrix.from([[31, 0, 1, 0, 0], [45, 2, 0, 1, 0], [52, 5, 0, 0, 1], [28, 1, 1, 0, 0], [39, 3, 0, 1, 0]]),
 * };
 * const model = bayesianGplvm(table, { latentDim: 1, inducing: 4, columns: byKind() });
 * ```
 */
export function byKind(options: ByKindOptions = {}): ColumnsByKind {
  const { as = {} } = checkOptions(v.strictObject({ as: v.optional(v.any()) }), options, 'byKind');
  return Object.freeze<ColumnsByKind>({
    kind: 'columnsByKind',
    model: (base, Y, given) => modelByKind(base, Y, optionsOf(base, given), as as ColumnKindsByName),
  });
}

const schema = v.strictObject({
  latentDim: integerFromOne,
  inducing: v.optional(integerFromOne),
  missing: missingOption,
  rowWeights: processEntries.rowWeights,
  offset: processEntries.offset,
  given: givenEntry,
});
type Options = v.InferOutput<typeof schema>;

function optionsOf(base: Base, given: object): Options {
  const { columns: _, ...options } = givenOptions(given as Record<string, unknown>, base);
  const other = Object.keys(options).find((key) => !Object.hasOwn(schema.entries, key));
  if (other === undefined) return checkOptions(schema, options as Options, base);
  throw new InvalidInputError(
    `${base} with columns by their kinds takes ${Object.keys(schema.entries).join(', ')}, but '${other}' was given. Leave it out, or write the views yourself with latentVariableModel.`,
  );
}

/** Default maximum number of inducing inputs of each view. */
const MOST_INDUCING = 25;

/** Name of the view of counts. */
const COUNTS = 'counts';

/** Columns with the same density, in one view. */
interface KindView {
  readonly name: string;
  readonly positions: readonly number[];
  readonly columns: readonly KindOfColumn[];
  readonly likelihood: Likelihood | undefined;
}

function modelByKind(base: Base, Y: ObservationsLike, options: Options, as: ColumnKindsByName): Model {
  const table: NamedTable | undefined = isTable(Y) ? Y : undefined;
  const observations = observationsFrom(table?.observations ?? (Y as Matrix), options.missing === 'ignore');
  const names = table?.columns ?? Array.from({ length: observations.columns }, (_, j) => `column${j}`);
  const { given, offset } = options;
  const kinds = kindsOfColumns(observations, names, as, offset !== undefined);
  const views = viewsOf(observations, kinds);
  const rows = splitRows(views, observations);
  if (offset !== undefined && !views.some(({ name }) => name === COUNTS)) {
    throw new InvalidInputError(
      "An offset is for counts, whole numbers from 0, but no column is one. Leave it out, or name the columns: byKind({ as: { visits: 'count' } }) (--as visits:count).",
    );
  }
  const offsetOf = (name: string) => (name === COUNTS ? offset : undefined);
  const start = lazily(() => startOf(views, rows, options, offsetOf));
  const inducing = Math.min(options.inducing ?? MOST_INDUCING, observations.rows);
  const isSpread = base === 'bayesianGplvm';
  const declare = () => {
    const { latentDim, missing } = options;
    const read = views.map(({ name, likelihood }) =>
      readUnder(rows[name]!, {
        ...{ likelihood, missing, offset: offsetOf(name) },
        scale: likelihood === undefined ? true : undefined,
      }),
    );
    const posterior = isSpread ? gaussianLatents({ init: start() }) : ('point' as const);
    const setting = settings(read, posterior, latentDim, isSpread ? 'pca' : start(), given);
    const priors = isSpread ? [] : [standardNormal()];
    const latents = isSpread
      ? latent({ dim: latentDim, density: unitNormal, posterior })
      : latent({ dim: latentDim, init: start(), posterior, factors: priors });
    const mappings = Object.fromEntries(
      views.map(({ name, likelihood }, i) => {
        const y = read[i]!;
        const completed = setting.completed(i);
        const isExact = likelihood === undefined && !isSpread && y.raw.rows <= MOST_EXACT;
        const view: CheckedView = {
          ...{ name, owner: `view '${name}' of ${base}`, y },
          options: {
            ...{ likelihood, missing, scale: y.scale, offset: offsetOf(name) },
            kernel: besideCovariates(y, likelihood, completed, offsetOf(name)),
            // Columns of different kinds have noise of different sizes.
            ...(likelihood === undefined && isSpread && { noise: noiseOf(start(), completed) }),
            ...(!isExact && { inducing }),
          },
        };
        // Points could be a copy of numbers that are no more than they have coordinates.
        const own = { ...setting.of(i), isCopied: y.raw.columns <= latentDim };
        const process = isSpread ? rowsProcess(view, own) : pointProcess(view, own);
        return [
          name,
          {
            process,
            variable: observed(y, {
              ...{ density: process, given: inputsOf(latents, y, given, process), weights: options.rowWeights },
            }),
          },
        ];
      }),
    );
    return {
      ...{ latents, given, posterior, priors, hasViews: true, mappings },
      search: searchOfMany,
      note: kindsInWords(kinds),
    };

    function besideCovariates(
      y: (typeof read)[number],
      likelihood: Likelihood | undefined,
      completed: Matrix,
      shift: ArrayLike<number> | undefined,
    ) {
      const own = kernelOf(y, likelihood, completed, shift);
      return given?.kernel(own, latentDim, functionVariance(y, likelihood, shift)) ?? own;
    }

    function kernelOf(
      y: (typeof read)[number],
      likelihood: Likelihood | undefined,
      completed: Matrix,
      shift: ArrayLike<number> | undefined,
    ) {
      if (likelihood === undefined) {
        const variance = meanVariance(completed);
        if (isSpread) return rbf({ variance: fixed(variance), lengthscale: startLengthscales(start(), completed) });
        return add(rbf({ variance: fixed(variance), lengthscale: fixed(1) }), bias({ variance: 0.1 * variance }));
      }
      const variance = functionVariance(y, likelihood, shift);
      const lengthscale = isSpread ? new Array<number>(latentDim).fill(1) : fixed(1);
      return add(rbf({ variance, lengthscale }), bias({ variance }));
    }
  };
  const model = declaredModel(base, options, declare, () => ({
    ...{ model: BY_KIND, base, columns: names, kinds: Object.fromEntries(kinds.map(({ name, kind }) => [name, kind])) },
    observations: observations.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry))),
    ...options,
    ...(options.rowWeights && { rowWeights: Array.from(options.rowWeights) }),
    ...(offset && { offset: Array.from(offset) }),
    ...(given && { given: given.rows.toArrays() }),
  }));
  return madeHere(
    Object.freeze({
      ...model,
      ...(table && { table: rememberedTable(table) }),
      posterior: (values: Parameters<Model['posterior']>[0]) => ofWholeTable(model.posterior(values), views, names),
    }),
  );
}

/** Name of the model in files. */
export const BY_KIND = 'byKind';

const savedSchema = v.strictObject({
  model: v.literal(BY_KIND),
  base: v.picklist(['gplvm', 'bayesianGplvm']),
  columns: v.array(v.string()),
  kinds: v.record(v.string(), v.picklist(COLUMN_KINDS)),
  observations: v.array(v.array(v.nullable(v.number()))),
  latentDim: integerFromOne,
  inducing: v.optional(integerFromOne),
  missing: missingOption,
  rowWeights: v.optional(v.array(v.number())),
  offset: v.optional(v.array(v.number())),
  given: v.optional(v.array(v.array(v.number()))),
});

/** Restores a model from its `toJSON`. */
export function byKindFromJSON(json: ModelJSON): Model {
  const { model: _, base, columns, kinds, observations, given, ...rest } = checkSaved(savedSchema, json, 'model');
  const options = { ...rest, ...(given && { given: covariates(given) }) };
  const table = {
    columns,
    observations: Matrix.from(observations.map((row) => row.map((entry) => entry ?? Number.NaN))),
  };
  return byKind({ as: kinds }).model(base, table, options);
}

/** Views of the kinds in a table: numbers and amounts together, and one for each other kind. */
function viewsOf(observations: Matrix, kinds: readonly KindOfColumn[]): readonly KindView[] {
  const view = (
    name: string,
    of: readonly ColumnKind[],
    likelihood: (own: readonly KindOfColumn[]) => Likelihood | undefined,
    columns = kinds.filter(({ kind }) => of.includes(kind)),
  ) => {
    if (columns.length === 0) return [];
    return [
      { name, columns, positions: columns.flatMap(({ positions }) => positions), likelihood: likelihood(columns) },
    ];
  };
  return [
    ...view('numbers', ['number', 'amount'], () => undefined),
    ...view('fractions', ['fraction'], (own) =>
      beta({
        concentration: positive(own.map(({ positions }) => concentrationOf(presentIn(observations, positions[0]!)))),
      }),
    ),
    // Each column of grades has separate cut points.
    ...kinds
      .filter(({ kind }) => kind === 'grade')
      .flatMap((column, i) =>
        view(`grades${i + 1}`, ['grade'], () => ordinal(levelsOf(presentIn(observations, column.positions[0]!))), [
          column,
        ]),
      ),
    ...view(COUNTS, ['count'], (own) =>
      negativeBinomial({ size: positive(own.map(({ positions }) => sizeOf(presentIn(observations, positions[0]!)))) }),
    ),
    ...view('binaries', ['binary'], () => bernoulli()),
    ...view('categories', ['category'], (own) => categorical({ levels: own.map(({ positions }) => positions.length) })),
  ];
}

/** Concentration of a beta distribution with the mean and variance of these fractions, μ·(1 − μ)/σ² − 1, from 1/2 to 100. */
function concentrationOf(fractions: Float64Array): number {
  const { mean, variance } = momentsOf(fractions);
  return Math.min(100, Math.max(0.5, (mean * (1 - mean)) / variance - 1));
}

/** Size of a negative binomial distribution with the mean and variance of these counts, μ²/(σ² − μ), from 1/2 to 100. */
function sizeOf(counts: Float64Array): number {
  const { mean, variance } = momentsOf(counts);
  return variance > mean ? Math.min(100, Math.max(0.5, square(mean) / (variance - mean))) : 100;
}

/** Rows of a table by view: amounts by their logarithms, and categories either complete or missing. */
function splitRows(views: readonly KindView[], Y: Matrix): Record<string, Matrix> {
  return Object.fromEntries(
    views.map(({ name, positions, columns, likelihood }) => {
      const own = Matrix.zeros(Y.rows, positions.length);
      positions.forEach((position, j) => {
        const isAmount = columns[j]?.kind === 'amount';
        for (let i = 0; i < Y.rows; i++) {
          const entry = Y.at(i, position);
          own.data[i * positions.length + j] = isAmount ? log(entry) : entry;
        }
      });
      if (likelihood?.takesRows) {
        wholeCategories(
          own,
          columns.map((column) => column.positions.length),
        );
      }
      return [name, own];
    }),
  );
}

/** Completes partially missing levels: 0 if another level is 1, otherwise all missing. */
function wholeCategories(own: Matrix, levels: readonly number[]): void {
  for (let i = 0; i < own.rows; i++) {
    let from = 0;
    for (const count of levels) {
      const entries = own.row(i).subarray(from, from + count);
      if (entries.some(Number.isNaN)) {
        const level = entries.indexOf(1);
        for (let k = 0; k < count; k++) own.data[i * own.columns + from + k] = level < 0 ? Number.NaN : +(k === level);
      }
      from += count;
    }
  }
}

/**
 * Initial latents: principal components of standardized numbers and functions, and of indicators divided by the square roots of their shares, as in
 * the factor analysis of mixed data.
 *
 * @see Pagès 2004
 */
function startOf(
  views: readonly KindView[],
  rows: RowsByName,
  { latentDim, given }: Options,
  offsetOf: (view: string) => ArrayLike<number> | undefined,
): Matrix {
  const parts = views.map(({ name, likelihood }) => {
    const own = rows[name]!;
    if (likelihood?.takesRows) {
      const { mean } = standardizationOf(own, true, false);
      return standardized(own, { mean, deviation: mean.map((share) => Math.sqrt(Math.max(share, 1e-3))) });
    }
    const functions = likelihood === undefined ? own : withoutOffset(functionsOf(likelihood, own), offsetOf(name));
    return standardized(functions, standardizationOf(functions, true, true));
  });
  const all = imputed(joinedColumns(parts), latentDim);
  return initialLatents('pca', given?.residual(all, latentDim) ?? all, latentDim);
}

/** Least initial variance of the noise relative to the column's variance. */
const LEAST_UNEXPLAINED = 0.01;

/**
 * Noise of each column, which starts at the variance of Y around its best linear function of uncorrelated X. Its prior equals four more observations
 * with a quarter of the columns' variance as their noise: without a prior, the noise of some columns of a short table would go to 0.
 *
 * @see Martin & McDonald 1975, on such Heywood cases of factor analysis
 */
function noiseOf(X: Matrix, Y: Matrix): Parameter {
  const prior = inverseGamma({ shape: 2, scale: 0.5 * meanVariance(Y) });
  const x = standardized(X, standardizationOf(X, true, true));
  const start = Array.from({ length: Y.columns }, (_, j) => {
    const y = Y.column(j);
    const { mean, variance: total } = momentsOf(y);
    const explained = Array.from({ length: X.columns }, (_, d) =>
      square(y.reduce((sum, entry, i) => sum + ((entry - mean) * x.at(i, d)) / Y.rows, 0)),
    );
    const rest = explained.reduce((left, part) => left - part, total);
    return Math.max(rest, LEAST_UNEXPLAINED * total) || LEAST_UNEXPLAINED;
  });
  return positive(start, { prior });
}

/** Posterior of views as the posterior of one table: rows are split into views, and predictions and draws are merged in the order of the table. */
function ofWholeTable(posterior: AnyPosterior, views: readonly KindView[], names: readonly string[]): AnyPosterior {
  const { variables } = posterior;
  const whole = Object.defineProperties({}, Object.getOwnPropertyDescriptors(posterior));
  const joined = lazily(() => {
    const of = wholeRows(variables as FittedVariables, views, names);
    const { uncalibrated } = Object.getOwnPropertyDescriptors(variables!);
    if (uncalibrated === undefined) return of;
    const made = lazily(() => wholeRows((variables as FittedVariables).uncalibrated as FittedVariables, views, names));
    return Object.defineProperty(of, 'uncalibrated', { get: made, enumerable: true });
  });
  return Object.defineProperty(whole, 'variables', { get: joined, enumerable: true }) as AnyPosterior;
}

function wholeRows(of: FittedVariables, views: readonly KindView[], names: readonly string[]): FittedVariables {
  const { uncalibrated: _, ...plain } = Object.getOwnPropertyDescriptors(of);
  const split = (given: RowsByName): RowsByName => {
    const { [MAPPING]: Y, ...others } = given;
    return Y === undefined ? given : { ...others, ...splitRows(views, Y) };
  };
  const joined = (
    found: Readonly<Record<string, Matrix>>,
    entry: (own: number, view: KindView, j: number) => number,
  ) => {
    const { rows } = Object.values(found)[0]!;
    const whole = Matrix.zeros(rows, names.length);
    for (const view of views) {
      const own = found[view.name]!;
      view.positions.forEach((position, j) => {
        for (let i = 0; i < rows; i++) whole.data[i * names.length + position] = entry(own.at(i, j), view, j);
      });
    }
    return whole;
  };
  const isAmount = ({ columns }: KindView, j: number) => columns[j]?.kind === 'amount';
  const isReal = ({ likelihood }: KindView) => likelihood === undefined;
  const predict: RowModel['predict'] = (values, noise, variances) => {
    const numbers = noise || !views.some(isReal) ? undefined : of.predict(values, false, variances);
    const others = noise || views.some((view) => !isReal(view)) ? of.predict(values, true, variances) : numbers!;
    const found = (view: KindView): Prediction => (isReal(view) ? (numbers ?? others) : others)[view.name]!;
    const by = (part: 'mean' | 'variance') => Object.fromEntries(views.map((view) => [view.name, found(view)[part]]));
    const [means, spreads] = [by('mean'), by('variance')];
    // Moments of exp(z), z ~ N(m, v).
    const mean = joined(means, (own) => own);
    const variance = joined(spreads, (own) => own);
    for (const view of views) {
      view.positions.forEach((position, j) => {
        if (!isAmount(view, j)) return;
        for (let k = position; k < mean.data.length; k += names.length) {
          const [m, s] = [mean.data[k]!, variance.data[k]!];
          mean.data[k] = exp(m + s / 2);
          variance.data[k] = expm1(s) * exp(2 * m + s);
        }
      });
    }
    return { [MAPPING]: { mean, variance } };
  };
  const own: Partial<FittedVariables> = {
    observed: [{ name: MAPPING, columns: names.length }],
    rowNames: new Set([...of.latents.map(({ name }) => name), MAPPING]),
    observations: { [MAPPING]: joined(of.observations, (entry, view, j) => (isAmount(view, j) ? exp(entry) : entry)) },
    missingEntries: undefined,
    checkRows: (given) => {
      if (given[MAPPING] === undefined) return;
      checkKinds(given[MAPPING], views, names);
      of.checkRows(split(given));
    },
    density: (X, given, ...how) => {
      const found = of.density(X, split(given), ...how);
      const Y = given[MAPPING];
      // The logarithm of an amount has the density of the amount times it.
      const logs = Y && found.density.map((_, i) => logAmounts(Y, i));
      if (logs === undefined || logs.every((entry) => entry === 0)) return found;
      return {
        ...found,
        density: found.density.map((entry, i) => entry - logs[i]!),
        posterior: found.posterior.map((entry, i) => entry - logs[i]!),
      };
    },
    predict: predict as FittedVariables['predict'],
    sample: (values, random, noise) => {
      const drawn = of.sample(values, random, true);
      const functions = noise || !views.some(isReal) ? drawn : of.predict(values, false);
      const by = Object.fromEntries(
        views.map((view) => {
          const found = functions[view.name]!;
          return [view.name, isReal(view) && 'mean' in found ? found.mean : drawn[view.name]!];
        }),
      );
      return { [MAPPING]: joined(by, (entry, view, j) => (isAmount(view, j) ? exp(entry) : entry)) };
    },
    computed: (given) => of.computed(split(given)),
    computedVariances: (given) => of.computedVariances(split(given)),
    ...(of.bound && { bound: (given, x) => of.bound!(split(given), x) }),
    ...(of.leavingOut && { leavingOut: (rows) => wholeRows(of.leavingOut!(rows), views, names) }),
  };
  const logAmounts = (Y: Matrix, row: number) => {
    let sum = 0;
    for (const view of views) {
      view.positions.forEach((position, j) => {
        const entry = Y.at(row, position);
        if (isAmount(view, j) && !Number.isNaN(entry)) sum += log(entry);
      });
    }
    return sum;
  };
  return Object.defineProperties({}, { ...plain, ...Object.getOwnPropertyDescriptors(own) }) as FittedVariables;
}

/** @throws InvalidInputError for a new row with an unknown level of a category, and for an amount that is not above 0, with the column names */
function checkKinds(Y: Matrix, views: readonly KindView[], names: readonly string[]): void {
  for (const { name, kind, positions } of views.flatMap(({ columns }) => columns)) {
    for (let i = 0; i < Y.rows; i++) {
      const entries = positions.map((position) => Y.at(i, position));
      if (kind === 'amount' && entries[0]! <= 0) {
        throw new InvalidInputError(
          `Column '${name}' was fitted as an amount, above 0, but row index ${i} has ${entries[0]}. Correct it, make it missing (NaN), or fit again with the column as a number.`,
        );
      }
      if (kind !== 'category' || !entries.every((entry) => entry === 0)) continue;
      const levels = positions.map((position) => `'${names[position]!.slice(name.length + 1)}'`).join(', ');
      throw new InvalidInputError(
        `Row index ${i} has a level of '${name}' that was not fitted, which had ${levels}. Correct it, make it missing (\`allowAbsent: true\`), leave the row out, or fit again with rows of that level.`,
        { code: 'unknownName', subject: name },
      );
    }
  }
}
