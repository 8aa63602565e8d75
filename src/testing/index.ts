/**
 * Conformance checks for custom kernels, densities and models, the same that the built-in parts pass. They need no test runner: each returns a report,
 * and throws an error that lists all failures.
 *
 * @module
 */
export { checkDensity, type DensityCheckOptions } from './checkDensity.ts';
export { checkGradient, type DifferenceOptions, type GradientCheckOptions } from './checkGradient.ts';
export { checkKernel, type KernelCheckOptions } from './checkKernel.ts';
export { checkModel, type ModelCheckOptions } from './checkModel.ts';
export {
  checkDistribution,
  checkLikelihood,
  checkPrior,
  type LikelihoodCheckOptions,
  type PriorCheckOptions,
} from './checkParts.ts';
export { type Check, type CheckOptions, ConformanceError, type ConformanceReport } from './report.ts';
