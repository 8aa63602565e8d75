import { dot } from '../../engine/vectors.ts';

/** Preconditioner x ≈ A⁻¹r; the result is written to `x`, which must not be r. */
export type Preconditioner = (r: Float64Array, x: Float64Array) => void;

/** Symmetric positive definite system that is known only through products. */
export interface System {
  readonly right: Float64Array;
  /** Product with a vector, in a separate array. */
  product(direction: Float64Array): Float64Array;
  /** Preconditioner; default none. */
  readonly inverse?: Preconditioner;
}

export interface Direction {
  readonly solution: Float64Array;
  readonly products: number;
}

/** Rule for a direction without positive curvature: stop there, or follow it if it is the first. */
export type Indefinite = 'end' | 'follow';

/**
 * Solves a system by preconditioned conjugate gradients, until the residual's norm under the preconditioner has decreased by a factor, or until a
 * direction without positive curvature; pauses after each product.
 *
 * @param part - remaining fraction of the norm
 * @param most - maximum number of products
 * @param indefinite - whether such a direction is the solution if it is the first, as for a minimization step
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
