import { InvalidInputError } from '../../core/errors.ts';
import { isCount } from '../../core/plainNumbers.ts';
import type { Ending, Iterate, Solver, SolverMemory, Steps } from '../../model/solver.ts';
import { type FieldProblem, kktResidual } from './fieldProblem.ts';

/** Weights of a maximum-entropy problem, with value, resistances and violation of the optimality conditions. */
export interface FieldPoint {
  readonly weights: Float64Array;
  /** c/2·log|L(w) + λI| − ½·Σ w_e·φ_e */
  readonly value: number;
  readonly resistances: Float64Array;
  readonly kktResidual: number;
}

/** The best point of a search so far, and the number of iterations and evaluations. */
export interface FieldProgress extends FieldPoint {
  readonly iterations: number;
  readonly evaluations: number;
}

/** State of a search after an iteration. */
export interface FieldStep extends FieldProgress {
  /** A copy of the state, in addition to the point, that continues the search with the same bits. */
  memory(): SolverMemory;
}

/** A search for the maximum: yields every iteration, may pause in between, and returns its best point. */
export type FieldSearch = Generator<FieldStep | undefined, FieldProgress, void>;

/**
 * The counts of a resumed search.
 *
 * @param again - evaluations repeated in order to restore the state, which are not counted
 * @throws InvalidInputError if the memory contains none
 */
export function countsOf(memory: SolverMemory | undefined, again: number): { iterations: number; evaluations: number } {
  if (memory === undefined) return { iterations: 0, evaluations: 0 };
  const { iterations, evaluations } = memory;
  if (!isCount(iterations)) throw damagedMemory('iterations');
  if (!isCount(evaluations, again)) throw damagedMemory('evaluations');
  return { iterations, evaluations: evaluations - again };
}

/** Error for a damaged checkpoint. */
export function damagedMemory(name: string): InvalidInputError {
  return new InvalidInputError(
    `The state of the solver is damaged: '${name}' in its memory is not what it leaves. Resume with the checkpoint as it was saved, ` +
      'and the model that it was saved from.',
  );
}

/** Relative difference of the objective below which two values are equal up to rounding. */
const LEVEL = 1e-12;

/**
 * The dual's value, resistances and violation at some weights.
 *
 * @param weights - retained
 */
export function pointAt(
  problem: FieldProblem,
  weights: Float64Array,
  logDeterminant: number,
  resistances: Float64Array,
): FieldPoint {
  let cost = 0;
  for (let e = 0; e < weights.length; e++) cost += weights[e]! * problem.squaredDistances[e]!;
  return {
    weights,
    value: 0.5 * (problem.copies * logDeterminant - cost),
    resistances,
    kktResidual: kktResidual(problem, weights, resistances),
  };
}

/** The point with the greater value, or, if the values differ only by rounding, the one with the smaller violation. */
export function betterOf<P extends Pick<FieldPoint, 'value' | 'kktResidual'>>(one: P, other: P): P {
  const gain = other.value - one.value;
  if (Math.abs(gain) > LEVEL * Math.max(1, Math.abs(one.value))) return gain > 0 ? other : one;
  return other.kktResidual < one.kktResidual ? other : one;
}

/** A search with each of its steps mapped. */
export function* mapped<Step, Mapped, Result>(
  search: Generator<Step | undefined, Result, void>,
  map: (step: Step) => Mapped,
): Generator<Mapped | undefined, Result, void> {
  let step = search.next();
  for (; !step.done; step = search.next()) yield step.value === undefined ? undefined : map(step.value);
  return step.value;
}

/** State of a search that evaluates its objective without the driver. */
export interface SearchStep {
  readonly iterations: number;
  readonly evaluations: number;
  /** A copy of the state, in addition to the point, that continues the search with the same bits. */
  memory(): SolverMemory;
}

/** The best point of a search in a solver's variables, before scaling, with the log density and its gradient. */
export type SearchPoint = Readonly<Pick<Iterate, 'x' | 'value' | 'gradient'>>;

/** A search that knows its objective: yields every iteration, may pause in between, and returns its best point. */
type Search<Step extends SearchStep, Result> = Generator<Step | undefined, Result, unknown>;

interface SearchSolverOptions<Step extends SearchStep, Result extends Omit<SearchStep, 'memory'>> {
  readonly name: string;
  /** Typical size of each variable. */
  readonly scale: Float64Array;
  /** Starts or resumes the search. */
  begin(start: Float64Array, memory: SolverMemory | undefined): Search<Step, Result>;
  pointAt(step: Step | Result): SearchPoint;
  ending(result: Result): Ending;
}

/** Wraps a search that evaluates its objective as a solver: the driver sees only its pauses and iterations. */
export function searchSolver<Step extends SearchStep, Result extends Omit<SearchStep, 'memory'>>(
  options: SearchSolverOptions<Step, Result>,
): Solver {
  return Object.freeze<Solver>({
    name: options.name,
    bounded: true,
    stochastic: false,
    begin: (iterate, { upper }, memory = {}) => {
      const natural = (z: number, i: number) => Math.min(upper[i]!, z) * options.scale[i]!;
      return { iterate, memory, steps: steps(options, iterate, natural, memory) };
    },
  });
}

function* steps<Step extends SearchStep, Result extends Omit<SearchStep, 'memory'>>(
  { scale, begin, pointAt, ending }: SearchSolverOptions<Step, Result>,
  iterate: Iterate,
  natural: (z: number, i: number) => number,
  memory: SolverMemory,
): Steps {
  const place = (at: Step | Result) => {
    const { x, value, gradient } = pointAt(at);
    iterate.value = -value;
    for (let i = 0; i < x.length; i++) {
      iterate.x[i] = x[i]! / scale[i]!;
      iterate.gradient[i] = -scale[i]! * gradient[i]!;
    }
    return x;
  };
  // The point as the search had it: z·scale may differ from it in the last digit.
  const { point, ...own } = memory as SolverMemory & {
    point?: Float64Array;
    iterations?: number;
    evaluations?: number;
  };
  const search = point === undefined ? begin(iterate.x.map(natural), undefined) : begin(point, own);
  let { iterations = 0, evaluations = 0 } = own;
  yield { kind: 'pause' };
  for (;;) {
    const step = search.next();
    if (!step.done && step.value === undefined) {
      yield { kind: 'pause' };
      continue;
    }
    const at = step.value as Step | Result;
    const x = place(at);
    if (!step.done) {
      for (const name of Object.keys(memory)) delete memory[name];
      Object.assign(memory, step.value!.memory(), { point: x.slice() });
    }
    if (!step.done || at.iterations > iterations) {
      yield { kind: 'iteration', comparable: false, evaluations: at.evaluations - evaluations };
    }
    ({ iterations, evaluations } = at);
    yield { kind: 'pause' };
    if (step.done) return ending(step.value);
  }
}
