export { type BottomEigenpairsOptions, bottomEigenpairs } from './bottomEigenpairs.ts';
export {
  type EdgeEntries,
  type EdgeFactor,
  edgeFactor,
  type LaplacianFactor,
  laplacianFactor,
} from './laplacianFactor.ts';
export {
  adjacencyOf,
  type EdgeList,
  entryOf,
  type GraphPattern,
  isSparse,
  patternOfGraph,
  SPARSE,
  type SymmetricPattern,
} from './pattern.ts';
export { type Front, selectedInverse } from './selectedInverse.ts';
export { factorise, logDeterminant, type SparseFactor, solve } from './sparseCholesky.ts';
export { multiplySparse, type SparseSymmetric, type SparseTerms, sparseSymmetric } from './sparseSymmetric.ts';
export { analyse, type SymbolicFactor } from './symbolicFactor.ts';
