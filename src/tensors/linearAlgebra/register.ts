import { registerCholesky } from './operations/cholesky.ts';
import { registerLogDeterminant } from './operations/logDeterminant.ts';
import { registerSymmetricEigen } from './operations/symmetricEigen.ts';
import { registerTriangularSolve } from './operations/triangularSolve.ts';

/** Registers the kernels of the linear algebra and their gradients with TensorFlow.js, but for log densities, which come with their use. */
export function registerLinearAlgebra(): void {
  registerCholesky();
  registerTriangularSolve();
  registerLogDeterminant();
  registerSymmetricEigen();
}
