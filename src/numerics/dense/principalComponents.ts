import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { standardizationOf, standardized } from '../../core/observations.ts';
import { topEigenpairs } from './topEigenpairs.ts';

/**
 * Principal component scores: the projections of the centred rows of Y on the q directions of largest variance, N×q, in order
 * of falling variance. Signs: the entry of largest modulus in each column is positive.
 *
 * @param Y - N×D
 * @param components - q, at most the number of directions in which Y varies
 * @throws InvalidInputError when Y does not vary in that many directions
 * @see Bishop 2006, §12.1
 */
export function principalComponents(Y: Matrix, components: number): Matrix {
  const { rows: N, columns: D } = Y;
  const most = Math.min(N - 1, D);
  if (components > most) {
    throw new InvalidInputError(
      `${components} principal components were asked for, but ${N} points in ${D} dimensions have at most ${most}. ` +
        'Choose a smaller latentDim, or give the start of the latents as a matrix.',
    );
  }
  const scores = topScores(standardized(Y, standardizationOf(Y, true, false)), components);
  if (scores.length < components) throw tooFewDirections(scores.length, components);
  const X = Matrix.zeros(N, components);
  scores.forEach((column, c) => {
    column.forEach((score, i) => {
      X.data[i * components + c] = score;
    });
  });
  return X;
}

/**
 * The best fit of rank q to the rows of Y about their mean: Y projected on its q principal directions, or on as many as it varies
 * in.
 *
 * @param Y - N×D
 * @param components - q, at most min(N − 1, D)
 * @returns N×D
 */
export function principalSubspaceFit(Y: Matrix, components: number): Matrix {
  const { rows: N, columns: D } = Y;
  const standardization = standardizationOf(Y, true, false);
  const centred = standardized(Y, standardization);
  const fitted = new Matrix(
    Float64Array.from(Y.data, (_, index) => standardization.mean[index % D]!),
    N,
    D,
  );
  const direction = new Float64Array(D);
  for (const column of topScores(centred, components)) {
    combineRows(centred, column, direction);
    const energy = column.reduce((sum, score) => sum + score * score, 0);
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < D; j++) fitted.data[i * D + j]! += (column[i]! * direction[j]!) / energy;
    }
  }
  return fitted;
}

/** Scores of the centred rows on their first principal directions, as many as asked for or as there are. */
function topScores(centred: Matrix, components: number): Float64Array[] {
  const { rows: N, columns: D } = centred;
  // YYᵀ and YᵀY have the same eigenvalues: the smaller one is worked with, and neither is formed.
  const wide = D > N;
  const within = new Float64Array(wide ? D : N);
  const { values, vectors } = topEigenpairs(
    (x, y) => {
      if (wide) {
        combineRows(centred, x, within);
        project(centred, within, y);
      } else {
        project(centred, x, within);
        combineRows(centred, within, y);
      }
    },
    wide ? N : D,
    components,
  );
  const negligible = values[0]! * Math.max(N, D) * Number.EPSILON;
  return Array.from(values.filter((value) => value > negligible)).map((value, c) => {
    const vector = vectors.column(c);
    const scores = wide ? vector.map((entry) => entry * Math.sqrt(value)) : new Float64Array(N);
    if (!wide) project(centred, vector, scores);
    return largestEntry(scores) < 0 ? scores.map((score) => -score) : scores;
  });
}

/** y ← Yx */
function project({ data, rows: N, columns: D }: Matrix, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < N; i++) {
    let sum = 0;
    for (let j = 0; j < D; j++) sum += data[i * D + j]! * x[j]!;
    y[i] = sum;
  }
}

/** y ← Yᵀx */
function combineRows({ data, rows: N, columns: D }: Matrix, x: Float64Array, y: Float64Array): void {
  y.fill(0);
  for (let i = 0; i < N; i++) {
    const weight = x[i]!;
    for (let j = 0; j < D; j++) y[j]! += weight * data[i * D + j]!;
  }
}

function tooFewDirections(found: number, asked: number): InvalidInputError {
  return new InvalidInputError(
    `The observations vary in ${found} direction${found === 1 ? '' : 's'} only, so ${asked} principal components do not ` +
      'exist. Choose a smaller latentDim, or give the start of the latents as a matrix.',
  );
}

function largestEntry(column: Float64Array): number {
  return column.reduce((largest, entry) => (Math.abs(entry) > Math.abs(largest) ? entry : largest), 0);
}
