import { Matrix } from '../../core/matrix.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Density, Saying } from '../../model/language/density.ts';
import { joinedColumns } from '../../model/language/graph.ts';
import { changedObservations } from '../../model/language/support.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Parameter } from '../../model/parameter.ts';

/** Distribution of each observation y given the functions f of a mapping. A plain frozen description. */
export interface Likelihood {
  readonly kind: 'likelihood';
  /** In types only: what it says of new rows. */
  readonly '~says'?: Exclude<Saying, 'next'>;
  readonly name: string;
  /** Number of functions that each entry depends on. */
  readonly functions: number;
  /** The density of a variable given the functions. */
  readonly density: Density;
  /** Parameters by path, next to the kernel's: `likelihood.<name>`; the variance of the Gaussian one is `noise`. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** log p(y|f) of every entry, n×D, for y n×D and f n×D, or as many such blocks side by side as it has functions. `p` holds natural values keyed as in `parameters`. */
  readonly logDensity: (p: TensorMap, f: Tensor2D, y: Tensor2D) => Tensor2D;
  /**
   * Mean and variance of an observation y if f is normal with these moments, n×D each (or blocks of several functions).
   *
   * @throws InvalidInputError if the likelihood's definition has no moments
   */
  readonly moments: (p: TensorMap, mean: Tensor2D, variance: Tensor2D) => ObservationMoments;
  /** Mean and variance of an observation at known functions, where a definition has them. */
  readonly momentsAt?: (p: TensorMap, f: Tensor2D) => ObservationMoments;
  /**
   * E[log p(y|f)] of every entry if f is normal with these moments, n×D each, for likelihoods with a closed form; others use Gauss–Hermite
   * quadrature.
   */
  readonly expectation?: (p: TensorMap, mean: Tensor2D, variance: Tensor2D, y: Tensor2D) => Tensor2D;
  /** Initial value of the function for an observation in a row of this mean. */
  readonly start: (y: number, rowMean: number) => number;
  /** Description of valid observations, as the end of a sentence, if this one is not valid; otherwise undefined. */
  readonly refuses: (y: number, rowMean: number) => string | undefined;
  /** The Gaussian noise, for a likelihood under which a Gaussian process stays Gaussian. */
  readonly conjugate: ((p: TensorMap) => Noise) | undefined;
  /** Parameters and options by the names that its factory takes. */
  readonly toJSON: () => LikelihoodJSON;
}

/** Mean and variance of observations, n×D. */
export interface ObservationMoments {
  readonly mean: Tensor2D;
  readonly variance: Tensor2D;
}

/** Independent Gaussian noise: one variance for all observations (a scalar), one per column (D entries), or one per row (N entries). */
export interface Noise {
  readonly per: 'all' | 'column' | 'row';
  readonly variance: Tensor;
}

/** A likelihood as plain JSON. */
export interface LikelihoodJSON {
  readonly likelihood: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

export function isLikelihood(value: unknown): value is Likelihood {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'kind') !== 'likelihood') return false;
  return typeof Reflect.get(value, 'name') === 'string' && typeof Reflect.get(value, 'parameters') === 'object';
}

/** Initial values of the functions for these observations, N×D, NaN where missing. */
export function functionsOf({ start }: Pick<Likelihood, 'start'>, { data, rows, columns }: Matrix): Matrix {
  const means = rowMeans({ data, rows, columns });
  return new Matrix(
    data.map((y, i) => (Number.isNaN(y) ? y : start(y, means[Math.floor(i / columns)]!))),
    rows,
    columns,
  );
}

/** Initial values of all functions side by side: the first as the observations say, the others 0. */
export function startedFunctions(likelihood: Pick<Likelihood, 'start' | 'functions'>, Y: Matrix): Matrix {
  const first = functionsOf(likelihood, Y);
  if (likelihood.functions === 1) return first;
  const none = Matrix.zeros(Y.rows, Y.columns);
  return joinedColumns([first, ...new Array<Matrix>(likelihood.functions - 1).fill(none)]);
}

/** Mean of each row, NaN if an entry is missing. */
function rowMeans({ data, rows, columns }: Pick<Matrix, 'data' | 'rows' | 'columns'>): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let total = 0;
    for (let j = 0; j < columns; j++) total += data[i * columns + j]!;
    return total / columns;
  });
}

/** Throws if an observation is outside of the likelihood's range, or would be after centring or scaling. */
export function checkObserved(
  Y: Matrix,
  { name, conjugate, density }: Pick<Likelihood, 'name' | 'conjugate' | 'density'>,
  changed: boolean,
): void {
  if (changed && conjugate === undefined) throw changedObservations(`likelihood '${name}'`);
  density.support?.check(Y, false);
}

/** Draws entry by entry, given functions, n×D, and scalar values or one per column. */
export function drawnEntries(
  f: Tensor2D,
  values: readonly Tensor[],
  draw: (f: number, ...values: number[]) => number,
): Tensor2D {
  const none = op.zerosLike(f);
  const all = [f, ...values.map((value) => op.add(value, none))].map(doublesOf);
  return op.tensor<Tensor2D>(
    Float64Array.from(all[0]!, (entry, i) => draw(entry, ...all.slice(1).map((own) => own[i]!))),
    f.shape,
  );
}
