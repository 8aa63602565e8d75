import { differInUnits, InvalidInputError, type Matrix, type ModelOptions } from '../../index.ts';
import { type ReadTableOptions, type StandardizedColumns, standardize, type Table } from '../io/index.ts';
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
import { isFile, readLabeledTable, type TableArguments, tableOptions } from './tableFlags.ts';
import { list, notesOf, tableReport } from './tableReport.ts';

/** Arguments about the table of a model. */
type ModelTableArguments = TableArguments &
  FlaggedOptions &
  TimeArguments & { readonly color?: string; readonly json?: boolean };

/** A table in the form that a model takes. */
interface PreparedTable {
  /** N×D, in the units of the fit. */
  readonly observations: Matrix;
  /** Conversion to the units of the table. */
  readonly units: StandardizedColumns | undefined;
  readonly options: ModelOptions;
  readonly notes: readonly string[];
}

/** Reads a table with its labels, and reports on stderr what is done with its columns. */
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
 * Reads the table of a model and brings it into the form that the model takes, with notes on stderr.
 *
 * @throws InvalidInputError like `readTable` and `preparedTable`
 */
export async function modelTable(
  data: string,
  options: ModelOptions,
  given: ModelTableArguments,
  streams: Context,
): Promise<Omit<PreparedTable, 'notes'> & { readonly table: Table }> {
  const { model, json, color, time, sequence: column, missing } = given;
  if (missing === 'ignore') checkTakesMissing(model);
  const reading = Object.entries({ color, time, sequence: column }).filter(([, name]) => name !== undefined);
  const table = await reportedTable(data, given, streams, Object.fromEntries(reading));
  const sequence = sequenceOf(table, given);
  const { notes, ...prepared } = preparedTable(table, options, given);
  writeLines(streams.stderr, [
    ...sizeNotes(model, table.observations.rows, options),
    ...sequence.lines.filter((line) => !json || line.startsWith('note:')),
    ...notes,
  ]);
  return { ...prepared, table, options: withSegments(prepared.options, sequence.segments) };
}

/**
 * Options of the model for a table with missing entries or columns in different units, and the observations as the model takes them.
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
      ...((needsDim(model) || columns.length === 1) && { latentDim: Math.min(2, columns.length) }),
      ...options,
      ...(hasHoles && isModelName(model) && { missing: 'ignore' }),
      ...(hasScale && (divides || given.scale === false) && { scale: divides }),
    },
    notes: isUnequal ? [unitsNote(observations, columns, divides)] : [],
  };
}

/** Which columns deviate least and most, and what is done about it. */
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

function refusedHoles({ observations, columns }: Table, model: string): InvalidInputError {
  const { data, rows } = observations;
  const count = data.filter(Number.isNaN).length;
  const holed = columns.filter((_, j) => observations.column(j).some(Number.isNaN));
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
