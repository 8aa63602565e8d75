export {
  type FoundNeighbours,
  type NeighbourSearch,
  neighboursBy,
  neighboursInParts,
} from './approximateNeighbours.ts';
export { checkDistances, type Metric, metricNeighboursInParts, metricNeighboursOf } from './metrics.ts';
export { type Neighbours, nearestNeighbours } from './nearestNeighbours.ts';
export { type BallNeighbours, withinRadius, withinRadiusInParts } from './withinRadius.ts';
