import { Matrix } from '../../core/matrix.ts';
import { readRows } from '../../core/rowMatrices.ts';
import type { Assembly, Model } from '../../model/model.ts';
import { type LogDensity, logDensity } from '../../model/objective.ts';
import type { LatentMoments } from '../../model/posterior.ts';
import { type VariableLayout, valuesByPath } from '../../model/variables.ts';
import { averageDensity, batches, batchesOf } from './batches.ts';

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
