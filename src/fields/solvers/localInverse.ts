import type { Preconditioner } from '../../inference/solvers/conjugateGradients.ts';
import type { LaplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import { localRows } from './localRows.ts';

type Ends = { readonly size: number; readonly sources: Int32Array; readonly targets: Int32Array };

/**
 * An approximate inverse GᵀG of A = S + diag(shift) on some edges of a field, S_ef = (a_eᵀU a_f)²/(R_e·R_f), a_e = e_i − e_j: the Hessian of
 * −log|Q| in w_e·R_e.
 *
 * The row of G of an edge is exact for the edge and those that share a point with it and come later in the order of elimination, of
 * which the factor knows all resistances; it is positive definite always. What is far apart has little to do with each other (S falls
 * with the fourth power of the distance on a surface), so conjugate gradients take a few steps whatever the number of points.
 *
 * @param factor - of a graph that has these edges among its own, at the weights in question
 * @param pairs - the edges
 * @param shift - ≥ 0, one of each
 * @see Kolotilina & Yeremin, SIAM J. Matrix Anal. Appl. 14 (1993), on factorised sparse approximate inverses
 */
export function localInverse(factor: LaplacianFactor, pairs: Ends, shift: Float64Array): Preconditioner {
  const { starts, lengths, columns, entries } = localRows(factor, pairs, shift);
  return (r, x) => {
    x.fill(0);
    for (let a = 0; a < starts.length; a++) {
      const begin = starts[a]!;
      const end = begin + lengths[a]!;
      let sum = 0;
      for (let p = begin; p < end; p++) sum += entries[p]! * r[columns[p]!]!;
      for (let p = begin; p < end; p++) x[columns[p]!]! += entries[p]! * sum;
    }
  };
}
