import { Matrix } from '../core/matrix.ts';
import { unknownName } from '../core/options.ts';
import { seededRandom } from '../core/random.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { matrixTensor } from '../engine/tensors/matrixTensor.ts';
import type { Conditional, Density, DensityContext, DensityStart, Rows } from '../model/language/density.ts';
import type { Batch, ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { valueTensors } from '../model/part.ts';
import { randomPoints } from './report.ts';

/** Rows of a variable and of its parents as plain numbers; `present` is 1 where an entry of the value is observed. */
export interface PlainRows {
  readonly value: Matrix;
  readonly given: readonly Matrix[];
  readonly present?: Matrix;
}

/** A density with its constants, rows and parameter values as tensors. */
export interface ReadyDensity {
  readonly p: TensorMap;
  readonly rows: Rows;
  readonly context: DensityContext;
}

/** A density at fixed parameter values, called as a model would. */
export interface DensityAt {
  readonly density: Density;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly values: ParameterValues;
  /** Runs `work` with the density prepared for these rows. */
  with<T>(rows: PlainRows, work: (ready: ReadyDensity) => T, batch?: Batch): T;
  /** Log density of rows: one number, or one per row. */
  log(rows: PlainRows, batch?: Batch): Float64Array;
  /** log p of each new row given fitted rows; undefined if the density has none. */
  predictive(fitted: PlainRows, rows: PlainRows): Float64Array | undefined;
}

/**
 * Prepares a density at given parameter values.
 *
 * @param all - rows from which its parameters are initialised
 * @param given - values by name, in place of the initial ones
 * @param observationsOf - makes observations for a number of points
 * @throws InvalidInputError for a name that is not a parameter
 */
export function densityAt(
  density: Density,
  all: PlainRows,
  given: ParameterValues,
  seed: number,
  observationsOf = (rows: number) => randomPoints(rows, 5, seed + 1),
): DensityAt {
  const startOf = ({ value, given, present }: PlainRows, batched: boolean): DensityStart => ({
    variable: 'value',
    rows: value.rows,
    columns: value.columns,
    givenColumns: given.map(({ columns }) => columns),
    given: given.map((mean) => ({ mean })),
    data: present && withEntries(value, (entry, i) => (present.data[i] === 0 ? Number.NaN : entry)),
    observations: observationsOf(value.rows),
    isOnChart: false,
    seed,
    batched,
  });
  const parameters = withFloat64(() => density.parameters(startOf(all, false)));
  for (const name of Object.keys(given)) {
    if (name in parameters) continue;
    throw unknownName('parameter', name, Object.keys(parameters), `Density '${density.name}'`);
  }
  const initial = Object.entries(parameters).map(([name, parameter]) => [name, parameter.initial] as const);
  const values: ParameterValues = { ...Object.fromEntries(initial), ...given };
  const at: DensityAt = {
    density,
    parameters,
    values,
    with: (rows, work, batch) =>
      withFloat64(() => {
        const constants = density.prepare?.(startOf(rows, batch !== undefined));
        const memory = new Map<object, unknown>();
        const context: DensityContext = {
          constants,
          random: seededRandom(seed),
          iteration: 0,
          values,
          ...(batch && { batch }),
          isRough: false,
          remember: (owner, make) => {
            if (!memory.has(owner)) memory.set(owner, make());
            return memory.get(owner) as ReturnType<typeof make>;
          },
          onJitter: () => {},
          onRank: () => {},
        };
        try {
          return work({ p: valueTensors(values), rows: rowTensors(rows), context });
        } finally {
          const { dispose } = (constants ?? {}) as { dispose?: unknown };
          if (typeof dispose === 'function') dispose.call(constants);
        }
      }),
    log: (rows, batch) =>
      at.with(
        rows,
        (ready) => new Float64Array(doublesOf(density.logDensity(ready.p, ready.rows, ready.context))),
        batch,
      ),
    predictive: (fitted, rows) =>
      at.with(fitted, (ready) => {
        const { logPredictive } = conditionOf(density, ready);
        if (logPredictive !== undefined) return new Float64Array(doublesOf(logPredictive(rowTensors(rows))));
        const own = density.logDensity(ready.p, rowTensors(rows), ready.context);
        return own.rank === 1 ? new Float64Array(doublesOf(own)) : undefined;
      }),
  };
  return at;
}

/** The density's conditional for new rows. */
export const conditionOf = (density: Density, { p, rows, context }: ReadyDensity): Conditional =>
  density.condition?.(p, rows, context) ?? {};

export const rowTensors = ({ value, given, present }: PlainRows): Rows => ({
  value: matrixTensor(value),
  given: given.map(matrixTensor),
  ...(present && { present: matrixTensor(present) }),
});

/** A matrix of the same shape, computed entry by entry. */
export const withEntries = ({ data, rows, columns }: Matrix, entry: (own: number, i: number) => number): Matrix =>
  new Matrix(data.map(entry), rows, columns);

/** The rows with these indices, in this order. */
export function chosenRows({ value, given, present }: PlainRows, numbers: readonly number[]): PlainRows {
  const of = (matrix: Matrix) => Matrix.from(numbers.map((i) => Array.from(matrix.row(i))));
  return { value: of(value), given: given.map(of), ...(present && { present: of(present) }) };
}

/** Rows with one row of others appended. */
export function withRow(rows: PlainRows, others: PlainRows, number: number): PlainRows {
  const joined = (matrix: Matrix, other: Matrix) => Matrix.from([...matrix.toArrays(), Array.from(other.row(number))]);
  return {
    value: joined(rows.value, others.value),
    given: rows.given.map((one, i) => joined(one, others.given[i]!)),
  };
}

/** Copies of a row with these entries in the first column; other entries are missing. */
export function alongFirstColumn(rows: PlainRows, number: number, entries: Float64Array): PlainRows {
  const { columns } = rows.value;
  const copies = chosenRows(rows, new Array<number>(entries.length).fill(number));
  const isFirst = (i: number) => i % columns === 0;
  return {
    given: copies.given,
    value: withEntries(copies.value, (_, i) => (isFirst(i) ? entries[i / columns]! : 0)),
    ...(columns > 1 && { present: withEntries(copies.value, (_, i) => (isFirst(i) ? 1 : 0)) }),
  };
}
