import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { ParameterLike } from '../../model/parameter.ts';

/** A strength, or 'auto' for the one that goes with the size of the data. */
export type Strength = ParameterLike | 'auto';

/**
 * Strengths that go with the size of the data, so that a prior weighs against a likelihood that is a sum over points and columns:
 *
 * - locality: a sum over points, D
 * - t-SNE: one divergence for all points, N·D
 * - rank: one determinant for all points, N·D/100, at which directions empty while classes stay apart
 *
 * `npm run reproduce -- default-strengths` prints what other multiples show.
 */
const scales = {
  locality: ({ columns }: Matrix) => columns,
  tsne: ({ rows, columns }: Matrix) => rows * columns,
  rank: ({ rows, columns }: Matrix) => (rows * columns) / 100,
};

/**
 * The strength for a prior that draws points of one class together: 9·D/q. The fewer dimensions there are, the more variation of the observations
 * each could explain, and a weak prior draws points of all classes together, where the mapping is nearly linear.
 *
 * @param latentDim - q; D where the model still has to say that it is not a whole number from 1
 */
export function labelStrength(Y: MatrixLike, latentDim: number): number {
  const { columns } = Matrix.from(Y, 'The observations');
  return latentDim >= 1 ? (9 * columns) / latentDim : columns;
}

/** The strength that goes with the size of the data. */
const autoStrength = (prior: keyof typeof scales, Y: MatrixLike): number =>
  scales[prior](Matrix.from(Y, 'The observations'));

/** The strength that was given, or the one that goes with the size of the data. */
export const strengthFor = (prior: keyof typeof scales, given: Strength | undefined, Y: MatrixLike): ParameterLike =>
  given === undefined || given === 'auto' ? autoStrength(prior, Y) : given;
