import type { Evaluation, Solver, SolverMemory, Steps } from '../../model/solver.ts';

/** Epochs without a rise after which a fit in batches has converged. */
const MOST_STALE_EPOCHS = 5;
/** Smallest relative rise of the bound that counts: less is the noise of the batches. */
const LEAST_RISE = 1e-5;

/** Names of what is known of the current epoch and those before, in a solver's memory. */
const NAMES = ['epochSum', 'epochCount', 'epochs', 'epochBest', 'epochStale'] as const;
type Epochs = Record<(typeof NAMES)[number], number>;

/**
 * A solver for objectives that see a batch of the rows at a time, which ends where the objective averaged over an epoch no longer falls: values of
 * single batches say nothing of each other.
 *
 * @param perEpoch - batches in an epoch
 */
export function epochwise(solver: Solver, perEpoch: number): Solver {
  return {
    ...solver,
    begin(iterate, box, given) {
      const kept: Epochs = { epochSum: 0, epochCount: 0, epochs: 0, epochBest: 0, epochStale: 0 };
      const inner: SolverMemory = { ...given };
      for (const name of NAMES) {
        if (given !== undefined) kept[name] = Number(given[name] ?? 0);
        delete inner[name];
      }
      const own = solver.begin(iterate, box, given && inner);

      function* steps(): Steps {
        let answer: Evaluation = iterate;
        for (;;) {
          const next = own.steps.next(answer);
          if (next.done) return next.value;
          if (next.value.kind === 'iteration') count(kept, iterate.value, perEpoch);
          answer = yield next.value;
          if (kept.epochStale < MOST_STALE_EPOCHS) continue;
          return {
            status: 'converged',
            test: 'epochs',
            reason: `the objective averaged over an epoch has not improved in ${MOST_STALE_EPOCHS} epochs, after ${kept.epochs}`,
          };
        }
      }

      return {
        iterate,
        get memory() {
          return { ...own.memory, ...kept };
        },
        steps: steps(),
        ...(own.note && { note: () => own.note!() }),
      };
    },
  };
}

function count(epochs: Epochs, value: number, perEpoch: number): void {
  epochs.epochSum += value;
  epochs.epochCount++;
  if (epochs.epochCount < perEpoch) return;
  const average = epochs.epochSum / perEpoch;
  const least = epochs.epochBest - LEAST_RISE * Math.max(1, Math.abs(epochs.epochBest));
  if (epochs.epochs === 0 || average < least) {
    epochs.epochBest = average;
    epochs.epochStale = 0;
  } else epochs.epochStale++;
  epochs.epochs++;
  epochs.epochSum = 0;
  epochs.epochCount = 0;
}
