import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import { namedOptions } from '../../core/options.ts';

/** Interval of observations: `above` and `below` are excluded, `from` and `to` included; unbounded on a side without a bound. */
export interface ObservationInterval {
  readonly above?: number;
  readonly from?: number;
  readonly below?: number;
  readonly to?: number;
}

/** Possible values of an observed entry. */
export type DensitySupport = 'real' | 'counts' | ObservationInterval | readonly number[];

/** Possible observations of a density. */
export interface ObservationSupport {
  /** Owner of the support, such as "likelihood 'poisson'". */
  readonly of: string;
  /** Its values, if the definition specifies them. */
  readonly values?: DensitySupport | undefined;
  /** Description of valid observations if this one is not valid, in a row of this mean (NaN if an entry is missing); otherwise undefined. */
  readonly refuses: (y: number, rowMean: number) => string | undefined;
  /**
   * Throws if an observation is outside of the support, or would be changed.
   *
   * @param rows - n×D, NaN where missing
   * @param isChanged - whether they will be centered or scaled
   * @param name - name of their variable
   */
  readonly check: (rows: Matrix, isChanged: boolean, name?: string) => void;
}

const EXPECTED =
  "'real', 'counts', an interval of a lower or an upper bound or both, such as { above: 0 } or { from: 0, to: 1 }, or a list of all values";

/** True for an interval, as opposed to a name or list of values. */
export const isInterval = (support: DensitySupport): support is ObservationInterval =>
  typeof support === 'object' && !Array.isArray(support);

/** Lower and upper bound of an interval. */
export function boundsOf({ above, from, below, to }: ObservationInterval) {
  return { low: above ?? from ?? Number.NEGATIVE_INFINITY, high: below ?? to ?? Number.POSITIVE_INFINITY };
}

/** A number within a support. */
export function interiorOf(support: DensitySupport = 'real'): number {
  if (!isInterval(support)) return Array.isArray(support) ? (support[0] as number) : 0;
  const { low, high } = boundsOf(support);
  if (Number.isFinite(low) && Number.isFinite(high)) return (low + high) / 2;
  return Number.isFinite(low) ? low + 1 : Number.isFinite(high) ? high - 1 : 0;
}

/**
 * The support specified by a definition.
 *
 * @throws InvalidInputError if it is invalid
 */
export function supportOf(of: string, given: DensitySupport = 'real'): ObservationSupport | undefined {
  const notSupport = (what: string) =>
    new InvalidInputError(`The support of ${of} is ${EXPECTED}, but ${what} was given.`);
  if (given === 'real') return undefined;
  if (given === 'counts') {
    return observationSupport(
      of,
      (y) => (Number.isInteger(y) && y >= 0 ? undefined : 'a count, a whole number from 0'),
      given,
    );
  }
  const areNumbers = (list: readonly unknown[]) => list.length > 0 && list.every(Number.isFinite);
  if (Array.isArray(given) && areNumbers(given)) {
    const values = Object.freeze([...(given as readonly number[])]);
    return observationSupport(of, (y) => (values.includes(y) ? undefined : `one of ${values.join(', ')}`), values);
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw notSupport(describe(given));
  }
  const interval = namedOptions(given as ObservationInterval, `the support of ${of}`, ['above', 'from', 'below', 'to']);
  const { above, from, below, to } = interval;
  const { low, high } = boundsOf(interval);
  const isOne = (above === undefined || from === undefined) && (below === undefined || to === undefined);
  if (!isOne || !areNumbers([above, from, below, to].filter((end) => end !== undefined)) || !(low < high)) {
    throw notSupport(JSON.stringify(given));
  }
  const ends = Object.entries({ above, from, below, to }).flatMap(([word, end]) =>
    end === undefined ? [] : `${word} ${end}`,
  );
  const refused = `a number ${ends.join(' ')}`;
  return observationSupport(
    of,
    (y) =>
      y >= low && y <= high && !(y === low && above !== undefined) && !(y === high && below !== undefined)
        ? undefined
        : refused,
    Object.freeze({ ...interval }),
  );
}

/** The support of observations that are not refused. */
export const observationSupport = (
  of: string,
  refuses: ObservationSupport['refuses'],
  values?: DensitySupport,
): ObservationSupport =>
  Object.freeze<ObservationSupport>({
    of,
    values,
    refuses,
    check: (rows, isChanged, name) => {
      if (isChanged) throw changedObservations(of);
      for (let i = 0; i < rows.rows; i++) {
        const row = rows.row(i);
        const mean = row.reduce((sum, entry) => sum + entry, 0) / rows.columns;
        row.forEach((entry, j) => {
          const expected = Number.isNaN(entry) ? undefined : refuses(entry, mean);
          if (expected === undefined) return;
          // A valid entry in an invalid row.
          const isRow = refuses(entry, 1) === undefined;
          const place = `${isRow ? `row index ${i}` : `entry [${i}][${j}]`}${name === undefined ? '' : ` of '${name}'`}`;
          throw new InvalidInputError(
            `An observation of ${of} is ${expected}, but ${place} is ${isRow ? 'not' : entry}. Correct it, leave the row out, or choose a density of such numbers.`,
            isRow ? { code: 'missingEntry' } : {},
          );
        });
      }
    },
  });

export const changedObservations = (of: string): InvalidInputError =>
  new InvalidInputError(
    `Observations of ${of} cannot be centered or scaled. Omit center and scale, or set them to false.`,
  );
