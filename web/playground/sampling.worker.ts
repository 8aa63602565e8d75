import { type LatentMode, loadFit, Matrix, modelFromJSON, nuts, samplePosterior } from 'latentfield';
import { type PlainMatrix, plain } from './fitSummary.ts';

/** Where one of the chains stands. */
export interface DrawsStep {
  readonly chain: number;
  readonly chains: number;
  /** Transitions of the chain, and how many it is to make; the warm-up included. */
  readonly done: number;
  readonly of: number;
  readonly isWarmup: boolean;
  /** Its latents there, turned onto those of the fit; undefined where they are held. */
  readonly latents: PlainMatrix | undefined;
}

/** Chains that draw one map. */
export interface DrawnMode {
  readonly chains: readonly number[];
  /** The mean of its latents, turned onto those of the fit. */
  readonly mean: PlainMatrix;
  /** The covariance of each point, N of q×q in one list. */
  readonly covariances: Float64Array;
}

/** What draws from the posterior say. */
export interface Drawn {
  readonly message: string;
  readonly chains: number;
  /** Of each chain. */
  readonly draws: number;
  /** Of distances between points; undefined where these are held. */
  readonly rHat: number | undefined;
  readonly modes: readonly DrawnMode[];
  readonly parameters: readonly {
    readonly name: string;
    readonly mean: number;
    readonly q5: number;
    readonly q95: number;
    readonly rHat: number;
  }[];
}

const LENGTHS = { chains: 4, warmup: 200, draws: 200 };
/** Trajectories of at most 2⁷ steps, so that the chains are seen to move. */
const MAX_DEPTH = 7;

/** A fit to draw from, as the text of its JSON; or the end of the chains: what all of them have drawn is the answer. */
export type DrawsRequest = { readonly fit: string; readonly holdsPoints: boolean } | { readonly endsChains: true };

export type DrawsReply = { readonly step: DrawsStep } | { readonly drawn: Drawn } | { readonly error: string };

const stop = new AbortController();

self.addEventListener('message', async ({ data }: MessageEvent<DrawsRequest | object>) => {
  if ('endsChains' in data) {
    stop.abort(new Error('The chains were stopped in their warm-up: there are no draws yet.'));
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

/** Draws from the posterior of a fit's model, beginning at the fit. */
async function drawnFrom(text: string, holdsPoints: boolean, onStep: (step: DrawsStep) => void): Promise<Drawn> {
  const json = JSON.parse(text);
  const fit = loadFit(json);
  const target = fit.latents;
  const { chains, warmup, draws: count } = LENGTHS;
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
      onStep({
        ...{ chain, chains, isWarmup, done: iteration, of: warmup + count },
        latents: isDrawn ? plain(product(latents, turnOnto(latents, target))) : undefined,
      });
    },
  });
  const { latents, message } = draws;
  return {
    message,
    chains: draws.chains,
    draws: draws.draws,
    rHat: latents?.rHat,
    modes: latents?.modes.map((mode) => turnedMode(mode, target)) ?? [],
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

/** The orthogonal R for which X·R is nearest to a target: the polar factor of Xᵀ·target, by the iteration R ← R·(3I − RᵀR)/2 of Newton and Schulz. */
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
