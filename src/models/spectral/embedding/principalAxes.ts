import { counted } from '../../../core/counted.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import { type PrincipalAxes as AxesFound, principalAxes as axesOf } from '../../../engine/dense/principalComponents.ts';

/** The singular value decomposition of centred observations, and how much of their variance there is in all. */
export interface PrincipalAxes extends AxesFound {
  /** Sum of all eigenvalues of YcᵀYc/N. */
  readonly total: number;
}

/**
 * The q directions of largest variance of centred observations.
 *
 * @throws InvalidInputError when the observations vary in fewer directions than q
 */
export function principalAxes(centred: Matrix, q: number, name: string): PrincipalAxes {
  const { rows: N, columns: D, data } = centred;
  const most = Math.min(N - 1, D);
  if (q > most) {
    throw new InvalidInputError(
      `${name} was asked for ${q} dimensions, but ${N} points of ${counted(D, 'column')} have at most ${counted(most, 'principal component')}. Choose a smaller latentDim${q <= D ? `, or give at least ${q + 1} points` : ''}.`,
    );
  }
  const found = axesOf(centred, q);
  const c = found.eigenvalues.length;
  if (c < q) {
    throw new InvalidInputError(
      `The observations vary in ${c} direction${c === 1 ? '' : 's'} only, so ${name} cannot show ${q}. Choose a smaller latentDim.`,
    );
  }
  return { ...found, total: data.reduce((sum, entry) => sum + entry * entry, 0) / N };
}
