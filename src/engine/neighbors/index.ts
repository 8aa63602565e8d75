export {
  type FoundNeighbors,
  type NeighborSearch,
  neighborsBy,
  neighborsInParts,
} from './approximateNeighbors.ts';
export { givenDistances, type Metric, metricNeighborsInParts, metricNeighborsOf } from './metrics.ts';
export { type Neighbors, nearestNeighbors } from './nearestNeighbors.ts';
export { type BallNeighbors, withinRadius, withinRadiusInParts } from './withinRadius.ts';
