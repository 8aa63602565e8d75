export { add, multiply, scale, select } from './algebra.ts';
export { bias } from './bias.ts';
export type {
  KernelBasis,
  KernelCapabilities,
  KernelFeatures,
  KernelStructure,
  SymmetricBasis,
} from './capabilities.ts';
export { type AnyKernelFactory, builtInKernels, type KernelCatalogue } from './catalogue.ts';
export { cosine } from './cosine.ts';
export { covariance } from './covariance.ts';
export { defineKernel, type KernelDefinition, type KernelFactory, type KernelParameters } from './defineKernel.ts';
export { defineRadialKernel } from './defineRadialKernel.ts';
export { describe } from './describe.ts';
export { expand } from './expand.ts';
export type { ExpectationInputs, Expectations } from './expectations/index.ts';
export { type KernelJSON, kernelFromJSON, kernelToJSON } from './json.ts';
export type { Kernel, KernelForm, KernelLeaf } from './kernel.ts';
export { linear } from './linear.ts';
export { matern12 } from './matern12.ts';
export { matern32 } from './matern32.ts';
export { matern52 } from './matern52.ts';
export { mlp } from './mlp.ts';
export { parseKernel } from './parse.ts';
export type { PathsOf } from './paths.ts';
export { periodic } from './periodic.ts';
export { polynomial } from './polynomial.ts';
export { rationalQuadratic } from './rationalQuadratic.ts';
export { rbf } from './rbf.ts';
export type { ThinPlateConstant } from './thinPlateProfiles.ts';
export { type ThinPlateSplineOptions, thinPlateSpline } from './thinPlateSpline.ts';
export { white } from './white.ts';
