export type { EdgePrecision } from '../priors/sparsePrecision.ts';
export { type BestMultipliers, bestMultipliers } from './bestMultipliers.ts';
export {
  type ConstraintSet,
  products,
  type QuadraticForm,
  type QuadraticOptions,
  quadratic,
  squaredDifferences,
} from './constraints.ts';
export { defineFieldLayer, type FieldLayerDefinition } from './layers/defineFieldLayer.ts';
export {
  type ExpectedMomentsOptions,
  expectedMoments,
  type MomentLayer,
  type SecondMoments,
} from './layers/expectedMoments.ts';
export { type JoiningRows, type MaxEntropyOptions, maxEntropy } from './maxEntropy.ts';
export type { MomentProblem } from './solvers/momentProblem.ts';
