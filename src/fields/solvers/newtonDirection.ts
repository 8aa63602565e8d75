import { conjugateGradients, type Direction, type Preconditioner } from '../../inference/solvers/conjugateGradients.ts';
import type { LaplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';

/** A system (S + diag(shift))·z = right in z_e = R_e·Δw_e, S_ef = (a_eᵀU a_f)²/(R_e·R_f), for all edges of a factor at its weights. */
export interface ScaledSystem {
  readonly factor: LaplacianFactor;
  readonly resistances: Float64Array;
  readonly shift: Float64Array;
  readonly right: Float64Array;
  readonly inverse: Preconditioner;
}

/**
 * Solves such a system by conjugate gradients; each product with S is a factorisation.
 *
 * @param part - of the residual's norm under `inverse` that is left
 * @param most - most products
 */
export function newtonDirection(
  { factor, resistances, shift, right, inverse }: ScaledSystem,
  part: number,
  most: number,
): Generator<undefined, Direction, void> {
  const count = right.length;
  const change = new Float64Array(count);
  const product = (direction: Float64Array) => {
    for (let a = 0; a < count; a++) change[a] = direction[a]! / resistances[a]!;
    const image = factor.resistanceDecrease(change);
    for (let a = 0; a < count; a++) image[a] = image[a]! / resistances[a]! + shift[a]! * direction[a]!;
    return image;
  };
  return conjugateGradients({ right, product, inverse }, part, most);
}
