import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { checkOptions, givenOptions, seedOption, signalOption } from '../../core/options.ts';
import { checkSaved } from '../../core/saved.ts';
import { type EngineChoice, engineChoice } from '../../engine/dense/index.ts';
import type { ParameterValues } from '../../model/model.ts';
import { dataFromPlain, plainData } from '../../model/plainData.ts';
import { readCheckpointFile } from '../checkpoint/checkpointFile.ts';
import type { GivenStart } from '../fit/fitProblem.ts';
import type { Workers } from '../workers/pool.ts';
import { type ChainState, MOST_TRANSITIONS, STATISTICS } from './chain.ts';
import * as samplers from './samplers/builtIn.ts';
import type { Sampler } from './samplers/sampler.ts';

/** The chains of {@link samplePosterior} as plain JSON, from which it resumes with the same bits. */
export interface DrawCheckpoint {
  readonly format: 'latentfield-draws-checkpoint';
  readonly version: 1;
  /** The model's name. */
  readonly model: string;
  /** The settings that must match for chains to resume: variables, seed, sampler and numbers of transitions. */
  readonly settings: DrawIdentity;
  readonly chains: readonly unknown[];
}

/** Settings that must agree for a chain to resume. */
export interface DrawIdentity {
  readonly variables: number;
  readonly seed: number;
  readonly sampler: string;
  readonly chains: number;
  readonly warmup: number;
  readonly draws: number;
}

const number = v.number();
const checkpointSchema = v.object({
  format: v.literal('latentfield-draws-checkpoint'),
  version: v.literal(1),
  model: v.string(),
  settings: v.strictObject({
    variables: number,
    seed: number,
    sampler: v.string(),
    chains: number,
    warmup: number,
    draws: number,
  }),
  chains: v.array(v.unknown()),
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
 * The chains of a checkpoint.
 *
 * @throws InvalidInputError when the file cannot be read, it is not a checkpoint of draws, or one of another model or other options
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
      `The checkpoint is of draws with ${name} ${before}, but ${value} is asked for. Resume with the options that it began with.`,
    );
  }
  return saved.chains.map(
    (chain, c) => checkSaved(chainSchema, dataFromPlain(chain), `checkpoint.chains.${c}`) as unknown as ChainState,
  );
}

/** Where a chain stands. */
export interface DrawStep {
  /** From 0. */
  readonly chain: number;
  /** Transitions done, the warm-up included. */
  readonly iteration: number;
  /** Whether it is still in its warm-up. */
  readonly isWarmup: boolean;
  /** The log density of the variables there. */
  readonly logDensity: number;
  /** After the warm-up, so far. */
  readonly divergences: number;
  /** Natural values by path there. */
  values(): ParameterValues;
}

/** Options of {@link samplePosterior}. */
export interface SamplePosteriorOptions {
  /** The sampler or its name: 'nuts' (the default), 'hmc', 'slice' or 'ellipticalSlice'. */
  readonly method?: 'nuts' | 'hmc' | 'slice' | 'ellipticalSlice' | Sampler | undefined;
  /** Chains that begin at different places; default 4. */
  readonly chains?: number | undefined;
  /** Transitions of each chain in which the sampler adapts, which are not kept; default 1000. */
  readonly warmup?: number | undefined;
  /** Draws of each chain that are kept; default 1000. */
  readonly draws?: number | undefined;
  /** Seed of everything random; default 0. */
  readonly seed?: number | undefined;
  /**
   * A fit, or natural values by path, where all chains begin. Unless given they begin about the model's own start, each variable moved by half a standard
   * normal.
   */
  readonly start?: GivenStart | undefined;
  /** Paths of parameters that stay at their start, such as `['latents']`. */
  readonly hold?: readonly string[] | undefined;
  /**
   * 'weak' gives each free parameter without a prior a weak one, which `message` says; 'inTerms' says that terms of your own hold the priors of all. Without
   * it such a parameter is an error.
   */
  readonly priors?: 'weak' | 'inTerms' | undefined;
  /** How many workers share the chains: the draws have the same bits whatever their number. */
  readonly workers?: Workers | undefined;
  /** Called about every 40 ms of each chain, and awaited; false, or a promise of it, stops the draws. */
  readonly onProgress?: ((step: DrawStep) => unknown) | undefined;
  /** Aborting it stops all chains: the draws that all of them have are the result, and without any it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Where to save the chains: the path of a file (in Node), or a function that is given them, plain JSON, and awaited. */
  readonly checkpoint?: string | ((checkpoint: DrawCheckpoint) => unknown) | undefined;
  /** Seconds between two checkpoints; default 10. */
  readonly checkpointInterval?: number | undefined;
  /** A checkpoint of the same model and options, or the path of its file, to go on from with the same bits. */
  readonly resume?: string | DrawCheckpoint | undefined;
  /** Which linear algebra to use; 'auto' unless given or named by LATENTFIELD_ENGINE. */
  readonly engine?: EngineChoice | undefined;
}

const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => {
  const words = `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`;
  return v.pipe(v.number(words), v.integer(words), v.minValue(least, words), v.maxValue(most, words));
};
const isFunction = (value: unknown) => typeof value === 'function';
const factories: Readonly<Record<string, (options?: object) => Sampler>> = samplers;
const names = Object.keys(samplers) as (keyof typeof samplers)[];

const schema = v.strictObject({
  method: v.optional(
    v.union(
      [v.picklist(names), v.looseObject({ name: v.string(), begin: v.function() })],
      `one of ${names.map((name) => `'${name}'`).join(', ')}, or a sampler such as nuts({ metric: 'dense' })`,
    ),
    'nuts',
  ),
  chains: v.optional(whole(1, 1000), 4),
  warmup: v.optional(whole(0, MOST_TRANSITIONS / 2), 1000),
  draws: v.optional(whole(1, MOST_TRANSITIONS / 2), 1000),
  seed: seedOption,
  start: v.optional(v.any()),
  hold: v.optional(v.array(v.string('a list of paths'), 'a list of paths'), []),
  priors: v.optional(v.picklist(['weak', 'inTerms'], "'weak' or 'inTerms'")),
  workers: v.optional(
    v.union(
      [whole(1), v.looseObject({ count: whole(1) })],
      'a whole number from 1, or workers of your own: { count, start } or { count, parts }',
    ),
  ),
  onProgress: v.optional(v.custom<(step: DrawStep) => unknown>(isFunction, 'a function')),
  signal: signalOption,
  checkpoint: v.optional(
    v.union(
      [v.pipe(v.string(), v.minLength(1)), v.custom<(checkpoint: DrawCheckpoint) => unknown>(isFunction)],
      'the path of a file or a function',
    ),
  ),
  checkpointInterval: v.optional(v.pipe(v.number('a number from 0'), v.minValue(0, 'a number from 0')), 10),
  resume: v.optional(v.union([v.string(), v.looseObject({})], 'a checkpoint or the path of its file')),
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
  // As they were given: a checked copy would have lost its class.
  return { ...checked, sampler: typeof method === 'string' ? factories[method]!() : method, workers, start, resume };
}

/** A sampler as plain data, by which a worker makes it again. */
export interface SamplerJSON {
  readonly name: string;
  readonly options: object;
}

/** @throws InvalidInputError for a sampler that does not come with the library */
export function samplerToJSON({ name, options }: Sampler): SamplerJSON {
  if (options !== undefined && Object.hasOwn(factories, name)) return { name, options };
  throw new InvalidInputError(
    `The sampler ${describe(name)} does not come with the library, so a worker cannot make it. Leave the option workers out.`,
  );
}

export const samplerFromJSON = ({ name, options }: SamplerJSON): Sampler => factories[name]!(options);
