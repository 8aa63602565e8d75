import { Matrix } from '../../../core/matrix.ts';
import type { Found } from '../../../model/computedModel.ts';
import type { Placement } from '../../../model/posterior.ts';
import { product } from './generalisedPairs.ts';

/** Places rows at their scores (y − mean)ᵀA on the axes A (D×q) that a fit keeps as `components`. */
export function placedByScores({ parameters: { components, mean } }: Found): { readonly placement: Placement } {
  const axes = components as Matrix;
  return {
    placement: {
      acceptsMissing: false,
      observedColumns: axes.rows,
      place: (rows: Matrix) => ({
        latents: product(lessMean(rows, mean as readonly number[]), axes),
        logDensity: new Float64Array(rows.rows).fill(Number.NaN),
      }),
    },
  };
}

function lessMean({ data, rows, columns }: Matrix, mean: readonly number[]): Matrix {
  return new Matrix(
    data.map((entry, k) => entry - mean[k % columns]!),
    rows,
    columns,
  );
}
