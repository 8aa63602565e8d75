import { bestMultipliers } from '../fields/bestMultipliers.ts';
import { expectedMoments } from '../fields/layers/expectedMoments.ts';
import { type MaxEntropyOptions, maxEntropy } from '../fields/maxEntropy.ts';
import { latentPriors } from '../priors/builtIn.ts';
import type { PriorCatalog } from '../priors/json.ts';

/** The priors that come with the library, by the names under which they are saved. */
export const builtInPriors: PriorCatalog = Object.freeze({
  ...latentPriors,
  field: savedField as PriorCatalog[string],
  moments: expectedMoments as PriorCatalog[string],
});

/** Multipliers of a file that are those of the maximum are found again. */
function savedField(options: MaxEntropyOptions) {
  const isBest = (options.multipliers as { kind?: unknown } | undefined)?.kind === 'bestMultipliers';
  return maxEntropy(isBest ? { ...options, multipliers: bestMultipliers() } : options);
}
