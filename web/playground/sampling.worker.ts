import { loadFit, Matrix, nuts, samplePosterior } from 'latentfield';
import type { LatentMode } from 'latentfield/inference';
import { modelFromJSON } from 'latentfield/models';
import { type PlainMatrix, plain } from './fitSummary.ts';

/** Progress of one chain. */
export interface DrawsStep {
  readonly chain: number;
  readonly chains: number;
  /** Number of transitions so far, and their total, including the warm-up. */
  readonly done: number;
  readonly of: number;
  readonly isWarmup: boolean;
  /** Current latents, rotated onto the latents of the fit; undefined if they are fixed. */
  readonly latents: PlainMatrix | undefined;
}

/** Chains that draw the same map. */
export interface DrawnMode {
  readonly chains: readonly number[];
  /** Mean of the latents, rotated onto the latents of the fit. */
  readonly mean: PlainMatrix;
  /** Covariance of each point, N matrices q×q in one list. */
  readonly covariances: Float64Array;
}

/** Results of the draws from the posterior. */
export interface Drawn {
  readonly message: string;
  readonly chains: number;
  /** Number of draws per chain. */
  readonly draws: number;
  /** R̂ of distances between points; undefined if these are fixed. */
  readonly rHat: number | undefined;
  readonly modes: readonly DrawnMode[];
  /** Single draws of the latents, rotated onto the latents of the fit, chain by chain. */
  readonly maps: readonly { readonly chain: number; readonly latents: PlainMatrix }[];
  readonly parameters: readonly {
    readonly name: string;
    readonly mean: number;
    readonly q5: number;
    readonly q95: number;
    readonly rHat: number;
  }[];
}

const LENGTHS = { chains: 4, warmup: 200, draws: 200 };
/** Number of draws per chain that are shown as maps. */
const MAPS = 5;
/** Maximum depth of trajectories, at most 2⁷ steps, so that the chains move visibly. */
const MAX_DEPTH = 7;

/** Fit to sample from, as JSON text; or the end of the chains, which is answered by their draws so far. */
export type DrawsRequest = { readonly fit: string; readonly holdsPoints: boolean } | { readonly endsChains: true };

export type DrawsReply = { readonly step: DrawsStep } | { readonly drawn: Drawn } | { readonly error: string };

const stop = new AbortController();

self.addEventListener('message', async ({ data }: MessageEvent<DrawsRequest | object>) => {
  if ('endsChains' in data) {
    stop.abort(new Error('The chains were stopped during warm-up: there are no draws yet.'));
    return;
  }
  if (!('holdsPoints' in data)) return;
  const reply = (message: DrawsReply) => self.postMessage(message);
  try {
    reply({ drawn: await drawnFrom(data.fit, data.holdsPoints, (step) => reply({ step })) });
  } catch (error) {
    reply({ error: (error as Error).message });
  }
});

/** Draws from the posterior of a fit's model, starting at the fit. */
async function drawnFrom(text: string, holdsPoints: boolean, onStep: (step: DrawsStep) => void): Promise<Drawn> {
  const json = JSON.parse(text);
  const fit = loadFit(json);
  const target = fit.latents;
  const { chains, warmup, draws: count } = LENGTHS;
  const kept = Array.from({ length: chains }, (): PlainMatrix[] => []);
  const draws = await samplePosterior(modelFromJSON(json.model, {}), {
    ...LENGTHS,
    method: nuts({ maxDepth: MAX_DEPTH }),
    seed: 0,
    start: fit,
    priors: 'weak',
    hold: holdsPoints && 'latents' in json.values ? ['latents'] : [],
    signal: stop.signal,
    onProgress: ({ chain, iteration, isWarmup, values }) => {
      const { latents } = values();
      const isDrawn = !holdsPoints && latents instanceof Matrix;
      const turned = isDrawn ? plain(product(latents, turnOnto(latents, target))) : undefined;
      if (turned !== undefined && !isWarmup) kept[chain]!.push(turned);
      onStep({ ...{ chain, chains, isWarmup, done: iteration, of: warmup + count }, latents: turned });
    },
  });
  const { latents, message } = draws;
  return {
    message,
    chains: draws.chains,
    draws: draws.draws,
    rHat: latents?.rHat,
    modes: latents?.modes.map((mode) => turnedMode(mode, target)) ?? [],
    maps: kept.flatMap((all, chain) =>
      Array.from({ length: Math.min(MAPS, all.length) }, (_, k) => ({
        chain,
        latents: all[Math.floor(((k + 1) * all.length) / Math.min(MAPS, all.length)) - 1]!,
      })),
    ),
    parameters: Object.entries(draws.summary()).map(([name, { mean, q5, q95, rHat }]) => ({
      ...{ name, mean, q5, q95, rHat },
    })),
  };
}

function turnedMode({ chains, mean, covariances }: LatentMode, target: Matrix): DrawnMode {
  const turn = turnOnto(mean, target);
  const size = target.columns * target.columns;
  const all = new Float64Array(mean.rows * size);
  covariances.forEach((covariance, n) => {
    all.set(product(transposed(turn), product(covariance, turn)).data, n * size);
  });
  return { chains, mean: plain(product(mean, turn)), covariances: all };
}

const TURNS = 60;

/** Orthogonal R that minimizes the distance of X·R to a target: the polar factor of Xᵀ·target, by the Newton–Schulz iteration R ← R·(3I − RᵀR)/2. */
function turnOnto(X: Matrix, target: Matrix): Matrix {
  const M = product(transposed(X), target);
  const norm = Math.sqrt(M.data.reduce((sum, entry) => sum + entry * entry, 0)) || 1;
  let R = new Matrix(
    M.data.map((entry) => entry / norm),
    M.rows,
    M.columns,
  );
  for (let turn = 0; turn < TURNS; turn++) {
    const cubed = product(R, product(transposed(R), R));
    R = new Matrix(
      R.data.map((entry, k) => (3 * entry - cubed.data[k]!) / 2),
      R.rows,
      R.columns,
    );
  }
  return R;
}

function product(A: Matrix, B: Matrix): Matrix {
  const result = Matrix.zeros(A.rows, B.columns);
  for (let i = 0; i < A.rows; i++) {
    for (let k = 0; k < A.columns; k++) {
      for (let j = 0; j < B.columns; j++) result.data[i * B.columns + j]! += A.at(i, k) * B.at(k, j);
    }
  }
  return result;
}

function transposed(A: Matrix): Matrix {
  const result = Matrix.zeros(A.columns, A.rows);
  for (let i = 0; i < A.rows; i++) for (let j = 0; j < A.columns; j++) result.data[j * A.rows + i] = A.at(i, j);
  return result;
}
