import { InvalidInputError } from '../../core/errors.ts';
import { isCount } from '../../core/finiteArray.ts';
import type { Evaluation, Solver, SolverMemory, SolverRun, Step } from './solver.ts';

/** How many iterations of the first solver are left, in a state of it. */
const LEFT = 'iterationsBefore';

/**
 * A solver that leaves its first iterations to another one, and begins where that is after them, or where that can go no further.
 *
 * @param iterations - of the first, from 1
 */
export function followedBy(first: Solver, iterations: number, second: Solver): Solver {
  return {
    ...second,
    bounded: first.bounded && second.bounded,
    begin(iterate, box, given) {
      const { [LEFT]: before, ...rest } = given ?? { [LEFT]: iterations };
      if (before !== undefined && !isCount(before, 0, iterations)) {
        throw new InvalidInputError(
          `The state given to ${second.name} does not say how many of its first ${iterations} iterations are left. Resume with the problem that it was saved from.`,
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
