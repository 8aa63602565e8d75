import { Matrix } from '../../core/matrix.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Density } from '../../model/language/density.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Parameter } from '../../model/parameter.ts';

/** How observations y are distributed given the functions f of a mapping: entry by entry. A plain frozen description. */
export interface Likelihood {
  readonly kind: 'likelihood';
  readonly name: string;
  /** Number of functions that each entry is given. */
  readonly functions: number;
  /** As the density of a variable that is given the functions. */
  readonly density: Density;
  /** Its parameters by their paths beside the kernel's: `likelihood.<name>`; the variance of the Gaussian one is `noise`. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** log p(y|f) of every entry, n×D, of f and y n×D. `p` holds natural values keyed as in `parameters`. */
  readonly logDensity: (p: TensorMap, f: Tensor2D, y: Tensor2D) => Tensor2D;
  /**
   * Mean and variance of an observation y where f is normal with these moments, n×D each.
   *
   * @throws InvalidInputError when the likelihood's definition gives no moments
   */
  readonly moments: (p: TensorMap, mean: Tensor2D, variance: Tensor2D) => ObservationMoments;
  /**
   * E[log p(y|f)] of every entry where f is normal with these moments, n×D each, for a likelihood that has it in closed form; the others' is
   * taken by Gauss–Hermite quadrature.
   */
  readonly expectation?: (p: TensorMap, mean: Tensor2D, variance: Tensor2D, y: Tensor2D) => Tensor2D;
  /** A value of the function that an observation speaks for, in a row of this mean, from which a search may start. */
  readonly start: (y: number, rowMean: number) => number;
  /** What an observation must be, as the end of a sentence, for one that this is not; undefined for one that it is. */
  readonly refuses: (y: number, rowMean: number) => string | undefined;
  /** The Gaussian noise that it is, for a likelihood under which a Gaussian process stays Gaussian. */
  readonly conjugate: ((p: TensorMap) => Noise) | undefined;
  /** Parameters and options by the names of its factory. */
  readonly toJSON: () => LikelihoodJSON;
}

/** Mean and variance of observations, n×D. */
export interface ObservationMoments {
  readonly mean: Tensor2D;
  readonly variance: Tensor2D;
}

/** Independent Gaussian noise: its variance for all observations (a scalar), one a column (D entries), or one a row (N entries). */
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

/** The values of the functions that observations speak for, N×D, NaN where missing. */
export function functionsOf({ start }: Pick<Likelihood, 'start'>, { data, rows, columns }: Matrix): Matrix {
  const means = rowMeans({ data, rows, columns });
  return new Matrix(
    data.map((y, i) => (Number.isNaN(y) ? y : start(y, means[Math.floor(i / columns)]!))),
    rows,
    columns,
  );
}

/** The mean of each row, NaN of one with a missing entry. */
export function rowMeans({ data, rows, columns }: Pick<Matrix, 'data' | 'rows' | 'columns'>): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let total = 0;
    for (let j = 0; j < columns; j++) total += data[i * columns + j]!;
    return total / columns;
  });
}
