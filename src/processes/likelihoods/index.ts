export * from './builtIn.ts';
export type { CountOptions } from './counts.ts';
export {
  defineLikelihood,
  type Functions,
  type LikelihoodDefinition,
  type LikelihoodFactory,
} from './defineLikelihood.ts';
export type { GaussianFactory, GaussianOptions } from './gaussian.ts';
export { builtInLikelihoods, type LikelihoodCatalogue, likelihoodFromJSON } from './json.ts';
export type { Likelihood, LikelihoodJSON, Noise, ObservationMoments } from './likelihood.ts';
