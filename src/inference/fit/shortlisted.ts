import { InvalidInputError } from '../../core/errors.ts';
import type { FitProblem } from './fitProblem.ts';
import { MOST_ITERATIONS, type RunEvent, type RunSettings, type RunSolution, type Start } from './run.ts';

/** Runs the solver from some starts, in this thread or in workers. */
export type Runs = (starts: readonly Start[], settings: RunSettings) => AsyncGenerator<RunEvent, void, void>;

/**
 * Runs every start for some iterations, and then only the best of them (the first if tied) to its end. A start that resumes from a state beyond the
 * trial stays there, so that a resumed fit makes the same choice.
 */
export async function* shortlisted(
  { inBatches }: Pick<FitProblem, 'inBatches'>,
  run: Runs,
  starts: readonly Start[],
  settings: RunSettings,
  trialIterations: number,
): AsyncGenerator<RunEvent, void, void> {
  if (inBatches !== undefined) {
    throw new InvalidInputError(
      'Starts of a fit in batches cannot be compared on the way: each iteration sees another batch. Leave trialIterations out of restarts, or batchSize.',
    );
  }
  const tried: { readonly start: Start; readonly solution: RunSolution }[] = [];
  for await (const event of run(starts, {
    ...settings,
    pauseAt: Math.min(trialIterations, settings.maxIterations ?? MOST_ITERATIONS),
  })) {
    if (event.kind !== 'end') {
      yield event;
      continue;
    }
    const { solution } = event;
    tried.push({ start: starts.find(({ number }) => number === event.start)!, solution });
    yield { kind: 'state', start: event.start, state: solution.state };
  }
  // Workers end in any order.
  tried.sort((a, b) => a.start.number - b.start.number);
  const best = tried.reduce((kept, own) => (own.solution.value < kept.solution.value ? own : kept));
  for (const { start, solution } of tried) {
    if (start !== best.start) yield { kind: 'end', start: start.number, solution };
  }
  const compared = (solution: RunSolution): RunSolution => ({
    ...solution,
    message: `${solution.message} The starts were compared after ${trialIterations} iterations.`,
  });
  if (best.solution.status !== 'maxIterations') {
    yield { kind: 'end', start: best.start.number, solution: compared(best.solution) };
    return;
  }
  for await (const event of run([{ ...best.start, state: best.solution.state }], settings)) {
    yield event.kind === 'end' ? { ...event, solution: compared(event.solution) } : event;
  }
}
