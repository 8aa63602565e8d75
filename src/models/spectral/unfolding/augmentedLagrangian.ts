import type { ObjectiveFunction } from '../../../inference/minimize/scaledObjective.ts';
import { center, excesses, type UnfoldingProblem } from './unfoldingProblem.ts';

/**
 * Augmented Lagrangian of an unfolding at multipliers w, as a function of the displacement of the points:
 *
 * −‖Y‖² + Σ_e ((1 + σc)·l_e² − w_e²)/(2σ), l_e = (w_e + σ·(‖y_i − y_j‖² − φ_e))/(1 + σc), at least 0 if distances may shrink,
 *
 * with σ the weight of the squared violations and c the compliance. The value is the difference from the undisplaced points, summed edge by edge: for
 * short steps this is more accurate than the difference of two large values.
 *
 * @param Y - N×r, centered
 * @param r - columns of Y
 * @see Bertsekas 1982, §3.1; Burer & Monteiro 2003
 */
export function augmentedLagrangian(
  problem: UnfoldingProblem,
  Y: Float64Array,
  r: number,
  multipliers: Float64Array,
  weight: number,
): ObjectiveFunction {
  const { sources, targets, mayShrink, compliance } = problem;
  const stiffness = weight / (1 + weight * compliance);
  const unclamped = unclampedMultipliers(problem, excesses(problem, Y, r), multipliers, weight);
  const gradient = new Float64Array(Y.length);
  const moved = new Float64Array(Y.length);
  return (displacement) => {
    for (let p = 0; p < moved.length; p++) moved[p] = displacement[p]!;
    center(moved, r);
    let value = 0;
    for (let p = 0; p < moved.length; p++) {
      value -= moved[p]! * (moved[p]! + 2 * Y[p]!);
      gradient[p] = -2 * (Y[p]! + moved[p]!);
    }
    for (let e = 0; e < sources.length; e++) {
      const i = sources[e]! * r;
      const j = targets[e]! * r;
      let change = 0;
      for (let c = 0; c < r; c++) {
        const by = moved[i + c]! - moved[j + c]!;
        change += by * (by + 2 * (Y[i + c]! - Y[j + c]!));
      }
      const before = unclamped[e]!;
      const after = before + stiffness * change;
      const clamps = mayShrink && (before < 0 || after < 0);
      const l = mayShrink && after < 0 ? 0 : after;
      const l0 = mayShrink && before < 0 ? 0 : before;
      value += clamps ? ((l - l0) * (l + l0)) / (2 * stiffness) : 0.5 * change * (l + l0);
      for (let c = 0; c < r; c++) {
        const pull = 2 * l * (Y[i + c]! - Y[j + c]! + moved[i + c]! - moved[j + c]!);
        gradient[i + c]! += pull;
        gradient[j + c]! -= pull;
      }
    }
    return { value, gradient };
  };
}

/** Forces l of every edge, and their growth with the excess of its squared length. */
export interface EdgeForces {
  readonly forces: Float64Array;
  /** Stiffness of every edge; 0 for slack edges that may shrink. */
  readonly stiffness: Float64Array;
}

/** Forces of the edges, used for products with the Hessian of the augmented Lagrangian. */
export function edgeForces(
  problem: UnfoldingProblem,
  Y: Float64Array,
  r: number,
  multipliers: Float64Array,
  weight: number,
): EdgeForces {
  const { mayShrink, compliance } = problem;
  const unclamped = unclampedMultipliers(problem, excesses(problem, Y, r), multipliers, weight);
  const stiffness = weight / (1 + weight * compliance);
  return {
    forces: unclamped.map((l) => (mayShrink && l < 0 ? 0 : l)),
    stiffness: unclamped.map((l) => (mayShrink && l < 0 ? 0 : stiffness)),
  };
}

/**
 * H·v, v centered, with the Hessian of the augmented Lagrangian at forces l and differences d_e = y_i − y_j,
 *
 * H = 2(L(l) − I)⊗I_r + 4·Σ_e s_e·d_e·d_eᵀ⊗(e_i − e_j)(e_i − e_j)ᵀ, s the stiffness of each edge.
 */
export function hessianProduct(
  { sources, targets }: UnfoldingProblem,
  r: number,
  Y: Float64Array,
  { forces, stiffness }: EdgeForces,
  v: Float64Array,
): Float64Array {
  const product = v.map((entry) => -2 * entry);
  for (let e = 0; e < sources.length; e++) {
    const i = sources[e]! * r;
    const j = targets[e]! * r;
    let along = 0;
    for (let c = 0; c < r; c++) along += (Y[i + c]! - Y[j + c]!) * (v[i + c]! - v[j + c]!);
    along *= 4 * stiffness[e]!;
    const pull = 2 * forces[e]!;
    for (let c = 0; c < r; c++) {
      const change = pull * (v[i + c]! - v[j + c]!) + along * (Y[i + c]! - Y[j + c]!);
      product[i + c]! += change;
      product[j + c]! -= change;
    }
  }
  return product;
}

/** Updated multipliers l: the forces at the current violations of the constraints. */
export function updatedMultipliers(
  problem: UnfoldingProblem,
  violations: Float64Array,
  multipliers: Float64Array,
  weight: number,
): Float64Array {
  const updated = unclampedMultipliers(problem, violations, multipliers, weight);
  return problem.mayShrink ? updated.map((l) => Math.max(0, l)) : updated;
}

function unclampedMultipliers(
  { compliance }: UnfoldingProblem,
  violations: Float64Array,
  multipliers: Float64Array,
  weight: number,
): Float64Array {
  return multipliers.map((w, e) => (w + weight * violations[e]!) / (1 + weight * compliance));
}
