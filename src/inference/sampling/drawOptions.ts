import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import {
  checkOptions,
  functionOf,
  givenOptions,
  integerBetween,
  limitFromZero,
  listOf,
  type OptionsIn,
  seedOption,
  signalOption,
  typed,
} from '../../core/options.ts';
import { checkSaved } from '../../core/saved.ts';
import { engineChoice } from '../../engine/dense/index.ts';
import type { ParameterValues } from '../../model/model.ts';
import { dataFromPlain, plainData } from '../../model/plainData.ts';
import { readCheckpointFile } from '../checkpoint/checkpointFile.ts';
import { checkpointOption, resumeOption, workersOption } from '../fit/fitOptions.ts';
import type { GivenStart } from '../fit/fitProblem.ts';
import type { Workers } from '../workers/pool.ts';
import { type ChainState, MOST_TRANSITIONS, STATISTICS } from './chain.ts';
import * as samplers from './samplers/builtIn.ts';
import type { Sampler } from './samplers/sampler.ts';

/** Chains of {@link samplePosterior} as plain JSON, for resuming with the same bits. */
export interface DrawCheckpoint extends OptionsIn<typeof checkpointSchema> {}

/** Settings that must agree for a chain to resume. */
export interface DrawIdentity extends OptionsIn<typeof identity> {}

const number = v.number();
const identity = v.strictObject({
  variables: number,
  seed: number,
  sampler: v.string(),
  chains: number,
  warmup: number,
  draws: number,
});
const checkpointSchema = v.object({
  format: v.literal('latentfield-draws-checkpoint'),
  version: v.literal(1),
  /** The model's name. */
  model: v.string(),
  /** Settings that must match for chains to resume: variables, seed, sampler and numbers of transitions. */
  settings: identity,
  chains: listOf(v.unknown()),
});
const doubles = v.instance(Float64Array);
const chainSchema = v.object({
  chain: number,
  iteration: number,
  x: doubles,
  memory: v.optional(v.record(v.string(), v.union([number, doubles]))),
  draws: doubles,
  statistics: v.object(Object.fromEntries(STATISTICS.map((name) => [name, doubles]))),
  evaluations: number,
  warmupDivergences: number,
  jittered: number,
});

export const checkpointOfChains = (
  model: string,
  settings: DrawIdentity,
  chains: readonly ChainState[],
): DrawCheckpoint => ({
  format: 'latentfield-draws-checkpoint',
  version: 1,
  model,
  settings,
  chains: chains.map((chain) => plainData(chain)),
});

/**
 * Chains of a checkpoint.
 *
 * @throws InvalidInputError if the file cannot be read, is not a checkpoint of draws, or belongs to another model or other options
 */
export async function chainsFromCheckpoint(
  given: string | object,
  model: string,
  settings: DrawIdentity,
): Promise<readonly ChainState[]> {
  const saved = checkSaved(
    checkpointSchema,
    typeof given === 'string' ? await readCheckpointFile(given) : given,
    'checkpoint',
  );
  if (saved.model !== model) {
    throw new InvalidInputError(`The checkpoint is of the model '${saved.model}', not of '${model}'.`);
  }
  for (const [name, value] of Object.entries(settings)) {
    const before = saved.settings[name as keyof DrawIdentity];
    if (before === value) continue;
    throw new InvalidInputError(
      `The checkpoint is of draws with ${name} ${before}, but ${value} is requested. Resume with the options that it began with.`,
    );
  }
  return saved.chains.map(
    (chain, c) => checkSaved(chainSchema, dataFromPlain(chain), `checkpoint.chains.${c}`) as unknown as ChainState,
  );
}

/** Progress of a chain. */
export interface DrawStep {
  /** Number of the chain, from 0. */
  readonly chain: number;
  /** Transitions so far, including the warm-up. */
  readonly iteration: number;
  /** True during the warm-up. */
  readonly isWarmup: boolean;
  /** Log density of the variables at the current point. */
  readonly logDensity: number;
  /** Divergences so far, after the warm-up. */
  readonly divergences: number;
  /** Natural values by path at the current point. */
  values(): ParameterValues;
}

/** Options of {@link samplePosterior}. */
export interface SamplePosteriorOptions extends OptionsIn<typeof schema> {}

const factories: Readonly<Record<string, (options?: object) => Sampler>> = samplers;
const names = Object.keys(samplers) as (keyof typeof samplers)[];

const schema = v.strictObject({
  /** Sampler or its name: 'nuts' (default), 'hmc', 'slice' or 'ellipticalSlice'. */
  method: v.optional(
    typed<keyof typeof samplers | Sampler>(
      v.union(
        [v.picklist(names), v.looseObject({ name: v.string(), begin: v.function() })],
        `one of ${names.map((name) => `'${name}'`).join(', ')}, or a sampler such as nuts({ metric: 'dense' })`,
      ),
    ),
    'nuts',
  ),
  /** Number of chains, which begin at different points; default 4. */
  chains: v.optional(integerBetween(1, 1000), 4),
  /** Transitions of each chain during which the sampler adapts, which are discarded; default 1000. */
  warmup: v.optional(integerBetween(0, MOST_TRANSITIONS / 2), 1000),
  /** Draws that are kept per chain; default 1000. */
  draws: v.optional(integerBetween(1, MOST_TRANSITIONS / 2), 1000),
  /** Seed of all random numbers; default 0. */
  seed: seedOption,
  /**
   * Fit, or natural values by path, where all chains begin. By default they begin around the model's default start, with each variable moved by half
   * a standard normal.
   */
  start: v.optional(typed<GivenStart>()),
  /** Paths of parameters that are fixed at their start, such as `['latents']`. */
  hold: v.optional(listOf(v.string('a list of paths'), 'a list of paths'), []),
  /**
   * 'weak' adds a weak prior to each free parameter without one, which `message` reports; 'inTerms' declares that custom terms contain the priors of
   * all parameters. By default a parameter without a prior is an error.
   */
  priors: v.optional(v.picklist(['weak', 'inTerms'], "'weak' or 'inTerms'")),
  /** Number of workers that share the chains; the draws have the same bits for any number. */
  workers: workersOption,
  /** Function that is called about every 40 ms for each chain, and awaited; returning or resolving to false stops the chains. */
  onProgress: v.optional(functionOf<(step: DrawStep) => unknown>()),
  /** Signal that stops all chains: the result contains the draws that all chains have, and without any the promise rejects with the signal's reason. */
  signal: signalOption,
  /** Destination of checkpoints: the path of a file (in Node), or a function that receives the chains as plain JSON and is awaited. */
  checkpoint: checkpointOption<DrawCheckpoint>(),
  /** Seconds between two checkpoints; default 10. */
  checkpointInterval: v.optional(limitFromZero, 10),
  /** Checkpoint of the same model and options, or the path of its file, for resuming with the same bits. */
  resume: resumeOption<DrawCheckpoint>(),
  /** Linear algebra engine; default LATENTFIELD_ENGINE, or 'auto'. */
  engine: v.optional(engineChoice),
});

export type DrawSettings = Omit<v.InferOutput<typeof schema>, 'method' | 'workers' | 'start' | 'resume'> & {
  readonly sampler: Sampler;
  readonly workers: Workers | undefined;
  readonly start: GivenStart | undefined;
  readonly resume: string | DrawCheckpoint | undefined;
};

export function drawSettings(given: SamplePosteriorOptions): DrawSettings {
  const options = givenOptions(given, 'samplePosterior');
  const { method: _, ...checked } = checkOptions(schema, options, 'samplePosterior');
  const { method = 'nuts', workers, start, resume } = options;
  // The originals: a checked copy would have lost its class.
  return { ...checked, sampler: typeof method === 'string' ? factories[method]!() : method, workers, start, resume };
}

/** Sampler as plain data, which a worker can restore. */
export interface SamplerJSON {
  readonly name: string;
  readonly options: object;
}

/** @throws InvalidInputError for a sampler that is not built in */
export function samplerToJSON({ name, options }: Sampler): SamplerJSON {
  if (options !== undefined && Object.hasOwn(factories, name)) return { name, options };
  throw new InvalidInputError(
    `The sampler ${describe(name)} does not come with the library, so a worker cannot rebuild it. Omit the option workers.`,
  );
}

export const samplerFromJSON = ({ name, options }: SamplerJSON): Sampler => factories[name]!(options);
