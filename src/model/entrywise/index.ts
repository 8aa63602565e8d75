export * from './builtIn.ts';
export type { CategoricalOptions } from './categorical.ts';
export type { CountOptions } from './counts.ts';
export type { GaussianFactory, GaussianOptions } from './gaussian.ts';
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
