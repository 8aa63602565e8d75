export {
  definePrior,
  type GivenContext,
  type Prior,
  type PriorContext,
  type PriorDefinition,
  type PriorFactory,
  type Transition,
} from './definePrior.ts';
export { type DiscriminativeOptions, discriminative } from './discriminative.ts';
export { type DynamicsOptions, dynamics } from './dynamics.ts';
export {
  type AnyPriorFactory,
  type PriorCatalogue,
  type PriorJSON,
  priorFromJSON,
  priorToJSON,
} from './json.ts';
export { type LaplacianOptions, laplacian } from './laplacian.ts';
export { type LocalityOptions, locality } from './locality.ts';
export { type MarkovOptions, markov } from './markov.ts';
export { type RankOptions, rank } from './rank.ts';
export type { SequenceData } from './segments.ts';
export { standardNormal } from './standardNormal.ts';
export { type TsneOptions, tsne } from './tsne.ts';
