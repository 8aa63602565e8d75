export { type ApproximateKnnGraphOptions, approximateKnnGraph } from './approximateKnnGraph.ts';
export type { CompleteClasses, Edges, Graph } from './graph.ts';
export { completeGraph, graphUnion, labelGraph } from './labelGraph.ts';
export type { Labels } from './labels.ts';
export { type EdgeWeights, epsilonGraph, knnGraph } from './neighbourhoodGraph.ts';
