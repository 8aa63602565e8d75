import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { InvalidInputError } from '../index.ts';
import { type SweepSpec, sweep } from '../queue/index.ts';
import { INTERRUPTED } from './fitCommand.ts';
import { checkRequired, wholeFrom } from './flags.ts';
import { readJsonFile } from './jsonFile.ts';
import { PARTS_FLAG, type PartsArguments, readParts } from './ownParts.ts';
import type { Streams } from './streams.ts';
import { prefixFlag, redisFlag, threadsWith } from './workerCommand.ts';

interface SweepArguments extends PartsArguments {
  readonly out?: string;
  readonly redis?: string;
  readonly prefix?: string;
  readonly threads?: number;
  readonly patience?: number;
  readonly json?: boolean;
}

/** Adds `sweep SPEC` to the program. */
export function addSweepCommand(
  program: Command,
  streams: Streams,
  signal: AbortSignal | undefined,
  exit: (code: number) => void,
): void {
  program
    .command('sweep')
    .description('fit and score a grid of models, options, seeds and folds; run again, it resumes')
    .argument(
      '<spec>',
      'a JSON file: {"data": "table.csv", "models": [{"model": "gplvm", "grid": {"latentDim": [1, 2]}}], "seeds": [0], "folds": 5, "scores": ["density"]}',
    )
    .option('--out <dir>', '(required) folder that keeps results and table.csv, which fills while it runs')
    .addOption(redisFlag())
    .addOption(prefixFlag())
    .option(
      '--threads <n>',
      'fits that run at the same time on this machine, without --redis (default: 1)',
      wholeFrom(1),
    )
    .option('--patience <s>', 'seconds to wait when no worker is there (default: 60)', wholeFrom(1))
    .option(...PARTS_FLAG)
    .option('--json', 'print one JSON object')
    .action((spec: string, given: SweepArguments) => runSweep(spec, given, streams, signal, exit));
}

async function runSweep(
  file: string,
  given: SweepArguments,
  streams: Streams,
  signal: AbortSignal | undefined,
  exit: (code: number) => void,
): Promise<void> {
  checkRequired(given, ['--out <dir>']);
  const { redis, prefix, threads, patience, parts, json } = given;
  if (redis !== undefined && threads !== undefined) {
    throw new InvalidInputError(
      '--threads is for a sweep on this machine alone. With --redis, give it to the workers.',
    );
  }
  if (redis !== undefined && parts !== undefined) {
    throw new InvalidInputError('With --redis, --parts belongs to the workers: start them with it.');
  }
  await readParts(parts);
  const spec = await specOf(file);
  const out = given.out!;
  let shown = '';
  const result = await sweep(spec, {
    ...(redis === undefined ? { start: threadsWith(parts), threads } : { connection: redis }),
    ...{ prefix, patience, out, signal },
    onProgress({ done, total, kept }) {
      const line = `${done} of ${total} fits${kept > 0 ? `, ${kept} of them kept from before` : ''}\n`;
      if (!json && line !== shown) streams.stderr.write(line);
      shown = line;
    },
  });
  const { table, status, text, kept } = result;
  streams.stdout.write(json ? `${JSON.stringify({ status, kept, table, file: join(out, 'table.csv') })}\n` : text);
  if (status === 'stopped') exit(INTERRUPTED);
}

/** A spec, in which paths are seen from where it lies. */
async function specOf(file: string): Promise<SweepSpec> {
  const spec = (await readJsonFile(file, 'sweep')) as SweepSpec;
  if (typeof spec?.data !== 'string' || /^https?:/.test(spec.data)) return spec;
  return { ...spec, data: resolve(dirname(file), spec.data) };
}
