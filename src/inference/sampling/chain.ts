import { NumericalError } from '../../core/errors.ts';
import { seededRandom } from '../../core/random.ts';
import type { Position, SampledDensity, Sampler, SamplerMemory, TransitionStatistics } from './samplers/sampler.ts';

/** Statistics kept with each draw: statistics of its transition, and the log density. */
export const STATISTICS = [
  'acceptance',
  'depth',
  'evaluations',
  'divergent',
  'energy',
  'stepSize',
  'logDensity',
] as const;
export type StatisticName = (typeof STATISTICS)[number];

/** State of a chain after some iterations: plain data for resuming with the same bits. */
export interface ChainState {
  /** Number of the chain, from 0. */
  readonly chain: number;
  /** Transitions so far, including the warm-up. */
  readonly iteration: number;
  readonly x: Float64Array;
  /** Adapted state of the sampler; undefined before the first transition. */
  readonly memory: SamplerMemory | undefined;
  /** Draws after the warm-up, concatenated. */
  readonly draws: Float64Array;
  /** Statistics of the transitions, one per draw. */
  readonly statistics: Readonly<Record<StatisticName, Float64Array>>;
  /** Evaluations of the log density by the whole chain, including the warm-up. */
  readonly evaluations: number;
  readonly warmupDivergences: number;
  /** Evaluations that needed jitter, which count as having no density. */
  readonly jittered: number;
}

export interface ChainSettings {
  readonly warmup: number;
  readonly draws: number;
  readonly seed: number;
  /** Covariance at the start, for samplers that use one. */
  readonly covariance: Float64Array | undefined;
}

/** Maximum number of transitions of a chain. */
export const MOST_TRANSITIONS = 2 ** 20;

/**
 * Transitions that share a stream of random numbers. A chain resumes from the beginning of such a block with the same bits; a separate stream for
 * each transition would cost as much as an evaluation.
 */
const BLOCK = 32;

/**
 * Random numbers for a block of transitions of one chain.
 *
 * @param block - from 0; −1 for draws before the first transition
 */
export function blockRandom(seed: number, chain: number, block: number) {
  const seeds = seededRandom(seed);
  let own = 0;
  for (let c = 0; c <= chain; c++) own = seeds.integer(2 ** 31);
  return seededRandom(own * MOST_TRANSITIONS + block + 1);
}

export function newChain(chain: number, x: Float64Array): ChainState {
  const none = new Float64Array(0);
  return {
    chain,
    iteration: 0,
    x,
    memory: undefined,
    draws: none,
    statistics: Object.fromEntries(STATISTICS.map((name) => [name, none])) as ChainState['statistics'],
    evaluations: 0,
    warmupDivergences: 0,
    jittered: 0,
  };
}

/** Density, and the number of its evaluations that needed jitter so far. */
export interface SampledTarget {
  readonly density: SampledDensity;
  jittered(): number;
}

/** Running chain. */
export interface RunningChain {
  readonly chain: number;
  /** Number of transitions so far. */
  iteration(): number;
  isOver(): boolean;
  /** Makes one transition. */
  step(): void;
  position(): Position;
  statistics(): TransitionStatistics | undefined;
  divergences(): number;
  /** Copy of the state to resume from: at the beginning of the current block, or at its end. */
  state(): ChainState;
}

/**
 * Runs a chain from its state.
 *
 * @throws NumericalError if the density is undefined at the start
 */
export function runChain(
  { density, jittered }: SampledTarget,
  sampler: Sampler,
  { warmup, draws, seed, covariance }: ChainSettings,
  from: ChainState,
): RunningChain {
  const { chain } = from;
  const n = from.x.length;
  const kept = new Float64Array(draws * n);
  kept.set(from.draws);
  const statistics = Object.fromEntries(STATISTICS.map((name) => [name, new Float64Array(draws)]));
  for (const name of STATISTICS) statistics[name]!.set(from.statistics[name]);
  let { iteration, evaluations, warmupDivergences, jittered: jitteredSoFar } = from;
  let position: Position = { x: from.x, ...density(from.x) };
  if (!Number.isFinite(position.value)) {
    throw new NumericalError(`The log density is ${position.value} at the start of chain ${chain}.`);
  }
  const run = sampler.begin({
    density,
    position,
    warmup,
    random: blockRandom(seed, chain, -1),
    covariance,
    memory: from.memory,
  });
  const isOver = () => iteration >= warmup + draws;
  const now = () => ({
    iteration,
    x: position.x,
    memory: run.memory(),
    evaluations,
    warmupDivergences,
    jittered: jitteredSoFar,
  });
  let saved = now();
  // A chain that is over stops within a block, and takes none of its numbers.
  let random = blockRandom(seed, chain, Math.floor(iteration / BLOCK));
  let last: TransitionStatistics | undefined;
  return {
    chain,
    iteration: () => iteration,
    isOver,
    step() {
      const before = jittered();
      const next = run.transition(position, random, iteration);
      jitteredSoFar += jittered() - before;
      position = next.position;
      last = next.statistics;
      evaluations += last.evaluations;
      const place = iteration - warmup;
      if (place < 0) warmupDivergences += last.divergent;
      else {
        kept.set(position.x, place * n);
        for (const name of STATISTICS) {
          statistics[name]![place] = name === 'logDensity' ? position.value : last[name];
        }
      }
      iteration++;
      if (iteration % BLOCK !== 0 && !isOver()) return;
      saved = now();
      random = blockRandom(seed, chain, Math.floor(iteration / BLOCK));
    },
    position: () => position,
    statistics: () => last,
    divergences: () => statistics.divergent!.reduce((sum, entry) => sum + entry, 0),
    state() {
      const count = Math.max(0, saved.iteration - warmup);
      return {
        ...saved,
        chain,
        draws: kept.slice(0, count * n),
        statistics: Object.fromEntries(
          STATISTICS.map((name) => [name, statistics[name]!.slice(0, count)]),
        ) as ChainState['statistics'],
      };
    },
  };
}

/** Position of a running chain, as progress reports show it. */
export interface ChainStanding {
  readonly chain: number;
  readonly iteration: number;
  readonly logDensity: number;
  readonly divergences: number;
  readonly x: Float64Array;
}

/** Callbacks of the code that runs chains. */
export interface ChainObserver {
  /** Called from time to time for each chain; false stops all of them. */
  standing(at: ChainStanding): Promise<boolean>;
  /** Called from time to time with all chains, when a checkpoint is due. */
  save(states: readonly ChainState[]): Promise<void>;
  /** True if a checkpoint is due. */
  isSaveDue(): boolean;
  /** True if the chains are to stop. */
  isStopped(): boolean;
}

export const standingOf = (chain: RunningChain): ChainStanding => ({
  chain: chain.chain,
  iteration: chain.iteration(),
  logDensity: chain.position().value,
  divergences: chain.divergences(),
  x: chain.position().x,
});
