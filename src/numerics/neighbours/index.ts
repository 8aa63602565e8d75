export { type FoundNeighbours, type NeighbourSearch, neighboursBy } from './approximateNeighbours.ts';
export { type Neighbours, nearestNeighbours } from './nearestNeighbours.ts';
export { type BallNeighbours, withinRadius } from './withinRadius.ts';
