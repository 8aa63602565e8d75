import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { firstNotFinite } from '../../core/plainNumbers.ts';
import { readRows } from '../../core/rowMatrices.ts';
import { counted } from '../../core/wording.ts';
import type { Assembly, Model } from '../../model/model.ts';
import { type LogDensity, logDensity } from '../../model/objective.ts';
import type { LatentMoments } from '../../model/posterior.ts';
import type { Evaluation, Solver, SolverMemory, Steps } from '../../model/solver.ts';
import { type VariableLayout, valuesByPath } from '../../model/variables.ts';
import type { ScaledObjective } from '../minimize/scaledObjective.ts';
import { copyIterate } from '../minimize/solution.ts';
import { averageDensity, batches, batchesOf } from './batches.ts';
import type { BatchedObjective } from './fitProblem.ts';

/** Epochs without an increase after which a mini-batch fit has converged. */
const MOST_STALE_EPOCHS = 5;
/** Smallest relative increase of the bound that counts; smaller ones are noise of the batches. */
const LEAST_RISE = 1e-5;

/** Names of the statistics of current and earlier epochs in a solver's memory. */
const NAMES = ['epochSum', 'epochCount', 'epochs', 'epochBest', 'epochStale'] as const;
type Epochs = Record<(typeof NAMES)[number], number>;

/**
 * Solver for mini-batch objectives, which ends when the objective averaged over an epoch no longer decreases: values of single batches are not comparable.
 *
 * @param perEpoch - batches per epoch
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

/** Mini-batch objective for the solver driver: each evaluation returns the gradient in the variables at its `placesOf`. */
export function batchObjective({ at, placesOf }: BatchedObjective, size: number): ScaledObjective {
  const everywhere = (bound: number) => new Float64Array(size).fill(bound);
  let reason = '';
  return {
    box: { lower: everywhere(Number.NEGATIVE_INFINITY), upper: everywhere(Number.POSITIVE_INFINITY) },
    get reason() {
      return reason;
    },
    placesOf,
    evaluate(x, { iteration }) {
      const places = placesOf(iteration);
      const failed = (why: string) => {
        reason = why;
        return { value: Number.NaN, gradient: new Float64Array(places.length), places };
      };
      try {
        const { value, gradient } = at(x, iteration);
        const bad = firstNotFinite(gradient);
        if (!Number.isFinite(value)) return failed(`its value is ${value}`);
        if (bad >= 0) return failed(`entry ${places[bad]} of its gradient is ${gradient[bad]}`);
        return { value, gradient, places };
      } catch (error) {
        if (!(error instanceof NumericalError)) throw error;
        return failed(`it threw a NumericalError: ${error.message}`);
      }
    },
    curvature() {
      throw new InvalidInputError('Batches have no curvature. Use adam().');
    },
    toScaled: (x) => x.slice(),
    toOriginalPoint: (x) => x.slice(),
    toOriginal: copyIterate,
  };
}

/** Expresses a limit of iterations as `maxEpochs`, unless iterations were set explicitly. */
export function epochsOf({ perEpoch }: BatchedObjective, maxIterations: number): string | undefined {
  const epochs = maxIterations / perEpoch;
  return Number.isInteger(epochs) ? counted(epochs, 'epoch') : undefined;
}

/** Log density and model from a final pass through all rows. */
export interface Gathered extends Omit<LogDensity, 'gradients'> {
  readonly model: Model;
}

/** Log density of all rows, batch by batch, and the latents of all points. */
export async function gatheredFrom(
  model: Model,
  assembly: Assembly,
  layout: VariableLayout,
  natural: readonly Float64Array[],
  { seed, batchSize, compute }: { readonly seed: number; readonly batchSize: number; compute<T>(work: () => T): T },
): Promise<Gathered> {
  const { points, sourced } = model as Model & Required<Pick<Model, 'points' | 'sourced'>>;
  const values = valuesByPath(layout, natural);
  const batchAt = batches(points, batchSize, 0);
  const densities: LogDensity[] = [];
  const latents: { mean?: Matrix; variance?: Matrix } = {};
  for (let k = 0; k < batchesOf(points, batchSize); k++) {
    const batch = batchAt(k);
    const observations = await readRows(sourced.source, batch.rows);
    densities.push(
      compute(() =>
        logDensity(assembly, layout, natural, {
          differentiated: false,
          seed,
          measured: true,
          batch: { ...batch, observations },
        }),
      ),
    );
    const own = compute(() => sourced.latentsOf(values, observations));
    for (const moment of ['mean', 'variance'] as const) {
      latents[moment] ??= Matrix.zeros(points, own[moment].columns);
      batch.rows.forEach((row, i) => {
        latents[moment]!.data.set(own[moment].row(i), row * own[moment].columns);
      });
    }
  }
  const { gradients: _, ...density } = averageDensity(densities, points, batchSize);
  return { ...density, model: sourced.placed(latents as LatentMoments) };
}
