import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { readRows } from '../../core/rowSource.ts';
import type { Assembly, Batch, Model, SourcedModel } from '../../model/model.ts';
import { type LogDensity, logDensity } from '../../model/objective.ts';
import type { LatentMoments } from '../../model/posterior.ts';
import { type VariableLayout, valuesByPath } from '../../model/variables.ts';
import { averageDensity } from './averageDensity.ts';
import { batches, batchesOf } from './batches.ts';

/** The rows of batches, read before they are evaluated. */
export function rowsRead({ source }: SourcedModel, batchAt: (evaluation: number) => Batch) {
  const read = new Map<number, Matrix>();
  return {
    ready: async (evaluation: number) => {
      read.set(evaluation, await readRows(source, batchAt(evaluation).rows));
    },
    of: (evaluation: number): Pick<Batch, 'observations'> => {
      const observations = read.get(evaluation);
      read.delete(evaluation);
      if (observations !== undefined) return { observations };
      throw new InvalidInputError(
        'The observations of this model are read some rows at a time, for which the solver has to be adam(). Leave solver out.',
      );
    },
  };
}

/** What a pass through all rows finds at the end of a fit. */
export interface Gathered extends Omit<LogDensity, 'gradients'> {
  readonly model: Model;
}

/** The log density of all rows, one batch after the other, and the latents of all points. */
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
        logDensity(assembly, layout, natural, { differentiated: false, seed, batch: { ...batch, observations } }),
      ),
    );
    const own = compute(() => sourced.latentsOf(values, observations));
    for (const of of ['mean', 'variance'] as const) {
      latents[of] ??= Matrix.zeros(points, own[of].columns);
      batch.rows.forEach((row, i) => {
        latents[of]!.data.set(own[of].row(i), row * own[of].columns);
      });
    }
  }
  const { gradients: _, ...density } = averageDensity(densities, points, batchSize);
  return { ...density, model: sourced.placed(latents as LatentMoments) };
}
