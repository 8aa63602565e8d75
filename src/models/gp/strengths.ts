import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { ParameterLike } from '../../model/parameter.ts';

/** A strength, or 'auto' for the one that goes with the size of the data. */
export type Strength = ParameterLike | 'auto';

/**
 * Strengths that go with the size of the data, so that a prior weighs against a likelihood that is a sum over points and columns:
 *
 * - locality and labels: sums over points, D
 * - t-SNE: one divergence for all points, N·D
 * - rank: one determinant for all points, N·D/100, at which directions empty while classes stay apart
 *
 * `npm run reproduce -- default-strengths` prints what other multiples show.
 */
const scales = {
  locality: ({ columns }: Matrix) => columns,
  laplacian: ({ columns }: Matrix) => columns,
  tsne: ({ rows, columns }: Matrix) => rows * columns,
  rank: ({ rows, columns }: Matrix) => (rows * columns) / 100,
};

/** The strength that goes with the size of the data. */
export const autoStrength = (prior: keyof typeof scales, Y: MatrixLike): number =>
  scales[prior](Matrix.from(Y, 'The observations'));

/** The strength that was given, or the one that goes with the size of the data. */
export const strengthFor = (prior: keyof typeof scales, given: Strength | undefined, Y: MatrixLike): ParameterLike =>
  given === undefined || given === 'auto' ? autoStrength(prior, Y) : given;
