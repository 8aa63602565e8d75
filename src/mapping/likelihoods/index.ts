export * from './builtIn.ts';
export {
  defineLikelihood,
  type LikelihoodDefinition,
  type LikelihoodFactory,
} from './defineLikelihood.ts';
export type { GaussianOptions } from './gaussian.ts';
export { builtInLikelihoods, type LikelihoodCatalogue, likelihoodFromJSON } from './json.ts';
export type { Likelihood, LikelihoodJSON, Noise, ObservationMoments } from './likelihood.ts';
