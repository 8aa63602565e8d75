import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { isMissingText } from '../../core/observations.ts';
import { checkGiven, givenList, isWhole } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { type CompleteClasses, checkGraph, type Edges, type Graph, mergedEdges, noEdges } from './graph.ts';

/**
 * The graph that joins all pairs of points of the same class by an edge of weight 1. The classes are kept: Laplacians of complete classes have a
 * closed form in class sums, and the edges are only created when they are read.
 *
 * @param labels - N labels; points without a label (undefined, null, NaN or ''; also −1 if there are two other labels) have no edges
 * @returns a graph on N points
 * @throws InvalidInputError if there are no labels, or one is not a string, number or boolean
 * @see Zhong et al. 2010, eq. 4
 * @example
 * ```ts
 * labelGraph(['a', 'b', 'a', undefined]).targets; // Int32Array [2]: the one edge is (0, 2)
 * ```
 */
export function labelGraph(labels: Labels): Graph {
  const { classes, count } = classesOf(labels, 'labelGraph');
  if (count === 0) {
    throw new InvalidInputError(
      `labelGraph takes at least one label that is not missing, but none of ${classes.length} is.`,
    );
  }
  return classGraph({ classes, count, rest: noEdges() });
}

/**
 * The graph that joins all pairs of n points by an edge of weight 1; its n(n − 1)/2 edges are only created when they are read.
 *
 * @param n - number of points, from 1
 * @throws InvalidInputError unless n is a whole number from 1
 * @example
 * ```ts
 * completeGraph(4).sources.length; // 6
 * ```
 */
export function completeGraph(n: number): Graph {
  checkGiven(n, 'completeGraph', 'a whole number of points from 1', isWhole(1, MOST_POINTS));
  return classGraph({ classes: new Int32Array(n), count: 1, rest: noEdges() });
}

/** Largest number of edges that an array can index. */
const MOST_POINTS = 2 ** 31 - 1;

/** The graph of complete classes and additional edges. */
export function classGraph(complete: CompleteClasses): Graph {
  const edges = lazily(() => mergedEdges(classEdges(complete), complete.rest, (within, beyond) => within + beyond));
  return Object.freeze<Graph>({
    size: complete.classes.length,
    complete: Object.freeze(complete),
    get sources() {
      return edges().sources;
    },
    get targets() {
      return edges().targets;
    },
    get weights() {
      return edges().weights;
    },
  });
}

/**
 * Copies a graph, so that later changes of the caller's arrays do not affect it.
 *
 * @throws InvalidInputError unless it is a graph, and on `size` points if that is set
 */
export function ownGraph(given: unknown, caller: string, size?: number): Graph {
  const graph = checkGraph(given, caller, size);
  const { complete, recall } = graph;
  if (complete === undefined) {
    return Object.freeze({ size: graph.size, ...copied(graph), ...(recall !== undefined && { recall }) });
  }
  return classGraph({ ...complete, classes: complete.classes.slice(), rest: copied(complete.rest) });
}

const copied = ({ sources, targets, weights }: Edges): Edges => ({
  sources: sources.slice(),
  targets: targets.slice(),
  weights: weights.slice(),
});

/** Number of edges whose ends and weights take 3.2 GB. */
const MOST_EDGES = 2e8;

function classEdges(classes: Classes): Edges {
  const points = members(classes);
  const count = points.reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
  if (count > MOST_EDGES) {
    throw new InvalidInputError(
      `A graph that joins all points of a class has ${count} edges here, of ${classes.classes.length} points, and up to ${MOST_EDGES} ` +
        'can be listed. Take a graph of nearest neighbors, such as knnGraph(Y, 20).',
    );
  }
  const sources = new Int32Array(count);
  const targets = new Int32Array(count);
  const place = new Int32Array(classes.count);
  let e = 0;
  classes.classes.forEach((c, i) => {
    if (c < 0) return;
    const inClass = points[c]!;
    place[c]!++;
    for (let k = place[c]!; k < inClass.length; k++, e++) {
      sources[e] = i;
      targets[e] = inClass[k]!;
    }
  });
  return { sources, targets, weights: new Float64Array(count).fill(1) };
}

/**
 * The union of two graphs; an edge in both keeps the larger weight. The union of a neighborhood graph and a label graph with missing labels is the
 * semi-supervised graph; complete classes keep their closed form.
 *
 * @param a - a graph on N points
 * @param b - another on the same points
 * @throws InvalidInputError unless they are graphs on the same number of points
 * @example
 * ```ts
 * graphUnion(labelGraph(labels), knnGraph(Y, 5));
 * ```
 */
export function graphUnion(a: Graph, b: Graph): Graph {
  checkGraph(a, 'graphUnion');
  checkGraph(b, 'graphUnion');
  if (a.size !== b.size) {
    throw new InvalidInputError(
      `graphUnion joins graphs on the same points, but one has ${a.size} points and the other ${b.size}.`,
    );
  }
  if (a.complete !== undefined) return withClasses(a.complete, b);
  if (b.complete !== undefined) return withClasses(b.complete, a);
  return Object.freeze({ size: a.size, ...mergedEdges(a, b, Math.max) });
}

/** Classes contribute 1 for each of their edges, so that only weights above 1 are added. */
function withClasses(complete: CompleteClasses, other: Edges): Graph {
  const { classes, count, rest } = complete;
  const within = (e: number) => {
    const c = classes[other.sources[e]!]!;
    return c >= 0 && c === classes[other.targets[e]!]!;
  };
  const beyond = other.weights.map((weight, e) => (within(e) ? weight - 1 : weight));
  const kept = Int32Array.from(beyond.keys()).filter((e) => !within(e) || beyond[e]! > 0);
  const added: Edges = {
    sources: kept.map((e) => other.sources[e]!),
    targets: kept.map((e) => other.targets[e]!),
    weights: Float64Array.from(kept, (e) => beyond[e]!),
  };
  return classGraph({ classes, count, rest: mergedEdges(rest, added, Math.max) });
}

/**
 * One label per point. Missing labels are undefined, null, NaN, the texts for them in tables ('', 'NA', 'null', '?', '-'), and −1 if there are two
 * other labels.
 */
export type Labels = ArrayLike<string | number | boolean | null | undefined>;

/** Points by class. */
export interface Classes {
  /** Class of each point, numbered from 0 in order of first occurrence, or −1 if the label is missing. */
  readonly classes: Int32Array;
  /** Number of classes. */
  readonly count: number;
}

/**
 * Classes of labeled points. −1 is a missing label, as is usual in the field, unless there is only one other label: then it is one of two classes
 * (−1 and 1).
 *
 * @throws InvalidInputError unless the labels are a list of strings, numbers or booleans
 */
export function classesOf(labels: Labels, caller: string): Classes {
  const present = givenList(labels, caller, 'a list with one label a point').map((label, i) =>
    presentLabel(label, i, caller),
  );
  const others = new Set(present.filter((label) => label !== undefined && label !== '-1'));
  const numbers = new Map<string, number>();
  const classes = Int32Array.from(present, (label) => {
    if (label === undefined || (label === '-1' && others.size > 1)) return -1;
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label)!;
  });
  return { classes, count: numbers.size };
}

function presentLabel(label: unknown, i: number, caller: string): string | undefined {
  if (label === undefined || label === null) return undefined;
  if (typeof label !== 'string' && typeof label !== 'number' && typeof label !== 'boolean') {
    throw new InvalidInputError(
      `${caller} takes labels that are strings, numbers or booleans, but label ${i} is ${describe(label)}.`,
    );
  }
  const text = String(label).trim();
  return isMissingText(text) ? undefined : text;
}

/** Indices of the points in each class, ascending. */
export function members({ classes, count }: Classes): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  classes.forEach((c, i) => {
    if (c >= 0) lists[c]!.push(i);
  });
  return lists;
}
