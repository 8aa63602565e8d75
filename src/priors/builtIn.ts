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
  type TsneNeighborsOptions,
  tsneNeighbors,
  type UmapNeighborsOptions,
  umapNeighbors,
} from './neighborEmbeddings.ts';
export { type RankOptions, rank } from './rank.ts';
export { standardNormal } from './standardNormal.ts';
export { type UncorrelatedOptions, uncorrelated } from './uncorrelated.ts';

// Their arguments are checked when they are called.
/** Priors on latents that do not need the fields module, by the names used in saved models. */
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
