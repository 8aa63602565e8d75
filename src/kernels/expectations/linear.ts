import * as op from '../../tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import { columnsOf, type ExpectationInputs, type Expectations, weightedProducts } from './expectations.ts';

/** Expectations of Σ_d v_d·x_d·x'_d, one variance or one a dimension: Ψ₂ = W·Σ_n ω_n(μ_nμ_nᵀ + diag s_n)·Wᵀ with W = Z·diag(v). */
export function linearExpectations(
  p: { readonly variance: Tensor },
  { x, Z, weights }: ExpectationInputs,
): Expectations {
  const linear = op.mul(Z, p.variance) as Tensor2D;
  const secondMoments = () => {
    const outer = weightedProducts(x.mean, x.mean, weights);
    return columnsOf(weights).map((column, i) => {
      const spread = op.sum(column === undefined ? x.variance : op.mul(column, x.variance), 0);
      return op.add(outer[i]!, op.mul(op.eye(x.mean.shape[1]), spread)) as Tensor2D;
    });
  };
  const moments = () => secondMoments().map((second) => op.matMul<Tensor2D>(linear, second));
  return {
    diagonal: op.sum(op.mul(op.add(op.square(x.mean), x.variance), p.variance), 1) as Tensor1D,
    cross: op.matMul<Tensor2D>(x.mean, linear, false, true),
    products: () => moments().map((moment) => op.matMul<Tensor2D>(moment, linear, false, true)),
    moments,
    linear,
  };
}
