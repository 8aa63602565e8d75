export {
  type FoundNeighbours,
  type NeighbourSearch,
  neighboursBy,
  neighboursInParts,
} from './approximateNeighbours.ts';
export { type Neighbours, nearestNeighbours } from './nearestNeighbours.ts';
export { type BallNeighbours, withinRadius } from './withinRadius.ts';
