import {
  analyze,
  factorize,
  type SymbolicFactor,
  sparseSymmetric,
  solve as substitute,
} from '../../../engine/sparse/index.ts';
import { solve } from '../../../inference/minimize/minimize.ts';
import { conjugateGradients, type Direction, type System } from '../../../inference/solvers/conjugateGradients.ts';
import { lbfgs } from '../../../inference/solvers/lbfgs.ts';
import { augmentedLagrangian, type EdgeForces, edgeForces, hessianProduct } from './augmentedLagrangian.ts';
import { largestModulus } from './unfoldingCertificate.ts';
import { center, type UnfoldingProblem } from './unfoldingProblem.ts';

/** Progress of a minimization of an augmented Lagrangian. */
interface MinimumProgress {
  readonly iterations: number;
  readonly evaluations: number;
  /** N×r points, which are not modified later, and the largest entry of the gradient before the last step; available while the minimization pauses. */
  standing(): { readonly Y: Float64Array; readonly gradientNorm: number };
}

/** Minimum of an augmented Lagrangian. */
interface UnfoldingMinimum extends Omit<MinimumProgress, 'standing'> {
  /** N×r, centered. */
  readonly Y: Float64Array;
  /** True if the gradient is small enough. */
  readonly settled: boolean;
}

/** Minimum tolerance for starting with the generic solver: far from a minimum its steps cost a hundredth of Newton steps, and achieve as much. */
const COARSE = 1e-3;
const MOST_COARSE = 1000;

/**
 * Minimizes a sequence of augmented Lagrangians from N×r points, until no entry of the gradient exceeds 2·tolerance times the largest of Y: first by
 * L-BFGS for coarse tolerances, then by truncated Newton steps, since edges are millions of times stiffer than the folds between them, which
 * determines the condition number.
 */
export function unfoldingMinimum(problem: UnfoldingProblem) {
  const newton = unfoldingNewton(problem);
  return function* (
    from: Float64Array,
    r: number,
    multipliers: Float64Array,
    weight: number,
    tolerance: number,
  ): Generator<MinimumProgress, UnfoldingMinimum, void> {
    let Y = from;
    let [iterations, evaluations] = [0, 0];
    if (tolerance >= COARSE) {
      const objective = augmentedLagrangian(problem, Y, r, multipliers, weight);
      const run = solve(objective, new Float64Array(Y.length), lbfgs({ history: 10 }), {
        maxIterations: MOST_COARSE,
        tolerance: 2 * tolerance * largestModulus(Y),
        relativeDecrease: 0,
      });
      let step = run.next();
      while (!step.done) {
        const at = step.value;
        const standing = () => ({ Y: movedBy(from, at.x, r), gradientNorm: at.gradientNorm });
        yield { iterations: at.iterations, evaluations: at.evaluations, standing };
        step = run.next();
      }
      const { x, status } = step.value;
      ({ iterations, evaluations } = step.value);
      Y = movedBy(from, x, r);
      if (status === 'converged') return { Y, settled: true, iterations, evaluations };
    }
    const steps = newton(Y, r, multipliers, weight, 2 * tolerance);
    let step = steps.next();
    while (!step.done) {
      const at = step.value;
      yield {
        ...at,
        iterations: iterations + at.iterations,
        evaluations: evaluations + at.evaluations,
      };
      step = steps.next();
    }
    iterations += step.value.iterations;
    evaluations += step.value.evaluations;
    return { ...step.value, iterations, evaluations };
  };
}

function movedBy(Y: Float64Array, x: Float64Array, r: number): Float64Array {
  const moved = Y.map((entry, p) => entry + x[p]!);
  center(moved, r);
  return moved;
}

/** Minimum reached by Newton steps. */
interface NewtonMinimum extends Omit<MinimumProgress, 'standing'> {
  /** N×r, centered. */
  readonly Y: Float64Array;
  /** True if the gradient is small enough. */
  readonly settled: boolean;
}

/**
 * Maximum number of steps in one minimization, a few from a good start; and the number of steps without a decrease of the gradient that are
 * tolerated, while edges switch between slack and taut.
 */
const MOST_STEPS = 100;
const MOST_STEPS_WITHOUT_GAIN = 30;

/** Shortest fraction of a step that is tried, and the fraction of the predicted decrease that a step must achieve. */
const SHORTEST = 1e-10;
const SUFFICIENT = 1e-4;

/** Maximum number of products with the Hessian in one step, and the fraction of the gradient that may remain. */
const MOST_PRODUCTS = 300;
const LEAST_FORCING = 1e-3;

/** Shift relative to the mean diagonal: keeps the factor of the preconditioner from becoming singular, for example along translations. */
const SHIFT = 1e-8;

/**
 * Minimizes augmented Lagrangians of an unfolding by truncated Newton steps, with a pause after each step and each product with the Hessian.
 *
 * Conjugate gradients are preconditioned by the sparse Cholesky factor of H + 2I with |l| for l, H the Hessian of `hessianProduct`. It captures the
 * stiffness of H; the remaining few directions with L(l) about 1 need about ten products. The iteration stops at a direction of negative curvature,
 * or when the gradient is small enough.
 *
 * @see Nocedal & Wright 2006, algorithm 7.1
 */
export function unfoldingNewton(problem: UnfoldingProblem) {
  let layout: BlockLayout | undefined;
  return function* (
    from: Float64Array,
    r: number,
    multipliers: Float64Array,
    weight: number,
    tolerance: number,
  ): Generator<MinimumProgress, NewtonMinimum, void> {
    if (layout?.r !== r) layout = blockLayout(problem, r);
    let Y = from;
    let evaluations = 0;
    let least = Infinity;
    let unimproved = 0;
    for (let iterations = 0; ; iterations++) {
      const objective = augmentedLagrangian(problem, Y, r, multipliers, weight);
      const gradient = Float64Array.from(objective(new Float64Array(Y.length)).gradient);
      evaluations++;
      const steepness = largestModulus(gradient);
      const settled = steepness <= tolerance * largestModulus(Y);
      unimproved = steepness < least / 2 ? 0 : unimproved + 1;
      least = Math.min(least, steepness);
      if (settled || iterations >= MOST_STEPS || unimproved > MOST_STEPS_WITHOUT_GAIN)
        return { Y, settled, iterations, evaluations };
      const edges = edgeForces(problem, Y, r, multipliers, weight);
      const search = newtonDirection(problem, layout, Y, gradient, edges);
      const standing = { Y, gradientNorm: steepness };
      let product = search.next();
      for (let products = 1; !product.done; products++) {
        yield { iterations, evaluations: evaluations + products, standing: () => standing };
        product = search.next();
      }
      const { solution: direction, products } = product.value;
      evaluations += products;
      const slope = direction.reduce((sum, entry, p) => sum + entry * gradient[p]!, 0);
      let length = 1;
      let step = direction;
      for (; length > SHORTEST; length /= 2) {
        step = direction.map((entry) => length * entry);
        evaluations++;
        if (objective(step).value <= SUFFICIENT * length * slope) break;
      }
      if (length <= SHORTEST) return { Y, settled, iterations, evaluations };
      Y = Y.map((entry, p) => entry + step[p]!);
      center(Y, r);
      const moved = { Y, gradientNorm: steepness };
      yield { iterations: iterations + 1, evaluations, standing: () => moved };
    }
  };
}

/** Positions of the entries of r×r blocks: one lower triangle per point, then one full block per edge. */
interface BlockLayout {
  readonly r: number;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
  symbolic?: SymbolicFactor;
}

function blockLayout({ size, sources, targets }: UnfoldingProblem, r: number): BlockLayout {
  const rows: number[] = [];
  const columns: number[] = [];
  for (let i = 0; i < size; i++) {
    for (let a = 0; a < r; a++) {
      for (let b = 0; b <= a; b++) {
        rows.push(i * r + a);
        columns.push(i * r + b);
      }
    }
  }
  sources.forEach((i, e) => {
    const j = targets[e]!;
    for (let a = 0; a < r; a++) {
      for (let b = 0; b < r; b++) {
        rows.push(j * r + a);
        columns.push(i * r + b);
      }
    }
  });
  return { r, rows: Int32Array.from(rows), columns: Int32Array.from(columns) };
}

/** Solves with H + 2I for the moduli of the forces, and a shift instead of explicit projections, so that translations are not null vectors. */
function preconditioner(
  { size, sources, targets }: UnfoldingProblem,
  layout: BlockLayout,
  Y: Float64Array,
  { forces, stiffness }: EdgeForces,
): (b: Float64Array, x: Float64Array) => void {
  const { r, rows, columns } = layout;
  const triangle = (r * (r + 1)) / 2;
  const values = new Float64Array(rows.length);
  let trace = 0;
  for (let e = 0; e < sources.length; e++) {
    const [i, j] = [sources[e]!, targets[e]!];
    const pull = 2 * Math.abs(forces[e]!);
    const stiff = 4 * stiffness[e]!;
    let [p, q] = [i * triangle, j * triangle];
    let block = size * triangle + e * r * r;
    for (let a = 0; a < r; a++) {
      const along = stiff * (Y[i * r + a]! - Y[j * r + a]!);
      for (let b = 0; b < r; b++) {
        const entry = along * (Y[i * r + b]! - Y[j * r + b]!) + (a === b ? pull : 0);
        values[block++] = -entry;
        if (b > a) continue;
        values[p++]! += entry;
        values[q++]! += entry;
        if (a === b) trace += 2 * entry;
      }
    }
  }
  const shift = (SHIFT * trace) / (size * r);
  for (let i = 0, p = 0; i < size; i++) {
    for (let a = 0; a < r; p += ++a) values[p + a]! += shift;
  }
  const matrix = sparseSymmetric(size * r, rows, columns, values);
  layout.symbolic ??= analyze(matrix.pattern);
  const factor = factorize(layout.symbolic, matrix.values);
  return (b, x) => {
    substitute(factor, b, x);
  };
}

/** Step by conjugate gradients on centered vectors. */
function newtonDirection(
  problem: UnfoldingProblem,
  layout: BlockLayout,
  Y: Float64Array,
  gradient: Float64Array,
  edges: EdgeForces,
): Generator<undefined, Direction, void> {
  const { r } = layout;
  const solved = preconditioner(problem, layout, Y, edges);
  const system: System = {
    right: gradient.map((entry) => -entry),
    product: (v) => hessianProduct(problem, r, Y, edges, v),
    inverse: (b, x) => {
      solved(b, x);
      center(x, r);
    },
  };
  return conjugateGradients(system, LEAST_FORCING, MOST_PRODUCTS, 'follow');
}
