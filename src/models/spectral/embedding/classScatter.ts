import { square } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { columnsOf } from '../../../core/rowMatrices.ts';
import { counted } from '../../../core/wording.ts';
import { symmetricEigenpairs } from '../../../engine/dense/eigenpairs.ts';
import { product, transposed } from '../../../engine/dense/products.ts';
import { type Classes, classesOf, type Labels } from '../../../engine/graph/labelGraph.ts';

/** Classes of N points, checked to be at least two, at least one of them with two points. */
export function checkedClasses(labels: Labels, N: number, name: string): Classes {
  const found = classesOf(labels, name);
  if (found.classes.length !== N) {
    throw new InvalidInputError(
      `${name} takes one label a point, but ${found.classes.length} labels and ${N} points were given. Give undefined where a label is missing.`,
    );
  }
  if (found.count < 2) {
    throw new InvalidInputError(
      `${name} separates classes, but the labels name ${counted(found.count, 'class')} (of ${N} points). Give labels of at least 2 classes, or take pca.`,
    );
  }
  const labeled = found.classes.reduce((sum, c) => sum + (c >= 0 ? 1 : 0), 0);
  if (labeled > found.count) return found;
  throw new InvalidInputError(
    `${name} compares points with the means of their classes, but each of the ${found.count} classes has one point only. Give several points of a class.`,
  );
}

/** Labels in files: numbers of classes, null for missing ones. */
export const savedLabels = ({ classes }: Classes): (number | null)[] => Array.from(classes, (c) => (c < 0 ? null : c));

/** Number of dimensions: at most the number of directions that separate the classes. */
export function separatingDimensions(given: number | undefined, most: number, name: string): number {
  if (given === undefined) return Math.min(2, most);
  if (given <= most) return given;
  throw new InvalidInputError(
    `${name} separates these classes in at most ${counted(most, 'dimension')}, the number of classes less one or of columns, but latentDim is ${given}. Choose a smaller \`latentDim\`.`,
  );
}

/** Labeled points relative to their class means, and class means relative to the overall mean: S_w and S_b are the scatters of these rows divided by n. */
export interface ClassDeviations {
  /** Number n of labeled points. */
  readonly count: number;
  /** y_n minus the mean of its class, one row per labeled point. */
  readonly residuals: Matrix;
  /** √n_c·(m_c − m), one row per class. */
  readonly offsets: Matrix;
}

export function classDeviations(points: Matrix, { classes, count }: Classes): ClassDeviations {
  const { columns: D } = points;
  const labeled = Int32Array.from(classes.keys()).filter((i) => classes[i]! >= 0);
  const n = labeled.length;
  const sizes = new Float64Array(count);
  const means = Matrix.zeros(count, D);
  const mean = new Float64Array(D);
  for (const i of labeled) {
    sizes[classes[i]!]!++;
    for (let d = 0; d < D; d++) {
      means.data[classes[i]! * D + d]! += points.at(i, d);
      mean[d]! += points.at(i, d) / n;
    }
  }
  means.data.forEach((sum, k) => {
    means.data[k] = sum / sizes[Math.floor(k / D)]!;
  });
  const residuals = Matrix.zeros(n, D).map((_, k, d) => points.at(labeled[k]!, d) - means.at(classes[labeled[k]!]!, d));
  const offsets = means.map((entry, c, d) => Math.sqrt(sizes[c]!) * (entry - mean[d]!));
  return { count: n, residuals, offsets };
}

/** RᵀR/n */
export function scatter(rows: Matrix, n: number): Matrix {
  return product(transposed(rows), rows).map((entry) => entry / n);
}

/** Eigenpairs of Av = λBv in the range of B, λ ascending, columns with vᵀBv = 1. */
export interface GeneralizedPairs {
  /** Eigenvalues; their number is the rank of B. */
  readonly values: Float64Array;
  /** n×rank */
  readonly vectors: Matrix;
}

/**
 * All eigenpairs of Av = λBv for symmetric A and B ⪰ 0: with B = UΛUᵀ, the eigenpairs of Λ^−½UᵀAUΛ^−½ over the eigenvalues of B above rounding.
 *
 * @see Golub & Van Loan 2013, §8.7
 */
export function generalizedPairs(A: Matrix, B: Matrix): GeneralizedPairs {
  const n = B.rows;
  const { values: spread, vectors: U } = symmetricEigenpairs(B);
  const negligible = n * Number.EPSILON * Math.max(0, spread[n - 1]!);
  const kept = Int32Array.from(spread.keys()).filter((k) => spread[k]! > negligible);
  const whitening = columnsOf(U, kept).map((entry, _, c) => entry / Math.sqrt(spread[kept[c]!]!));
  const { values, vectors } = symmetricEigenpairs(product(transposed(whitening), product(A, whitening)));
  return { values, vectors: product(whitening, vectors) };
}

/** Flips columns of `axes` in place, so that the entry of largest modulus in each column of points·axes is positive; returns points·axes. */
export function signedScores(points: Matrix, axes: Matrix): Matrix {
  const scores = product(points, axes);
  for (let c = 0; c < axes.columns; c++) {
    let largest = 0;
    for (let i = 0; i < scores.rows; i++) {
      if (square(scores.at(i, c)) > square(largest)) largest = scores.at(i, c);
    }
    if (largest >= 0) continue;
    for (const { data, columns } of [scores, axes]) for (let k = c; k < data.length; k += columns) data[k] = -data[k]!;
  }
  return scores;
}
