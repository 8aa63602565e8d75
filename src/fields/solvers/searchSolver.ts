import type { Ending, Iterate, Solver, SolverMemory, Steps } from '../../model/solver.ts';

/** Where a search that evaluates by itself stands after an iteration. */
export interface SearchStep {
  readonly iterations: number;
  readonly evaluations: number;
  /** A copy of what it needs, beside the point, to go on from here to the same bits. */
  memory(): SolverMemory;
}

/** The best point of a search as a solver's variables see it, before they are scaled. */
export interface SearchPoint {
  readonly x: Float64Array;
  /** The log density, and its gradient. */
  readonly value: number;
  readonly gradient: Float64Array;
}

/** A search that knows its objective: gives every iteration, may pause in between, and ends at its best point. */
export type Search<Step extends SearchStep, Result> = Generator<Step | undefined, Result, unknown>;

export interface SearchSolverOptions<Step extends SearchStep, Result extends Omit<SearchStep, 'memory'>> {
  readonly name: string;
  /** Of the solver's variables. */
  readonly scale: Float64Array;
  /** The search from a point, or from one that it was interrupted at. */
  begin(start: Float64Array, memory: SolverMemory | undefined): Search<Step, Result>;
  pointAt(step: Step | Result): SearchPoint;
  ending(result: Result): Ending;
}

/** Such a search as a solver: what the driver sees of it are its pauses and iterations. */
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
