import { expectedMoments } from '../fields/layers/expectedMoments.ts';
import { maxEntropy } from '../fields/layers/maxEntropy.ts';
import { latentPriors } from '../priors/builtIn.ts';
import type { PriorCatalog } from '../priors/json.ts';

/** The priors that come with the library, by the names under which they are saved. */
export const builtInPriors: PriorCatalog = Object.freeze({
  ...latentPriors,
  field: maxEntropy as PriorCatalog[string],
  moments: expectedMoments as PriorCatalog[string],
});
