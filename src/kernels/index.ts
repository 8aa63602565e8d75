export { add, expand, multiply, scale, select } from './algebra.ts';
export * from './builtIn.ts';
export { covariance } from './covariance.ts';
export {
  defineKernel,
  defineRadialKernel,
  type KernelDefinition,
  type KernelFactory,
  type KernelParameters,
  type RadialFunction,
} from './defineKernel.ts';
export { describe } from './describe.ts';
export type { ExpectationInputs, Expectations } from './expectations/index.ts';
export { type AnyKernelFactory, builtInKernels, type KernelCatalog, kernelFromJSON } from './json.ts';
export type {
  Kernel,
  KernelBasis,
  KernelCapabilities,
  KernelFeatures,
  KernelForm,
  KernelLeaf,
  KernelPaths,
  KernelStructure,
  PathsOf,
  Spectrum,
  SymmetricBasis,
} from './kernel.ts';
export { type KernelJSON, kernelToJSON } from './kernelToJson.ts';
export { parseKernel } from './parse.ts';
export type { ThinPlateConstant, ThinPlateSplineOptions } from './thinPlateSpline.ts';
