import { bestMultipliers } from '../fields/bestMultipliers.ts';
import { expectedMoments } from '../fields/layers/expectedMoments.ts';
import { type MaxEntropyOptions, maxEntropy } from '../fields/maxEntropy.ts';
import { latentPriors } from '../priors/builtIn.ts';
import type { PriorCatalog } from '../priors/json.ts';

/** Built-in priors, by the names used in files. */
export const builtInPriors: PriorCatalog = Object.freeze({
  ...latentPriors,
  field: savedField as PriorCatalog[string],
  moments: expectedMoments as PriorCatalog[string],
});

/** Options of a saved field, without multipliers that are recomputed at the maximum. */
function savedField(options: MaxEntropyOptions) {
  const isBest = (options.multipliers as { kind?: unknown } | undefined)?.kind === 'bestMultipliers';
  return maxEntropy(isBest ? { ...options, multipliers: bestMultipliers() } : options);
}
