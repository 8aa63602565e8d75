import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { type Likelihood, rowMeans } from './likelihood.ts';

/** Throws if an observation is outside of the likelihood's range, or would be after centring or scaling. */
export function checkObserved(Y: Matrix, likelihood: Likelihood, changed: boolean): void {
  if (changed && likelihood.conjugate === undefined) {
    throw new InvalidInputError(
      `Observations of likelihood '${likelihood.name}' cannot be centred or scaled. Leave out centre and scale, or set them to false.`,
    );
  }
  const means = rowMeans(Y);
  Y.data.forEach((entry, i) => {
    const expected = Number.isNaN(entry) ? undefined : likelihood.refuses(entry, means[Math.floor(i / Y.columns)]!);
    if (expected === undefined) return;
    throw new InvalidInputError(
      `An observation of likelihood '${likelihood.name}' is ${expected}, but row ${Math.floor(i / Y.columns)}, column ${i % Y.columns} is ${entry}.`,
    );
  });
}
