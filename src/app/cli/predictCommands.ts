import { resolve } from 'node:path';
import type { Command } from 'commander';
import { joinedColumns, savedObservations } from '../../core/index.ts';
import { elementary } from '../../engine/index.ts';
import { type Fit, InvalidInputError, Matrix, type Prediction, type Projection, predictLabels } from '../../index.ts';
import { chosenRows, knownRowsOf } from '../../inference/index.ts';
import { readMatchingTable, readTable, writeTable } from '../io/index.ts';
import { deviations, filesOfFit, filled, imputation, likeliest, momentsTable, readFit } from './fitFiles.ts';
import {
  addFlags,
  chosen,
  type Given,
  MISSING,
  NO_NOISE,
  PARTS,
  type PartsArguments,
  SEED,
  wholeFrom,
} from './flags.ts';
import { type Context, checkOut, OUTPUT_FLAGS, type OutputArguments, putTable, rowsNote } from './streams.ts';
import { fittedTable, TABLE_FLAGS } from './tableFlags.ts';
import { columnNames, dimensionNames, type TableRecord, unitsOf, varianceNames } from './tableReport.ts';

/** Optional methods of fits that commands use. */
export type Ability = 'predict' | 'project' | 'sample' | 'interpolate' | 'forecast';

/** Models whose fits have each method. */
const REMEDIES: Readonly<Record<Ability, string>> = {
  predict: 'A model with a map to the data can, such as gplvm.',
  project: 'Fit it to observations, or take another model.',
  sample: 'A Gaussian-process model can, such as gplvm.',
  interpolate: 'A model with a map to the data can, such as gplvm.',
  forecast: 'Its latents have no dynamics. Fit gplvm or tpslvm with --options \'{"dynamics": true}\'.',
};

/**
 * Method of a fit.
 *
 * @throws InvalidInputError if the fit does not have it
 */
export function ability<A extends Ability>(fit: Fit, name: A, purpose: string): NonNullable<Fit[A]> {
  const method = fit[name];
  if (method !== undefined) return method as NonNullable<Fit[A]>;
  throw new InvalidInputError(`This fit of ${fit.model} cannot ${purpose}. ${REMEDIES[name]}`);
}

const FIT = ['<dir>', 'folder of a fit'] as const;
const NEW_ROWS_FLAGS = [PARTS, MISSING, ...TABLE_FLAGS, ...OUTPUT_FLAGS] as const;
type NewRowsArguments = Given<typeof NEW_ROWS_FLAGS>;

/** Argument for a table of new rows. */
const NEW_ROWS = [
  '<data>',
  "new observations, one point per row, with the fitted columns, matched by name; '-' reads stdin",
] as const;

/** `project DIR DATA` */
export const defineProject = (command: Command, context: Context): Command =>
  addFlags(command.argument(...FIT).argument(...NEW_ROWS), ...NEW_ROWS_FLAGS).action(
    (folder: string, data: string, given: NewRowsArguments) => projectTable(folder, data, given, context),
  );

async function projectTable(folder: string, data: string, given: NewRowsArguments, streams: Context): Promise<void> {
  const { signal } = streams;
  const { fit, record } = await readFit(folder, given);
  const project = ability(fit, 'project', 'place new points');
  checkOut(given, [data, ...filesOfFit(folder)]);
  const units = unitsOf(record);
  const { table, observations } = await fittedTable(data, record, given, streams);
  const known = knownRowsOf(table);
  /** Places the first rows. */
  const placed = (rows: Matrix) =>
    project(rows, {
      signal,
      given: chosenRows(
        known,
        Array.from({ length: rows.rows }, (_, i) => i),
      ),
    });
  streams.stderr.write(await rowsNote(observations, 'placing', placed));
  const projection = await placed(observations);
  const { latents, latentVariances, logDensityAtPlace } = projection;
  const isIntegrated = logDensityAtPlace === undefined || projection.logDensity.some(Number.isFinite);
  const densityName = isIntegrated ? 'logDensity' : 'logDensityAtPlace';
  // Densities of standardized columns are converted to densities of the columns by the product of their deviations.
  const logDensity = (isIntegrated ? projection.logDensity : logDensityAtPlace).map(
    (density, i) => density - logDeviations(observations, i, units?.deviation),
  );
  const ids = idsIn(table);
  await putTable(
    streams,
    given,
    {
      matrix: joinedColumns([latents, ...(latentVariances ? [latentVariances] : []), column(logDensity)]),
      names: [...dimensionNames(latents), ...(latentVariances ? varianceNames(latents) : []), densityName],
      ids,
    },
    {
      model: fit.model,
      latents: latents.toArrays(),
      ...(latentVariances && { latentVariances: latentVariances.toArrays() }),
      [densityName]: Array.from(logDensity),
      ...(ids && { ids: ids.values }),
    },
  );
  if (given.json) return;
  streams.stderr.write(summary(fit.model, { latents, logDensity }));
  if (given.out !== undefined) streams.stderr.write(`wrote ${given.out}\n`);
}

/** `predict-labels DIR DATA` */
export const definePredictLabels = (command: Command, context: Context): Command =>
  addFlags(command.argument(...FIT).argument(...NEW_ROWS), ...NEW_ROWS_FLAGS).action(
    async (folder: string, data: string, given: NewRowsArguments) => {
      const { signal, stderr } = context;
      const { fit, record } = await readFit(folder, given);
      ability(fit, 'project', 'place new points');
      checkOut(given, [data, ...filesOfFit(folder)]);
      const { table, observations } = await fittedTable(data, record, given, context);
      const found = await predictLabels(fit, observations, { signal, given: knownRowsOf(table) });
      const { labels, classes, probabilities, leaveOneOut } = found;
      const ids = idsIn(table);
      const name = record?.labelColumn ?? 'label';
      await putTable(
        context,
        given,
        {
          matrix: probabilities,
          names: classes.map((one) => `${name}=${one}`),
          ids,
          labels: { name, values: labels },
        },
        {
          ...{ model: fit.model, labels, classes, probabilities: probabilities.toArrays(), leaveOneOut },
          ...(ids && { ids: ids.values }),
        },
      );
      if (given.json) return;
      stderr.write(
        `${fit.model}: ${leaveOneOut.points} labeled points predicted by the others: ${((1 - leaveOneOut.error) * 100).toFixed(1)} % right, mean log probability ${leaveOneOut.logScore.toFixed(3)}\n`,
      );
      if (given.out !== undefined) stderr.write(`wrote ${given.out}\n`);
    },
  );

/** Σ log deviation_j over the observed entries of a row. */
function logDeviations(Y: Matrix, row: number, deviation: Float64Array | undefined): number {
  if (deviation === undefined) return 0;
  return Y.row(row).reduce((sum, entry, j) => sum + (Number.isNaN(entry) ? 0 : elementary.log(deviation[j]!)), 0);
}

function summary(model: string, { latents, logDensity }: Projection): string {
  const mean = logDensity.reduce((sum, density) => sum + density, 0) / logDensity.length;
  const density = Number.isFinite(mean) ? `mean log density ${mean}` : 'which gives no density';
  return `${model}: ${latents.rows} points placed in latent dimension ${latents.columns}, ${density}\n`;
}

/** Matrix with a single column. */
const column = (values: Float64Array): Matrix => new Matrix(Float64Array.from(values), values.length, 1);

async function fitFor<A extends Ability>(
  folder: string,
  name: A,
  purpose: string,
  given: OutputArguments & PartsArguments,
  latents?: string,
) {
  const saved = await readFit(folder, given);
  const method = ability(saved.fit, name, purpose);
  checkOut(given, [latents, ...filesOfFit(folder)]);
  return { ...saved, method };
}

/** Latents passed to a command, or the latents of the fit with their ids. */
async function latentsOf(file: string | undefined, fit: Fit, record: TableRecord | undefined) {
  const { latents } = fit;
  if (file === undefined) return { X: latents, ids: idsOf(record, latents), given: knownRowsOf(fit) };
  const X = await readLatents(file, latents.columns);
  return { X, ids: undefined, given: await covariatesOf(file, X, record) };
}

/** Covariates and offsets of latent points, from the columns of the same table that were fitted as such. */
async function covariatesOf(file: string, X: Matrix, record: TableRecord | undefined) {
  if ((record?.covariates ?? record?.offset) === undefined) return undefined;
  if (file === '-') {
    throw new InvalidInputError(
      'Latent points with covariates are read from a file, not from standard input. Give its name.',
    );
  }
  const known = { columns: dimensionNames(X), isNamed: true, others: [] };
  return knownRowsOf(
    await readMatchingTable(file, { ...known, covariates: record?.covariates, offset: record?.offset }),
  );
}

const LATENTS = ['[latents]', "a table of columns x1 … xq; '-' reads stdin (default: the latents of the fit)"] as const;
const PREDICT_FLAGS = [PARTS, NO_NOISE, ...OUTPUT_FLAGS] as const;
const SAMPLE_FLAGS = [SEED, ...PREDICT_FLAGS] as const;
const INTERPOLATE_FLAGS = [
  ['--from <point>', '(required) a point: its id, or the number of its row from 0'],
  ['--to <point>', '(required) another point'],
  ['--steps <n>', 'number of predicted rows, both ends of the path included', wholeFrom(2), 10],
  [
    '--geodesic',
    'the shortest path in the space of the observations, which stays close to the data, instead of the straight line',
  ],
  ...PREDICT_FLAGS,
] as const;
const DRAWS = ['--draws <n>', 'draws of the path of the latents (default: 256)', wholeFrom(2)] as const;
const FORECAST_FLAGS = [['--steps <n>', 'number of predicted rows', wholeFrom(1), 10], DRAWS, ...SAMPLE_FLAGS] as const;

/** `predict DIR` */
export const definePredict = (command: Command, streams: Context): Command =>
  addFlags(command.argument(...FIT).argument(...LATENTS), ...PREDICT_FLAGS).action(
    async (folder: string, latents: string | undefined, given: Given<typeof PREDICT_FLAGS>) => {
      const { fit, record, method } = await fitFor(folder, 'predict', 'predict observations', given, latents);
      const { X, ids, given: beside } = await latentsOf(latents, fit, record);
      const prediction = method(X, { ...chosen(given, NO_NOISE), given: beside });
      await putPrediction(streams, given, fit, record, prediction, { ids });
    },
  );

/** `interpolate DIR` */
export const defineInterpolate = (command: Command, streams: Context): Command =>
  addFlags(command.argument(...FIT), ...INTERPOLATE_FLAGS).action(
    async (folder: string, given: Given<typeof INTERPOLATE_FLAGS>) => {
      const { fit, record, method } = await fitFor(folder, 'interpolate', 'interpolate', given);
      const [from, to] = [given.from!, given.to!].map((point) => rowOf(point, record, fit.latents.rows)) as [
        number,
        number,
      ];
      const noise = chosen(given, NO_NOISE);
      const found = given.geodesic
        ? await method(from, to, given.steps, { along: 'geodesic', ...noise })
        : method(from, to, given.steps, noise);
      await putPrediction(streams, given, fit, record, found, { latents: found.latents });
    },
  );

/** `forecast DIR` */
export const defineForecast = (command: Command, streams: Context): Command =>
  addFlags(command.argument(...FIT), ...FORECAST_FLAGS).action(
    async (folder: string, given: Given<typeof FORECAST_FLAGS>) => {
      const { fit, record, method } = await fitFor(folder, 'forecast', 'forecast', given);
      const found = method(given.steps, chosen(given, DRAWS, SEED, NO_NOISE));
      await putPrediction(streams, given, fit, record, found, { latents: found.latents });
    },
  );

/** `sample DIR` */
export const defineSample = (command: Command, streams: Context): Command =>
  addFlags(command.argument(...FIT).argument(...LATENTS), ...SAMPLE_FLAGS).action(
    async (folder: string, latents: string | undefined, given: Given<typeof SAMPLE_FLAGS>) => {
      const { fit, record, method } = await fitFor(folder, 'sample', 'draw observations', given, latents);
      const { X, ids, given: beside } = await latentsOf(latents, fit, record);
      const drawn = method(X, { ...chosen(given, SEED, NO_NOISE), given: beside });
      const matrix = unitsOf(record)?.undo(drawn) ?? drawn;
      const names = columnNames(record, matrix.columns);
      await put(
        streams,
        given,
        { matrix, names, ids },
        { model: fit.model, columns: names, sample: matrix.toArrays() },
      );
    },
  );

const IMPUTE_FLAGS = [
  PARTS,
  ...TABLE_FLAGS,
  [
    '--deviations <file>',
    'write standard deviations and means there, with the probability of each level of a category',
  ],
  ...OUTPUT_FLAGS,
] as const;

/** `impute DIR` */
export const defineImpute = (command: Command, streams: Context): Command =>
  addFlags(
    command
      .argument(...FIT)
      .argument(
        '<data>',
        "a table with the columns that were fitted: the training points, or new ones; '-' reads stdin",
      ),
    ...IMPUTE_FLAGS,
  ).action(async (folder: string, data: string, given: Given<typeof IMPUTE_FLAGS>) => {
    const { fit, record } = await readFit(folder, given);
    const inputs = [data, ...filesOfFit(folder)];
    checkOut(given, inputs);
    checkOut({ ...given, out: given.deviations }, inputs, '--deviations');
    if (given.out !== undefined && given.deviations !== undefined && resolve(given.out) === resolve(given.deviations)) {
      throw new InvalidInputError('--out and --deviations are the same file. Give two.');
    }
    const reading = { ...given, missing: 'ignore', keepCells: true } as const;
    const { table, observations } = await fittedTable(data, record, reading, streams);
    const prediction = await imputation(fit, observations, isFitted(fit, observations), knownRowsOf(table));
    if (prediction === undefined) {
      throw new InvalidInputError(
        `This fit of ${fit.model} cannot fill in missing entries. Fit ppca, gplvm, bayesianGplvm or meu.`,
      );
    }
    const completed = filled(observations, prediction, unitsOf(record));
    const { mean, deviation } = completed;
    const names = columnNames(record, mean.columns);
    if (given.deviations !== undefined) {
      const { matrix, names: both } = momentsTable(completed, names);
      const ids = idsIn(table);
      await writeTable(given.deviations, matrix, both, undefined, {
        ...(ids && { ids }),
        replace: given.force === true,
      });
    }
    await put(
      streams,
      given,
      (format) => table.completedText!(likeliest(mean, fit, { columns: names }), format),
      { model: fit.model, columns: names, mean: mean.toArrays(), deviation: deviation.toArrays() },
      given.deviations,
    );
  });

/** True if these are the fitted observations. */
function isFitted(fit: Fit, Y: Matrix): boolean {
  const fitted = savedObservations(fit.toJSON().model);
  return (
    fitted?.rows === Y.rows &&
    fitted.columns === Y.columns &&
    fitted.data.every((entry, k) => Object.is(entry, Y.data[k]))
  );
}

const deviationName = (name: string) => `${name} deviation`;

async function putPrediction(
  streams: Context,
  given: OutputArguments,
  fit: Fit,
  record: TableRecord | undefined,
  { mean, variance }: Prediction,
  { latents, ids }: { latents?: Matrix; ids?: ReturnType<typeof idsOf> },
): Promise<void> {
  const units = unitsOf(record);
  const means = units?.undo(mean) ?? mean;
  const spread = deviations(units?.undoVariance(variance) ?? variance);
  const names = columnNames(record, mean.columns);
  const before = latents === undefined ? [] : [latents];
  const places = before.flatMap(dimensionNames);
  // Observations may have a column named x1, too.
  const isTaken = places.some((name) => names.includes(name));
  await put(
    streams,
    given,
    {
      matrix: joinedColumns([...before, means, spread]),
      names: [...(isTaken ? places.map((name) => `latent ${name}`) : places), ...names, ...names.map(deviationName)],
      ids,
    },
    {
      model: fit.model,
      columns: names,
      ...(latents === undefined ? {} : { latents: latents.toArrays() }),
      mean: means.toArrays(),
      deviation: spread.toArrays(),
    },
  );
}

async function put(
  streams: Context,
  given: OutputArguments,
  ...[table, json, beside]: [Parameters<typeof putTable>[2], object, string?]
) {
  await putTable(streams, given, table, json, beside);
  if (given.json) return;
  for (const file of [given.out, beside]) if (file !== undefined) streams.stderr.write(`wrote ${file}\n`);
}

/** Ids of the rows of a table. */
const idsIn = ({ ids, idColumn }: Pick<TableRecord, 'ids' | 'idColumn'>) =>
  ids === undefined ? undefined : { name: idColumn ?? 'id', values: ids };

/** Ids of the training points, if latents belong to all rows. */
const idsOf = (record: TableRecord | undefined, X: Matrix) =>
  record?.ids?.length === X.rows ? idsIn(record) : undefined;

/** Index of a training point, by its id or else its number from 0. */
function rowOf(point: string, record: TableRecord | undefined, rows: number): number {
  const named = record?.ids?.indexOf(point) ?? -1;
  if (named >= 0) return named;
  const row = Number(point);
  if (/^\d+$/.test(point) && row < rows) return row;
  throw new InvalidInputError(`There is no point '${point}'. Give an id, or a number from 0 to ${rows - 1}.`);
}

/**
 * Reads latent points, n×q, from a table with columns x1 … xq, or with exactly q columns; `-` is standard input.
 *
 * @throws InvalidInputError if it has another number of columns
 */
async function readLatents(file: string, dimensions: number): Promise<Matrix> {
  const names = Array.from({ length: dimensions }, (_, d) => `x${d + 1}`);
  try {
    return (await readTable(file, { columns: names })).observations;
  } catch (error) {
    // Standard input cannot be read twice.
    if (!(error instanceof InvalidInputError) || file === '-') throw error;
  }
  const { observations } = await readTable(file, { columns: '*' });
  if (observations.columns === dimensions) return observations;
  throw new InvalidInputError(
    `'${file}' has ${observations.columns} columns, but the fit has ${dimensions} latent dimensions. Give the columns ${names.join(', ')}.`,
  );
}
