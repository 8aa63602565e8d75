import { discriminativeFactory } from './discriminative.ts';
import { dynamicsFactory } from './dynamics.ts';
import type { PriorCatalog } from './json.ts';
import { laplacianFactory } from './laplacian.ts';
import { localityFactory } from './locality.ts';
import { markovFactory } from './markov.ts';
import { tsneNeighborsFactory, umapNeighborsFactory } from './neighborEmbeddings.ts';
import { rankFactory } from './rank.ts';
import { standardNormal } from './standardNormal.ts';
import { uncorrelatedFactory } from './uncorrelated.ts';

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

/** The priors on latents that know nothing of fields, by the names under which they are saved. */
export const latentPriors: PriorCatalog = Object.freeze({
  discriminative: discriminativeFactory,
  dynamics: dynamicsFactory,
  laplacian: laplacianFactory,
  locality: localityFactory,
  markov: markovFactory,
  rank: rankFactory,
  standardNormal,
  tsne: tsneNeighborsFactory,
  umap: umapNeighborsFactory,
  uncorrelated: uncorrelatedFactory,
});
