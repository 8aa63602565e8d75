import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { InvalidInputError } from '../../index.ts';
import { lockPath, makeFolder } from '../io/index.ts';
import { type SweepSpec, sweep } from '../queue/index.ts';
import { checkRequired, wholeFrom } from './flags.ts';
import { readJsonFile } from './jsonOptions.ts';
import { PARTS_FLAG, type PartsArguments, partsOf } from './ownParts.ts';
import { prefixFlag, redisFlag } from './queueCommands.ts';
import { type Context, exitCodeOf } from './streams.ts';

interface SweepArguments extends PartsArguments {
  readonly out?: string;
  readonly redis?: string;
  readonly prefix?: string;
  readonly threads?: number;
  readonly patience?: number;
  readonly json?: boolean;
}

/** `sweep SPEC` */
export function defineSweep(command: Command, context: Context): void {
  command
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
    .action((spec: string, given: SweepArguments) => runSweep(spec, given, context));
}

async function runSweep(file: string, given: SweepArguments, { stdout, stderr, signal, exit }: Context): Promise<void> {
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
  await partsOf(given.parts);
  const spec = await specOf(file);
  const out = given.out!;
  await makeFolder(out);
  const release = await lockPath(join(out, 'table.csv'));
  let shown = '';
  const result = await sweep(spec, {
    ...(redis === undefined ? { parts, threads } : { connection: redis }),
    ...{ prefix, patience, out, signal },
    onProgress({ done, total, kept }) {
      const line = `${done} of ${total} fits${kept > 0 ? `, ${kept} of them kept from before` : ''}\n`;
      if (!json && line !== shown) stderr.write(line);
      shown = line;
    },
  }).finally(release);
  const { table, status, text, kept } = result;
  stdout.write(json ? `${JSON.stringify({ status, kept, table, file: join(out, 'table.csv') })}\n` : text);
  if (status === 'stopped') exit(exitCodeOf(signal?.reason));
}

/** Reads a spec, whose paths are relative to its file. */
async function specOf(file: string): Promise<SweepSpec> {
  const spec = (await readJsonFile(file, 'sweep')) as SweepSpec;
  if (typeof spec?.data !== 'string' || /^https?:/.test(spec.data)) return spec;
  return { ...spec, data: resolve(dirname(file), spec.data) };
}
