import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type AssessOptions, assess } from '../../index.ts';
import { writeAtomically } from '../io/index.ts';
import { assessmentPage } from '../plot/index.ts';
import { readFit } from './fitFiles.ts';
import { PARTS_FLAG, type PartsArguments, partsOf, wholeFrom } from './flags.ts';
import { type Context, checkAbsent } from './streams.ts';
import { readPointLabels } from './tableFlags.ts';
import { ofPoints } from './tableReport.ts';

interface AssessArguments
  extends PartsArguments,
    Pick<AssessOptions, 'neighbours' | 'starts' | 'bootstraps' | 'dimensions' | 'seed'> {
  readonly labels?: string;
  readonly maxIterations?: number;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `assess DIR` */
export function defineAssess(command: Command, context: Context): void {
  command
    .argument('<dir>', 'folder of a fit')
    .option('--labels <file>', 'labels, one a row (default: those of the table that was fitted)')
    .option('--neighbours <k>', 'neighbours of the local scores (default: 10)', wholeFrom(1))
    .option('--starts <n>', 'maps from moved starts (default: 3)', wholeFrom(0))
    .option('--bootstraps <n>', 'maps of rows drawn with replacement, with entries held out (default: 4)', wholeFrom(0))
    .option(
      '--dimensions <list>',
      'numbers of latent dimensions to compare, or none (default: one less and one more)',
      dimensionsFrom,
    )
    .option('--max-iterations <n>', 'most iterations of each fit', wholeFrom(0))
    .option('--seed <s>', 'seed of everything random (default: 0)', wholeFrom(Number.NEGATIVE_INFINITY))
    .option('--out <file.html>', 'where to write the page (default: assessment.html in the folder)')
    .option('--force', 'replace the page if it is there')
    .option(...PARTS_FLAG)
    .option('--json', 'print one JSON object')
    .action((folder: string, given: AssessArguments) => assessFolder(folder, given, context));
}

function dimensionsFrom(text: string): number[] {
  if (text === 'none') return [];
  const list = text.split(',').map(Number);
  if (list.every((dim) => Number.isInteger(dim) && dim >= 1)) return list;
  throw new InvalidArgumentError("It must be whole numbers from 1 with commas between them, such as 1,3, or 'none'.");
}

async function assessFolder(
  folder: string,
  { labels: file, maxIterations, out, force, json, parts, ...given }: AssessArguments,
  { stdout, stderr, signal }: Context,
): Promise<void> {
  const path = out ?? join(folder, 'assessment.html');
  checkAbsent([path], force);
  const { fit, record } = await readFit(folder, parts === undefined ? {} : { parts });
  const all =
    file === undefined ? record?.labels : await readPointLabels(file, record?.ids?.length ?? fit.latents.rows, true);
  const labels = ofPoints(fit, all);
  const assessment = await assess(fit, {
    ...given,
    own: await partsOf(parts),
    ...(labels && { labels }),
    ...(maxIterations !== undefined && { fit: { maxIterations } }),
    ...(signal && { signal }),
    onProgress: (done, total) => {
      stderr.write(`${done} of ${total} fits\n`);
    },
  });
  const ids = ofPoints(fit, record?.ids);
  const page = await assessmentPage({
    assessment,
    latents: fit.latents,
    ...(labels && { labels }),
    ...(ids && { ids }),
  });
  await writeAtomically(path, page, { replace: force === true });
  if (!json) {
    stdout.write(`${assessment}\n${path}\n`);
    return;
  }
  const { model, points, latentDim, findings, doubtful, dimensions, supportedDim, notAssessed } = assessment;
  const scores = Object.fromEntries(
    assessment.summary().map(({ score, value, se }) => [score, Number.isNaN(se) ? { value } : { value, se }]),
  );
  stdout.write(
    `${JSON.stringify({ model, points, latentDim, findings, doubtful: Array.from(doubtful), scores, dimensions, supportedDim, notAssessed, files: [path] })}\n`,
  );
}
