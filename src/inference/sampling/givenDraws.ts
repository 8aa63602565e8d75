import { exp, log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkGiven, givenList, isList, readGiven } from '../../core/options.ts';
import { firstNotFinite } from '../../core/plainNumbers.ts';

/** Moments and quantiles of a list of numbers, as in R. */

export function mean(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]!;
  const first = sum / x.length;
  // A second pass, as R's, so that the rounding of a large sum does not stay.
  let rest = 0;
  for (let i = 0; i < x.length; i++) rest += x[i]! - first;
  return first + rest / x.length;
}

/** Σ(x − x̄)²/(n − 1) */
export function sampleVariance(x: Float64Array): number {
  const center = mean(x);
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i]! - center) * (x[i]! - center);
  return sum / (x.length - 1);
}

export const sorted = (x: Float64Array): Float64Array => x.slice().sort();

/** Quantile by linear interpolation between the order statistics (type 7 of Hyndman & Fan 1996). */
export function quantileOfSorted(x: Float64Array, probability: number): number {
  const place = (x.length - 1) * probability;
  // The tolerance of R's quantile, for positions that only rounding has moved off a whole number.
  const below = Math.floor(place + 4 * Number.EPSILON);
  const part = place - below;
  const lower = x[below]!;
  if (Math.abs(part) < 1e-12 || below + 1 >= x.length) return lower;
  return (1 - part) * lower + part * x[below + 1]!;
}

export const median = (x: Float64Array): number => quantileOfSorted(sorted(x), 0.5);

/** log Σ exp(x) without overflow; −Infinity for an empty list. */
export function logSumExp(x: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, x[i]!);
  if (!Number.isFinite(largest)) return largest;
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += exp(x[i]! - largest);
  return largest + log(sum);
}

/** Draws of one scalar quantity: chains × draws, or the draws of one chain. */
export type ChainsLike = MatrixLike | readonly number[] | Float64Array;

/**
 * Draws of each chain.
 *
 * @throws InvalidInputError for arguments other than lists of numbers, or for chains of different lengths
 */
export function givenChains(draws: ChainsLike, caller: string): readonly Float64Array[] {
  return readGiven(`The draws given to ${caller}`, () => chainsIn(draws, caller));
}

function chainsIn(draws: ChainsLike, caller: string): readonly Float64Array[] {
  const expected = 'draws as a list of chains, each a list of as many numbers, or the draws of one chain';
  if (isList(draws) && typeof draws[0] === 'number') return [numbers(draws as ArrayLike<number>, caller, expected)];
  if (!isList(draws)) {
    const { data, rows, columns } = Matrix.from(draws, `The draws given to ${caller}`);
    if (data.length === 0) throw new InvalidInputError(`${caller} takes ${expected}, but no draws were given.`);
    return Array.from({ length: rows }, (_, i) => data.subarray(i * columns, (i + 1) * columns));
  }
  const chains = givenList(draws as ArrayLike<ArrayLike<number>>, caller, expected).map((chain) =>
    numbers(chain, caller, expected),
  );
  const [first] = chains;
  if (first === undefined || first.length === 0) {
    throw new InvalidInputError(`${caller} takes ${expected}, but no draws were given.`);
  }
  const other = chains.findIndex(({ length }) => length !== first.length);
  if (other < 0) return chains;
  throw new InvalidInputError(
    `${caller} takes chains of one length, but chain 0 has ${first.length} draws and chain ${other} has ${chains[other]!.length}.`,
  );
}

function numbers(list: ArrayLike<number>, caller: string, expected: string): Float64Array {
  const entries = givenList(list, caller, expected);
  const bad = entries.findIndex((entry) => typeof entry !== 'number');
  if (bad < 0) return Float64Array.from(entries);
  throw new InvalidInputError(
    `${caller} takes ${expected}, but the entry in place ${bad} is ${describe(entries[bad])}.`,
  );
}

/**
 * Draws × observations; a list of numbers is one observation.
 *
 * @throws InvalidInputError if the argument is not a matrix, or contains a number that is not finite
 */
export function givenByDraw(values: MatrixLike | readonly number[] | Float64Array, caller: string, what: string) {
  checkGiven(values, caller, `${what}, draws × observations`, (given) => given !== null && given !== undefined);
  const one = readGiven(what, () => isList(values) && typeof values[0] === 'number');
  const matrix = one
    ? new Matrix(numbers(values as ArrayLike<number>, caller, what), (values as ArrayLike<number>).length, 1)
    : Matrix.from(values as MatrixLike, what);
  const bad = firstNotFinite(matrix.data);
  if (matrix.data.length === 0) throw new InvalidInputError(`${caller} takes ${what}, but there are none.`);
  if (bad < 0) return matrix;
  const [draw, observation] = [Math.floor(bad / matrix.columns), bad % matrix.columns];
  throw new InvalidInputError(
    `${caller} expects finite numbers, but ${what} of draw ${draw} and observation ${observation} is ${matrix.data[bad]}.`,
  );
}
