import type { Evaluation, Iterate, Solver, SolverMemory, Step, Steps } from '../../model/solver.ts';

/** Variables that are frozen during the first iterations. */
export interface FrozenVariables {
  /** Indices of the variables. */
  readonly variables: Int32Array;
  readonly iterations: number;
}

/** Name of the remaining number of iterations with frozen variables in a solver's memory. */
const LEFT = 'heldIterations';

/**
 * Solver that freezes some variables during its first iterations, and then restarts with all of them. The driver sees the whole gradient, so that it
 * does not mistake the best point of some variables for the best of all.
 */
export function withFrozenVariables(solver: Solver, { variables, iterations }: FrozenVariables): Solver {
  const withoutHeld = (gradient: Float64Array) => {
    const rest = gradient.slice();
    for (const variable of variables) rest[variable] = 0;
    return rest;
  };
  const partOf = ({ x, value, gradient }: Iterate) => ({ x: x.slice(), value, gradient: withoutHeld(gradient) });
  return {
    ...solver,
    begin(iterate, box, given) {
      const { [LEFT]: saved = 0, ...inner } = given ?? { [LEFT]: iterations };
      let isHolding = iterations > 0 && (given === undefined || Object.hasOwn(given, LEFT));
      let left = Number(saved);
      const memory = given === undefined ? undefined : (inner as SolverMemory);
      let own = solver.begin(isHolding ? partOf(iterate) : iterate, box, memory);

      function* steps(): Steps {
        if (isHolding) {
          yield* held();
          isHolding = false;
          own = solver.begin(iterate, box);
        }
        return yield* own.steps;
      }

      function* held(): Generator<Step, void, Evaluation> {
        const { iterate: partial } = own;
        // Whole gradients at the points since the last iteration; one of these points becomes the iterate.
        let seen: Readonly<Iterate>[] = [];
        let answer: Evaluation = partial;
        while (left > 0) {
          const next = own.steps.next(answer);
          // Once the free variables allow no further progress, the search continues with all of them.
          if (next.done) break;
          const step = next.value;
          if (step.kind === 'evaluate') {
            const { value, gradient } = yield step;
            seen.push({ value, x: step.point.slice(), gradient: gradient.slice() });
            answer = { value, gradient: withoutHeld(gradient) };
          } else if (step.kind === 'iteration') {
            const found = seen.findLast(({ value, x }) => value === partial.value && isSame(x, partial.x));
            iterate.x.set(partial.x);
            iterate.value = partial.value;
            if (found !== undefined) iterate.gradient.set(found.gradient);
            seen = [];
            left--;
            yield { ...step, comparable: false };
          } else {
            answer = yield step;
          }
        }
      }

      return {
        iterate,
        get memory() {
          return isHolding ? { ...own.memory, [LEFT]: left } : own.memory;
        },
        steps: steps(),
        ...(own.note && { note: () => own.note!() }),
      };
    },
  };
}

const isSame = (a: Float64Array, b: Float64Array) => a.every((entry, i) => entry === b[i]);
