export { type BottomEigenpairsOptions, bottomEigenpairs } from './bottomEigenpairs.ts';
export {
  type EdgeEntries,
  type EdgeFactor,
  edgeFactor,
  type LaplacianFactor,
  laplacianFactor,
} from './laplacianFactor.ts';
export { type Front, selectedInverse } from './selectedInverse.ts';
export { factorize, logDeterminant, type SparseFactor, solve } from './sparseCholesky.ts';
export {
  adjacencyOf,
  type EdgeList,
  entryOf,
  type GraphPattern,
  isSparse,
  multiplySparse,
  patternOfGraph,
  SPARSE,
  type SparseSymmetric,
  type SparseTerms,
  type SymmetricPattern,
  sparseSymmetric,
} from './sparseSymmetric.ts';
export { analyze, type SymbolicFactor } from './symbolicFactor.ts';
