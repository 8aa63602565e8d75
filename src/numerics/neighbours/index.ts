export { type Neighbours, nearestNeighbours } from './nearestNeighbours.ts';
export { type BallNeighbours, withinRadius } from './withinRadius.ts';
