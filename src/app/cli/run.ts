import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { InvalidInputError, LatentFieldError, systemReason } from '../../core/index.ts';
import { inFlags } from './flags.ts';
import { type Context, exitCodeOf, type Streams } from './streams.ts';

const { version, description } = createRequire(import.meta.url)('../../../package.json') as {
  readonly version: string;
  readonly description: string;
};

interface CommandEntry {
  readonly group: (typeof GROUPS)[number];
  readonly description: string;
  /** Adds arguments, flags and action; the command's modules are loaded on demand. */
  readonly define: (command: Command, context: Context) => unknown;
}

const GROUPS = ['Fit', 'Use a fit', 'Evaluate', 'Explore', 'Scale out', 'Shell'] as const;

/** Commands by group, in the order of `--help`. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  fit: {
    group: 'Fit',
    description: 'fit a model to a table; write latents.csv, fit.json, trace.csv and pictures into a folder',
    define: async (...args) => (await import('./fitCommand.ts')).defineFit(...args),
  },
  compare: {
    group: 'Fit',
    description: 'fit several models within a time limit; print held-out and neighborhood scores, draw each map',
    define: async (...args) => (await import('./compareCommand.ts')).defineCompare(...args),
  },
  select: {
    group: 'Fit',
    description: "choose a model's options by cross-validation on the table",
    define: async (...args) => (await import('./selectCommand.ts')).defineSelect(...args),
  },
  project: {
    group: 'Use a fit',
    description: 'place new rows on the map: latents, their log density, and variances where the fit has them',
    define: async (...args) => (await import('./predictCommands.ts')).defineProject(...args),
  },
  'predict-labels': {
    group: 'Use a fit',
    description:
      'predict labels of new rows from the labeled points near them on the map: probabilities, then the likeliest',
    define: async (...args) => (await import('./predictCommands.ts')).definePredictLabels(...args),
  },
  impute: {
    group: 'Use a fit',
    description: 'fill in the missing entries of a table: means, then standard deviations',
    define: async (...args) => (await import('./predictCommands.ts')).defineImpute(...args),
  },
  predict: {
    group: 'Use a fit',
    description: 'predict observations at latent points: means, then standard deviations',
    define: async (...args) => (await import('./predictCommands.ts')).definePredict(...args),
  },
  sample: {
    group: 'Use a fit',
    description: 'draw observations from the joint predictive distribution at latent points',
    define: async (...args) => (await import('./predictCommands.ts')).defineSample(...args),
  },
  interpolate: {
    group: 'Use a fit',
    description: 'predict along the line, or the geodesic, between two training points',
    define: async (...args) => (await import('./predictCommands.ts')).defineInterpolate(...args),
  },
  forecast: {
    group: 'Use a fit',
    description: 'predict the rows that follow the last one, for models with dynamics',
    define: async (...args) => (await import('./predictCommands.ts')).defineForecast(...args),
  },
  info: {
    group: 'Evaluate',
    description: 'describe a fit (model, columns, parameters, convergence), or list the options of a model',
    define: async (...args) => (await import('./infoCommand.ts')).defineInfo(...args),
  },
  score: {
    group: 'Evaluate',
    description: 'score a fit: objective, separation of classes, preserved neighborhoods',
    define: async (...args) => (await import('./scoreCommands.ts')).defineScore(...args),
  },
  assess: {
    group: 'Evaluate',
    description: 'report how far to trust a map: points, distances, other starts and rows, intervals, dimensions',
    define: async (...args) => (await import('./scoreCommands.ts')).defineAssess(...args),
  },
  'compare-maps': {
    group: 'Evaluate',
    description: 'compare two maps of the same points: shared neighbors, and what is apart after the best alignment',
    define: async (...args) => (await import('./compareMapsCommand.ts')).defineCompareMaps(...args),
  },
  draw: {
    group: 'Evaluate',
    description: "draw posterior samples of a fit's model, starting at the fit; print their summary",
    define: async (...args) => (await import('./drawCommand.ts')).defineDraw(...args),
  },
  explore: {
    group: 'Explore',
    description: 'open a table or a fit as an interactive page, served to this machine or written as one file',
    define: async (...args) => (await import('./exploreCommand.ts')).defineExplore(...args),
  },
  sweep: {
    group: 'Scale out',
    description: 'fit and score a grid of models, options, seeds and folds; a second run resumes the first',
    define: async (...args) => (await import('./queueCommands.ts')).defineSweep(...args),
  },
  worker: {
    group: 'Scale out',
    description: 'run the fits of a queue on Redis until stopped (SIGTERM, Ctrl-C)',
    define: async (...args) => (await import('./queueCommands.ts')).defineWorker(...args),
  },
  queue: {
    group: 'Scale out',
    description: 'list the failed jobs of a queue on Redis with their reasons, and clear them',
    define: async (...args) => (await import('./queueCommands.ts')).defineQueue(...args),
  },
  completion: {
    group: 'Shell',
    description: 'print a script that completes commands, flags and their values in bash, zsh or fish',
    define: async (command, context) =>
      (await import('./completion.ts')).defineCompletion(command, context, () => programOf(COMMAND_NAMES, context)),
  },
};

/** Names of all commands. */
export const COMMAND_NAMES = Object.keys(COMMANDS);

/** Command in the arguments, or the command whose help is requested. */
const commandIn = (argv: readonly string[]): string | undefined => (argv[0] === 'help' ? argv[1] : argv[0]);

const ABOUT = `latentfield makes maps of tables, with error bars: it finds the few coordinates behind many measured columns.
A fitted map shows how sure it is, decodes any of its points into a row, places new rows, and fills in empty cells.
'latentfield help' lists the commands, 'latentfield help fit' the flags and models.`;

const EXAMPLES = `
Examples:
  latentfield fit flowers.csv -m gplvm --labels species -o results
  latentfield project results new.csv -o placed.csv
  latentfield explore results
`;

/** Help of a model with its options. */
async function withModelHelp(argv: readonly string[]): Promise<readonly string[]> {
  const first = argv[0] ?? '';
  if (Object.hasOwn(COMMANDS, first) || !argv.some((word) => word === '--help' || word === '-h')) return argv;
  if (first.startsWith('-')) return argv;
  const model = (await import('./modelHelp.ts')).modelCalled(first);
  return model === undefined ? argv : ['info', model];
}

/** Process of a command. */
interface CommandProcess {
  /** Signal that stops a fit, which then writes its best point; its reason is 'Ctrl-C' or the name of a signal. */
  readonly signal?: AbortSignal | undefined;
  readonly heeding?: Context['heeding'];
  /** Called when everything has been written; an error it throws is treated as an error of the command. */
  readonly finish?: () => void;
}

/**
 * Runs the command line: data on stdout, diagnostics on stderr.
 *
 * @param given - arguments after the program's name
 * @param streams - output streams
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
  if (argv.length === 0) {
    streams.stdout.write(`${ABOUT}\n${EXAMPLES}`);
    return 0;
  }
  const name = commandIn(argv);
  const flagged = (text: string): string =>
    text.includes('`')
      ? inFlags(text, program.commands.find((command) => command.name() === name)?.options ?? [])
      : text;
  const stderr: Streams['stderr'] = Object.create(streams.stderr, {
    write: { value: (text: string) => streams.stderr.write(flagged(text)) },
  });
  const context: Context = { stdout: streams.stdout, stderr, signal, heeding, exit, flagged };
  const program: Command = await programOf(name === undefined ? [] : [name], context);
  try {
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
    if (!isStopped || error !== signal.reason) stderr.write(`error: ${explanation(error)}\n`);
    if (isStopped) return exitCodeOf(signal.reason);
    return error instanceof InvalidInputError || isRefusal(error) ? 2 : 1;
  }
}

/** Program with the arguments and flags of the named commands only, since each loads the modules that it runs. */
export async function programOf(names: readonly string[], context: Context): Promise<Command> {
  const program = new Command('latentfield')
    .description(description)
    .version(version)
    .exitOverride()
    .addHelpText('after', EXAMPLES)
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    });
  for (const [name, { group, description, define }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(description).helpGroup(`${group}:`);
    if (names.includes(name)) await define(command, context);
  }
  return program;
}

/** Flags for purposes that other commands have under another name, by command. */
const OTHER_FLAGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  project: { '--labels': 'Labels are not needed here: leave their column out with --drop COLUMN.' },
  select: { '--max-seconds': 'The limit of each fit is --max-seconds-per-fit S.' },
  worker: { '--max-bytes': 'The limit on the bytes that one fit fetches is --max-job-bytes N.' },
};

/** Suggestion for an unknown option or command whose name belongs to another command or to the library. */
async function usageHint(
  program: Command,
  argv: readonly string[],
  { code }: CommanderError,
): Promise<string | undefined> {
  if (code === 'commander.unknownCommand') return (await import('./modelHelp.ts')).hintForCommand(argv[0]!);
  const command = program.commands.find((each) => each.name() === argv[0]);
  if (code !== 'commander.unknownOption' || command === undefined) return undefined;
  const unknown = command.parseOptions(argv.slice(1)).unknown[0]?.replace(/=.*$/, '');
  if (unknown === undefined) return undefined;
  const other = OTHER_FLAGS[command.name()]?.[unknown];
  if (other !== undefined || !['fit', 'select'].includes(command.name())) return other;
  return (await import('./modelHelp.ts')).hintForOption(unknown);
}

/** True for an error of the file system, such as a part of this program that cannot be loaded because too many files are open. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  ['open', 'read', 'scandir', 'mkdir', 'uv_cwd'].includes(String((error as NodeJS.ErrnoException).syscall));

/** Message of any error, without the stack. */
export function explanation(error: unknown): string {
  if (error instanceof LatentFieldError) return error.message;
  if (isRefusal(error)) return `Something cannot be read or written: ${systemReason(error)}.`;
  const message = error instanceof Error ? `${error.name}: ${error.message.split('\n')[0]}` : String(error);
  return `latentfield failed unexpectedly. Please report the command and this line: ${message}`;
}
