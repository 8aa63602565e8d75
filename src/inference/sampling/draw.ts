import { InvalidInputError, NumericalError, OptimizationError } from '../../core/errors.ts';
import { writeAtomically } from '../../core/fileWriting.ts';
import { Matrix } from '../../core/matrix.ts';
import { seededRandom } from '../../core/random.ts';
import { symmetricEigenpairs } from '../../engine/dense/eigenpairs.ts';
import type { AnyModel } from '../../model/model.ts';
import { fileSystem } from '../checkpoint/checkpointFile.ts';
import { callersFunction } from '../fit/callersFunction.ts';
import { slices } from '../minimize/slices.ts';
import { type ChainObserver, type ChainSettings, type ChainState, newChain, runChain, standingOf } from './chain.ts';
import { drawInWorkers } from './drawInWorkers.ts';
import {
  chainsFromCheckpoint,
  checkpointOfChains,
  type DrawIdentity,
  type DrawSettings,
  drawSettings,
  type SamplePosteriorOptions,
} from './drawOptions.ts';
import { type Draws, drawsOf } from './draws.ts';
import { openTarget, type Target } from './target.ts';

/**
 * Draws from the posterior of a model's free parameters and latents, by Markov chains over the unconstrained variables, whose density includes the
 * Jacobian of their transforms.
 *
 * Every free parameter needs a prior. Where a covariance has no Cholesky factor without jitter the density is undefined: such points are never drawn,
 * and the message reports their number.
 *
 * @param model - any model that has parameters, such as `gplvm(Y, { latentDim: 2 })`
 * @param options - see {@link SamplePosteriorOptions}
 * @returns draws with their diagnostics, predictions and files
 * @throws InvalidInputError for a free parameter without a prior, which it names, an unknown path or option, and a model without a posterior
 * @throws NumericalError if the density is undefined at the start, with the reason
 * @see Hoffman & Gelman 2014; Betancourt 2017; Vehtari et al. 2021
 * @example
 * ```ts
 * const fitted = await fit(model, { maxIterations: 50 });
 * const draws = await samplePosterior(model, { start: fitted, hold: ['latents'], priors: 'weak', chains: 2, warmup: 50, draws: 50, seed: 1 });
 * console.log(String(draws.summary()));
 * ```
 */
export async function samplePosterior(model: AnyModel, options: SamplePosteriorOptions = {}): Promise<Draws> {
  const settings = drawSettings(options);
  const began = performance.now();
  settings.signal?.throwIfAborted();
  const target = openTarget(model, settings);
  try {
    const identity: DrawIdentity = {
      variables: target.open.size,
      seed: settings.seed,
      sampler: settings.sampler.name,
      chains: settings.chains,
      warmup: settings.warmup,
      draws: settings.draws,
    };
    const begun =
      settings.resume === undefined
        ? startsOf(target, settings).map((x, chain) => newChain(chain, x))
        : await chainsFromCheckpoint(settings.resume, model.name, identity);
    const covariance = await laplaceCovariance(target, settings);
    const observer = observerOf(model, target, settings, identity);
    const chainSettings: ChainSettings = { ...settings, covariance };
    const states =
      settings.workers === undefined
        ? await runHere(target, settings, chainSettings, begun, observer)
        : await drawInWorkers(model, settings, chainSettings, begun, observer);
    await observer.finish(states);
    const seconds = (performance.now() - began) / 1000;
    return drawsOf(model, target, settings, states, seconds);
  } finally {
    target.open.dispose();
  }
}

/** Standard deviation of the random moves of default starts. */
const WIDTH = 0.5;
/** Maximum number of moves that are tried for a start with a density, each half as wide as the previous one. */
const MOST_TRIES = 20;

/**
 * Starting points of the chains.
 *
 * @throws NumericalError if no starting point has a density
 */
function startsOf({ open, density, whyNot }: Target, { chains, seed, start }: DrawSettings): Float64Array[] {
  const random = seededRandom(seededRandom(seed).integer(2 ** 53));
  const hasDensity = (x: Float64Array) => Number.isFinite(density(x).value);
  return Array.from({ length: chains }, (_, chain) => {
    if (start !== undefined && hasDensity(open.start)) return open.start.slice();
    for (let width = start === undefined ? WIDTH : 0, tries = 0; width > 0 && tries < MOST_TRIES; width /= 2, tries++) {
      const x = open.start.map((entry) => entry + width * random.normal());
      if (hasDensity(x)) return x;
    }
    throw new NumericalError(
      `There is no density at the start of chain ${chain}, nor near it. ${whyNot(open.start) ?? ''} Begin at a fit: start: await fit(model).`,
    );
  });
}

/** Least curvature of a Laplace metric, relative to the largest. */
const FLATTEST = 1e-4;
/** Maximum relative change of the log density for rotated latents to count as equally dense. */
const UNTURNED = 1e-9;

/**
 * The covariance of the Laplace approximation at the model's start, for samplers that begin with it: the inverse of the negative Hessian, where
 * curvatures enter by their absolute values, and flat directions as a ten thousandth of the steepest.
 *
 * @throws InvalidInputError if latents can rotate without a change of the density: a metric at one position is wrong at all others, and averaged over
 * rotations it is worse than an adapted one
 */
async function laplaceCovariance(target: Target, { sampler, signal }: DrawSettings): Promise<Float64Array | undefined> {
  const { metric } = (sampler.options ?? {}) as { readonly metric?: unknown };
  if (metric !== 'laplace') return undefined;
  if (canTurn(target)) {
    throw new InvalidInputError(
      "The latents of this model can turn without a change of its density, so a Laplace metric at one of their positions is wrong at the others. Take metric: 'diagonal', or fix the latents: `hold: ['latents']`.",
    );
  }
  const { start, size, hessianVector } = target.open;
  const hessian = Matrix.zeros(size, size);
  const slice = slices();
  for (let i = 0; i < size; i++) {
    signal?.throwIfAborted();
    const unit = new Float64Array(size);
    unit[i] = 1;
    hessian.data.set(hessianVector(start, unit), i * size);
    if (slice.isOver()) await slice.leave();
  }
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++) {
      const entry = (hessian.at(i, j) + hessian.at(j, i)) / 2;
      hessian.data[i * size + j] = entry;
      hessian.data[j * size + i] = entry;
    }
  }
  const { values, vectors } = symmetricEigenpairs(hessian);
  const steepest = values.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const covariance = new Float64Array(size * size);
  for (let k = 0; k < size; k++) {
    const variance = 1 / Math.max(Math.abs(values[k]!), FLATTEST * steepest);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) covariance[i * size + j]! += variance * vectors.at(i, k) * vectors.at(j, k);
    }
  }
  return covariance;
}

/** True for free latents of two or more dimensions whose density is invariant under rotation. */
function canTurn({ open: { start }, variables, density }: Target): boolean {
  const latents = variables.find(({ path, shape }) => path === 'latents' && shape.length === 2 && shape[1]! > 1);
  if (latents === undefined || latents.parameter.transform !== undefined) return false;
  const [rows, q] = latents.shape as [number, number];
  const value = density(start).value;
  const turns = Array.from({ length: q - 1 }, (_, d) => {
    const x = start.slice();
    for (let n = 0; n < rows; n++) {
      const at = latents.start + n * q + d;
      [x[at], x[at + 1]] = [0.6 * start[at]! - 0.8 * start[at + 1]!, 0.8 * start[at]! + 0.6 * start[at + 1]!];
    }
    return x;
  });
  const isSame = (other: number) => Math.abs(other - value) <= UNTURNED * Math.max(1, Math.abs(value));
  return turns.every((x) => isSame(density(x).value));
}

/** Runs all chains on this thread, alternating after each transition. */
async function runHere(
  target: Target,
  { sampler }: DrawSettings,
  settings: ChainSettings,
  begun: readonly ChainState[],
  observer: ChainObserver,
): Promise<readonly ChainState[]> {
  const chains = begun.map((state) => runChain(target, sampler, settings, state));
  const slice = slices();
  const states = () => chains.map((chain) => chain.state());
  for (let running = chains; running.length > 0; running = running.filter((chain) => !chain.isOver())) {
    for (const chain of running) {
      if (!chain.isOver()) chain.step();
      if (!slice.isOver() && !chain.isOver()) continue;
      const goesOn = await observer.standing(standingOf(chain));
      if (observer.isSaveDue()) await observer.save(states());
      await slice.leave();
      if (!goesOn || observer.isStopped()) return states();
    }
  }
  return states();
}

function observerOf(
  model: AnyModel,
  { open }: Target,
  { signal, onProgress, checkpoint, checkpointInterval, warmup }: DrawSettings,
  identity: DrawIdentity,
): ChainObserver & { finish(states: readonly ChainState[]): Promise<void> } {
  const progress = onProgress && callersFunction('onProgress', onProgress, signal);
  const saved = typeof checkpoint === 'function' ? callersFunction('checkpoint', checkpoint, signal) : undefined;
  let due = performance.now() + 1000 * checkpointInterval;
  const observer: ChainObserver = {
    async standing({ x, ...at }) {
      const values = () => open.values(x);
      return (await progress?.({ ...at, isWarmup: at.iteration <= warmup, values })) !== false;
    },
    isSaveDue: () => checkpoint !== undefined && performance.now() >= due,
    async save(states) {
      const json = checkpointOfChains(model.name, identity, states);
      if (typeof checkpoint === 'string') {
        await fileSystem();
        await writeAtomically(checkpoint, `${JSON.stringify(json)}\n`);
      } else await saved?.(json);
      due = performance.now() + 1000 * checkpointInterval;
    },
    isStopped: () => signal?.aborted ?? false,
  };
  return {
    ...observer,
    async finish(states) {
      if (checkpoint !== undefined) await observer.save(states);
      if (states.every((state) => state.draws.length > 0)) return;
      signal?.throwIfAborted();
      throw new OptimizationError(
        'The chains were stopped in their warm-up, so there are no draws yet. Let them continue.',
      );
    },
  };
}
