import type { TraceEntry } from '../../model/fit.ts';
import type { StartKind } from '../../model/model.ts';
import type { Resumed } from '../checkpoint/resumedFrom.ts';
import type { SolverState } from '../minimize/solverState.ts';
import type { FitSettings } from './fitOptions.ts';
import type { FitProblem } from './fitProblem.ts';
import { perturbedStarts } from './perturbedStarts.ts';
import { type Origin, originsOf } from './restartOrigins.ts';
import type { RunSolution, Start } from './run.ts';

/** One start of a fit and what became of it so far. */
export interface Run {
  readonly start: Start;
  readonly trace: TraceEntry[];
  state: SolverState | undefined;
  solution: RunSolution | undefined;
}

/** The runs of a fit, which have not begun or go on from what was saved of them. */
export async function runsOf(
  problem: FitProblem,
  settings: FitSettings,
  seed: number,
  resumed: Resumed | undefined,
): Promise<Run[]> {
  const origins = resumed?.origins ?? settings.origins ?? originsOf(0);
  const states = origins.map((_, number) => resumed?.stateOf(number, problem));
  const startOf = startsOf(problem);
  const starts = await perturbedStarts(
    problem.layout,
    // A start that goes on from its state is not asked where it began.
    async (origin, drawn, number) => (states[number] === undefined ? startOf(origin, drawn) : problem.start),
    origins,
    seed,
  );
  return starts.map((x, number) => {
    const state = states[number];
    return {
      start: { number, origin: origins[number]!, x, ...(state === undefined ? {} : { state }) },
      trace: [...(resumed?.checkpoint.starts[number]?.trace ?? [])],
      state,
      solution: undefined,
    };
  });
}

/** Where the starts of each kind begin, found once for all of a kind that do not depend on their own draw. */
function startsOf({
  model,
  start,
  compute,
  variablesAt,
}: FitProblem): (origin: Origin, seed: number) => Promise<Float64Array> {
  const found = new Map<Origin['init'], Float64Array>([['model', start]]);
  return async ({ init }, seed) => {
    const at = found.get(init) ?? variablesAt(compute(await model.startAt!(init as Exclude<StartKind, 'model'>, seed)));
    if (init !== 'random') found.set(init, at);
    return at;
  };
}
