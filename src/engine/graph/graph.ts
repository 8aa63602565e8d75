import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven } from '../../core/given.ts';

/** Weighted edges, sorted by (source, target), every source smaller than its target, no pair twice. */
export interface Edges {
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  readonly weights: Float64Array;
}

/**
 * An undirected weighted graph on the points 0 … size − 1 as a list of edges; never an N×N array. Its Laplacian is
 * L = diag(W1) − W with W_ij = W_ji the weight of the edge (i, j).
 */
export interface Graph extends Edges {
  /** Number of points. */
  readonly size: number;
  /** Present if neighbours were searched approximately: the fraction that was found, estimated from a sample of points. */
  readonly recall?: number;
  /**
   * Present if the graph contains complete classes: its edges are those of the classes together with the rest, and the arrays above are created when
   * they are read.
   */
  readonly complete?: CompleteClasses;
}

/** Classes in which every pair of points is joined by an edge of weight 1. */
export interface CompleteClasses {
  /** Class of each point, or −1. */
  readonly classes: Int32Array;
  /** Number of classes. */
  readonly count: number;
  /** Weights in addition to those of the classes: edges between classes, and weights above 1 within them. */
  readonly rest: Edges;
}

export const noEdges = (): Edges => ({
  sources: new Int32Array(0),
  targets: new Int32Array(0),
  weights: new Float64Array(0),
});

/**
 * Throws unless `value` is a graph on `size` points.
 *
 * @throws InvalidInputError that names the invalid edge
 */
export function checkGraph(value: unknown, caller: string, size?: number): Graph {
  const expected = 'a graph, such as knnGraph(Y, 7) or labelGraph(labels)';
  const graph = checkGiven(value as Partial<Graph>, caller, expected, ({ size: n }) => Number.isInteger(n) && n! >= 1);
  if (size !== undefined && graph.size !== size) {
    throw new InvalidInputError(
      `${caller} has a graph of ${graph.size} points, but the model has ${size} observations. Make the graph from the same rows.`,
    );
  }
  const checked = graph as Graph;
  checkEdges(checked.complete === undefined ? checked : checked.complete.rest, checked.size, caller);
  return checked;
}

function checkEdges({ sources, targets, weights }: Edges, size: number, caller: string): void {
  if (!(sources instanceof Int32Array && targets instanceof Int32Array && weights instanceof Float64Array)) {
    throw new InvalidInputError(
      `${caller} takes a graph with sources and targets as Int32Array and weights as Float64Array.`,
    );
  }
  if (targets.length !== sources.length || weights.length !== sources.length) {
    throw new InvalidInputError(
      `${caller} has a graph with ${sources.length} sources, ${targets.length} targets and ${weights.length} weights: give one of each an edge.`,
    );
  }
  for (let e = 0; e < sources.length; e++) {
    const [i, j, weight] = [sources[e]!, targets[e]!, weights[e]!];
    const ordered = e === 0 || sources[e - 1]! < i || (sources[e - 1] === i && targets[e - 1]! < j);
    if (i >= 0 && i < j && j < size && ordered && weight >= 0 && weight < Infinity) continue;
    throw new InvalidInputError(
      `${caller} has a graph whose edge ${e} is (${i}, ${j}) of weight ${weight}. Edges join points 0 … ${size - 1}, source below ` +
        'target, are sorted by (source, target) without repetition, and weigh a finite number ≥ 0.',
    );
  }
}
