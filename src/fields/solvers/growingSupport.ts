import { minimize } from '../../inference/minimize/minimize.ts';
import { lbfgsb } from '../../inference/solvers/lbfgsb.ts';
import type { Box, Evaluation, Iterate, Solver, SolverMemory, Steps } from '../../model/solver.ts';
import { fieldFactor } from '../density/fieldFactor.ts';
import { type FieldProblem, restrictedTo, weightScale } from '../density/kktResidual.ts';

/** What a run remembers between its rounds. */
interface GrowingMemory extends SolverMemory {
  /** The edges whose weights may move, ascending. */
  free: Float64Array;
  rounds: number;
  /** Of the field on these edges alone. */
  evaluations: number;
  /** On the projected gradient of the scaled weights that move. */
  tolerance: number;
}

/** Violation of its optimality condition that a weight which moves is left with in the first rounds. */
const FIRST = 1e-4;

/** Edges join that pull at least this part of what the one that pulls most does. */
const PART = 0.1;

/** Most edges that join in one round, for each that moves already. */
const MOST_JOINING = 2;

/** Most iterations of one round where each costs as much as one of all edges. */
const MOST_DENSE = 20;

/**
 * A solver for the dual of a field most of whose weights are 0 at the maximum, as of that on all pairs of points: L-BFGS-B moves
 * the weights of a few edges, on whose own graph the factor is sparse. When these are as good as they can be, all edges are looked at, those
 * whose weights want to grow most join, and the next round begins. The driver sees one evaluation of all edges for each round, so what it tests
 * is stationarity in every weight.
 *
 * @param problem - of all edges
 * @param likely - numbers of the edges that move at first; those whose weights start above 0 do too
 */
export function growingSupport(problem: FieldProblem, likely: ArrayLike<number>): Solver {
  return Object.freeze({
    name: 'growingSupport',
    bounded: true,
    stochastic: false,
    begin(iterate: Iterate, box: Box, given: SolverMemory = {}) {
      const memory = given as GrowingMemory;
      if (memory.free === undefined) {
        memory.free = firstFree(iterate, likely);
        memory.rounds = 0;
        memory.evaluations = 0;
        memory.tolerance = (problem.copies / 2) * FIRST;
      }
      return {
        iterate,
        memory,
        steps: rounds(problem, iterate, box, memory),
        note: () => {
          const { rounds: count, free, evaluations } = memory;
          return (
            `${free.length} of ${iterate.x.length} weights moved, in ${count} round${count === 1 ? '' : 's'} with ` +
            `${evaluations} evaluation${evaluations === 1 ? '' : 's'} of their own.`
          );
        },
      };
    },
  });
}

function firstFree({ x }: Iterate, likely: ArrayLike<number>): Float64Array {
  const isFree = new Uint8Array(x.length);
  for (let a = 0; a < likely.length; a++) isFree[likely[a]!] = 1;
  for (let e = 0; e < x.length; e++) if (x[e]! > 0) isFree[e] = 1;
  return marked(isFree);
}

function* rounds(problem: FieldProblem, iterate: Iterate, box: Box, memory: GrowingMemory): Steps {
  for (;;) {
    const { free, tolerance } = memory;
    const own = solvedOn(problem, free, iterate.x, tolerance);
    const point = iterate.x.slice();
    for (let a = 0; a < free.length; a++) point[free[a]!] = own.scaled[a]!;
    const { value, gradient }: Evaluation = yield { kind: 'evaluate', point };
    if (Number.isNaN(value)) return { status: 'failed', reason: 'the field has no value where the likely edges led' };
    const isLevel = own.iterations === 0;
    iterate.x.set(point);
    iterate.gradient.set(gradient);
    iterate.value = value;
    const joining = joined(iterate, box, free, tolerance);
    memory.rounds++;
    memory.evaluations += own.evaluations;
    if (joining.length === free.length) memory.tolerance = tolerance / 100;
    memory.free = joining;
    yield { kind: 'iteration', comparable: joining.length === free.length };
    if (isLevel && joining.length === free.length) {
      return { status: 'converged', reason: 'no weight can be moved any further' };
    }
  }
}

/** The best weights of some edges, in units of their scales, where all others are 0. */
function solvedOn(problem: FieldProblem, free: Float64Array, x: Float64Array, tolerance: number) {
  const own = restrictedTo(problem, free);
  const { squaredDistances, copies, basePrecision, upper } = own;
  const factor = fieldFactor(own);
  const scale = squaredDistances.map((distance) => weightScale(own, distance));
  const start = Float64Array.from(free, (e, a) => Math.min(upper, x[e]! * scale[a]!));
  const objective = (weights: Float64Array) => {
    const { logDeterminant, resistances } = factor.evaluate(weights, basePrecision);
    let cost = 0;
    for (let a = 0; a < weights.length; a++) {
      cost += weights[a]! * squaredDistances[a]!;
      resistances[a] = 0.5 * (squaredDistances[a]! - copies * resistances[a]!);
    }
    return { value: 0.5 * (cost - copies * logDeterminant), gradient: resistances };
  };
  const { x: weights, ...course } = minimize(objective, start, lbfgsb(), {
    bounds: { lower: 0, upper },
    scale,
    tolerance,
    relativeDecrease: 0,
    ...(!factor.sparse && { maxIterations: MOST_DENSE }),
  });
  return { ...course, scaled: weights.map((weight, a) => weight / scale[a]!) };
}

/** The edges that move and those whose weights want to grow most, at most twice as many as move already. */
function joined({ gradient }: Iterate, { upper }: Box, free: Float64Array, least: number): Float64Array {
  const isFree = new Uint8Array(gradient.length);
  for (const e of free) isFree[e] = 1;
  const pulls = new Float64Array(gradient.length);
  let most = 0;
  for (let e = 0; e < pulls.length; e++) {
    if (isFree[e] === 1 || gradient[e]! >= 0) continue;
    pulls[e] = Math.min(-gradient[e]!, upper[e]!);
    most = Math.max(most, pulls[e]!);
  }
  const threshold = Math.max(least, PART * most);
  let others: number[] = [];
  for (let e = 0; e < pulls.length; e++) if (pulls[e]! > threshold) others.push(e);
  if (others.length > MOST_JOINING * free.length) {
    others = others.sort((a, b) => pulls[b]! - pulls[a]! || a - b).slice(0, MOST_JOINING * free.length);
  }
  for (const e of others) isFree[e] = 1;
  return marked(isFree);
}

function marked(isMarked: Uint8Array): Float64Array {
  let count = 0;
  for (const mark of isMarked) count += mark;
  const places = new Float64Array(count);
  for (let e = 0, a = 0; e < isMarked.length; e++) if (isMarked[e] === 1) places[a++] = e;
  return places;
}
