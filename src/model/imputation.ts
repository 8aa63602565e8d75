import { Matrix } from '../core/matrix.ts';
import { columnMeans } from '../core/observations.ts';
import { principalSubspaceFit } from '../engine/dense/principalComponents.ts';

/** Rounds of filling in and fitting again; the start of a fit needs no more. */
const ROUNDS = 20;

/**
 * Y with its missing entries (NaN) filled in by q principal components, fitted to the completed matrix again and again from the
 * column means; Y itself when nothing is missing. For what needs complete observations: the start of the latents, and priors
 * and maps that read Y. The likelihood sees observed entries only.
 */
export function imputed(Y: Matrix, components: number): Matrix {
  if (!Y.data.some(Number.isNaN)) return Y;
  const missing = Array.from(Y.data.keys()).filter((index) => Number.isNaN(Y.data[index]));
  const means = columnMeans(Y);
  const complete = Matrix.from(Y);
  for (const index of missing) complete.data[index] = means[index % Y.columns]!;
  for (let round = 0; round < ROUNDS; round++) {
    const fitted = principalSubspaceFit(complete, Math.min(components, Y.rows - 1, Y.columns));
    for (const index of missing) complete.data[index] = fitted.data[index]!;
  }
  return complete;
}
