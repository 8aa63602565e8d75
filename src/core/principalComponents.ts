import { InvalidInputError } from './errors.ts';
import { symmetricEigenpairs } from './symmetricEigenpairs.ts';
import { Matrix } from './matrix.ts';
import { outerProduct, projections, scatter } from './matrixProducts.ts';

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
  if (components > Math.min(N - 1, D)) {
    throw new InvalidInputError(
      `${components} principal components were asked for, but ${N} points in ${D} dimensions have at most ${Math.min(N - 1, D)}. ` +
        'Choose a smaller latentDim, or give the start of the latents as a matrix.',
    );
  }
  const centred = centredRows(Y);
  const wide = D > N;
  const { values, vectors } = symmetricEigenpairs(wide ? outerProduct(centred) : scatter(centred));
  const order = values.length;
  const negligible = values[order - 1]! * Math.max(N, D) * Number.EPSILON;
  const X = Matrix.zeros(N, components);
  for (let c = 0; c < components; c++) {
    const index = order - 1 - c;
    if (!(values[index]! > negligible)) {
      throw new InvalidInputError(
        `The observations vary in ${c} direction${c === 1 ? '' : 's'} only, so ${components} principal components do not exist. ` +
          'Choose a smaller latentDim, or give the start of the latents as a matrix.',
      );
    }
    const column = wide
      ? vectors.column(index).map((entry) => entry * Math.sqrt(values[index]!))
      : projections(centred, vectors.column(index));
    const sign = largestEntry(column) < 0 ? -1 : 1;
    for (let i = 0; i < N; i++) X.data[i * components + c] = sign * column[i]!;
  }
  return X;
}

function centredRows(Y: Matrix): Matrix {
  const { rows: N, columns: D } = Y;
  const mean = new Float64Array(D);
  for (let i = 0; i < N; i++) for (let j = 0; j < D; j++) mean[j]! += Y.data[i * D + j]! / N;
  return new Matrix(
    Y.data.map((entry, index) => entry - mean[index % D]!),
    N,
    D,
  );
}

function largestEntry(column: Float64Array): number {
  return column.reduce((largest, entry) => (Math.abs(entry) > Math.abs(largest) ? entry : largest), 0);
}
