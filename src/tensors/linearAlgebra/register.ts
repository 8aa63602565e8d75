import { registerCholesky } from './operations/cholesky.ts';
import { registerGaussianLogDensity } from './operations/gaussianLogDensity.ts';
import { registerLogDeterminant } from './operations/logDeterminant.ts';
import { registerSymmetricBasisLogDensity } from './operations/symmetricBasisLogDensity.ts';
import { registerSymmetricEigen } from './operations/symmetricEigen.ts';
import { registerTriangularSolve } from './operations/triangularSolve.ts';

/** Registers the kernels of the linear algebra and their gradients with TensorFlow.js; called once, with the float64 backend. */
export function registerLinearAlgebra(): void {
  registerCholesky();
  registerTriangularSolve();
  registerLogDeterminant();
  registerSymmetricEigen();
  registerGaussianLogDensity();
  registerSymmetricBasisLogDensity();
}
