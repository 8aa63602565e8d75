import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { InvalidInputError, LatentFieldError } from '../index.ts';
import { addFitCommand, INTERRUPTED } from './fitCommand.ts';
import { camelCase } from './flags.ts';
import { addInfoCommand } from './infoCommand.ts';
import { isModelName } from './modelDescriptions.ts';
import { addPredictCommands } from './predictCommands.ts';
import { addProjectCommand } from './projectCommand.ts';
import { addScoreCommand } from './scoreCommand.ts';
import { addSelectCommand } from './selectCommand.ts';
import type { Streams } from './streams.ts';
import { addSweepCommand } from './sweepCommand.ts';
import { usageHint } from './usageHint.ts';
import { addWorkerCommand } from './workerCommand.ts';

const { version, description } = createRequire(import.meta.url)('../../package.json') as {
  version: string;
  description: string;
};

const EXAMPLES = `
Examples:
  latentfield fit flowers.csv --model gplvm --labels species --out results
  latentfield info results
  latentfield project results new.csv
  latentfield info gplvm
'latentfield fit --help' has all models and their options.
`;

/** The help of a model is the list of its options. */
function withModelHelp(argv: readonly string[]): readonly string[] {
  const model = camelCase(argv[0] ?? '');
  return isModelName(model) && argv.some((word) => word === '--help' || word === '-h') ? ['info', model] : argv;
}

/**
 * Runs the command line: data on stdout, diagnostics on stderr.
 *
 * @param argv - arguments after the program's name
 * @param streams - where to write
 * @param signal - aborting it stops a fit, which still writes its best point
 * @returns the exit code: 0, 2 for bad usage or bad input, 1 when the computation failed, 130 when it was interrupted
 */
export async function run(argv: readonly string[], streams: Streams, signal?: AbortSignal): Promise<number> {
  let exitCode = 0;
  const program = new Command('latentfield')
    .description(description)
    .version(version)
    .exitOverride()
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    });
  addFitCommand(program, streams, signal, (code) => {
    exitCode = code;
  });
  addProjectCommand(program, streams, signal);
  addScoreCommand(program, streams);
  addPredictCommands(program, streams);
  addSelectCommand(program, streams, signal);
  addInfoCommand(program, streams);
  addWorkerCommand(program, streams, signal);
  addSweepCommand(program, streams, signal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(withModelHelp(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already said what is wrong; help and version end with 0.
    if (error instanceof CommanderError) {
      const hint = error.exitCode === 0 ? undefined : usageHint(argv, error.message);
      if (hint !== undefined) streams.stderr.write(`${hint}\n`);
      return error.exitCode === 0 ? 0 : 2;
    }
    if (signal?.aborted) return INTERRUPTED;
    streams.stderr.write(`error: ${explanation(error)}\n`);
    return error instanceof InvalidInputError ? 2 : 1;
  }
}

/** Where a message names an option and its flag, the flag: '(allowMissing; on the command line --missing ignore)' is '(--missing ignore)'. Others get theirs beside them. */
const inFlags = (message: string) =>
  message
    .replace(/\(\w+; on the command line (--[^)]+)\)/g, '($1)')
    .replace(/\ba smaller latentDim\b/g, 'a smaller latentDim (--dim)')
    .replace(/\binducing: (\d+)/g, 'inducing: $1 (--inducing $1)');

/** A sentence, of what the library did not foresee too: a stack helps nobody who runs a command. */
export function explanation(error: unknown): string {
  if (error instanceof LatentFieldError) return inFlags(error.message);
  const message = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
  return `latentfield failed unexpectedly. Please report the command and this line: ${message}`;
}
