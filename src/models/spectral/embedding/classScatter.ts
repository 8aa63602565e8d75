import { counted } from '../../../core/counted.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import { type Classes, classesOf, type Labels } from '../../../engine/graph/labelGraph.ts';
import { product, transposed } from './generalisedPairs.ts';

/** The classes of N points, of which there are two at least, and one with two points. */
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
  const labelled = found.classes.reduce((sum, c) => sum + (c >= 0 ? 1 : 0), 0);
  if (labelled > found.count) return found;
  throw new InvalidInputError(
    `${name} compares points with the means of their classes, but each of the ${found.count} classes has one point only. Give several points of a class.`,
  );
}

/** Labels as files hold them: numbers of classes, null where one is missing. */
export const savedLabels = ({ classes }: Classes): (number | null)[] => Array.from(classes, (c) => (c < 0 ? null : c));

/** The dimensions that are shown: at most as many as directions separate the classes. */
export function separatingDimensions(given: number | undefined, most: number, name: string): number {
  if (given === undefined) return Math.min(2, most);
  if (given <= most) return given;
  throw new InvalidInputError(
    `${name} separates these classes in at most ${counted(most, 'dimension')}, the number of classes less one or of columns, but latentDim is ${given}. Choose a smaller latentDim.`,
  );
}

/** Labelled points about the means of their classes, and the means about that of all of them: S_w and S_b are the scatters of these rows over n. */
export interface ClassDeviations {
  /** n: labelled points. */
  readonly count: number;
  /** y_n − mean of its class, a row for each labelled point. */
  readonly residuals: Matrix;
  /** √n_c·(m_c − m), a row for each class. */
  readonly offsets: Matrix;
}

export function classDeviations(points: Matrix, { classes, count }: Classes): ClassDeviations {
  const { columns: D } = points;
  const labelled = Int32Array.from(classes.keys()).filter((i) => classes[i]! >= 0);
  const n = labelled.length;
  const sizes = new Float64Array(count);
  const means = Matrix.zeros(count, D);
  const mean = new Float64Array(D);
  for (const i of labelled) {
    sizes[classes[i]!]!++;
    for (let d = 0; d < D; d++) {
      means.data[classes[i]! * D + d]! += points.at(i, d);
      mean[d]! += points.at(i, d) / n;
    }
  }
  means.data.forEach((sum, k) => {
    means.data[k] = sum / sizes[Math.floor(k / D)]!;
  });
  const residuals = Matrix.zeros(n, D);
  labelled.forEach((i, k) => {
    for (let d = 0; d < D; d++) residuals.data[k * D + d] = points.at(i, d) - means.at(classes[i]!, d);
  });
  const offsets = new Matrix(
    means.data.map((entry, k) => Math.sqrt(sizes[Math.floor(k / D)]!) * (entry - mean[k % D]!)),
    count,
    D,
  );
  return { count: n, residuals, offsets };
}

/** RᵀR/n */
export function scatter(rows: Matrix, n: number): Matrix {
  const S = product(transposed(rows), rows);
  return new Matrix(
    S.data.map((entry) => entry / n),
    S.rows,
    S.columns,
  );
}
