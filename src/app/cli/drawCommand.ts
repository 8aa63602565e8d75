import { join } from 'node:path';
import type { Command } from 'commander';
import { type Draws, type Fit, type Model, samplePosterior } from '../../index.ts';
import { modelFromJSON } from '../../models/index.ts';
import { checkFolderPath, openResultFolder, type ResultFolder } from '../io/index.ts';
import { chainPlot, latentPlot, pairsPlot, rankPlot } from '../plot/index.ts';
import { filesOfFit, readFit } from './fitFiles.ts';
import { addFlags, chosen, FORCE, type Given, JSON_OUTPUT, PARTS, partsOf, SEED, wholeFrom } from './flags.ts';
import { type Context, checkOutputs } from './streams.ts';

/** Flags that are options of `samplePosterior` of the same name. */
const SAMPLING_FLAGS = [
  ['--method <name>', 'how draws are made (default: nuts)', ['nuts', 'hmc', 'slice', 'ellipticalSlice']],
  ['--chains <n>', 'chains (default: 4)', wholeFrom(1)],
  ['--warmup <n>', 'discarded transitions of each chain (default: 1000)', wholeFrom(0)],
  ['--draws <n>', 'draws of each chain (default: 1000)', wholeFrom(1)],
  SEED,
  [
    '--priors <kind>',
    'weak: add a weak prior to each parameter without one; in-terms: your custom terms already contain the priors',
    ['weak', 'inTerms'],
  ],
] as const;
const FLAGS = [
  ['-o, --out <dir>', '(required) folder for draws.csv, draws.json and pictures'],
  ...SAMPLING_FLAGS,
  ['--hold <paths>', 'parameters to keep at their fitted values, separated by commas, such as latents'],
  ['--workers <n>', 'chains that run at the same time', wholeFrom(1)],
  FORCE,
  PARTS,
  JSON_OUTPUT,
] as const;
type DrawArguments = Given<typeof FLAGS>;

/** `draw DIR` */
export const defineDraw = (command: Command, context: Context): Command =>
  addFlags(command.argument('<dir>', 'folder of a fit'), ...FLAGS).action((folder: string, given: DrawArguments) =>
    drawFrom(folder, given, context),
  );

/** Pictures of draws by file name; undefined if the draws have no content for one. */
const PICTURES: Readonly<Record<string, (draws: Draws) => Promise<string | undefined>>> = {
  'chains.svg': chainPlot,
  'ranks.svg': rankPlot,
  'pairs.svg': async (draws) => (draws.names.length < 2 ? undefined : pairsPlot(draws)),
  'map.svg': async ({ latents }) =>
    latents && latentPlot({ latents: latents.mean, covariances: latents.covariances, equalScales: true }),
};

const TABLE = 'draws.csv';
const DRAWS = 'draws.json';
const FILES = [TABLE, DRAWS, ...Object.keys(PICTURES)];

async function drawFrom(folder: string, given: DrawArguments, context: Context): Promise<void> {
  const { force, parts } = given;
  const out = given.out!;
  checkOutputs(
    FILES.map((name) => join(out, name)),
    force,
    filesOfFit(folder),
  );
  await checkFolderPath(out);
  const { fit } = await readFit(folder, parts === undefined ? {} : { parts });
  const model = modelFromJSON(fit.toJSON().model, await partsOf(parts), true);
  const to = await openResultFolder(out, DRAWS, FILES, { force });
  for (const note of to.notes) context.stderr.write(`note: ${note}\n`);
  try {
    await context.heeding(() => drawAndWrite(fit, model, to, given, context));
  } finally {
    await to.close();
  }
}

async function drawAndWrite(
  fit: Fit,
  model: Model,
  to: ResultFolder,
  given: DrawArguments,
  { stdout, stderr, signal }: Context,
): Promise<void> {
  const { json, parts, hold, workers } = given;
  const draws = await samplePosterior(model, {
    ...chosen(given, ...SAMPLING_FLAGS),
    start: fit,
    ...(hold !== undefined && { hold: hold.split(',').map((path) => path.trim()) }),
    ...(workers !== undefined && { workers: parts === undefined ? workers : { count: workers, parts } }),
    ...(signal !== undefined && { signal }),
  });
  await to.add(TABLE, draws.toCSV());
  for (const [name, picture] of Object.entries(PICTURES)) {
    const svg = await picture(draws);
    if (svg !== undefined) await to.add(name, svg);
  }
  const files = await to.commit((sums) => `${JSON.stringify({ ...draws.toJSON(), files: sums })}\n`);
  const { latents, message, diagnostics } = draws;
  if (json) {
    const ofLatents = latents && { rHat: latents.rHat, essBulk: latents.essBulk };
    const { divergences } = draws;
    stdout.write(
      `${JSON.stringify({ model: fit.model, summary: draws.summary(), latents: ofLatents, divergences: divergences.length, message, diagnostics, files })}\n`,
    );
    return;
  }
  stdout.write(`${draws.summary()}\n`);
  if (latents !== undefined) {
    stdout.write(
      `distances between latents: largest R̂ ${latents.rHat.toFixed(3)}, least effective sample size ${latents.essBulk.toFixed(0)}\n`,
    );
  }
  stderr.write(`${message}\n${files.join('\n')}\n`);
}
