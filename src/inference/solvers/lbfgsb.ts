import { checkOptions } from '../../core/options.ts';
import { dot, norm } from '../../numerics/vectors.ts';
import { cauchyPoint } from './cauchyPoint.ts';
import { compactHessian } from './compactHessian.ts';
import { type CorrectionPairs, checkPairs, correctionPairs, pairOptions } from './correctionPairs.ts';
import type { PairOptions } from './lbfgs.ts';
import { lineSearch } from './lineSearch.ts';
import { cannotDescend } from './noDescent.ts';
import type { Box, Iterate, Solver, SolverMemory, Steps } from './solver.ts';
import { subspaceMinimum } from './subspaceMinimum.ts';

/**
 * L-BFGS-B: quasi-Newton steps for objectives with bounds lower ≤ x ≤ upper, any of them infinite.
 *
 * Each iteration finds the generalised Cauchy point of the quadratic model, which decides the bounds that are active,
 * minimises the model over the variables left free, and searches the line to the result under the strong Wolfe conditions.
 *
 * @param options - `history`, the number of correction pairs kept, at least 1; 10 when left out
 * @returns a frozen description of the solver, to be given to `minimize` or `fit`
 * @throws InvalidInputError for an unknown option or a history that is not a positive integer
 * @see Byrd, Lu, Nocedal, Zhu (1995), A limited memory algorithm for bound constrained optimization, SIAM J. Sci. Comput. 16(5)
 * @example
 * ```ts
 * const { x } = minimize(objective, [1, 1], lbfgsb(), { bounds: { lower: 0 } });
 * ```
 */
export function lbfgsb(options: PairOptions = {}): Solver {
  const { history = 10 } = checkOptions(pairOptions, options, 'lbfgsb');
  return Object.freeze({
    name: 'lbfgsb',
    bounded: true,
    stochastic: false,
    options: { history },
    begin(iterate: Iterate, box: Box, given?: SolverMemory) {
      if (given !== undefined) checkPairs(given, history, iterate.x.length, 'lbfgsb');
      const memory = given ?? {};
      const pairs = correctionPairs(memory, history, iterate.x.length);
      return { iterate, memory, steps: descend(iterate, pairs, box) };
    },
  });
}

function* descend(iterate: Iterate, pairs: CorrectionPairs, box: Box): Steps {
  const search = lineSearch(iterate.x.length, box);
  const direction = new Float64Array(iterate.x.length);
  const boxed = box.lower.every(Number.isFinite) && box.upper.every(Number.isFinite);
  const newtonTarget = modelMinimum(pairs, box);
  // Without history the model is ‖·‖²/2 around the gradient, and its minimiser a projected gradient step.
  const noPairs = correctionPairs({}, 1, pairs.size);
  const gradientTarget = modelMinimum(noPairs, box);

  for (;;) {
    let steepest = pairs.count === 0;
    let expected = 0;
    const tried: Float64Array[] = [];
    for (;;) {
      const target = steepest ? gradientTarget.find(iterate) : newtonTarget.find(iterate);
      if (target !== undefined) {
        for (let i = 0; i < direction.length; i++) direction[i] = target[i]! - iterate.x[i]!;
        const slope = dot(direction, iterate.gradient);
        const longest = longestStep(iterate.x, direction, box);
        const firstStep = steepest && !boxed ? Math.min(1, 1 / norm(direction)) : 1;
        if (!(expected > 0)) expected = -slope * firstStep;
        if (slope < 0 && (yield* search.along(iterate, direction, slope, firstStep, longest))) break;
        if (slope < 0) tried.push(direction.slice());
      }
      if (steepest) return yield* cannotDescend(iterate, expected, tried, box);
      steepest = true;
    }
    const { accepted } = search;
    if (steepest) pairs.clear();
    const slot = pairs.add(iterate, accepted);
    if (slot >= 0) newtonTarget.learn(slot);
    iterate.x.set(accepted.x);
    iterate.gradient.set(accepted.gradient);
    iterate.value = accepted.value;
    yield { kind: 'iteration', comparable: true };
  }
}

/** Where the quadratic model of these pairs has its minimum within the box, nearly. */
function modelMinimum(pairs: CorrectionPairs, box: Box) {
  const hessian = compactHessian(pairs);
  const cauchy = cauchyPoint(hessian, box);
  const subspace = subspaceMinimum(hessian, box);
  return {
    learn: (slot: number) => hessian.add(slot),
    find(iterate: Iterate): Float64Array | undefined {
      if (!hessian.prepare()) return undefined;
      cauchy.find(iterate);
      return subspace.find(iterate, cauchy) ? subspace.point : undefined;
    },
  };
}

/** Largest α with x + α·direction in the box. */
function longestStep(x: Float64Array, direction: Float64Array, { lower, upper }: Box): number {
  let longest = 1e10;
  for (let i = 0; i < x.length; i++) {
    const d = direction[i]!;
    if (d < 0) longest = Math.min(longest, (lower[i]! - x[i]!) / d);
    else if (d > 0) longest = Math.min(longest, (upper[i]! - x[i]!) / d);
  }
  return Math.max(longest, 1);
}
