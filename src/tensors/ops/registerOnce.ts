import { isRegistered, type MatrixKernel, registerMatrixKernel } from '../linearAlgebra/operations/operation.ts';

/** Registers kernels that are not registered yet: those of an operation, when it is first used. */
export function registerOnce<A>(...kernels: MatrixKernel<A>[]): void {
  for (const kernel of kernels) {
    if (!isRegistered(kernel.name)) registerMatrixKernel(kernel);
  }
}
