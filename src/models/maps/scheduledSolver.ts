import type { Descent } from '../../engine/neighbourEmbedding/descents.ts';
import { type SearchStep, searchSolver } from '../../inference/solvers/fields/fieldSearch.ts';
import type { Solver, SolverMemory } from '../../model/solver.ts';

/** A search of N·q latents along a schedule, and the log density that it reports. */
export interface Schedule {
  readonly name: string;
  readonly size: number;
  readonly steps: number;
  /** Begins at X, which it moves, or goes on from what an interrupted one remembered. */
  begin(X: Float64Array, memory?: Readonly<Record<string, Float64Array>>): Descent;
  /** The log density, which fills its gradient. */
  density(X: Float64Array, gradient: Float64Array): number;
}

/** Steps of an iteration of the fit: values cost more than steps. */
const ROUND = 50;

interface Round extends SearchStep {
  readonly x: Float64Array;
  readonly value: number;
  readonly gradient: Float64Array;
}

/** A schedule as a solver: an iteration is a round of 50 steps, and it has converged when the schedule has been gone through. */
export function scheduledSolver({ name, size, steps, begin, density }: Schedule): Solver {
  const gradient = new Float64Array(size);
  function* search(x: Float64Array, saved: SolverMemory | undefined): Generator<Round | undefined, Round, unknown> {
    const { steps: done = 0, ...arrays } = (saved ?? {}) as Record<string, Float64Array> & { steps?: never };
    delete (arrays as SolverMemory).iterations;
    delete (arrays as SolverMemory).evaluations;
    const descent = begin(x, saved === undefined ? undefined : arrays);
    const roundAt = (number: number): Round => ({
      ...{ x, gradient, value: density(x, gradient) },
      iterations: Math.ceil(number / ROUND),
      evaluations: number,
      memory: () => ({
        ...Object.fromEntries(Object.entries(descent.memory).map(([key, entries]) => [key, entries.slice()])),
        ...{ steps: number, iterations: Math.ceil(number / ROUND), evaluations: number },
      }),
    });
    for (let number = Number(done); number < steps; ) {
      descent.step(number++);
      yield number % ROUND === 0 && number < steps ? roundAt(number) : undefined;
    }
    return roundAt(steps);
  }
  return searchSolver<Round, Round>({
    name,
    scale: new Float64Array(size).fill(1),
    begin: search,
    pointAt: (round) => round,
    ending: () => ({ status: 'converged', reason: `the ${steps} steps of the schedule are done` }),
  });
}
