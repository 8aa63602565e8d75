export type { CompleteClasses, Edges, Graph } from './graph.ts';
export { completeGraph, graphUnion, type Labels, labelGraph } from './labelGraph.ts';
export {
  type ApproximateKnnGraphOptions,
  approximateKnnGraph,
  type EdgeWeights,
  epsilonGraph,
  knnGraph,
} from './neighborhoodGraph.ts';
