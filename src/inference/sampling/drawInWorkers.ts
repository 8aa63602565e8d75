import { errorFrom, LatentFieldError, type PlainError, plainError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { type EngineChoice, engineReport, withEngine } from '../../engine/dense/index.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import type { Fit } from '../../model/fit.ts';
import type { AnyModel, Model, ModelJSON } from '../../model/model.ts';
import { slices } from '../minimize/slices.ts';
import { listen, poolOf, type WorkerLike } from '../workers/pool.ts';
import {
  type ChainObserver,
  type ChainSettings,
  type ChainStanding,
  type ChainState,
  runChain,
  standingOf,
} from './chain.ts';
import { type DrawSettings, type SamplerJSON, samplerFromJSON, samplerToJSON } from './drawOptions.ts';
import { openTarget } from './target.ts';

/** Message to a worker: one chain of a model, to be run to its end. */
export interface ChainRequest {
  readonly kind: 'chain';
  /** Model as written by `JSON.stringify`. */
  readonly model: string;
  readonly sampler: SamplerJSON;
  readonly settings: ChainSettings;
  readonly target: Pick<DrawSettings, 'seed' | 'hold' | 'priors' | 'engine'> & {
    readonly start: PlainValues | undefined;
  };
  readonly state: ChainState;
}

type PlainValues = Readonly<Record<string, number | readonly number[] | readonly (readonly number[])[]>>;

/** Messages from a worker. */
export type ChainReply =
  | { readonly kind: 'chainStanding'; readonly at: ChainStanding; readonly state: ChainState }
  | { readonly kind: 'chainEnd'; readonly state: ChainState }
  | ({ readonly kind: 'chainFailed' } & PlainError);

/** Milliseconds between two messages of a chain. */
const INTERVAL = 200;

/** Runs chains in workers; a worker that has finished a chain starts the next one. */
export async function drawInWorkers(
  model: AnyModel,
  settings: DrawSettings,
  chain: ChainSettings,
  begun: readonly ChainState[],
  observer: ChainObserver,
): Promise<readonly ChainState[]> {
  const { workers, seed, hold, priors } = settings;
  const pool = await poolOf(workers!);
  const common = {
    kind: 'chain',
    model: JSON.stringify(model.toJSON()),
    sampler: samplerToJSON(settings.sampler),
    settings: { warmup: chain.warmup, draws: chain.draws, seed: chain.seed, covariance: chain.covariance },
    // The engine that runs here: a worker might choose another.
    target: { seed, hold, priors, engine: engineHere(settings.engine), start: plainStart(settings.start) },
  } as const;
  const states = [...begun];
  const waiting = begun.filter(({ iteration }) => iteration < chain.warmup + chain.draws);
  const running: WorkerLike[] = [];
  let isStopped = false;

  const runOne = (state: ChainState) =>
    new Promise<void>((resolve, reject) => {
      const worker = pool.start();
      running.push(worker);
      const stop = () => {
        isStopped = true;
        resolve();
      };
      const heard = async (reply: ChainReply) => {
        if (reply.kind === 'chainFailed') throw errorFrom(reply, 'A worker of the draws');
        states[state.chain] = reply.state;
        if (reply.kind === 'chainEnd') resolve();
        else {
          if (!(await observer.standing(reply.at)) || observer.isStopped()) stop();
          if (observer.isSaveDue()) await observer.save(states);
        }
      };
      const lost = (reason: string) =>
        reject(new LatentFieldError(`A worker of the draws was lost: ${reason.replace(/\.$/, '')}.`));
      listen(worker, { message: (data) => void heard(data as ChainReply).catch(reject), lost }, pool.url);
      worker.postMessage({ ...common, state } satisfies ChainRequest);
      void settings.signal?.addEventListener('abort', stop, { once: true });
    });
  const takeNext = async (): Promise<void> => {
    for (let state = waiting.shift(); state !== undefined && !isStopped; state = waiting.shift()) await runOne(state);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(pool.count, waiting.length) }, takeNext));
    return states;
  } finally {
    await Promise.all(running.map((worker) => worker.terminate()));
  }
}

const engineHere = (engine: EngineChoice | undefined): EngineChoice =>
  withFloat64(({ memory64 }) => withEngine(memory64, engine, () => engineReport(memory64).engine)) as EngineChoice;

/** Start as a message, with matrices as rows. */
function plainStart(start: DrawSettings['start']): PlainValues | undefined {
  if (start === undefined) return undefined;
  const isFit = typeof start.toJSON === 'function';
  const values = isFit ? { latents: (start as Fit).latents, ...(start as Fit).parameters } : start;
  return Object.fromEntries(
    Object.entries(values).map(([path, value]) => [path, value instanceof Matrix ? value.toArrays() : value]),
  ) as PlainValues;
}

/** Worker's end of the message channel. */
export interface ChainPort {
  post(reply: ChainReply): void;
  listen(onRequest: (request: ChainRequest) => void): void;
}

/**
 * Turns this thread into a worker that runs chains.
 *
 * @param modelFromJSON - restores a model from its `toJSON`
 */
export function serveChains(port: ChainPort, modelFromJSON: (json: ModelJSON) => Model): void {
  const run = async ({ model, sampler, settings, target: options, state }: ChainRequest) => {
    const target = openTarget(modelFromJSON(JSON.parse(model) as ModelJSON), options);
    try {
      const chain = runChain(target, samplerFromJSON(sampler), settings, state);
      const slice = slices();
      let posted = performance.now();
      while (!chain.isOver()) {
        chain.step();
        if (!slice.isOver()) continue;
        if (performance.now() - posted > INTERVAL) {
          port.post({ kind: 'chainStanding', at: standingOf(chain), state: chain.state() });
          posted = performance.now();
        }
        await slice.leave();
      }
      port.post({ kind: 'chainEnd', state: chain.state() });
    } finally {
      target.open.dispose();
    }
  };
  port.listen((request) => {
    run(request).catch((error: unknown) => port.post({ kind: 'chainFailed', ...plainError(error) }));
  });
}
