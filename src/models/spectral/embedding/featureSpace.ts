import type { Matrix } from '../../../core/matrix.ts';
import { columnsOf } from '../../../core/rowMatrices.ts';
import { symmetricEigenpairs } from '../../../engine/dense/eigenpairs.ts';
import { product } from '../../../engine/dense/products.ts';
import { covariance } from '../../../kernels/covariance.ts';
import type { Kernel } from '../../../kernels/kernel.ts';
import type { ComputedSolution } from '../../../model/computedModel.ts';
import { type Placement, withoutDensity } from '../../../model/posterior.ts';
import { doublyCentered } from './leadingEmbedding.ts';

/** Points in the span of their centered features φ(y_i) − mean, in an orthonormal basis. */
interface FeatureSpace {
  /** V·Λ^½, N×rank, from the eigenpairs of HKH above rounding. */
  readonly coordinates: Matrix;
  /** tr(HKH) over the retained dimensions: the total variance times N. */
  readonly trace: number;
  /** Saved form of axes (rank×q): the features' coefficients α = V·Λ^−½·axes, N×q, and the mean of each row of K. */
  kept(axes: Matrix): { readonly coefficients: Matrix; readonly means: readonly number[] };
}

export function featureSpace(kernel: Kernel, points: Matrix): FeatureSpace {
  const N = points.rows;
  const K = covariance(kernel, points);
  const means = Array.from({ length: N }, (_, i) => K.row(i).reduce((sum, entry) => sum + entry, 0) / N);
  const { values, vectors: V } = symmetricEigenpairs(doublyCentered(K, 1));
  const negligible = N * Number.EPSILON * values[N - 1]!;
  const kept = Array.from(values.keys()).filter((k) => values[k]! > negligible);
  const scaled = (power: (value: number) => number) =>
    columnsOf(V, kept).map((entry, _, c) => entry * power(values[kept[c]!]!));
  return {
    coordinates: scaled(Math.sqrt),
    trace: kept.reduce((sum, k) => sum + values[k]!, 0),
    kept: (axes) => ({
      coefficients: product(
        scaled((value) => 1 / Math.sqrt(value)),
        axes,
      ),
      means,
    }),
  };
}

/** Places rows at x_c(y) = Σ_i α_ic·(k(y, y_i) − mean_j k(y_j, y_i)), from the saved form of a feature space. */
export function placedByFeatures(
  { parameters: { coefficients, means } }: ComputedSolution,
  { points, kernel }: { readonly points: Matrix; readonly kernel: Kernel },
): { readonly placement: Placement } {
  return {
    placement: {
      observedColumns: points.columns,
      place: (given: Matrix) => {
        const across = covariance(kernel, given, points);
        const centered = across.map((entry, _, j) => entry - (means as readonly number[])[j]!);
        return withoutDensity(product(centered, coefficients as Matrix));
      },
    },
  };
}
