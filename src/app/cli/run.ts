import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { InvalidInputError, LatentFieldError } from '../../core/index.ts';
import { type Context, exitCodeOf, type Streams } from './streams.ts';

const { version, description } = createRequire(import.meta.url)('../../../package.json') as {
  version: string;
  description: string;
};

interface CommandEntry {
  readonly description: string;
  /** Adds arguments, flags and action; the command's modules are loaded with it. */
  readonly define: (command: Command, context: Context) => Promise<void>;
}

/** Commands in the order of `--help`. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  fit: {
    description: 'fit a model to a table of numbers; write latents.csv, fit.json, trace.csv and pictures',
    define: async (...given) => (await import('./fitCommand.ts')).defineFit(...given),
  },
  project: {
    description:
      'find the latents of new observations; write them as CSV: x1 … xq, logDensity (or logDensityAtPlace, of fits whose latents have no normalized density or are computed), and between them variance1 … varianceq of fits that have variances',
    define: async (...given) => (await import('./predictCommands.ts')).defineProject(...given),
  },
  draw: {
    description: "draw from the posterior of a fit's model, from the fit on; the summary is printed",
    define: async (...given) => (await import('./drawCommand.ts')).defineDraw(...given),
  },
  score: {
    description: 'say how good a fit is: its objective, how well classes and neighborhoods are kept',
    define: async (...given) => (await import('./scoreCommands.ts')).defineScore(...given),
  },
  assess: {
    description:
      'say how far to trust a map: which points and distances, other starts and rows, intervals, dimensions; write a page',
    define: async (...given) => (await import('./scoreCommands.ts')).defineAssess(...given),
  },
  compare: {
    description: 'fit several models to a table within a time; print held-out and neighborhood scores, draw each map',
    define: async (...given) => (await import('./compareCommand.ts')).defineCompare(...given),
  },
  predict: {
    description: 'predict observations at latent points: means, then standard deviations',
    define: async (...given) => (await import('./predictCommands.ts')).definePredict(...given),
  },
  sample: {
    description: 'draw observations from the joint predictive distribution at latent points',
    define: async (...given) => (await import('./predictCommands.ts')).defineSample(...given),
  },
  interpolate: {
    description: 'predict on the straight line between two training points',
    define: async (...given) => (await import('./predictCommands.ts')).defineInterpolate(...given),
  },
  forecast: {
    description: 'predict what follows the last row; for models with dynamics',
    define: async (...given) => (await import('./predictCommands.ts')).defineForecast(...given),
  },
  impute: {
    description: 'fill in the missing entries of a table: means, then standard deviations',
    define: async (...given) => (await import('./predictCommands.ts')).defineImpute(...given),
  },
  select: {
    description: "choose a model's options by cross-validation inside the table",
    define: async (...given) => (await import('./selectCommand.ts')).defineSelect(...given),
  },
  info: {
    description: 'describe a fit: model, columns, parameters, how it ended; or list the options of a model',
    define: async (...given) => (await import('./infoCommand.ts')).defineInfo(...given),
  },
  explore: {
    description: 'serve a page on this machine that fits a table or shows a fit; or write it as one file',
    define: async (...given) => (await import('./exploreCommand.ts')).defineExplore(...given),
  },
  worker: {
    description: 'run the fits of a queue on Redis until stopped (SIGTERM, Ctrl-C)',
    define: async (...given) => (await import('./queueCommands.ts')).defineWorker(...given),
  },
  queue: {
    description: 'show the jobs that a queue on Redis has given up, with the reasons, and clear them',
    define: async (...given) => (await import('./queueCommands.ts')).defineQueue(...given),
  },
  sweep: {
    description: 'fit and score a grid of models, options, seeds and folds; run again, it resumes',
    define: async (...given) => (await import('./queueCommands.ts')).defineSweep(...given),
  },
};

/** The command that the arguments call, or whose help they ask for. */
const commandIn = (argv: readonly string[]): string | undefined => (argv[0] === 'help' ? argv[1] : argv[0]);

const EXAMPLES = `
Examples:
  latentfield fit flowers.csv --model gplvm --labels species --out results
  latentfield info results
  latentfield project results new.csv
  latentfield info gplvm
'latentfield fit --help' has all models and their options.
`;

/** The help of a model lists its options. */
async function withModelHelp(argv: readonly string[]): Promise<readonly string[]> {
  const first = argv[0] ?? '';
  if (Object.hasOwn(COMMANDS, first) || !argv.some((word) => word === '--help' || word === '-h')) return argv;
  if (first.startsWith('-')) return argv;
  const model = (await import('./modelHelp.ts')).modelCalled(first);
  return model === undefined ? argv : ['info', model];
}

/** The process that a command runs in. */
interface CommandProcess {
  /** Aborting it stops a fit, which then writes its best point; its reason is 'Ctrl-C' or the name of a signal. */
  readonly signal?: AbortSignal | undefined;
  readonly heeding?: Context['heeding'];
  /** Called when everything is written; an error it throws is one of the command. */
  readonly finish?: () => void;
}

/**
 * Runs the command line: data on stdout, diagnostics on stderr.
 *
 * @param given - arguments after the program's name
 * @param streams - where to write
 * @param process - the process around it
 * @returns the exit code: 0; 2 for wrong usage or input, and files that cannot be read or written; 1 if the computation failed or its result could
 *   not be written to standard output; 128 plus the number of the signal that stopped it
 */
export async function run(
  given: readonly string[],
  streams: Streams,
  { signal, heeding = (work) => work(), finish }: CommandProcess = {},
): Promise<number> {
  const argv = await withModelHelp(given);
  let exitCode = 0;
  const exit = (code: number) => {
    exitCode = code;
  };
  const program = new Command('latentfield')
    .description(description)
    .version(version)
    .exitOverride()
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
    });
  try {
    for (const [name, entry] of Object.entries(COMMANDS)) {
      const command = program.command(name).description(entry.description);
      if (name === commandIn(argv)) await entry.define(command, { ...streams, signal, heeding, exit });
    }
    await program.parseAsync(argv, { from: 'user' });
    finish?.();
    return exitCode;
  } catch (error) {
    // Commander has already reported the error; help and version exit with 0.
    if (error instanceof CommanderError) {
      const hint = error.exitCode === 0 ? undefined : await usageHint(program, argv, error);
      if (hint !== undefined) streams.stderr.write(`${hint}\n`);
      return error.exitCode === 0 ? 0 : 2;
    }
    const isStopped = signal?.aborted === true;
    if (!isStopped || error !== signal.reason) streams.stderr.write(`error: ${explanation(error)}\n`);
    if (isStopped) return exitCodeOf(signal.reason);
    return error instanceof InvalidInputError ? 2 : 1;
  }
}

/** Suggestion for an unknown option or command whose name the library knows. */
async function usageHint(
  program: Command,
  argv: readonly string[],
  { code }: CommanderError,
): Promise<string | undefined> {
  if (code === 'commander.unknownCommand') return (await import('./modelHelp.ts')).hintForCommand(argv[0]!);
  if (code !== 'commander.unknownOption' || !['fit', 'select'].includes(argv[0]!)) return undefined;
  const command = program.commands.find((each) => each.name() === argv[0])!;
  const [unknown] = command.parseOptions(argv.slice(1)).unknown;
  return unknown === undefined ? undefined : (await import('./modelHelp.ts')).hintForOption(unknown);
}

/** The message of any error, without the stack, which does not help users of a command. */
export function explanation(error: unknown): string {
  if (error instanceof LatentFieldError) {
    return error.code === 'missingEntry' && !error.message.includes('--missing')
      ? `${error.message} On the command line that is --missing ignore.`
      : error.message;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
  return `latentfield failed unexpectedly. Please report the command and this line: ${message}`;
}
