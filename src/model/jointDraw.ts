import type { Random } from '../core/random.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';

/** Functions of c columns at n points, and the noise around them. */
export interface JointMoments {
  /** n×c */
  readonly mean: Tensor2D;
  /** Covariance between the points, n×n, for the function of one column; the same tensor for equivalent columns. */
  readonly covarianceOf: (column: number) => Tensor2D;
  /** Whether all columns have the same covariance. */
  readonly isShared: boolean;
  /** Noise variance: a scalar, c entries, or n×c. */
  readonly noise: Tensor;
}

/** A joint draw of all functions at all points with their noise, n×c. Uses n·c normal numbers, row by row, in every model. */
export function jointDraw({ mean, covarianceOf, isShared, noise }: JointMoments, random: Random): Tensor2D {
  const [n, c] = mean.shape;
  const normals = normalEntries(random, n, c);
  const added = op.mul<Tensor2D>(noise, op.ones([n, c]));
  const column = (of: Tensor2D, j: number) => op.slice<Tensor2D>(of, [0, j], [n, 1]);
  const entries = doublesOf(added);
  const known: { readonly covariance: Tensor2D; readonly noise: number; readonly factor: Tensor2D }[] = [];
  const factor = (j: number) => {
    // Columns that are treated alike have one factor, where the noise is the same at all points.
    const covariance = covarianceOf(j);
    const noise = entries[j]!;
    const isEven = entries.every((own, i) => i % c !== j || own === noise);
    const found = isEven ? known.find((other) => other.covariance === covariance && other.noise === noise) : undefined;
    if (found !== undefined) return found.factor;
    const made = factorOf(covariance, j);
    if (isEven) known.push({ covariance, noise, factor: made });
    return made;
  };
  const factorOf = (covariance: Tensor2D, j: number) => {
    const noisy = op.add<Tensor2D>(covariance, op.mul(op.eye(n), column(added, j)));
    return op.cholesky(noisy, { name: 'The predictive covariance' });
  };
  if (isShared && entries.every((own, i, all) => own === all[i - (i % c)])) {
    return op.add<Tensor2D>(mean, op.matMul(factor(0), normals));
  }
  const draws = Array.from({ length: c }, (_, j) => op.matMul<Tensor2D>(factor(j), column(normals, j)));
  return op.add<Tensor2D>(mean, op.concat(draws, 1));
}

/** Standard normal numbers, row by row. */
export function normalEntries(random: Random, rows: number, columns: number): Tensor2D {
  return op.tensor<Tensor2D>(
    Float64Array.from({ length: rows * columns }, () => random.normal()),
    [rows, columns],
  );
}
