import { momentsFactory } from '../fields/layers/expectedMoments.ts';
import { fieldFactory } from '../fields/layers/maxEntropy.ts';
import { discriminativeFactory } from '../priors/discriminative.ts';
import { dynamicsFactory } from '../priors/dynamics.ts';
import type { PriorCatalogue } from '../priors/json.ts';
import { laplacianFactory } from '../priors/laplacian.ts';
import { localityFactory } from '../priors/locality.ts';
import { markovFactory } from '../priors/markov.ts';
import { rankFactory } from '../priors/rank.ts';
import { standardNormal } from '../priors/standardNormal.ts';
import { tsneFactory } from '../priors/tsne.ts';

/** The priors that come with the library, by the names under which they are saved. */
export const builtInPriors: PriorCatalogue = Object.freeze({
  discriminative: discriminativeFactory,
  dynamics: dynamicsFactory,
  field: fieldFactory,
  laplacian: laplacianFactory,
  locality: localityFactory,
  markov: markovFactory,
  moments: momentsFactory,
  rank: rankFactory,
  standardNormal,
  tsne: tsneFactory,
});
