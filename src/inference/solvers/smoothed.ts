import { InvalidInputError } from '../../core/errors.ts';
import { isFiniteArray } from '../../core/finiteArray.ts';
import type { Edges } from '../../numerics/graph/graph.ts';
import { laplacianFactor } from '../../numerics/sparse/laplacianFactor.ts';
import type { Evaluation, Solver, SolverMemory, Steps } from './solver.ts';

/** A matrix among the variables, row by row, whose rows belong to the points of a graph. */
export interface RowsOnGraph {
  /** Place of its first entry. */
  readonly start: number;
  readonly columns: number;
  readonly graph: Pick<Edges, 'sources' | 'targets'> & { readonly size: number };
}

/** s: how much rougher steps along the graph are held back. */
const SMOOTHING = 3;

/** What the inner solver sees, in a solver's memory: its variables, and the gradient in them. */
const INNER = 'smoothedVariables';
const SLOPES = 'smoothedGradient';

/**
 * A solver that is preconditioned by a graph: of a matrix X of variables, whose rows are points of the graph, it sees Z = (I + s·L)X, L the graph's
 * Laplacian with weights 1, so that a step along the gradient moves neighbours together. Objectives of latents that are neighbours are far more curved where
 * these part than where they move together. The gradient that decides on the end is that of X.
 *
 * @param solver - one without bounds
 */
export function smoothed(solver: Solver, { start, columns, graph }: RowsOnGraph): Solver {
  const { size: N, sources, targets } = graph;
  /** (I + s·L) for the rows. */
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
      /** (I + s·L)⁻¹ for the rows. */
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
          `The state given to ${solver.name} does not hold ${size} smoothed variables. Resume with the same problem that it was saved from.`,
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
