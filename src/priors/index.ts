export {
  type ExpectedMomentsOptions,
  expectedMoments,
  type MomentLayer,
  type SecondMoments,
} from './constraints/expectedMoments.ts';
export type { FieldProblem } from './constraints/kktResidual.ts';
export { type ConstraintLayer, type MaxEntropyOptions, maxEntropy } from './constraints/maxEntropy.ts';
export type { MomentProblem } from './constraints/secondMoments.ts';
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
  builtInPriors,
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
