import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { checkSaved } from '../../core/saved.ts';
import { dataFromPlain, plainData } from '../../model/plainData.ts';
import { readCheckpointFile } from '../checkpoint/checkpointFile.ts';
import { type ChainState, STATISTICS } from './chain.ts';

/** The chains of {@link draw} as plain JSON, from which it goes on with the same bits. */
export interface DrawCheckpoint {
  readonly format: 'latentfield-draws-checkpoint';
  readonly version: 1;
  /** The model's name. */
  readonly model: string;
  /** The settings that must match for chains to resume: variables, seed, sampler and numbers of transitions. */
  readonly settings: DrawIdentity;
  readonly chains: readonly unknown[];
}

/** What must be the same for a chain to go on. */
export interface DrawIdentity {
  readonly variables: number;
  readonly seed: number;
  readonly sampler: string;
  readonly chains: number;
  readonly warmup: number;
  readonly draws: number;
}

const number = v.number();
const schema = v.object({
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
  const saved = checkSaved(schema, typeof given === 'string' ? await readCheckpointFile(given) : given, 'checkpoint');
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
