import { discriminative } from './discriminative.ts';
import { dynamics } from './dynamics.ts';
import type { PriorCatalog } from './json.ts';
import { laplacian } from './laplacian.ts';
import { locality } from './locality.ts';
import { markov } from './markov.ts';
import { tsneNeighbors, umapNeighbors } from './neighborEmbeddings.ts';
import { rank } from './rank.ts';
import { standardNormal } from './standardNormal.ts';
import { uncorrelated } from './uncorrelated.ts';

export type { Negatives } from '../engine/neighborEmbedding/edgeLikelihood.ts';
export { type DiscriminativeOptions, discriminative } from './discriminative.ts';
export { type DynamicsOptions, dynamics } from './dynamics.ts';
export { type LaplacianOptions, laplacian } from './laplacian.ts';
export { type LocalityOptions, locality } from './locality.ts';
export { type MarkovOptions, markov } from './markov.ts';
export {
  type EdgeOptions,
  type TsneNeighborsOptions,
  tsneNeighbors,
  type UmapNeighborsOptions,
  umapNeighbors,
} from './neighborEmbeddings.ts';
export { type RankOptions, rank } from './rank.ts';
export { standardNormal } from './standardNormal.ts';
export { type UncorrelatedOptions, uncorrelated } from './uncorrelated.ts';

// What their arguments may be is checked when they are called.
/** The priors on latents that know nothing of fields, by the names under which they are saved. */
export const latentPriors = Object.freeze({
  discriminative,
  dynamics,
  laplacian,
  locality,
  markov,
  rank,
  standardNormal,
  tsne: tsneNeighbors,
  umap: umapNeighbors,
  uncorrelated,
}) as unknown as PriorCatalog;
