import { type LaplacianFactor, laplacianFactor } from '../../core/sparse/laplacianFactor.ts';
import { type Interior, interiorStart, onSupport, pathTarget, stepLengths } from './interior.ts';
import { type FieldProblem, kktResidual, restrictedTo } from './kktResidual.ts';
import { localInverse } from './localInverse.ts';
import { newtonDirection } from './newtonDirection.ts';
import { type SparseResult, supportNewton } from './supportNewton.ts';

/** Mean product of weight and multiplier at which it is clear which weights are 0. */
const SMALLEST = 1e-12;

/** A step aims at this part of the mean product. */
const CENTRING = 0.1;

/** Of the residual that conjugate gradients leave of a step, and most products they take. */
const PART = 0.1;
const MOST_PRODUCTS = 30;

/** Steps of w_e ← w_e·c·R_e/φ_e that come first: each raises the objective, the first of them most. */
const FIRST = 5;

/** Violation from which the start is good enough to keep its support. */
const NEAR = 1e-6;

/**
 * Maximises the dual of a maximum-entropy problem on a sparse graph: a primal-dual interior-point method, whose steps see the bounds
 * as curvature and so need not know which weights are 0, and Newton's method on the support that it finds. Neither takes more steps on larger
 * graphs, and a step takes a few factorisations, so the whole grows as one factorisation does.
 *
 * With multipliers u of w ≥ 0 a step solves (H + diag(u/w))·Δw = R − φ/c + τ/w, H_ef = (a_eᵀU a_f)², and τ goes to 0. Weights that are clearly
 * on their way to 0 leave the system, and come back should their constraint be violated. Ends at the best point when `true` is sent in.
 *
 * @param factor - of the whole graph
 * @param start - one weight an edge, within the bounds: measured, and where the method begins when it is near the maximum
 * @param steps - most steps; 0 only measures
 * @see Nocedal & Wright, Numerical Optimization (2006), ch. 19; Silvey, Titterington & Torsney, Commun. Statist. A 7 (1978), on the first steps
 */
export function* interiorPoint(
  problem: FieldProblem,
  factor: LaplacianFactor,
  start: Float64Array,
  steps: number,
): Generator<void, SparseResult, boolean> {
  const { basePrecision, squaredDistances, copies } = problem;
  let evaluations = 0;
  let iterations = 0;
  const best = { weights: start, value: -Infinity, residual: Infinity };
  const evaluate = (weights: Float64Array) => {
    factor.update(weights, basePrecision);
    evaluations++;
    const R = factor.resistances();
    let value = factor.logDeterminant;
    for (let e = 0; e < weights.length; e++) value -= (weights[e]! * squaredDistances[e]!) / copies;
    if (value > best.value) {
      Object.assign(best, { weights: weights.slice(), value, residual: kktResidual(problem, weights, R) });
    }
    return R;
  };
  const ended = (stopped: boolean) => ({
    weights: best.weights,
    kktResidual: best.residual,
    iterations,
    evaluations,
    stopped,
  });
  evaluate(start);
  if (steps === 0) return ended(false);
  let candidate = start;
  if (best.residual > NEAR) {
    const state = interiorStart(problem);
    let R = evaluate(state.weights);
    for (let k = 0; k < FIRST; k++) {
      state.multiply(R);
      R = evaluate(state.weights);
      if (yield) return ended(true);
    }
    state.begin(R);
    let own: Restricted = { edges: state.edges, problem, factor };
    while (iterations < steps && state.meanProduct() > SMALLEST) {
      if (own.edges !== state.edges) own = restrictedField(problem, state.edges);
      const found = yield* step(problem, factor, own, state);
      evaluations += found.evaluations;
      if (found.stopped) return ended(true);
      R = evaluate(state.weights);
      state.select(R);
      iterations++;
      if (yield) return ended(true);
    }
    candidate = onSupport(problem, state, R);
  }
  const polished = yield* supportNewton(problem, factor, candidate, steps - iterations);
  return {
    ...polished,
    iterations: iterations + polished.iterations,
    evaluations: evaluations + polished.evaluations,
  };
}

/** The edges that have not left, and a factor of them. */
interface Restricted {
  readonly edges: Int32Array;
  readonly problem: FieldProblem;
  readonly factor: LaplacianFactor;
}

function restrictedField(whole: FieldProblem, edges: Int32Array): Restricted {
  const problem = restrictedTo(whole, edges);
  return { edges, problem, factor: laplacianFactor(problem) };
}

/** Moves weights and multipliers along the step of the perturbed conditions, nearly to where the first of them would be 0. */
function* step(
  problem: FieldProblem,
  factor: LaplacianFactor,
  own: Restricted,
  state: Interior,
): Generator<void, { evaluations: number; stopped: boolean }, boolean> {
  const isWhole = own.factor === factor;
  if (!isWhole) {
    const weights = new Float64Array(own.edges.length);
    for (let a = 0; a < weights.length; a++) weights[a] = state.weights[own.edges[a]!]!;
    own.factor.update(weights, problem.basePrecision);
  }
  const resistances = own.factor.resistances();
  const target = CENTRING * state.meanProduct();
  const { shift, right } = pathTarget(problem, state, resistances, target);
  const inverse = localInverse(factor, own.problem, shift);
  const system = { factor: own.factor, resistances, shift, right, inverse };
  const { scaled, products, stopped } = yield* newtonDirection(system, PART, MOST_PRODUCTS);
  const change = scaled.map((z, a) => z / resistances[a]!);
  if (!stopped) state.move(change, target, stepLengths(problem, state, change, target));
  return { evaluations: products + (isWhole ? 0 : 1), stopped };
}
