import { dot } from '../../engine/vectors.ts';

/** x ≈ A⁻¹r; `x` is where to put it and must not be r. */
export type Preconditioner = (r: Float64Array, x: Float64Array) => void;

/** A symmetric positive definite system of which only products are known. */
export interface System {
  readonly right: Float64Array;
  /** The product with a vector, in an array of its own. */
  product(direction: Float64Array): Float64Array;
  /** None unless given. */
  readonly inverse?: Preconditioner;
}

export interface Direction {
  readonly solution: Float64Array;
  readonly products: number;
}

/** Rule for a direction without positive curvature: end there, or follow it if it is the first. */
export type Indefinite = 'end' | 'follow';

/**
 * Solves a system by preconditioned conjugate gradients, to a part of the residual's norm under the preconditioner, or to a direction without
 * positive curvature; pauses after each product.
 *
 * @param part - of the norm
 * @param most - most products
 * @param indefinite - whether such a direction is the solution where it is the first, as for a step that minimizes
 * @see Hestenes & Stiefel, J. Res. NBS 49 (1952)
 */
export function* conjugateGradients(
  { right, product, inverse = (r, x) => x.set(r) }: System,
  part: number,
  most: number,
  indefinite: Indefinite = 'end',
): Generator<undefined, Direction, void> {
  const count = right.length;
  const solution = new Float64Array(count);
  const residual = right.slice();
  const conditioned = new Float64Array(count);
  inverse(residual, conditioned);
  const direction = conditioned.slice();
  let energy = dot(residual, conditioned);
  const goal = part * part * energy;
  let products = 0;
  while (products < most && energy > goal) {
    const image = product(direction);
    products++;
    const curvature = dot(direction, image);
    if (!(curvature > 0)) {
      if (products === 1 && indefinite === 'follow') solution.set(direction);
      break;
    }
    const length = energy / curvature;
    for (let a = 0; a < count; a++) {
      solution[a]! += length * direction[a]!;
      residual[a]! -= length * image[a]!;
    }
    inverse(residual, conditioned);
    const before = energy;
    energy = dot(residual, conditioned);
    for (let a = 0; a < count; a++) direction[a] = conditioned[a]! + (energy / before) * direction[a]!;
    yield;
  }
  return { solution, products };
}
