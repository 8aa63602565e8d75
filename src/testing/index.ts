/**
 * Conformance checks for custom kernels, priors and models, the same that the built-in parts pass. They need no test runner: each returns a report,
 * and throws an error that says what is wrong.
 *
 * @module
 */
export { checkDensity, type DensityCheckOptions } from './checkDensity.ts';
export { checkDistribution } from './checkDistribution.ts';
export { checkGradient, type DifferenceOptions, type GradientCheckOptions } from './checkGradient.ts';
export { checkKernel, type KernelCheckOptions } from './checkKernel.ts';
export { checkLikelihood, type LikelihoodCheckOptions } from './checkLikelihood.ts';
export { checkModel, type ModelCheckOptions } from './checkModel.ts';
export { checkPrior, type PriorCheckOptions } from './checkPrior.ts';
export { type Check, type CheckOptions, ConformanceError, type ConformanceReport } from './report.ts';
