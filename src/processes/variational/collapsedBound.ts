import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type Expectations, totalsOf, whitenedProducts } from '../../kernels/expectations/index.ts';
import type { CollapsedData, ColumnGroup } from './collapsedData.ts';

/**
 * The collapsed bound on log p(Y) without its divergence: for noise σ², L = chol(K_uu), A = L⁻¹Ψ₂L⁻ᵀ/σ², B = I + A = L_B·L_Bᵀ and
 * c = L_B⁻¹L⁻¹Ψ₁ᵀY/σ²,
 *
 *   −ND/2·log 2πσ² − D·Σ log diag L_B − tr(YYᵀ)/(2σ²) + ½‖c‖² − D/2·(ψ₀/σ² − tr A),
 *
 * summed over groups of columns that are observed in the same rows, each with sums over these rows. For latents with variance 0 it is the bound of
 * Titsias 2009.
 *
 * @param factor - L, M×M
 * @param expectations - of the kernel, with the weights of the data
 * @param noise - σ², a scalar
 * @see Titsias & Lawrence 2010, eq. 14; Damianou, Titsias & Lawrence 2016, §3
 */
export function collapsedBound(
  factor: Tensor2D,
  expectations: Expectations,
  noise: Tensor,
  data: CollapsedData,
  options: op.PositiveDefiniteOptions = {},
): Scalar {
  const solved = solvedStatistics(factor, expectations, noise, data, options);
  const diagonals = totalsOf(expectations.diagonal, data.weights);
  return solved
    .map(({ group, scatter, root, moments }, i) => {
      const { rows, energy, columns } = group;
      const D = columns.length;
      const constant = op.mul((rows * D) / 2, op.add(LOG_2PI, op.log(noise)));
      const spread = op.mul(D, op.sum(op.log(op.diagPart(root))));
      const misfit = op.div(energy / 2, noise);
      // Never negative: what rounding makes negative of it is no gain, or a large variance of the kernel would raise the bound without end.
      const rest = op.mul(D / 2, op.abs(op.sub(op.div(diagonals[i]!, noise), op.sum(op.diagPart(scatter)))));
      const explained = op.mul(0.5, op.sum(op.square(moments)));
      return op.sub(explained, op.add(op.add(constant, spread), op.add(misfit, rest))) as Scalar;
    })
    .reduce((sum, part) => op.add(sum, part) as Scalar);
}

const LOG_2PI = 1.8378770664093453;

/** The solution from which the optimal q(u) of a group of columns follows. */
export interface SolvedGroup {
  readonly group: ColumnGroup;
  /** A, M×M. */
  readonly scatter: Tensor2D;
  /** L_B, M×M. */
  readonly root: Tensor2D;
  /** c, M×(columns of the group). */
  readonly moments: Tensor2D;
}

export function solvedStatistics(
  factor: Tensor2D,
  expectations: Expectations,
  noise: Tensor,
  { observations, groups, weights }: CollapsedData,
  options: op.PositiveDefiniteOptions = {},
): SolvedGroup[] {
  const all = op.matMul<Tensor2D>(expectations.cross, observations, true, false);
  const whitened = op.div(op.triangularSolve(factor, all), noise) as Tensor2D;
  const products = whitenedProducts(factor, expectations);
  return groups.map((group, i) => {
    const scatter = op.div(products[i]!, noise) as Tensor2D;
    const name = 'The precision of the inducing variables';
    const root = op.cholesky(op.addDiagonal(scatter, op.scalar(1)), { name, ...options });
    const own = weights === undefined ? whitened : op.gather<Tensor2D>(whitened, group.columns, 1);
    return { group, scatter, root, moments: op.triangularSolve(root, own) };
  });
}
