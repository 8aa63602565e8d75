export { cholesky, choleskyInverse, mirrorLower } from './choleskyInverse';
export { exponential, hyperbolicTangent, logarithm } from './exponential';
export { gemm } from './multiply';
export { nearestOfBlock, pairSquares } from './nearestPairs';
export { quadraticProduct, quadraticProductByPoints, quadraticSweep } from './quadraticSweep';
export { gradientWorkspace, radialGradient } from './radialGradient';
export { logDensityWorkspace, radialLogDensity } from './radialLogDensity';
export {
  radialCross,
  radialCrossGradient,
  radialGram,
  squaredDistances,
  squaredDistancesGradient,
  transposeScaled,
} from './radialRows';
export { rankedRows, rankedRowsWorkspace } from './rankedRows';
export { expectedRbf, expectedRbfGradient } from './rbfExpectations';
export { expectedRbfProducts, expectedRbfProductsGradient } from './rbfProducts';
export { singleProducts } from './singleProducts';
export { placeEigenvectors, symmetricEigen, symmetricEigenWorkspace } from './symmetricEigen';
export { multiplyTriangular, solveTransposed } from './triangular';
export { usePacking } from './workspace';

/** End of the module's data, below the first offset of the arena. */
export const dataEnd: usize = __heap_base;
