import type { Command } from 'commander';
import { InvalidInputError, Matrix, type Projection } from '../index.ts';
import { writeTable } from '../io/index.ts';
import { readFit } from './fitFiles.ts';
import { missingFlag } from './flags.ts';
import { readLabelledTable } from './labelledTable.ts';
import type { Streams } from './streams.ts';

interface ProjectArguments {
  readonly labels?: string;
  readonly missing?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** Adds `project DIR DATA` to the program. */
export function addProjectCommand(program: Command, streams: Streams): void {
  program
    .command('project')
    .description('find the latents of new observations; write them as CSV: x1 … xq, logDensity')
    .argument('<dir>', 'folder of a fit')
    .argument('<data>', 'new observations, one point a row, with the columns that were fitted: .csv, .tsv or .npy')
    .option('--labels <column>', 'a column of DATA, by name or index from 0, that is none of the observations')
    .addOption(missingFlag())
    .option('--out <file>', 'write .csv or .tsv there (default: CSV on stdout)')
    .option('--json', 'print one JSON object')
    .action((folder: string, data: string, given: ProjectArguments) => projectTable(folder, data, given, streams));
}

async function projectTable(folder: string, data: string, given: ProjectArguments, streams: Streams): Promise<void> {
  const fit = await readFit(folder);
  const allowMissing = given.missing === 'ignore';
  const table = await readLabelledTable(data, given.labels, { allowMissing, allowMissingLabels: true });
  if (fit.project === undefined) {
    throw new InvalidInputError('This model has no mapping from latents to observations, so it cannot place new ones.');
  }
  const projection = await fit.project(table.observations);
  const { latents, logDensity } = projection;
  const names = [...Array.from({ length: latents.columns }, (_, d) => `x${d + 1}`), 'logDensity'];
  const rows = withDensity(projection);
  if (given.out !== undefined) await writeTable(given.out, rows, names);
  if (given.json) {
    const files = given.out === undefined ? [] : [given.out];
    const found = { latents: latents.toArrays(), logDensity: Array.from(logDensity) };
    streams.stdout.write(`${JSON.stringify({ model: fit.model, ...found, files })}\n`);
    return;
  }
  if (given.out === undefined) streams.stdout.write(csvOf(rows, names));
  streams.stderr.write(summary(fit.model, projection));
  if (given.out !== undefined) streams.stderr.write(`wrote ${given.out}\n`);
}

function withDensity({ latents, logDensity }: Projection): Matrix {
  return Matrix.from(latents.toArrays().map((row, i) => [...row, logDensity[i]!]));
}

/** Numbers need no quotes; each is the shortest decimal that reads back as the same double. */
const csvOf = (table: Matrix, names: readonly string[]): string =>
  [names, ...table.toArrays()].map((cells) => `${cells.join(',')}\n`).join('');

function summary(model: string, { latents, logDensity }: Projection): string {
  const mean = logDensity.reduce((sum, density) => sum + density, 0) / logDensity.length;
  const density = Number.isFinite(mean) ? `mean log density ${mean}` : 'which gives no density';
  return `${model}: ${latents.rows} points placed in latent dimension ${latents.columns}, ${density}\n`;
}
