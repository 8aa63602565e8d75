import { differInUnits, InvalidInputError, type Matrix, type ModelOptions } from '../../index.ts';
import { type StandardizedColumns, standardize, type Table } from '../io/index.ts';
import { isModelName, LABELED_MODELS, modelsWith, takesOption } from './modelHelp.ts';
import { list } from './tableReport.ts';

/** Flags on how a table is brought into the form that a model takes. */
export interface PreparationArguments {
  readonly model: string;
  readonly missing?: string;
  readonly standardize?: boolean;
  /** False for `--no-scale`. */
  readonly scale?: boolean;
}

/** Models that determine the number of dimensions from the data where it is not given. */
const CHOOSES_DIM: ReadonlySet<string> = new Set(['ppca', 'lda', 'kernelLda']);

/** A table in the form that a model takes. */
interface PreparedTable {
  /** N×D, in the units of the fit. */
  readonly observations: Matrix;
  /** Conversion to the units of the table. */
  readonly units: StandardizedColumns | undefined;
  readonly options: ModelOptions;
  readonly notes: readonly string[];
}

/**
 * Options of the model for a table with missing entries or columns in different units, and the observations as the model takes them.
 *
 * @throws InvalidInputError for missing entries that the model cannot use, and flags that contradict each other
 */
export function preparedTable(table: Table, options: ModelOptions, given: PreparationArguments): PreparedTable {
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
      ...(!CHOOSES_DIM.has(model) && { latentDim: Math.min(2, columns.length) }),
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
