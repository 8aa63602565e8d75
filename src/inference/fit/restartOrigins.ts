import type { StartKind } from '../../model/model.ts';

/** How the starts of a fit beside the model's own are found. */
export interface Restarts {
  /** Number of further starts. */
  readonly count: number;
  /**
   * Where they begin, taken in turn: 'model', the model's own start (unless given); for models with latents 'pca', principal
   * components; 'isomap' and 'eigenmaps', the spectral embeddings by as many neighbours as connect all points, from 10; 'random',
   * standard normal latents. All but the last are scaled to unit variance a column, and those of PCA and spectral kind are taken as they
   * are the first time.
   */
  readonly inits?: readonly StartKind[];
  /** How far they are moved at random, in the units that `restarts` as a number moves by; 1 unless given. */
  readonly width?: number;
  /** Iterations of each start before the best one goes on alone; all of them run to their end unless given. Not with batches. */
  readonly trialIterations?: number;
}

/** How one start of a fit is found. */
export interface Origin {
  readonly init: StartKind;
  /** Width of the random move from there; 0 for none. */
  readonly width: number;
}

/** The origins of all starts, the model's own first. */
export function originsOf(restarts: number | Restarts): Origin[] {
  const { count, inits = ['model'], width = 1 } = typeof restarts === 'number' ? { count: restarts } : restarts;
  const origins: Origin[] = [{ init: 'model', width: 0 }];
  for (let k = 0; k < count; k++) {
    const init = inits[k % inits.length]!;
    const isAsItIs = init !== 'model' && init !== 'random' && k < inits.length && inits.indexOf(init) === k;
    origins.push({ init, width: isAsItIs ? 0 : width });
  }
  return origins;
}
