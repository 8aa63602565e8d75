export { add, multiply, scale, select } from './algebra.ts';
export { bias } from './bias.ts';
export { covariance } from './covariance.ts';
export { defineKernel, type KernelDefinition, type KernelFactory, type KernelParameters } from './defineKernel.ts';
export { builtInKernels, type KernelCatalogue, type KernelJSON, kernelFromJSON, kernelToJSON } from './json.ts';
export type { Kernel, KernelForm } from './kernel.ts';
export { linear } from './linear.ts';
export { rbf } from './rbf.ts';
export { white } from './white.ts';
