import { checkOptions } from '../../core/options.ts';
import { dot, norm } from '../../engine/vectors.ts';
import type { Box, Iterate, Solver, SolverMemory, Steps } from '../../model/solver.ts';
import { type CauchyPoint, type CompactHessian, cauchyPoint, compactHessian, linearSystem } from './compactHessian.ts';
import { type CorrectionPairs, checkPairs, correctionPairs, type PairOptions, pairOptions } from './lbfgs.ts';
import { cannotDescend, lineSearch } from './lineSearch.ts';

/**
 * L-BFGS-B: quasi-Newton steps for objectives with bounds lower ≤ x ≤ upper, any of them infinite.
 *
 * Each iteration finds the generalized Cauchy point of the quadratic model, which determines the active bounds, minimizes the model over the free
 * variables, and searches the line to the result under the strong Wolfe conditions.
 *
 * @param options - `history`, the number of correction pairs kept, at least 1; default 10
 * @returns a frozen description of the solver, for `minimize` or `fit`
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
  // Without history the model is ‖·‖²/2 around the gradient, and its minimizer a projected gradient step.
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

/** Approximate minimum of the quadratic model of the correction pairs within the box. */
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

/** Minimization of the quadratic model over the variables that are free at the Cauchy point, with storage that is allocated once. */
interface SubspaceMinimum {
  readonly point: Float64Array;
  /** Computes the minimum; false if the reduced system is singular. */
  find(iterate: Iterate, cauchy: CauchyPoint): boolean;
}

/**
 * Minimizer of the model over the free variables, with all others fixed at the Cauchy point, moved back into the box by projection, or by shortening
 * the step if the projection is not a descent direction.
 *
 * With Z the free and A the fixed variables, the step is −r/θ − ZᵀW·v/θ², (M⁻¹ − WᵀZZᵀW/θ)·v = WᵀZ·r. The system is summed
 * over Z or A, entry by entry, without cancellation.
 *
 * @see Byrd, Lu, Nocedal, Zhu (1995), §5.1; Morales, Nocedal (2011), Remark on Algorithm 778, ACM TOMS 38(1)
 */
export function subspaceMinimum(hessian: CompactHessian, box: Box): SubspaceMinimum {
  const { pairs } = hessian;
  const { size, history, steps, changes } = pairs;
  const point = new Float64Array(size);
  const reduced = new Float64Array(size);
  const indices = new Int32Array(size);
  const right = new Float64Array(2 * history);
  const weights = new Float64Array(2 * history);
  const system = linearSystem(2 * history);
  let free = 0;

  /** Sorts free variables before fixed ones. */
  const split = (cauchy: Float64Array) => {
    free = 0;
    let fixed = size;
    for (let i = 0; i < size; i++) {
      if (cauchy[i]! > box.lower[i]! && cauchy[i]! < box.upper[i]!) indices[free++] = i;
      else indices[--fixed] = i;
    }
  };

  const sum = (a: Float64Array, i: number, b: Float64Array, j: number, from: number, to: number) => {
    const startA = pairs.slot(i) * size;
    const startB = pairs.slot(j) * size;
    let total = 0;
    for (let n = from; n < to; n++) total += a[startA + indices[n]!]! * b[startB + indices[n]!]!;
    return total;
  };
  const overFree = (a: Float64Array, i: number, b: Float64Array, j: number) => sum(a, i, b, j, 0, free);
  const overFixed = (a: Float64Array, i: number, b: Float64Array, j: number) => sum(a, i, b, j, free, size);

  const assemble = () => {
    const { count } = pairs;
    const { theta } = hessian;
    const { matrix, rowLength } = system;
    const allFree = free === size;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        // −SᵀZZᵀY; L adds SᵀY below the diagonal.
        let stepChange: number;
        if (i > j) stepChange = allFree ? 0 : overFixed(steps, i, changes, j);
        else stepChange = allFree ? -hessian.stepChange(i, j) : -overFree(steps, i, changes, j);
        matrix[(count + i) * rowLength + j] = stepChange;
        matrix[j * rowLength + count + i] = stepChange;
        if (j > i) continue;
        const changeChange = allFree ? hessian.changeChange(i, j) : overFree(changes, i, changes, j);
        const curvature = -changeChange / theta - (i === j ? hessian.stepChange(i, i) : 0);
        matrix[i * rowLength + j] = curvature;
        matrix[j * rowLength + i] = curvature;
        const stepStep = allFree ? 0 : theta * overFixed(steps, i, steps, j);
        matrix[(count + i) * rowLength + count + j] = stepStep;
        matrix[(count + j) * rowLength + count + i] = stepStep;
      }
    }
    return system.factor(2 * count);
  };

  /** reduced ← reduced + factor·W·weights, for each free variable. */
  const addProduct = (factor: number, weights: Float64Array) => {
    const { count } = pairs;
    for (let k = 0; k < count; k++) {
      const start = pairs.slot(k) * size;
      const onChange = factor * weights[k]!;
      const onStep = factor * weights[count + k]! * hessian.theta;
      for (let n = 0; n < free; n++) {
        const i = indices[n]!;
        reduced[i] = reduced[i]! + onChange * changes[start + i]! + onStep * steps[start + i]!;
      }
    }
  };

  /** right ← Wᵀ·reduced over the free variables. */
  const project = () => {
    const { count } = pairs;
    for (let k = 0; k < count; k++) {
      const start = pairs.slot(k) * size;
      let onChange = 0;
      let onStep = 0;
      for (let n = 0; n < free; n++) {
        const i = indices[n]!;
        onChange += changes[start + i]! * reduced[i]!;
        onStep += steps[start + i]! * reduced[i]!;
      }
      right[k] = onChange;
      right[count + k] = onStep * hessian.theta;
    }
  };

  /** reduced ← step from the Cauchy point, for each free variable. */
  const solveReduced = ({ x, gradient }: Iterate, cauchy: CauchyPoint) => {
    const { theta } = hessian;
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      reduced[i] = gradient[i]! + theta * (cauchy.point[i]! - x[i]!);
    }
    weights.set(cauchy.displacement);
    hessian.applyMiddle(weights);
    addProduct(-1, weights);
    project();
    system.solve(right);
    for (let n = 0; n < free; n++) reduced[indices[n]!] = -reduced[indices[n]!]! / theta;
    addProduct(-1 / (theta * theta), right);
  };

  /** point ← P(cauchy + reduced); returns the slope from x to it. */
  const projectStep = ({ x, gradient }: Iterate, cauchy: Float64Array) => {
    point.set(cauchy);
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      point[i] = Math.max(box.lower[i]!, Math.min(box.upper[i]!, cauchy[i]! + reduced[i]!));
    }
    let slope = 0;
    for (let i = 0; i < size; i++) slope += (point[i]! - x[i]!) * gradient[i]!;
    return slope;
  };

  /** point ← cauchy + α·reduced, with α ≤ 1 the largest value that stays in the box. */
  const shortenStep = (cauchy: Float64Array) => {
    let longest = 1;
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      const step = reduced[i]!;
      if (step === 0) continue;
      const reach = (step < 0 ? box.lower[i]! - cauchy[i]! : box.upper[i]! - cauchy[i]!) / step;
      longest = Math.min(longest, reach);
    }
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      const moved = cauchy[i]! + longest * reduced[i]!;
      point[i] = Math.max(box.lower[i]!, Math.min(box.upper[i]!, moved));
    }
  };

  return {
    point,
    find(iterate, cauchy) {
      point.set(cauchy.point);
      split(cauchy.point);
      if (free === 0 || pairs.count === 0) return true;
      if (!assemble()) return false;
      solveReduced(iterate, cauchy);
      if (projectStep(iterate, cauchy.point) > 0) shortenStep(cauchy.point);
      return true;
    },
  };
}
