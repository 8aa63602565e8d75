import { cosh, exp, log, sinh } from '../core/elementary/index.ts';
import { LatentFieldError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { unknownName } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import { type Random, seededRandom } from '../core/random.ts';
import { doublesOf, matrixTensor } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import {
  type Conditional,
  type Density,
  type DensityContext,
  type DensityStart,
  parametersOf,
  type Rows,
} from '../model/language/density.ts';
import {
  boundsOf,
  type DensitySupport,
  isInterval,
  type ObservationInterval,
  type ObservationSupport,
} from '../model/language/support.ts';
import type { Batch, ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { valueTensors } from '../model/part.ts';
import { randomPoints } from './report.ts';

/** Rows of a variable and of its parents as plain numbers; `present` is 1 for observed entries of the value. */
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
  /** Same density at these values. */
  at(values: ParameterValues): DensityAt;
  /** Runs `work` with the density prepared for these rows. */
  with<T>(rows: PlainRows, work: (ready: ReadyDensity) => T, batch?: Batch): T;
  /** Log density of rows: one number, or one per row. */
  log(rows: PlainRows, batch?: Batch): Float64Array;
  /** log p of each new row given fitted rows; undefined if the density has none. */
  predictive(fitted: PlainRows, rows: PlainRows): Float64Array | undefined;
}

/**
 * Prepares a density at fixed parameter values.
 *
 * @param all - rows that initialize its parameters
 * @param given - values by name, instead of the initial ones
 * @param observationsOf - creates observations for a number of points
 * @throws InvalidInputError for an unknown parameter name
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
  const parameters = withFloat64(() => parametersOf(density, startOf(all, false)));
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
    at: (other) => densityAt(density, all, other, seed, observationsOf),
    with: (rows, work, batch) =>
      withFloat64(() => {
        const constants = density.prepare?.(startOf(rows, batch !== undefined));
        const memory = new Map<object, unknown>();
        const random = lazily(() => seededRandom(seed));
        const context: DensityContext = {
          constants,
          get random() {
            return random();
          },
          iteration: 0,
          values,
          ...(batch && { batch }),
          remember: (owner, make) => {
            if (!memory.has(owner)) memory.set(owner, make());
            return memory.get(owner) as ReturnType<typeof make>;
          },
          onJitter: () => {},
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

/** Conditional density of new rows. */
export const conditionOf = (density: Density, { p, rows, context }: ReadyDensity): Conditional =>
  density.condition?.(p, rows, { ...context, isCalibrated: false }) ?? {};

export const rowTensors = ({ value, given, present }: PlainRows): Rows => ({
  value: matrixTensor(value),
  given: given.map(matrixTensor),
  ...(present && { present: matrixTensor(present) }),
});

/** Matrix of the same shape, computed entry by entry. */
export const withEntries = ({ data, rows, columns }: Matrix, entry: (own: number, i: number) => number): Matrix =>
  new Matrix(data.map(entry), rows, columns);

/** Selected rows, in this order. */
export function chosenRows({ value, given, present }: PlainRows, numbers: readonly number[]): PlainRows {
  const of = (matrix: Matrix) => {
    const { columns } = matrix;
    const chosen = new Float64Array(numbers.length * columns);
    numbers.forEach((i, k) => {
      chosen.set(matrix.row(i), k * columns);
    });
    return new Matrix(chosen, numbers.length, columns);
  };
  return { value: of(value), given: given.map(of), ...(present && { present: of(present) }) };
}

/** Rows with one row of `others` appended. */
export function withRow(rows: PlainRows, others: PlainRows, number: number): PlainRows {
  const joined = (matrix: Matrix, other: Matrix) => Matrix.from([...matrix.toArrays(), Array.from(other.row(number))]);
  return {
    value: joined(rows.value, others.value),
    given: rows.given.map((one, i) => joined(one, others.given[i]!)),
  };
}

/** Copies of a row with these entries in one column; other entries are missing. */
export function alongColumn(rows: PlainRows, number: number, entries: Float64Array, column = 0): PlainRows {
  const { columns } = rows.value;
  const copies = chosenRows(rows, new Array<number>(entries.length).fill(number));
  const isThere = (i: number) => i % columns === column;
  return {
    given: copies.given,
    value: withEntries(copies.value, (_, i) => (isThere(i) ? entries[Math.floor(i / columns)]! : 0)),
    ...(columns > 1 && { present: withEntries(copies.value, (_, i) => (isThere(i) ? 1 : 0)) }),
  };
}

/** Support of an observation: any real number, a count from 0, one of some values, or an interval. */
export type Support = DensitySupport;

/** A count above all values in a list. */
const LARGE = 1000;

/** Support other than an interval. */
type DiscreteOrReal = Exclude<Support, ObservationInterval>;

/** Support of observations, as declared or inferred from rejected values. */
export const supportBy = ({ values, refuses }: Pick<ObservationSupport, 'values' | 'refuses'>): Support =>
  values ?? supportByRefusals(refuses);

/** Support of observations, derived from refused values. */
function supportByRefusals(refuses: ObservationSupport['refuses']): DiscreteOrReal {
  if (refuses(0.5, 1) === undefined) return 'real';
  if (refuses(LARGE, 1) === undefined) return 'counts';
  const list = Array.from({ length: LARGE }, (_, k) => k).filter((k) => refuses(k, 1) === undefined);
  return list.length === 0 ? 'real' : list;
}

/** True for real numbers and intervals, which are integrated over. */
export const isContinuous = (support: Support): support is 'real' | ObservationInterval =>
  support === 'real' || isInterval(support);

/** Change of variables from the real numbers u to a support, x(u) with log x′(u) and its inverse. */
interface Change {
  readonly at: (u: number) => number;
  readonly logSlope: (u: number) => number;
  readonly inverse: (x: number) => number;
}

const UNCHANGED: Change = { at: (u) => u, logSlope: () => 0, inverse: (x) => x };

function changeTo(support: 'real' | ObservationInterval): Change {
  if (support === 'real') return UNCHANGED;
  const { low, high } = boundsOf(support);
  if (Number.isFinite(low) && Number.isFinite(high)) {
    const width = high - low;
    const logistic = (u: number) => 1 / (1 + exp(-u));
    return {
      at: (u) => (u < 0 ? low + width * logistic(u) : high - width * logistic(-u)),
      logSlope: (u) => log(width) - Math.abs(u) - 2 * log(1 + exp(-Math.abs(u))),
      inverse: (x) => log((x - low) / (high - x)),
    };
  }
  const [end, sign] = Number.isFinite(low) ? [low, 1] : [high, -1];
  return { at: (u) => end + sign * exp(u), logSlope: (u) => u, inverse: (x) => log(sign * (x - end)) };
}

/** Random number in a support. */
export function randomEntry(support: Support, random: Random): number {
  if (isContinuous(support)) return changeTo(support).at(random.normal());
  return support === 'counts' ? random.integer(4) : support[random.integer(support.length)]!;
}

/** Node of an integral or a sum over observations, with its weight. */
interface SupportNode {
  /** For a real observation its distance from the function, otherwise the observation. */
  readonly value: number;
  readonly weight: number;
}

/** Number of counts that are summed. */
const COUNTS = 4000;

/**
 * Nodes and weights of a sum over all values, or of an integral over the reals whose integrand may have a corner or heavy tails at the function, by
 * the exp–sinh rule on either side of it.
 *
 * @param step - distance between nodes of the rule, which must divide 7.5
 *
 * @see Takahasi & Mori, Double exponential formulas for numerical integration, Publ. RIMS 9 (1974)
 */
function supportNodes(support: DiscreteOrReal, step = 1 / 20): SupportNode[] {
  if (support !== 'real') {
    const values = support === 'counts' ? Array.from({ length: COUNTS }, (_, k) => k) : support;
    return Array.from(values, (value) => ({ value, weight: 1 }));
  }
  return Array.from({ length: 7.5 / step + 1 }, (_, k) => -4 + k * step).flatMap((t) => {
    const value = exp((Math.PI / 2) * sinh(t));
    const weight = step * (Math.PI / 2) * cosh(t) * value;
    return [
      { value, weight },
      { value: -value, weight },
    ];
  });
}

/** Nodes and weights of expectations under the standard normal: the trapezoidal rule, which is exact up to rounding for smooth functions. */
export function normalNodes(): SupportNode[] {
  const step = 1 / 4;
  return Array.from({ length: 73 }, (_, k) => -9 + k * step).map((value) => ({
    value,
    weight: (step * exp(-0.5 * value * value)) / Math.sqrt(2 * Math.PI),
  }));
}

/** Integral with the mean and the variance of its normalized integrand. */
interface Integral {
  readonly total: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * Integral of exp(f) over real numbers or an interval, or its sum over counts or values: by the exp–sinh rule around its mode, in units of its width.
 * An interval is
 * the image of the real numbers, by the exponential or the logistic function.
 *
 * @param f - computes the values at nodes
 * @param near - initial value of the search for the mode
 * @throws LatentFieldError if f is NaN
 */
export function integrated(f: (x: Float64Array) => Float64Array, support: Support, near: number): Integral {
  if (!isContinuous(support)) return weighed(f, supportNodes(support), UNCHANGED);
  const change = changeTo(support);
  const first = change.inverse(near);
  let center = Number.isFinite(first) ? first : 0;
  let width = 1;
  for (let round = 0; round < 6; round++) {
    const nodes = placed(supportNodes('real'), center, width);
    const { mode, area } = weighed(f, nodes, change);
    const wide = area / Math.sqrt(2 * Math.PI);
    const isSettled = Math.abs(mode - center) <= 0.1 * wide && wide > 0.5 * width && wide < 2 * width;
    center = mode;
    width = wide;
    if (isSettled) break;
  }
  return weighed(f, placed(supportNodes('real', 1 / 40), center, width), change);
}

const placed = (nodes: readonly SupportNode[], center: number, width: number): SupportNode[] =>
  nodes.map(({ value, weight }) => ({ value: center + width * value, weight: width * weight }));

/** Moments of exp(f) at these nodes, which are overwritten by values; `area` is relative to the largest value, and `mode` is a node. */
function weighed(f: (x: Float64Array) => Float64Array, nodes: readonly SupportNode[], change: Change) {
  // A point that rounds to an end of the interval, or overflows, has no mass.
  const inside = change === UNCHANGED ? nodes : nodes.filter(({ value }) => isInside(value, change));
  const values = Float64Array.from(inside, ({ value }) => change.at(value));
  const densities = f(values);
  const at = densities.findIndex(Number.isNaN);
  if (at >= 0) throw new LatentFieldError(`the log density is not a number at ${values[at]}`);
  const heights = densities.map((density, k) => density + change.logSlope(inside[k]!.value));
  const highest = heights.reduce((most, height) => Math.max(most, height), Number.NEGATIVE_INFINITY);
  const top = heights.indexOf(highest);
  let [area, first, second] = [0, 0, 0];
  heights.forEach((height, k) => {
    const share = inside[k]!.weight * exp(height - highest);
    // Where the density underflows to 0, the square of the distance may overflow.
    if (!(share > 0)) return;
    const gap = values[k]! - values[top]!;
    area += share;
    first += share * gap;
    second += share * gap * gap;
  });
  const shift = first / area;
  return {
    mode: inside[top]!.value,
    area,
    total: area * exp(highest),
    mean: values[top]! + shift,
    variance: second / area - shift * shift,
  };
}

function isInside(u: number, { at }: Change): boolean {
  const x = at(u);
  return Number.isFinite(x) && x !== at(Number.NEGATIVE_INFINITY) && x !== at(Number.POSITIVE_INFINITY);
}
