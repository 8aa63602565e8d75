import { differInUnits } from '../../core/index.ts';
import { InvalidInputError, type Matrix } from '../../index.ts';
import { knownRowsOf } from '../../inference/index.ts';
import { byKind, covariates, type ModelOptions, withKnownRows } from '../../models/index.ts';
import { type ReadTableOptions, type StandardizedColumns, standardize, type Table } from '../io/index.ts';
import type { Given } from './flags.ts';
import type { FlaggedOptions } from './jsonOptions.ts';
import {
  checkTakesMissing,
  isModelName,
  LABELED_MODELS,
  modelsWith,
  needsDim,
  sizeNotes,
  takesOption,
} from './modelHelp.ts';
import { sequenceOf, type TimeArguments, withSegments } from './sequence.ts';
import { type Context, writeLines } from './streams.ts';
import {
  type GIVEN,
  isFile,
  type KIND_FLAGS,
  type OFFSETS,
  readLabeledTable,
  type TableArguments,
  tableOptions,
  type WEIGHTS,
} from './tableFlags.ts';
import { list, notesOf, tableReport } from './tableReport.ts';

/** Arguments for the table of a model; without an explicit model, the table may determine it. */
type ModelTableArguments = TableArguments &
  FlaggedOptions &
  Partial<Given<typeof KIND_FLAGS> & Given<typeof OFFSETS> & Given<readonly [typeof WEIGHTS, typeof GIVEN]>> & {
    readonly isDefault?: boolean | undefined;
  } & TimeArguments & {
    readonly color?: string;
    readonly json?: boolean;
    /** Whether the table keeps its cells, so that it can be written with its missing entries filled in. */
    readonly keepCells?: boolean;
  };

/** Table in the form that a model requires. */
interface PreparedTable {
  /** Observations in the units of the fit, N×D. */
  readonly observations: Matrix;
  /** Conversion to the units of the table. */
  readonly units: StandardizedColumns | undefined;
  readonly options: ModelOptions;
  readonly notes: readonly string[];
}

/** Reads a table with its labels, and reports on stderr how its columns are treated. */
export async function reportedTable(
  data: string,
  given: TableArguments & { readonly labels?: string; readonly color?: string; readonly json?: boolean },
  { stderr }: Context,
  reading: ReadTableOptions = {},
): Promise<Table> {
  const table = await readLabeledTable(data, given.labels, { ...tableOptions(given), ...reading });
  const labels = given.labels === undefined || isFile(given.labels) ? undefined : given.labels;
  writeLines(stderr, given.json ? notesOf(table) : tableReport(data, table, labels, given.color));
  return table;
}

/**
 * Reads the table of a model and converts it to the form that the model requires, with notes on stderr.
 *
 * @throws InvalidInputError like `readTable` and `preparedTable`
 */
export async function modelTable(
  data: string,
  options: ModelOptions,
  given: ModelTableArguments,
  streams: Context,
): Promise<Omit<PreparedTable, 'notes'> & { readonly table: Table; readonly model: string }> {
  const { json, color, time, sequence: column, weights, offset, exposure, missing, keepCells } = given;
  if (missing === 'ignore') checkTakesMissing(given.model);
  const kinds = takesKinds(options, given);
  const reading = Object.entries({ color, time, sequence: column, weights, offset, exposure }).filter(
    ([, name]) => name !== undefined,
  );
  const table = await reportedTable(data, given, streams, {
    ...Object.fromEntries(reading),
    ...(keepCells && { keepCells }),
    ...(given.given && { given: [...given.given] }),
    ...(kinds && readingByKind(given)),
  });
  const hasCategories = table.columns.some((name, j) => name.includes('=') && isIndicator(table.observations, j));
  // An offset is for counts, which the default densities by kind model as such.
  const hasOffset = table.offset !== undefined && options.likelihood === undefined;
  if (kinds && (given.as !== undefined || hasCategories || hasOffset))
    return tableByKind(table, options, given, streams);
  const sequence = sequenceOf(table, given);
  const model = modelOf(table, options, given);
  const { notes, ...prepared } = preparedTable(table, options, { ...given, model });
  writeLines(streams.stderr, [
    ...(model === given.model
      ? []
      : [
          `note: the model is ${model}, which ${table.offset === undefined ? 'integrates over the positions of rows with missing entries' : 'takes an offset'} (--model names another).`,
        ]),
    ...sizeNotes(model, table.observations.rows, options),
    ...sequence.lines.filter((line) => !json || line.startsWith('note:')),
    ...notes,
  ]);
  return { ...prepared, table, model, options: withRows(table, withSegments(prepared.options, sequence.segments)) };
}

/** Options of a model with the weights, covariates and offset of the table's rows. */
const withRows = ({ weights, ...table }: Table, options: ModelOptions): ModelOptions =>
  withKnownRows({ ...options, ...(weights && { rowWeights: Array.from(weights) }) }, knownRowsOf(table));

/** @throws InvalidInputError for a built-in model without offsets, and for options that set one too */
export function checkOffset({ model, offset, exposure }: ModelTableArguments, options: ModelOptions): void {
  if ((offset ?? exposure) === undefined) return;
  const flag = exposure === undefined ? '--offset' : '--exposure';
  if (options.offset !== undefined) {
    throw new InvalidInputError(`Offsets are set both by ${flag} and by "offset" in --options. Give one.`);
  }
  if (takesOption(model, 'offset') !== false) return;
  throw new InvalidInputError(
    `${model} has no offset. Leave out ${flag}, or take one of ${modelsWith('offset').join(', ')}.`,
  );
}

/** @throws InvalidInputError for a built-in model without covariates, and for options that set them too */
export function checkCovariates({ model, given }: ModelTableArguments, options: ModelOptions): void {
  if (given === undefined) return;
  if (options.given !== undefined) {
    throw new InvalidInputError('Covariates are set both by --given and by "given" in --options. Give one.');
  }
  if (takesOption(model, 'given') !== false) return;
  throw new InvalidInputError(
    `${model} has no covariates. Leave out --given, or take one of ${modelsWith('given').join(', ')}.`,
  );
}

/** @throws InvalidInputError for a built-in model without weights of rows, and for options that set them too */
export function checkWeights({ model, weights }: ModelTableArguments, { rowWeights }: ModelOptions): void {
  if (weights === undefined) return;
  if (rowWeights !== undefined) {
    throw new InvalidInputError(
      'Weights of rows are set both by --weights and by "rowWeights" in --options. Give one.',
    );
  }
  if (takesOption(model, 'rowWeights') !== false) return;
  throw new InvalidInputError(
    `${model} has no weights of rows. Leave out --weights, or take one of ${modelsWith('rowWeights').join(', ')}.`,
  );
}

/** Models that support densities by the kinds of columns, and the default one for a table with categories or missing entries. */
const BY_KIND = ['gplvm', 'bayesianGplvm'];
const DEFAULT_BY_KIND = 'bayesianGplvm';
/** Options that can be combined with densities by kind. */
const BESIDE_KINDS = ['latentDim', 'inducing', 'missing', 'rowWeights'];

/**
 * Model of a table. By default, and unless an option requires another model, rows with missing entries whose points would follow the noise are
 * modeled with the latents integrated out; by default rows with an offset, too, as likelihoods of counts then need no other option.
 */
function modelOf({ observations, offset }: Table, options: ModelOptions, given: ModelTableArguments): string {
  const { model, isDefault, time, sequence, missing } = given;
  if (isDefault && offset !== undefined) return DEFAULT_BY_KIND;
  const isPlain = Object.entries(options).every(([name, value]) => value === undefined || BESIDE_KINDS.includes(name));
  const hasHoles = missing !== 'error' && observations.data.some(Number.isNaN);
  return isDefault && isPlain && hasHoles && time === undefined && sequence === undefined ? DEFAULT_BY_KIND : model;
}

/**
 * True if columns of text are read as categories, and all columns modeled by their kinds: the default unless flags set another density or another
 * form of the columns.
 *
 * @throws InvalidInputError for --as together with flags that exclude it
 */
function takesKinds(options: ModelOptions, given: ModelTableArguments): boolean {
  const { model, kinds, as, isDefault, standardize, scale, oneHot, rowSums, log1p, time, sequence } = given;
  const other = Object.entries(options).find(([name, value]) => value !== undefined && !BESIDE_KINDS.includes(name));
  const flags = { kinds: kinds === false, standardize, scale: scale === false, oneHot, rowSums, log1p, time, sequence };
  const flag = Object.entries(flags).find(([, value]) => value !== undefined && value !== false);
  if (as === undefined) {
    return (isDefault === true || model === DEFAULT_BY_KIND) && other === undefined && flag === undefined;
  }
  const beside = flag === undefined ? other && `\`${other[0]}\`` : `\`${flag[0]}\``;
  if (beside !== undefined) {
    throw new InvalidInputError(
      `--as models columns by their kinds, with --dim, --inducing, --missing, --given and --weights as its only options, but ${beside} was given. Leave one of them out.`,
    );
  }
  if (BY_KIND.includes(model)) return true;
  throw new InvalidInputError(
    `--as gives columns densities of their kinds, which ${model} does not have. Leave it out, or fit --model gplvm or bayesian-gplvm.`,
  );
}

/** Options for reading columns of text, and those selected by --as, as categories. */
function readingByKind({ as = {} }: ModelTableArguments): ReadTableOptions {
  const categories = Object.keys(as).filter((name) => as[name] === 'category');
  return { categories: 'auto', ...(categories.length > 0 && { oneHot: categories }) };
}

const isIndicator = (observations: Matrix, j: number) =>
  observations.column(j).every((entry) => entry === 0 || entry === 1 || Number.isNaN(entry));

/** Table whose columns have densities by kind. */
function tableByKind(table: Table, options: ModelOptions, given: ModelTableArguments, { stderr }: Context) {
  const { model, isDefault, as } = given;
  const chosen = isDefault === true ? DEFAULT_BY_KIND : model;
  const hasHoles = table.observations.data.some(Number.isNaN);
  writeLines(stderr, [
    ...sizeNotes(chosen, table.observations.rows, options),
    `note: columns have densities of their kinds${isDefault === true ? `, by ${chosen}` : ''}; categories have the probability of each level (--no-kinds leaves text out, --as sets other kinds).`,
  ]);
  return {
    ...{ table, model: chosen, observations: table.observations, units: undefined },
    options: {
      ...withRows(table, { latentDim: Math.min(2, table.columns.length), ...options }),
      ...(hasHoles && { missing: 'ignore' }),
      ...(table.given && { given: covariates(table.given.rows) }),
      columns: byKind(as === undefined ? {} : { as }),
    } as ModelOptions,
  };
}

/**
 * Options of the model for a table with missing entries or columns in different units, and the observations in the form that the model requires.
 *
 * @throws InvalidInputError for missing entries that the model cannot use, and flags that contradict each other
 */
export function preparedTable(
  table: Table,
  options: ModelOptions,
  given: Pick<FlaggedOptions, 'model' | 'standardize' | 'scale'>,
): PreparedTable {
  const { model } = given;
  const { observations, columns } = table;
  if (given.standardize && given.scale === false) {
    throw new InvalidInputError(
      '--standardize divides columns by their deviations, which --no-scale forbids. Give one.',
    );
  }
  const hasHoles = observations.data.some(Number.isNaN);
  if (hasHoles && takesOption(model, 'missing') === false) throw refusedHoles(table, model);
  const isOfDistances = options.input === 'distances' || (options.metric ?? 'euclidean') !== 'euclidean';
  const isAsked = given.standardize || options.scale !== undefined || options.likelihood !== undefined;
  const isUnequal = isModelName(model) && !isOfDistances && !isAsked && differInUnits(observations);
  const divides = isUnequal && given.scale !== false;
  const hasScale = takesOption(model, 'scale') === true;
  const units = given.standardize || (divides && !hasScale) ? standardize(observations) : undefined;
  return {
    observations: units?.apply(observations) ?? observations,
    units,
    options: {
      ...((needsDim(model) || (isModelName(model) && columns.length === 1)) && {
        latentDim: Math.min(2, columns.length),
      }),
      ...options,
      ...(hasHoles && isModelName(model) && { missing: 'ignore' }),
      ...(hasScale && (divides || given.scale === false) && { scale: divides }),
    },
    notes: isUnequal ? [unitsNote(observations, columns, divides)] : [],
  };
}

/** Note on the columns with the smallest and largest standard deviations, and their treatment. */
function unitsNote(observations: Matrix, columns: readonly string[], divides: boolean): string {
  const { deviation } = standardize(observations);
  const byDeviation = Array.from(deviation.keys())
    .filter((j) => !isConstant(observations.column(j)))
    .sort((i, j) => deviation[i]! - deviation[j]!);
  const [least, most] = [byDeviation[0]!, byDeviation.at(-1)!].map(
    (j) => `${Number(deviation[j]!.toPrecision(2))} ('${columns[j]}')`,
  );
  const range = `note: standard deviations of the columns run from ${least} to ${most}`;
  return divides
    ? `${range}: each column is divided by its own, and results are in the units of the table (--no-scale leaves columns as they are).`
    : `${range}, and columns of large deviation decide nearly alone (without --no-scale each is divided by its own).`;
}

const isConstant = (values: Float64Array): boolean => {
  const present = values.filter((value) => !Number.isNaN(value));
  return present.every((value) => value === present[0]);
};

function refusedHoles({ observations, columns: all, leftOut }: Table, model: string): InvalidInputError {
  const { rows } = observations;
  // The indicators of a category are one column of the file.
  const byColumn = new Map(
    all.map((name, j) => {
      const category = leftOut.find(({ column }) => name.startsWith(`${column}=`));
      return [category?.column ?? name, observations.column(j).filter(Number.isNaN).length];
    }),
  );
  const columns = [...byColumn.keys()];
  const count = [...byColumn.values()].reduce((sum, missing) => sum + missing, 0);
  const holed = columns.filter((name) => byColumn.get(name)! > 0);
  const places = `in ${holed.length === 1 ? 'column' : 'columns'} ${list(holed.map((name) => `'${name}'`))}`;
  const drop =
    holed.length < columns.length
      ? `Leave ${holed.length === 1 ? 'it' : 'them'} out (--drop '${holed.join(',')}'), or fit`
      : 'Fit';
  // Those that learn from labels would ask for these next.
  const able = modelsWith('missing').filter((name) => !LABELED_MODELS.includes(name));
  return new InvalidInputError(
    `${model} takes no missing entries, but ${count} of ${rows * columns.length} are missing, ${places}. ${drop} a model that takes them: --model ${able.slice(0, 3).join(', ')} or ${able[3] ?? able[2]}.`,
  );
}
