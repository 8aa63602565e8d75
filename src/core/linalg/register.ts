import { registerCholesky } from './kernels/cholesky.ts';
import { registerGaussianLogDensity } from './kernels/gaussianLogDensity.ts';
import { registerLogDeterminant } from './kernels/logDeterminant.ts';
import { registerSymmetricBasisLogDensity } from './kernels/symmetricBasisLogDensity.ts';
import { registerSymmetricEigen } from './kernels/symmetricEigen.ts';
import { registerTriangularSolve } from './kernels/triangularSolve.ts';

/** Registers the kernels of the linear algebra and their gradients with TensorFlow.js; called once, with the float64 backend. */
export function registerLinearAlgebra(): void {
  registerCholesky();
  registerTriangularSolve();
  registerLogDeterminant();
  registerSymmetricEigen();
  registerGaussianLogDensity();
  registerSymmetricBasisLogDensity();
}
