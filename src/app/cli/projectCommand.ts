import type { Command } from 'commander';
import { elementary } from '../../engine/index.ts';
import { Matrix, type Projection } from '../../index.ts';
import { ability } from './abilities.ts';
import { readFit } from './fitFiles.ts';
import { missingFlag } from './flags.ts';
import { fittedTable } from './labelledTable.ts';
import { addOutputFlags, checkOut, type OutputArguments, putTable } from './output.ts';
import { PARTS_FLAG, type PartsArguments } from './ownParts.ts';
import type { Context } from './streams.ts';
import { addTableFlags, type TableArguments } from './tableFlags.ts';
import { dimensionNames, sideBySide, unitsOf, varianceNames } from './tableRecord.ts';

interface ProjectArguments extends TableArguments, OutputArguments, PartsArguments {
  readonly labels?: string;
  readonly missing?: string;
}

/** `project DIR DATA` */
export function defineProject(command: Command, context: Context): void {
  command
    .argument('<dir>', 'folder of a fit')
    .argument(
      '<data>',
      "new observations, one point a row, with the columns that were fitted, matched by name; '-' reads stdin",
    )
    .option('--labels <column>', 'a column of DATA, by name or number from 0, that is none of the observations')
    .option(...PARTS_FLAG)
    .addOption(missingFlag());
  addOutputFlags(addTableFlags(command, { choosesColumns: false })).action(
    (folder: string, data: string, given: ProjectArguments) => projectTable(folder, data, given, context),
  );
}

async function projectTable(folder: string, data: string, given: ProjectArguments, streams: Context): Promise<void> {
  const { signal } = streams;
  const { fit, record } = await readFit(folder, given);
  const project = ability(fit, 'project', 'place new points');
  checkOut(given);
  const units = unitsOf(record);
  const { table, observations } = await fittedTable(data, record, given, streams);
  const projection = await project(observations, signal === undefined ? {} : { signal });
  const { latents, latentVariances } = projection;
  // Densities of standardised columns are converted to densities of the columns by the product of their deviations.
  const logDensity = projection.logDensity.map(
    (density, i) => density - logDeviations(observations, i, units?.deviation),
  );
  const placed = { latents, logDensity };
  const ids = table.ids === undefined ? undefined : { name: table.idColumn ?? 'id', values: table.ids };
  await putTable(
    streams,
    given,
    {
      matrix: sideBySide(latents, ...(latentVariances ? [latentVariances] : []), column(logDensity)),
      names: [...dimensionNames(latents), ...(latentVariances ? varianceNames(latents) : []), 'logDensity'],
      ids,
    },
    {
      model: fit.model,
      latents: latents.toArrays(),
      ...(latentVariances && { latentVariances: latentVariances.toArrays() }),
      logDensity: Array.from(logDensity),
      ...(ids && { ids: ids.values }),
    },
  );
  if (given.json) return;
  streams.stderr.write(summary(fit.model, placed));
  if (given.out !== undefined) streams.stderr.write(`wrote ${given.out}\n`);
}

/** Σ log deviation_j over the observed entries of a row. */
function logDeviations(Y: Matrix, row: number, deviation: Float64Array | undefined): number {
  if (deviation === undefined) return 0;
  return Y.row(row).reduce((sum, entry, j) => sum + (Number.isNaN(entry) ? 0 : elementary.log(deviation[j]!)), 0);
}

function summary(model: string, { latents, logDensity }: Projection): string {
  const mean = logDensity.reduce((sum, density) => sum + density, 0) / logDensity.length;
  const density = Number.isFinite(mean) ? `mean log density ${mean}` : 'which gives no density';
  return `${model}: ${latents.rows} points placed in latent dimension ${latents.columns}, ${density}\n`;
}

/** A list of numbers as a matrix of one column. */
const column = (values: Float64Array): Matrix => new Matrix(Float64Array.from(values), values.length, 1);
