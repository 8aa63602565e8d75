import type { Solver, Steps } from '../../model/solver.ts';

/** A solver that stays where it is: for models whose own steps get to the maximum from anywhere. */
export const ownSteps: Solver = Object.freeze({
  name: 'ownSteps',
  bounded: true,
  stochastic: false,
  begin: (iterate, _box, memory = {}) => ({ iterate, memory, steps: none() }),
} satisfies Solver);

function* none(): Steps {
  yield* [];
  return { status: 'converged', reason: "all is left to the model's own steps" };
}
