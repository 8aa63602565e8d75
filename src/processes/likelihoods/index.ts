export * from './builtIn.ts';
export type { CountOptions } from './counts.ts';
export type { GaussianFactory, GaussianOptions } from './gaussian.ts';
export { builtInLikelihoods, type LikelihoodCatalog, likelihoodFromJSON } from './json.ts';
export {
  defineLikelihood,
  type Functions,
  type Likelihood,
  type LikelihoodDefinition,
  type LikelihoodFactory,
  type LikelihoodJSON,
  type Noise,
  type ObservationMoments,
} from './likelihood.ts';
