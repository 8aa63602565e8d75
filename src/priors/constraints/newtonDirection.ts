import type { LaplacianFactor } from '../../core/sparse/laplacianFactor.ts';
import type { Preconditioner } from './localInverse.ts';

/** A system (S + diag(shift))·z = right in z_e = R_e·Δw_e, S_ef = (a_eᵀU a_f)²/(R_e·R_f), for all edges of a factor at its weights. */
export interface ScaledSystem {
  readonly factor: LaplacianFactor;
  readonly resistances: Float64Array;
  readonly shift: Float64Array;
  readonly right: Float64Array;
  readonly inverse: Preconditioner;
}

export interface Direction {
  /** z, one of each edge. */
  readonly scaled: Float64Array;
  /** Products with the Hessian, each a factorisation. */
  readonly products: number;
  /** Whether the search was told to end. */
  readonly stopped: boolean;
}

/**
 * Solves a system by preconditioned conjugate gradients, to a part of the residual's norm under the preconditioner; pauses after each product, and
 * ends when `true` is sent in.
 *
 * @see Hestenes & Stiefel, J. Res. NBS 49 (1952)
 */
export function* newtonDirection(
  { factor, resistances, shift, right, inverse }: ScaledSystem,
  part: number,
  most: number,
): Generator<void, Direction, boolean> {
  const count = right.length;
  const scaled = new Float64Array(count);
  const residual = right.slice();
  const conditioned = new Float64Array(count);
  const change = new Float64Array(count);
  inverse(residual, conditioned);
  const direction = conditioned.slice();
  let energy = dot(residual, conditioned);
  const goal = part * part * energy;
  let products = 0;
  while (products < most && energy > goal) {
    for (let a = 0; a < count; a++) change[a] = direction[a]! / resistances[a]!;
    const product = factor.resistanceDecrease(change);
    products++;
    for (let a = 0; a < count; a++) product[a] = product[a]! / resistances[a]! + shift[a]! * direction[a]!;
    const curvature = dot(direction, product);
    if (!(curvature > 0)) break;
    const length = energy / curvature;
    for (let a = 0; a < count; a++) {
      scaled[a]! += length * direction[a]!;
      residual[a]! -= length * product[a]!;
    }
    inverse(residual, conditioned);
    const before = energy;
    energy = dot(residual, conditioned);
    for (let a = 0; a < count; a++) direction[a] = conditioned[a]! + (energy / before) * direction[a]!;
    if (yield) return { scaled, products, stopped: true };
  }
  return { scaled, products, stopped: false };
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}
