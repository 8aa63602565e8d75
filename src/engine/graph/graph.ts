import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, givenNumbers, readGiven } from '../../core/options.ts';

/** Weighted edges without duplicates, sorted by (source, target), every source smaller than its target. */
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
  /** Present if neighbors were searched approximately: the fraction of correct neighbors, estimated from a sample of points. */
  readonly recall?: number;
  /**
   * Present if the graph contains complete classes. Its edges are then the edges of the classes and those in `rest`, and the arrays above are created
   * when they are read.
   */
  readonly complete?: CompleteClasses;
}

/** Classes whose points are all joined to each other by edges of weight 1. */
export interface CompleteClasses {
  /** Class of each point, or −1. */
  readonly classes: Int32Array;
  /** Number of classes. */
  readonly count: number;
  /** Weights in addition to the classes: edges between classes, and weights above 1 within them. */
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
  const isSized = ({ size: n }: Partial<Graph>) => Number.isInteger(n) && n! >= 1 && n! <= MOST_POINTS;
  const graph = checkGiven(value as Partial<Graph>, caller, expected, isSized);
  if (size !== undefined && graph.size !== size) {
    throw new InvalidInputError(
      `${caller} has a graph of ${graph.size} points, but the model has ${size} observations. Make the graph from the same rows.`,
    );
  }
  readGiven(`The graph of ${caller}`, () => {
    if (graph.complete !== undefined) checkClasses(graph as Graph, caller);
    checkEdges(graph.complete?.rest ?? graph, graph.size!, caller);
  });
  return graph as Graph;
}

/** Maximum number of points: indices have 32 bits. */
const MOST_POINTS = 2 ** 31 - 1;

/** Checks complete classes without reading their edges, which would list them all. */
function checkClasses(graph: Graph, caller: string): void {
  const { classes, count, rest } = graph.complete ?? ({} as Partial<CompleteClasses>);
  const isRight =
    classes instanceof Int32Array &&
    classes.length === graph.size &&
    classes.every((c) => c >= -1 && c < count!) &&
    typeof rest === 'object' &&
    rest !== null &&
    ['sources', 'targets', 'weights'].every((name) => name in graph);
  if (isRight) return;
  throw new InvalidInputError(
    `${caller} has a graph of complete classes without its edges, or without the class of each point. Make it by labelGraph or completeGraph.`,
  );
}

function checkEdges({ sources, targets, weights }: Partial<Edges>, size: number, caller: string): void {
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

/**
 * Squared distances at the edges of a graph.
 *
 * @throws InvalidInputError when they are not one number an edge, finite and from 0
 */
export function givenDistancesAt(
  { sources, targets }: Pick<Edges, 'sources' | 'targets'>,
  given: unknown,
  caller: string,
): Float64Array {
  const expected = `squared distances as a list of one number for each of the ${sources.length} edges`;
  const distances = givenNumbers(given, sources.length, caller, expected);
  const bad = firstNotDistance(distances);
  if (bad < 0) return distances;
  throw new InvalidInputError(
    `Squared distances are finite numbers from 0, but the one of edge ${bad}, between points ${sources[bad]} and ${targets[bad]}, is ${distances[bad]}.`,
  );
}

/** Index of the first entry that is not finite and from 0, −1 if there is none. A plain loop, as `firstNotFinite`. */
function firstNotDistance(entries: Float64Array): number {
  for (let e = 0; e < entries.length; e++) if (!(entries[e]! >= 0 && entries[e]! < Infinity)) return e;
  return -1;
}

/** Pairs of points as single numbers that sort by (smaller, larger); exact below 9·10⁷ points. */
export const pairKey = (i: number, j: number, size: number): number => (i < j ? i * size + j : j * size + i);

/** The edges of the pairs with these keys, without duplicates. */
export function edgesOfPairs(keys: Float64Array, size: number, weightOf: (i: number, j: number) => number): Edges {
  const sorted = keys.slice().sort();
  const sources = new Int32Array(sorted.length);
  const targets = new Int32Array(sorted.length);
  const weights = new Float64Array(sorted.length);
  let count = 0;
  for (let e = 0; e < sorted.length; e++) {
    const key = sorted[e]!;
    if (e > 0 && key === sorted[e - 1]) continue;
    const i = Math.floor(key / size);
    const j = key - i * size;
    sources[count] = i;
    targets[count] = j;
    weights[count++] = weightOf(i, j);
  }
  return firstEdges(sources, targets, weights, count);
}

/** The edges of both lists; the weight of an edge in both lists is `both` of its two weights. */
export function mergedEdges(a: Edges, b: Edges, both: (a: number, b: number) => number): Edges {
  const most = a.sources.length + b.sources.length;
  const sources = new Int32Array(most);
  const targets = new Int32Array(most);
  const weights = new Float64Array(most);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < a.sources.length || j < b.sources.length) {
    const order = compare(a, i, b, j);
    const from = order <= 0 ? a : b;
    const e = order <= 0 ? i : j;
    sources[count] = from.sources[e]!;
    targets[count] = from.targets[e]!;
    weights[count] = order === 0 ? both(a.weights[i]!, b.weights[j]!) : from.weights[e]!;
    count++;
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return firstEdges(sources, targets, weights, count);
}

function firstEdges(sources: Int32Array, targets: Int32Array, weights: Float64Array, count: number): Edges {
  return {
    sources: sources.slice(0, count),
    targets: targets.slice(0, count),
    weights: weights.slice(0, count),
  };
}

/** Negative if edge i of a comes before edge j of b; a list that has ended comes last. */
function compare(a: Edges, i: number, b: Edges, j: number): number {
  if (i >= a.sources.length) return 1;
  if (j >= b.sources.length) return -1;
  return a.sources[i]! - b.sources[j]! || a.targets[i]! - b.targets[j]!;
}

/** The edges with nonzero values, with their moduli as weights. */
export function supportGraph(
  { size, sources, targets }: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
  values: ArrayLike<number>,
): Graph {
  const kept = Int32Array.from(sources.keys()).filter((e) => values[e] !== 0);
  return Object.freeze({
    size,
    sources: kept.map((e) => sources[e]!),
    targets: kept.map((e) => targets[e]!),
    weights: Float64Array.from(kept, (e) => Math.abs(values[e]!)),
  });
}

/** Edges at each node: node i has `edges[starts[i]]` …, and `others` are their other ends. */
export interface IncidentEdges {
  readonly starts: Int32Array;
  readonly edges: Int32Array;
  readonly others: Int32Array;
}

/** Lists edges by node, in the order of their indices. */
export function incidentEdges({
  size,
  sources,
  targets,
}: Pick<Edges, 'sources' | 'targets'> & { readonly size: number }): IncidentEdges {
  const starts = new Int32Array(size + 1);
  for (let e = 0; e < sources.length; e++) {
    starts[sources[e]! + 1]!++;
    starts[targets[e]! + 1]!++;
  }
  for (let i = 0; i < size; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const edges = new Int32Array(2 * sources.length);
  const others = new Int32Array(2 * sources.length);
  const add = (node: number, e: number, other: number) => {
    const p = next[node]!++;
    edges[p] = e;
    others[p] = other;
  };
  for (let e = 0; e < sources.length; e++) {
    add(sources[e]!, e, targets[e]!);
    add(targets[e]!, e, sources[e]!);
  }
  return { starts, edges, others };
}

/** Sum of the weights of each point's edges, added to an offset. */
export function degreesOf({ size, sources, targets, weights }: Graph, offset = 0): Float64Array {
  const degrees = new Float64Array(size).fill(offset);
  weights.forEach((weight, e) => {
    degrees[sources[e]!]! += weight;
    degrees[targets[e]!]! += weight;
  });
  return degrees;
}
