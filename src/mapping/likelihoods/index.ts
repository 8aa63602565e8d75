export { bernoulli } from './bernoulli.ts';
export {
  defineLikelihood,
  type LikelihoodDefinition,
  type LikelihoodFactory,
} from './defineLikelihood.ts';
export { type GaussianOptions, gaussian } from './gaussian.ts';
export { builtInLikelihoods, type LikelihoodCatalogue, likelihoodFromJSON } from './json.ts';
export type { Likelihood, LikelihoodJSON, Noise, ObservationMoments } from './likelihood.ts';
export { negativeBinomial } from './negativeBinomial.ts';
export { ordinal } from './ordinal.ts';
export { poisson } from './poisson.ts';
export { studentT } from './studentT.ts';
