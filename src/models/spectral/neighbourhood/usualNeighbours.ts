import { checkNeighbours } from '../../../engine/graph/neighbourhoodGraph.ts';

/** How many neighbours each point has unless a number is given, when there are points enough. */
const USUAL = 7;

/** A number of neighbours that each of the points has. */
export interface NeighbourCount {
  readonly k: number;
  /** A sentence after a space, where there are fewer points than the usual number takes. */
  readonly note: string;
}

/**
 * The number of neighbours that was given, or 7, or all others of fewer points.
 *
 * @throws InvalidInputError when a number was given that N points do not have
 */
export function neighbourCount(given: unknown, N: number, name: string): NeighbourCount {
  if (given !== undefined) return { k: checkNeighbours(given as number, N, name), note: '' };
  if (N > USUAL) return { k: USUAL, note: '' };
  const others = N === 2 ? '1 neighbour' : `${N - 1} neighbours`;
  return { k: N - 1, note: ` There are only ${N} points, so each has ${others} and not ${USUAL}.` };
}
