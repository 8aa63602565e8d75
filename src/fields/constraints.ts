import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import { checkGiven, givenList, givenNumbers, isList, namedOptions, readGiven } from '../core/options.ts';
import { type Graph, givenDistancesAt } from '../engine/graph/graph.ts';
import { ownGraph } from '../engine/graph/labelGraph.ts';

/** A symmetric matrix A over the points with few nonzero entries, each with its row and column, row ≤ column. */
export interface QuadraticForm {
  readonly rows: ArrayLike<number>;
  readonly columns: ArrayLike<number>;
  /** A_ij, which is also A_ji. */
  readonly values: ArrayLike<number>;
}

/** Expected quadratic statistics of a field: a set of constraints. */
export interface ConstraintSet {
  readonly kind: 'constraints';
  /** The graph whose edges define the constraints, if they are on squared differences. */
  readonly graph?: Graph;
  /** Number of constraints. */
  readonly count: number;
  /** A_k, unless defined by a graph: the statistic is tr(XᵀA_kX), summed over the columns of X. */
  readonly forms?: readonly QuadraticForm[];
  /** Expected values, one for each form; default the statistics of the variable's rows. */
  readonly values: Float64Array | undefined;
  /** 'most': upper bounds, so that multipliers are at least 0; 'exactly': equalities. */
  readonly at: 'most' | 'exactly';
}

/** Options of {@link quadratic}. */
export interface QuadraticOptions {
  /** Whether the values are upper bounds (default) or exact. */
  readonly at?: 'most' | 'exactly' | undefined;
}

/**
 * Constraints on expected squared differences E‖x_i − x_j‖² at the edges of a graph, each at most its value φ_e.
 *
 * @param graph - pairs of points
 * @param values - φ, one for each edge in the graph's order, summed over columns; default the distances between the variable's rows
 * @throws InvalidInputError for an invalid graph, a graph without edges, or values that are not one finite number ≥ 0 per edge
 * @example
 * ```ts
 * maxEntropy({ base: 0.1, expect: { near: squaredDifferences(knnGraph(Y, 6)) } });
 * ```
 */
export function squaredDifferences(graph: Graph, values?: ArrayLike<number>): ConstraintSet {
  return differencesAlong(ownGraph(graph, 'squaredDifferences'), values);
}

/** `squaredDifferences` of a graph that nobody else changes: the edges of complete graphs take memory, and are not listed again. */
export function differencesAlong(graph: Graph, values?: ArrayLike<number>): ConstraintSet {
  const { sources } = graph;
  if (sources.length === 0) {
    throw new InvalidInputError(
      'squaredDifferences takes a graph with edges, but this one has none. Take one such as knnGraph(Y, 7).',
    );
  }
  return made({
    kind: 'constraints',
    graph,
    count: sources.length,
    values: values === undefined ? undefined : givenDistancesAt(graph, values, 'squaredDifferences'),
    at: 'most',
  });
}

/**
 * Constraints on any expected quadratic statistics E tr(XᵀA_kX).
 *
 * @param forms - the matrices A_k, by their entries
 * @param values - one for each form; default the statistics of the variable's rows
 * @param options - see {@link QuadraticOptions}
 * @throws InvalidInputError for forms without entries or with lists of different lengths, and unless there is one value per form
 * @example
 * ```ts
 * // Second differences of points in order: (x_i − 2x_{i+1} + x_{i+2})²
 * const bend = (i: number) => ({ rows: [i, i, i, i + 1, i + 1, i + 2], columns: [i, i + 1, i + 2, i + 1, i + 2, i + 2], values: [1, -2, 1, 4, -2, 1] });
 * const bends = Y.slice(2).map((_, i) => bend(i));
 * maxEntropy({ base: 0.1, expect: { bend: quadratic(bends) } });
 * ```
 */
export function quadratic(
  forms: readonly QuadraticForm[],
  values?: ArrayLike<number>,
  options: QuadraticOptions = {},
): ConstraintSet {
  const { at = 'most' } = namedOptions(options, 'quadratic', ['at']);
  if (at !== 'most' && at !== 'exactly') {
    throw new InvalidInputError(`Option 'at' of quadratic is 'most' or 'exactly', but ${describe(at)} was given.`);
  }
  return quadraticSet('quadratic', forms, values, at);
}

/**
 * Constraints on expected products E x_iᵀx_j of pairs of points, i = j among them: each exactly its value.
 *
 * @param pairs - [i, j] for each
 * @param values - one for each pair, summed over columns; default the products of the variable's rows
 * @throws InvalidInputError for pairs that are not two whole numbers from 0, and unless there is one value per pair
 * @example
 * ```ts
 * maxEntropy({ base: 0.1, expect: { gram: products([[0, 0], [0, 1]]) } });
 * ```
 */
export function products(pairs: readonly (readonly [number, number])[], values?: ArrayLike<number>): ConstraintSet {
  const expected = 'a list of pairs of points, such as [[0, 1]]';
  const forms = givenList(pairs, 'products', expected).map((pair): QuadraticForm => {
    const [i, j] = givenList(pair, 'products', expected) as readonly [number, number];
    return { rows: [Math.min(i, j)], columns: [Math.max(i, j)], values: [i === j ? 1 : 0.5] };
  });
  return quadraticSet('products', forms, values, 'exactly');
}

function quadraticSet(
  caller: string,
  forms: readonly QuadraticForm[],
  values: ArrayLike<number> | undefined,
  at: ConstraintSet['at'],
): ConstraintSet {
  checkGiven(forms, caller, 'a list of at least one form', (given) => Array.isArray(given) && given.length > 0);
  const own = Object.freeze(
    readGiven(`The forms of ${caller}`, () => forms.map((form, k) => checkForm(form, k, caller))),
  );
  return made({
    kind: 'constraints',
    count: own.length,
    forms: own,
    values: values === undefined ? undefined : checkValues(values, own.length, caller),
    at,
  });
}

function checkForm(form: QuadraticForm, k: number, caller: string): QuadraticForm {
  const { rows, columns, values } = (form ?? {}) as QuadraticForm;
  const isRight =
    [rows, columns, values].every((list) => isList(list) && list.length === rows.length) &&
    rows.length > 0 &&
    Array.from(rows).every(
      (i, e) => Number.isInteger(i) && i >= 0 && Number.isInteger(columns[e]) && columns[e]! >= i,
    ) &&
    Array.from<number>(values).every(Number.isFinite);
  if (isRight) {
    return { rows: Int32Array.from(rows), columns: Int32Array.from(columns), values: Float64Array.from(values) };
  }
  throw new InvalidInputError(
    `Form ${k} of ${caller} needs rows, columns and values, lists of the same length, of whole numbers 0 ≤ row ≤ column and finite entries, but ${describe(form)} was given.`,
  );
}

function checkValues(values: unknown, count: number, caller: string): Float64Array {
  const expected = `one finite value for each of its ${count} forms`;
  const list = givenNumbers(values, count, caller, expected);
  const bad = list.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return list;
  throw new InvalidInputError(`${caller} takes ${expected}, but value ${bad} is ${list[bad]}.`);
}

const checked = new WeakSet<object>();

/** A set whose members have been checked. */
function made(set: ConstraintSet): ConstraintSet {
  checked.add(set);
  return Object.freeze(set);
}

/** The set of constraints, perhaps read from a file. @throws InvalidInputError if it is not one */
export function checkSet(given: unknown, name: string): ConstraintSet {
  const { kind, graph, forms, values, at } = readGiven(`'${name}' of expect`, () => ({ ...(given as ConstraintSet) }));
  if (kind !== 'constraints') {
    throw new InvalidInputError(
      `'${name}' of expect must be a set of constraints, such as squaredDifferences(graph), but ${describe(given)} was given.`,
    );
  }
  if (checked.has(given as object)) return given as ConstraintSet;
  if (graph !== undefined) return squaredDifferences(graph, values);
  return quadratic(forms as readonly QuadraticForm[], values, { at });
}

/** A_k of all constraints of a set. */
export function formsOf({ graph, forms = [] }: ConstraintSet): readonly QuadraticForm[] {
  if (graph === undefined) return forms;
  return Array.from(graph.sources, (i, e): QuadraticForm => {
    const j = graph.targets[e]!;
    return { rows: [i, i, j], columns: [i, j, j], values: [1, -1, 1] };
  });
}
