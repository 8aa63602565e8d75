import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkEntries, checkNumbers } from '../../core/observations.ts';
import { checkOptions, unknownName } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import { columnsByName, rowsOf } from '../../core/rowMatrices.ts';
import type { LatentPlace, PredictedLatents, ProjectOptions } from '../abilities.ts';
import type { AnyPosterior, PlacedRows, PlaceMode, Prediction } from '../posterior.ts';
import { type FittedVariables, fittedVariables, withRows } from './derived.ts';
import type { FittedGraph, RowsByName, VariableWidth } from './fittedGraph.ts';
import { joinedColumns } from './graph.ts';

/** Rows of variables by their names, as they are given. */
export type GivenRows = Readonly<Record<string, MatrixLike | undefined>>;

/** New rows in their place: the shown variable, and all that are latent. */
export interface PlacedVariables extends PlacedRows {
  readonly values: RowsByName;
}

/** Searches behind these abilities, loaded on first use. */
export interface RowSearches {
  /** Places rows of a model with one latent variable. */
  plainly(rows: MatrixLike | GivenRows, options: ProjectOptions, caller: string): Promise<PlacedRows>;
  /** Places rows of any other. */
  byVariables(rows: RowsByName, options: ProjectOptions, caller: string): Promise<PlacedVariables>;
  /**
   * Predictions of `columns` columns over what is known of the places of rows.
   *
   * @param at - predictions where rows lie, which rows without modes keep
   * @param predict - predictions at points, each of the row of that number
   */
  over(
    modes: readonly (readonly PlaceMode[])[],
    at: Prediction,
    predict: (X: Matrix, rows: readonly number[]) => Prediction,
  ): Promise<Prediction>;
  geodesic(view: unknown, from: LatentPlace, to: LatentPlace, steps: number): Promise<Matrix>;
}

/** Abilities of fits of a model of variables, by the names of these. */
export type VariableAbilities = (variables: FittedVariables, plain: Plain, searches: RowSearches) => object;

/** Abilities of fits of a custom model. */
export function namedPosterior(of: FittedGraph): AnyPosterior {
  const variables = fittedVariables(of);
  return Object.defineProperties(withRows(of, variables, false), {
    variables: { value: variables, enumerable: true },
    abilities: { value: abilitiesByName, enumerable: true },
  });
}

type AnyFunction = (...given: never[]) => unknown;
/** Abilities that take matrices, of models with one latent variable. */
type Plain = Readonly<Partial<Record<string, unknown>>>;

const predictOptions = v.strictObject({ noise: v.optional(v.boolean(), false), view: v.optional(v.any()) });
const interpolateOptions = v.strictObject({
  view: v.optional(v.any()),
  along: v.optional(v.picklist(['line', 'geodesic'], "'line' or 'geodesic'"), 'line'),
});
const sampleOptions = v.strictObject({
  seed: v.optional(v.number('a whole number'), 0),
  noise: v.optional(v.boolean(), true),
  view: v.optional(v.any()),
});

/** True for rows by name, as against a matrix or a table. */
const isNamed = (given: unknown): given is GivenRows =>
  typeof given === 'object' &&
  given !== null &&
  Object.getPrototypeOf(given) === Object.prototype &&
  !('observations' in given) &&
  !('data' in given && 'rows' in given);

/**
 * What fits of a model of variables can do by the names of these, beside what they can do with matrices.
 *
 * @param plain - what they can do with matrices, where new rows have one latent variable
 */
const abilitiesByName: VariableAbilities = (variables, plain, searches) => {
  const { observed, known, latents, roots, missing, values } = variables;
  const shown = values[variables.shown]!;

  const place = async (given: GivenRows, options: ProjectOptions, caller: string): Promise<PlacedVariables> => {
    const rows = rowsGiven(given, [...observed, ...known], caller, observed);
    variables.checkRows(rows);
    const absent = known.find(({ name }) => rows[name] === undefined);
    if (absent !== undefined) throw needs(caller, absent);
    if (!observed.some(({ name }) => rows[name] !== undefined)) {
      throw new InvalidInputError(
        `${caller} takes rows of at least one observed variable (${listed(observed)}), but none were given.`,
      );
    }
    if (plain.project !== undefined) {
      const given = observed.length === 1 ? rows[observed[0]!.name]! : rows;
      const projected = await searches.plainly(given, options, caller);
      const own = { [variables.shown]: projected.latents };
      return { ...projected, values: { ...own, ...variables.computed({ ...rows, ...own }) } };
    }
    return searches.byVariables(rows, options, caller);
  };
  /** Named rows of the only observed variable, for a model that has one. */
  const asNamed = (given: unknown, caller: string): GivenRows => {
    if (isNamed(given)) return given;
    if (observed.length === 1) return { [observed[0]!.name]: given as MatrixLike };
    throw new InvalidInputError(
      `${caller} takes rows by name, such as { ${observed[0]!.name}: Y }, but ${describe(given)} was given.`,
    );
  };
  const own = Object.fromEntries(Object.entries(values).filter(([name]) => !(name in variables.observations)));
  const ofNewRows = Object.fromEntries(Object.entries(own).filter(([name]) => variables.rowNames.has(name)));
  const atValues = (given: GivenRows, caller: string): RowsByName => {
    const rows = rowsGiven(given, [...latents, ...known, ...widthsOf(ofNewRows)], caller);
    const absent = [...rootWidths(), ...known].find(({ name }) => rows[name] === undefined);
    if (absent !== undefined) throw needs(caller, absent);
    return rows;
  };
  const rootWidths = () => latents.filter(({ name }) => roots.includes(name));
  const namedLatents = (given: unknown, caller: string): GivenRows => {
    if (isNamed(given)) return given;
    const needed = [...rootWidths(), ...known];
    if (needed.length === 1) return { [needed[0]!.name]: given as MatrixLike };
    throw new InvalidInputError(
      `${caller} takes rows by name, of ${listed(needed)}, but ${describe(given)} was given.`,
    );
  };
  const only = <T>(found: Readonly<Record<string, T>>, caller: string, view?: unknown): T => {
    const name = view ?? (observed.length === 1 ? observed[0]!.name : undefined);
    if (typeof name === 'string' && found[name] !== undefined) return found[name];
    throw new InvalidInputError(
      `${caller} takes rows by name, or which variable is meant: { view: '${observed[0]!.name}' } (there are ${listed(observed)}).`,
    );
  };
  const canPredict = !('predict' in missing);
  const canProject = !('project' in missing);
  const path = (from: LatentPlace, to: LatentPlace, steps: number) => pathBetween(variables, from, to, steps);

  return {
    values: Object.freeze(own),
    ...(Object.keys(variables.fields).length > 0 && { field: (name: string) => fieldOf(variables, name) }),
    ...(canProject && {
      project: async (given: unknown, options: ProjectOptions = {}) => {
        if (!isNamed(given) && plain.project !== undefined) {
          return (plain.project as AnyFunction)(given as never, options as never);
        }
        const { places: _, ...projected } = await place(asNamed(given, 'project'), options, 'project');
        return projected;
      },
    }),
    ...(canPredict && {
      predict: (given: unknown, options: object = {}) => {
        if (!isNamed(given) && plain.predict !== undefined) {
          return (plain.predict as AnyFunction)(given as never, options as never);
        }
        const { noise, view } = checkOptions(predictOptions, options, 'predict');
        const found = variables.predict(atValues(namedLatents(given, 'predict'), 'predict'), noise);
        return isNamed(given) ? found : only(found, 'predict', view);
      },
      interpolate: (from: LatentPlace, to: LatentPlace, steps: number, options: object = {}) => {
        const { view, along } = checkOptions(interpolateOptions, options, 'interpolate');
        const straight = path(from, to, steps);
        const predicted = (rows: RowsByName): PredictedLatents => {
          const prediction = only(variables.predict(rows, false), 'interpolate', view);
          return { latents: rows[variables.shown] ?? variables.computed(rows)[variables.shown]!, ...prediction };
        };
        if (along === 'line') return predicted(straight);
        return searches
          .geodesic(view, from, to, steps)
          .then((points) => predicted({ [variables.roots[0] ?? variables.shown]: points }));
      },
    }),
    ...(!('sample' in missing) && {
      sample: (given: unknown, options: object = {}) => {
        if (!isNamed(given) && plain.sample !== undefined) {
          return (plain.sample as AnyFunction)(given as never, options as never);
        }
        const { seed, noise, view } = checkOptions(sampleOptions, options, 'sample');
        const found = variables.sample(atValues(namedLatents(given, 'sample'), 'sample'), seededRandom(seed), noise);
        return isNamed(given) ? found : only(found, 'sample', view);
      },
    }),
    ...(canPredict &&
      canProject && {
        reconstruct: async (given: unknown, options: ProjectOptions = {}) => {
          if (!isNamed(given) && plain.reconstruct !== undefined) {
            return (plain.reconstruct as AnyFunction)(given as never, options as never);
          }
          const named = asNamed(given, 'reconstruct');
          const { predicted } = await predictedPlaces(named, options, 'reconstruct', true);
          const means = Object.fromEntries(
            observed.filter(({ name }) => named[name] !== undefined).map(({ name }) => [name, predicted[name]!.mean]),
          );
          return isNamed(given) ? means : only(means, 'reconstruct');
        },
        impute: async (given: unknown, options: ProjectOptions = {}) => {
          if (!isNamed(given) && plain.impute !== undefined) {
            return (plain.impute as AnyFunction)(given as never, options as never);
          }
          const named = asNamed(given, 'impute');
          const { predicted } = await predictedPlaces(named, options, 'impute', true);
          const filled = Object.fromEntries(
            observed
              .filter(({ name }) => named[name] !== undefined)
              .map(({ name }) => [name, completed(Matrix.from(named[name]!, name), predicted[name]!)]),
          );
          return isNamed(given) ? filled : only(filled, 'impute');
        },
        ...(observed.length > 1 && {
          translate: async (given: GivenRows, to: string, options: ProjectOptions = {}) => {
            const target = observed.find(({ name }) => name === to);
            if (target === undefined)
              throw unknownName(
                'variable',
                to,
                observed.map(({ name }) => name),
                'translate',
              );
            const { predicted, placed } = await predictedPlaces(given, options, 'translate', false);
            return { latents: placed.latents, ...predicted[to]! };
          },
        }),
      }),
    ...(!('forecast' in missing) && {
      forecast: (steps: number) => {
        const future = futureRows(shown, variables.next!, steps);
        const found = variables.predict({ [variables.shown]: future }, false);
        return { latents: future, ...(observed.length === 1 ? found[observed[0]!.name] : found) };
      },
    }),
  };

  async function predictedPlaces(given: GivenRows, options: ProjectOptions, caller: string, noise: boolean) {
    const placed = await place(given, options, caller);
    const rows: Record<string, Matrix> = { ...placed.values };
    for (const { name } of known) rows[name] = Matrix.from(given[name]!, name);
    const at = variables.predict(rows, noise);
    return {
      placed,
      predicted: placed.places === undefined ? at : await overPlaces(await placed.places(), rows, at, noise),
    };
  }

  /** Predictions over what is known of the places of rows, at those where they are computed. */
  async function overPlaces(
    modes: readonly (readonly PlaceMode[])[],
    rows: RowsByName,
    at: Readonly<Record<string, Prediction>>,
    noise: boolean,
  ): Promise<Readonly<Record<string, Prediction>>> {
    const names = Object.keys(at);
    const widths = names.map((name) => ({ name, columns: at[name]!.mean.columns }));
    const besides = (found: Readonly<Record<string, Prediction>>): Prediction => {
      const joined = (of: 'mean' | 'variance') => joinedColumns(names.map((name) => found[name]![of]));
      return { mean: joined('mean'), variance: joined('variance') };
    };
    const over = await searches.over(modes, besides(at), (X, numbers) => {
      const points: Record<string, Matrix> = columnsByName(X, latents);
      for (const { name } of known) points[name] = rowsOf(rows[name]!, numbers);
      return besides(variables.predict(points, noise));
    });
    const [mean, variance] = [columnsByName(over.mean, widths), columnsByName(over.variance, widths)];
    return Object.fromEntries(names.map((name) => [name, { mean: mean[name]!, variance: variance[name]! }]));
  }
};

/** A random field over the points, as its fit shows it. */
function fieldOf({ fields }: FittedVariables, name: string) {
  const own = fields[name];
  if (own === undefined) throw unknownName('random field', name, Object.keys(fields), 'field');
  const { graph, field, kktResidual, multipliers } = own();
  return Object.freeze({
    graph,
    multipliers,
    kktResidual,
    precision: () => field.precision(),
    covariance: () => field.covariance(),
    impute: (Y: MatrixLike) => field.impute(checkEntries(Matrix.from(Y, 'Y'), 'Y', Number.isNaN)),
  });
}

const listed = (of: readonly VariableWidth[]) =>
  of.map(({ name, columns }) => `'${name}' (${columns} wide)`).join(', ');

const widthsOf = (values: RowsByName): VariableWidth[] =>
  Object.entries(values).map(([name, { columns }]) => ({ name, columns }));

const needs = (caller: string, { name, columns }: VariableWidth) =>
  new InvalidInputError(`${caller} needs rows of '${name}' too, n×${columns}. Give them by name: { ${name}: … }.`);

/** Rows by name, checked: names, widths, entries, and that all have the same number of rows. */
function rowsGiven(
  given: GivenRows,
  allowed: readonly VariableWidth[],
  caller: string,
  holed: readonly VariableWidth[] = [],
): RowsByName {
  const found: Record<string, Matrix> = {};
  let count: number | undefined;
  for (const [name, rows] of Object.entries(given)) {
    if (rows === undefined) continue;
    const width = allowed.find((one) => one.name === name);
    if (width === undefined) throw unknownName('variable', name, [...new Set(allowed.map((one) => one.name))], caller);
    const matrix = Matrix.from(rows, `'${name}'`);
    if (matrix.columns !== width.columns) {
      throw new InvalidInputError(
        `${caller} takes '${name}' with ${width.columns} columns, but a ${matrix.rows}×${matrix.columns} matrix was given.`,
      );
    }
    count ??= matrix.rows;
    if (matrix.rows !== count) {
      throw new InvalidInputError(
        `${caller} takes as many rows of '${name}' as of the other variables, ${count}, but ${matrix.rows} were given.`,
      );
    }
    found[name] = holed.some((one) => one.name === name)
      ? checkEntries(matrix, `'${name}'`, Number.isNaN)
      : checkNumbers(matrix, `'${name}'`);
  }
  return found;
}

/** Observed entries themselves, without variance, and predictions of the others. */
function completed(Y: Matrix, { mean, variance }: Prediction): Prediction {
  return {
    mean: new Matrix(
      Y.data.map((entry, i) => (Number.isNaN(entry) ? mean.data[i]! : entry)),
      Y.rows,
      Y.columns,
    ),
    variance: new Matrix(
      Y.data.map((entry, i) => (Number.isNaN(entry) ? variance.data[i]! : 0)),
      Y.rows,
      Y.columns,
    ),
  };
}

/** Values of root and known variables on the way between two points, along the charts on which they lie; a value that stands for a row of a plate is that of the nearer end. */
function pathBetween(
  { values, roots, known, indices, charts, latents }: FittedVariables,
  from: LatentPlace,
  to: LatentPlace,
  steps: number,
): RowsByName {
  if (!Number.isInteger(steps) || steps < 2) {
    throw new InvalidInputError(`interpolate takes a whole number of steps from 2, but ${describe(steps)} was given.`);
  }
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

function endOf(rows: Matrix, name: string, end: LatentPlace, isOnly: boolean): Float64Array {
  if (typeof end === 'number') {
    if (Number.isInteger(end) && end >= 0 && end < rows.rows) return Float64Array.from(rows.row(end));
    throw new InvalidInputError(
      `interpolate takes the number of a point from 0 to ${rows.rows - 1}, but ${describe(end)} was given.`,
    );
  }
  const point = Float64Array.from(end ?? []);
  if (isOnly && point.length === rows.columns && point.every(Number.isFinite)) return point;
  throw new InvalidInputError(
    isOnly
      ? `interpolate takes a point of '${name}' as ${rows.columns} finite numbers, but ${describe(end)} was given.`
      : 'interpolate takes numbers of fitted points where a model has several variables that a path goes through.',
  );
}

/** Rows that follow the last one, each from all before it. */
function futureRows(shown: Matrix, next: (before: Matrix) => Matrix, steps: number): Matrix {
  if (!Number.isInteger(steps) || steps < 1) {
    throw new InvalidInputError(`forecast takes a whole number of steps from 1, but ${describe(steps)} was given.`);
  }
  const { columns } = shown;
  const future = Matrix.zeros(steps, columns);
  let data = shown.data;
  for (let k = 0; k < steps; k++) {
    const row = next(new Matrix(data, data.length / columns, columns));
    future.data.set(row.data, k * columns);
    const longer = new Float64Array(data.length + columns);
    longer.set(data);
    longer.set(row.data, data.length);
    data = longer;
  }
  return future;
}
