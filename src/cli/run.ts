import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { InvalidInputError, LatentFieldError } from '../index.ts';
import { addFitCommand } from './fitCommand.ts';
import { addProjectCommand } from './projectCommand.ts';
import { addScoreCommand } from './scoreCommand.ts';
import type { Streams } from './streams.ts';

const { version, description } = createRequire(import.meta.url)('../../package.json') as {
  version: string;
  description: string;
};

/**
 * Runs the command line: data on stdout, diagnostics on stderr.
 *
 * @param argv - arguments after the program's name
 * @param streams - where to write
 * @param signal - aborting it stops a fit, which still writes its best point
 * @returns the exit code: 0, 2 for bad usage or bad input, 1 when the computation failed
 */
export async function run(argv: readonly string[], streams: Streams, signal?: AbortSignal): Promise<number> {
  let exitCode = 0;
  const program = new Command('latentfield')
    .description(description)
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    });
  addFitCommand(program, streams, signal, (code) => {
    exitCode = code;
  });
  addProjectCommand(program, streams);
  addScoreCommand(program, streams);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already said what is wrong; help and version end with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    streams.stderr.write(`error: ${explanation(error)}\n`);
    return error instanceof InvalidInputError ? 2 : 1;
  }
}

/** A sentence for what the library foresaw; the whole stack for what it did not. */
function explanation(error: unknown): string {
  if (error instanceof LatentFieldError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
