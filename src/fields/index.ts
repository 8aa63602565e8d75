export type { EdgePrecision } from '../priors/sparsePrecision.ts';
export {
  type ConstraintFieldOptions,
  type ConstraintSet,
  products,
  type QuadraticForm,
  type QuadraticOptions,
  quadratic,
  squaredDifferences,
} from './layers/constraintSets.ts';
export { defineFieldLayer, type FieldLayerDefinition } from './layers/defineFieldLayer.ts';
export {
  type ExpectedMomentsOptions,
  expectedMoments,
  type MomentLayer,
  type SecondMoments,
} from './layers/expectedMoments.ts';
export { type ConstraintLayer, type MaxEntropyOptions, maxEntropy } from './layers/maxEntropy.ts';
export type { FieldProblem } from './solvers/fieldProblem.ts';
export type { MomentProblem } from './solvers/momentProblem.ts';
