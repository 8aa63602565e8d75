export { cholesky } from './cholesky';
export { choleskyInverse, mirrorLower } from './choleskyInverse';
export { exponential } from './exponential';
export { gradientWorkspace } from './gradientParts';
export { hyperbolicTangent } from './hyperbolicTangent';
export { logarithm } from './logarithm';
export { gemm } from './multiply';
export { nearestOfBlock, pairSquares } from './nearestPairs';
export { quadraticProduct, quadraticProductByPoints, quadraticSweep } from './quadraticSweep';
export { radialCross, radialCrossGradient } from './radialCross';
export { radialGram, radialGramGradient } from './radialGram';
export { expectedRbfGradient } from './rbfExpectationGradients';
export { expectedRbf } from './rbfExpectations';
export { rbfGradient } from './rbfGradient';
export { expectedRbfProductsGradient } from './rbfProductGradients';
export { expectedRbfProducts } from './rbfProducts';
export { singleProducts } from './singleProducts';
export { squaredDistances, squaredDistancesGradient, transposeScaled } from './squaredDistances';
export { placeEigenvectors, symmetricEigen, symmetricEigenWorkspace } from './symmetricEigen';
export { multiplyTriangular } from './triangularMultiply';
export { solveTransposed } from './triangularSolve';
export { usePacking } from './workspace';

/** Where the module's own data ends: below the first offset that the arena hands out. */
export const dataEnd: usize = __heap_base;
