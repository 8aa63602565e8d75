import { InvalidInputError } from '../../core/errors.ts';
import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import type { Edges } from '../../engine/graph/graph.ts';
import { laplacianFactor } from '../../engine/sparse/laplacianFactor.ts';
import type { Evaluation, Solver, SolverMemory, SolverRun, Step, Steps } from '../../model/solver.ts';
import { lbfgs } from './lbfgs.ts';
import { newton } from './newton.ts';

/** Maximum number of correction pairs: as many pairs as variables need half the evaluations of forty. */
const MOST_PAIRS = 400;
/** Iterations before the switch to second derivatives. */
const ITERATIONS_BEFORE = 100;

/**
 * L-BFGS preconditioned to move neighbors together, followed by Newton's method if all second derivatives are available.
 *
 * @param rows - the variables with one row per node of the graph
 */
export function graphSolver(rows: Parameters<typeof smoothed>[1], isCurved: boolean): Solver {
  const history = Math.max(10, Math.min(MOST_PAIRS, rows.graph.size * rows.columns));
  const first = smoothed(lbfgs({ history, scaling: 'diagonal' }), rows);
  return isCurved ? followedBy(first, ITERATIONS_BEFORE, newton()) : first;
}

/** Matrix of variables, row by row, whose rows belong to the points of a graph. */
interface RowsOnGraph {
  /** Index of its first entry. */
  readonly start: number;
  readonly columns: number;
  readonly graph: Pick<Edges, 'sources' | 'targets'> & { readonly size: number };
}

/** Strength s of the smoothing of steps along the graph. */
const SMOOTHING = 3;

/** Names of the inner solver's variables and gradient in a solver's memory. */
const INNER = 'smoothedVariables';
const SLOPES = 'smoothedGradient';

/**
 * Solver that is preconditioned by a graph: instead of a matrix X of variables, whose rows are points of the graph, it works with Z = (I + s·L)X,
 * with L the unweighted graph Laplacian, so that a step along the gradient moves neighbors together. The objective is far more curved along
 * directions that separate neighboring latents than along those that move them together. Convergence is tested with the gradient in X.
 *
 * @param solver - solver without bounds
 */
export function smoothed(solver: Solver, { start, columns, graph }: RowsOnGraph): Solver {
  const { size: N, sources, targets } = graph;
  /** (I + s·L) applied to the rows. */
  const roughened = (x: Float64Array) => {
    const result = x.slice();
    for (let e = 0; e < sources.length; e++) {
      const [i, j] = [start + sources[e]! * columns, start + targets[e]! * columns];
      for (let c = 0; c < columns; c++) {
        const difference = SMOOTHING * (x[i + c]! - x[j + c]!);
        result[i + c]! += difference;
        result[j + c]! -= difference;
      }
    }
    return result;
  };
  return {
    ...solver,
    begin(iterate, box, given) {
      const factor = laplacianFactor(graph);
      factor.update(new Float64Array(sources.length).fill(SMOOTHING), 1);
      const column = new Float64Array(N);
      /** (I + s·L)⁻¹ applied to the rows. */
      const smooth = (z: Float64Array) => {
        const result = z.slice();
        for (let c = 0; c < columns; c++) {
          for (let i = 0; i < N; i++) column[i] = z[start + i * columns + c]!;
          factor.solve(column, column);
          for (let i = 0; i < N; i++) result[start + i * columns + c] = column[i]!;
        }
        return result;
      };
      const size = iterate.x.length;
      if (given !== undefined && !(isFiniteArray(given[INNER], size) && isFiniteArray(given[SLOPES], size))) {
        throw new InvalidInputError(
          `The state given to ${solver.name} does not contain ${size} smoothed variables. Resume with the same problem that it was saved from.`,
        );
      }
      const { [INNER]: z = roughened(iterate.x), [SLOPES]: slopes = smooth(iterate.gradient), ...rest } = given ?? {};
      const copy = (entries: unknown) => (entries as Float64Array).slice();
      const inner = { x: copy(z), value: iterate.value, gradient: copy(slopes) };
      const own = solver.begin(inner, box, given === undefined ? undefined : (rest as SolverMemory));

      function* steps(): Steps {
        let answer: Evaluation = own.iterate;
        for (;;) {
          const { done, value: step } = own.steps.next(answer);
          if (done) return step;
          if (step.kind === 'evaluate') {
            const { value, gradient } = yield { kind: 'evaluate', point: smooth(step.point) };
            answer = { value, gradient: Number.isNaN(value) ? gradient : smooth(gradient) };
            continue;
          }
          if (step.kind === 'iteration') {
            iterate.x.set(smooth(own.iterate.x));
            iterate.gradient.set(roughened(own.iterate.gradient));
            iterate.value = own.iterate.value;
          }
          answer = yield step;
        }
      }

      return {
        iterate,
        get memory() {
          return { ...own.memory, [INNER]: own.iterate.x, [SLOPES]: own.iterate.gradient };
        },
        steps: steps(),
        ...(own.note && { note: () => own.note!() }),
      };
    },
  };
}

/** Name of the first solver's remaining number of iterations in a solver's memory. */
const LEFT = 'iterationsBefore';

/**
 * Runs one solver for its first iterations, and then the second from the point reached, or as soon as the first can make no progress.
 *
 * @param iterations - iterations of the first solver, at least 1
 */
export function followedBy(first: Solver, iterations: number, second: Solver): Solver {
  return {
    ...second,
    bounded: first.bounded && second.bounded,
    begin(iterate, box, given) {
      const { [LEFT]: before, ...rest } = given ?? { [LEFT]: iterations };
      if (before !== undefined && !isCount(before, 0, iterations)) {
        throw new InvalidInputError(
          `The state given to ${second.name} lacks the number of remaining iterations, of ${iterations}. Resume with the problem that it was saved from.`,
        );
      }
      let left = typeof before === 'number' ? before : 0;
      let isFirst = left > 0;
      const isAfresh = before === 0 || given === undefined;
      const memory = isAfresh ? undefined : (rest as SolverMemory);
      let own: SolverRun = (isFirst ? first : second).begin(iterate, box, memory);

      function* beginning(): Generator<Step, void, Evaluation> {
        let answer: Evaluation = iterate;
        while (left > 0) {
          const next = own.steps.next(answer);
          if (next.done) break;
          if (next.value.kind === 'iteration') left--;
          answer = yield next.value;
        }
      }

      return {
        iterate,
        get memory(): SolverMemory {
          if (!isFirst) return own.memory;
          return left === 0 ? { [LEFT]: 0 } : { ...own.memory, [LEFT]: left };
        },
        steps: (function* () {
          if (isFirst) {
            yield* beginning();
            isFirst = false;
            own = second.begin(iterate, box);
          }
          return yield* own.steps;
        })(),
      };
    },
  };
}
