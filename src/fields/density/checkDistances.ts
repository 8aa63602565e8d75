import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import type { Edges } from '../../numerics/graph/graph.ts';

/**
 * Squared distances of the edges of a graph.
 *
 * @param isUnbounded - whether nothing bounds the weight of an edge at distance 0
 * @throws InvalidInputError when they are not one number an edge, finite and from 0, or above 0 where weights are unbounded
 */
export function checkDistances(
  values: ArrayLike<number>,
  { sources, targets }: Pick<Edges, 'sources' | 'targets'>,
  name: string,
  isUnbounded: boolean,
): Float64Array {
  if (typeof values !== 'object' || values === null || values.length !== sources.length) {
    throw new InvalidInputError(
      `${name} takes squaredDistances as a list of one number for each of the ${sources.length} edges, but ` +
        `${typeof values === 'object' && values !== null ? `${values.length} were given` : `${describe(values)} was given`}.`,
    );
  }
  const distances = Float64Array.from(values);
  const bad = distances.findIndex((distance) => !(distance >= 0 && distance < Infinity));
  if (bad >= 0) {
    throw new InvalidInputError(
      `Squared distances are finite numbers from 0, but that of edge ${bad}, between points ${sources[bad]} and ${targets[bad]}, is ${distances[bad]}.`,
    );
  }
  const equal = isUnbounded ? distances.indexOf(0) : -1;
  if (equal >= 0) {
    throw new InvalidInputError(
      `Points ${sources[equal]} and ${targets[equal]} are the same (their distance is 0), so with slackPenalty Infinity nothing bounds the weight between ` +
        'them. Remove duplicate points, or give a finite slackPenalty.',
    );
  }
  return distances;
}
