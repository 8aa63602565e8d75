import { discriminativeFactory } from './discriminative.ts';
import { dynamicsFactory } from './dynamics.ts';
import type { PriorCatalogue } from './json.ts';
import { laplacianFactory } from './laplacian.ts';
import { localityFactory } from './locality.ts';
import { markovFactory } from './markov.ts';
import { rankFactory } from './rank.ts';
import { standardNormal } from './standardNormal.ts';
import { tsneNeighboursFactory } from './tsneNeighbours.ts';
import { umapNeighboursFactory } from './umapNeighbours.ts';
import { uncorrelatedFactory } from './uncorrelated.ts';

export type { Negatives } from '../engine/neighbourEmbedding/edgeLikelihood.ts';
export { type DiscriminativeOptions, discriminative } from './discriminative.ts';
export { type DynamicsOptions, dynamics } from './dynamics.ts';
export { type LaplacianOptions, laplacian } from './laplacian.ts';
export { type LocalityOptions, locality } from './locality.ts';
export { type MarkovOptions, markov } from './markov.ts';
export { type RankOptions, rank } from './rank.ts';
export { standardNormal } from './standardNormal.ts';
export { type TsneNeighboursOptions, tsneNeighbours } from './tsneNeighbours.ts';
export { type EdgeOptions, type UmapNeighboursOptions, umapNeighbours } from './umapNeighbours.ts';
export { type UncorrelatedOptions, uncorrelated } from './uncorrelated.ts';

/** The priors on latents that know nothing of fields, by the names under which they are saved. */
export const latentPriors: PriorCatalogue = Object.freeze({
  discriminative: discriminativeFactory,
  dynamics: dynamicsFactory,
  laplacian: laplacianFactory,
  locality: localityFactory,
  markov: markovFactory,
  rank: rankFactory,
  standardNormal,
  tsne: tsneNeighboursFactory,
  umap: umapNeighboursFactory,
  uncorrelated: uncorrelatedFactory,
});
