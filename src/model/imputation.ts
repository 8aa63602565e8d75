import { Matrix } from '../core/matrix.ts';
import { principalSubspaceFit } from '../engine/dense/principalComponents.ts';

/** Rounds of filling in and fitting again; the start of a fit needs no more. */
const ROUNDS = 20;

/**
 * Y with its missing entries (NaN) filled in by q principal components, fitted to the completed matrix again and again from the
 * column means; Y itself when nothing is missing. For what needs complete observations: the start of the latents, and priors
 * and maps that read Y. The likelihood sees observed entries only.
 */
export function imputed(Y: Matrix, components: number): Matrix {
  const missing = Array.from(Y.data.keys()).filter((index) => Number.isNaN(Y.data[index]));
  if (missing.length === 0) return Y;
  const means = columnMeans(Y);
  const complete = Matrix.from(Y);
  for (const index of missing) complete.data[index] = means[index % Y.columns]!;
  for (let round = 0; round < ROUNDS; round++) {
    const fitted = principalSubspaceFit(complete, Math.min(components, Y.rows - 1, Y.columns));
    for (const index of missing) complete.data[index] = fitted.data[index]!;
  }
  return complete;
}

function columnMeans(Y: Matrix): Float64Array {
  return Float64Array.from({ length: Y.columns }, (_, j) => {
    const observed = Y.column(j).filter((entry) => !Number.isNaN(entry));
    return observed.reduce((sum, entry) => sum + entry, 0) / observed.length;
  });
}
