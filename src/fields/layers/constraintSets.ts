import * as v from 'valibot';
import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import {
  checkGiven,
  checkName,
  checkOptions,
  givenList,
  isList,
  namedOptions,
  numberAboveZero,
  readGiven,
} from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { checkGraph, type Graph } from '../../engine/graph/graph.ts';
import { type EdgeFactor, edgeFactor, isSparse } from '../../engine/sparse/index.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Density, DensityStart, Entries } from '../../model/language/density.ts';
import type { ParameterValues, TensorMap } from '../../model/model.ts';
import { box } from '../../model/parameter.ts';
import { sparsePrecision } from '../../priors/sparsePrecision.ts';
import { precisionLogDeterminant } from '../density/momentDensity.ts';
import { momentField } from '../embedding/fieldEmbedding.ts';
import { type PrecisionEntries, withInverse } from '../solvers/momentProblem.ts';

/** A symmetric matrix A over the points, of which some entries are not 0: each with its row and column, the row at most the column. */
export interface QuadraticForm {
  readonly rows: ArrayLike<number>;
  readonly columns: ArrayLike<number>;
  /** A_ij, which counts for A_ji too. */
  readonly values: ArrayLike<number>;
}

/** What is expected of quadratic statistics of a field: a set of constraints. */
export interface ConstraintSet {
  readonly kind: 'constraints';
  /** A_k: the statistic is tr(XᵀA_kX), summed over the columns of X. */
  readonly forms: readonly QuadraticForm[];
  /** What is expected, one of each form; the statistics of the variable's own rows unless given. */
  readonly values: Float64Array | undefined;
  /** 'most': at most so much, so that multipliers are at least 0; 'exactly': so much. */
  readonly at: 'most' | 'exactly';
}

/** Options of {@link quadratic}. */
export interface QuadraticOptions {
  /** Whether statistics are expected to be at most their values (the default) or exactly these. */
  readonly at?: 'most' | 'exactly' | undefined;
}

/**
 * Constraints on expected squared differences E‖x_i − x_j‖² at the edges of a graph, each at most its value.
 *
 * @param graph - which pairs of points
 * @param values - one of each edge in the graph's order, summed over columns; those of the variable's own rows unless given
 * @throws InvalidInputError for what is not a graph, or values that are not one an edge and finite numbers from 0
 * @example
 * ```ts
 * maxEntropy({ base: 0.1, expect: { near: squaredDifferences(knnGraph(Y, 6)) } });
 * ```
 */
export function squaredDifferences(graph: Graph, values?: ArrayLike<number>): ConstraintSet {
  const { sources, targets } = checkGraph(graph, 'squaredDifferences');
  const forms = Array.from(sources, (i, e): QuadraticForm => {
    const j = targets[e]!;
    return { rows: [i, i, j], columns: [i, j, j], values: [1, -1, 1] };
  });
  return constraintSet('squaredDifferences', forms, values, 'most');
}

/**
 * Constraints on any expected quadratic statistics E tr(XᵀA_kX).
 *
 * @param forms - the matrices A_k, by their entries
 * @param values - one of each form; the statistics of the variable's own rows unless given
 * @param options - see {@link QuadraticOptions}
 * @throws InvalidInputError for forms without entries or with lists of different lengths, and values that are not one a form
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
  return constraintSet('quadratic', forms, values, at);
}

/**
 * Constraints on expected products E x_iᵀx_j of pairs of points, i = j among them: each exactly its value.
 *
 * @param pairs - [i, j] of each
 * @param values - one of each pair, summed over columns; those of the variable's own rows unless given
 * @throws InvalidInputError for pairs that are not two whole numbers from 0, and values that are not one a pair
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
  return constraintSet('products', forms, values, 'exactly');
}

function constraintSet(
  caller: string,
  forms: readonly QuadraticForm[],
  values: ArrayLike<number> | undefined,
  at: ConstraintSet['at'],
): ConstraintSet {
  checkGiven(forms, caller, 'a list of at least one form', (given) => Array.isArray(given) && given.length > 0);
  const own = readGiven(`The forms of ${caller}`, () =>
    forms.map((form, k): QuadraticForm => {
      const { rows, columns, values: entries } = (form ?? {}) as QuadraticForm;
      const lists = [rows, columns, entries];
      const isRight =
        lists.every((list) => isList(list) && list.length === rows.length) &&
        rows.length > 0 &&
        Array.from(rows).every(
          (i, e) => Number.isInteger(i) && i >= 0 && Number.isInteger(columns[e]) && columns[e]! >= i,
        ) &&
        Array.from<number>(entries).every(Number.isFinite);
      if (isRight)
        return { rows: Int32Array.from(rows), columns: Int32Array.from(columns), values: Float64Array.from(entries) };
      throw new InvalidInputError(
        `Form ${k} of ${caller} needs rows, columns and values, lists of the same length, of whole numbers 0 ≤ row ≤ column and finite entries, but ${describe(form)} was given.`,
      );
    }),
  );
  if (values !== undefined) {
    const list = readGiven(`The values of ${caller}`, () => (isList(values) ? Float64Array.from(values) : undefined));
    const bad = list?.findIndex((value) => !Number.isFinite(value)) ?? -1;
    if (list === undefined || list.length !== forms.length || bad >= 0) {
      const was = bad >= 0 ? `value ${bad} is ${list![bad]}` : `${describe(values)} was given`;
      throw new InvalidInputError(
        `${caller} takes one finite value for each of its ${forms.length} forms, but ${was}.`,
      );
    }
    return Object.freeze({ kind: 'constraints', forms: Object.freeze(own), values: list, at });
  }
  return Object.freeze({ kind: 'constraints', forms: Object.freeze(own), values: undefined, at });
}

/** Options of a maximum-entropy field defined by its constraints. */
export interface ConstraintFieldOptions {
  /** λ > 0, the precision that every point has beside the constraints; default 1. */
  readonly base?: number | undefined;
  /** c > 0, the number of independent copies of the field; the columns of the variable unless given. */
  readonly copies?: number | undefined;
  /** Sets of constraints by name, which are the names of their multipliers. */
  readonly expect: Readonly<Record<string, ConstraintSet>>;
  /** C > 0: multipliers are at most 4C from 0; default Infinity. The density of a latent variable needs one. */
  readonly slack?: number | undefined;
}

const aboveZero = 'a number above 0';
const schema = v.strictObject({
  base: v.optional(numberAboveZero, 1),
  copies: v.optional(numberAboveZero),
  expect: v.record(v.string(), v.any()),
  slack: v.optional(v.pipe(v.number(aboveZero), v.gtValue(0, aboveZero)), Number.POSITIVE_INFINITY),
});

/** A constraint of a set: where its multiplier is. */
interface Placed {
  readonly set: string;
  readonly form: QuadraticForm;
}

/** The field of all constraints over a number of points: which entries its precision has, and how multipliers make them. */
interface Layout {
  readonly size: number;
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  /** For each entry of each quadratic form: its constraint, its index among diagonal and edges, and its value. */
  readonly constraint: Int32Array;
  readonly entry: Int32Array;
  readonly value: Float64Array;
}

interface Prepared {
  readonly layout: Layout;
  readonly factor: () => EdgeFactor;
  readonly copies: number;
  /** s_k, where they do not move with the rows. */
  readonly statistics: Float64Array | undefined;
}

/** Steps of the multipliers' typical size at which their values are looked for, where a statistic is 0. */
const LEAST_STATISTIC = 1e-12;

/** The density of a random field over the points, which gives no density of new points. */
type FieldDensity = Density<'field'>;

/** The density of a maximum-entropy field over the points by its constraints. See `maxEntropy`. */
export function constraintField(options: ConstraintFieldOptions): FieldDensity {
  const { base, copies: givenCopies, expect, slack } = checkOptions(schema, options, 'maxEntropy');
  const sets = Object.entries(expect) as [string, ConstraintSet][];
  if (sets.length === 0)
    throw new InvalidInputError(
      'maxEntropy takes at least one set of constraints in expect, such as { near: squaredDifferences(graph) }.',
    );
  for (const [name, set] of sets) {
    checkName(name, 'A set of constraints');
    if (set?.kind === 'constraints') continue;
    throw new InvalidInputError(
      `'${name}' of expect must be a set of constraints, such as squaredDifferences(graph), but ${describe(set)} was given.`,
    );
  }
  const all: Placed[] = sets.flatMap(([set, { forms }]) => forms.map((form) => ({ set, form })));
  const areGiven = sets.every(([, { values }]) => values !== undefined);
  const someGiven = sets.some(([, { values }]) => values !== undefined);
  if (someGiven && !areGiven) {
    throw new InvalidInputError(
      'Either all sets of constraints in expect have values or none, which are then those of the rows. Give values to all of them.',
    );
  }
  const multipliers = (p: TensorMap): Tensor1D =>
    sets.length === 1
      ? (p[sets[0]![0]] as Tensor1D)
      : (op.concat(
          sets.map(([name]) => p[name] as Tensor1D),
          0,
        ) as Tensor1D);
  const weightsIn = (p: ParameterValues | Entries) =>
    Float64Array.from(sets.flatMap(([name]) => Array.from(p[name] as ArrayLike<number>)));
  const prepared = ({ rows, columns, data }: Pick<DensityStart, 'rows' | 'columns' | 'data'>): Prepared => {
    const layout = layoutOf(all, rows);
    const own = areGiven ? Float64Array.from(sets.flatMap(([, { values }]) => Array.from(values!))) : undefined;
    return {
      layout,
      factor: lazily(() => edgeFactor(layout)),
      copies: givenCopies ?? columns,
      statistics: own ?? (data && statisticsOf(all, data)),
    };
  };

  return Object.freeze<FieldDensity>({
    kind: 'density',
    name: 'maxEntropy',
    normalized: !areGiven,
    exact: true,
    centered: true,
    takesMissing: false,
    independent: false,
    isSparse: true,
    precision: (p, _, { constants }) => {
      const { layout, factor } = constants as Prepared;
      return sparsePrecision(entryTensors(layout, multipliers(p), base), layout, factor);
    },
    ...(areGiven && { points: 1 + Math.max(...all.map(({ form }) => Math.max(...Array.from(form.columns)))) }),
    parameters: (start) => {
      const { copies, statistics } = prepared(start);
      let from = 0;
      return Object.fromEntries(
        sets.map(([name, { forms, at }]) => {
          const own = statistics?.subarray(from, from + forms.length);
          from += forms.length;
          const scale = Float64Array.from(forms, (_, k) =>
            Math.min(4 * slack, copies / Math.max(Math.abs(own?.[k] ?? copies), LEAST_STATISTIC * copies)),
          );
          if (!areGiven && start.data === undefined) checkSlack(name, start.variable, slack);
          checkBounded(name, own, at, slack);
          const zeros = new Array<number>(forms.length).fill(0);
          return [name, box(at === 'most' ? 0 : -4 * slack, 4 * slack, zeros, { scale })];
        }),
      );
    },
    prepare: prepared,
    logDensity: (p, { value }, context) => {
      const { layout, factor, copies, statistics } = context.constants as Prepared;
      const w = multipliers(p);
      const { diagonal, edges } = entryTensors(layout, w, base);
      const determinant = op.mul<Scalar>(copies / 2, precisionLogDeterminant(diagonal, edges, layout, factor));
      if (areGiven) return op.sub<Scalar>(determinant, op.mul(0.5, op.sum(op.mul(w, op.tensor(statistics!)))));
      const [n, columns] = value.shape;
      const own =
        statistics === undefined ? energyOf(layout, w, value) : op.sum<Scalar>(op.mul(w, op.tensor(statistics)));
      const energy = op.add(op.mul(base, op.sum(op.square(value))), own);
      return op.sub<Scalar>(op.sub(determinant, op.mul(0.5, energy)), (columns * n * log(2 * Math.PI)) / 2);
    },
    field: (p, value, constants) => {
      const { layout, factor, copies, statistics } = constants as Prepared;
      const w = weightsIn(p);
      const entries = entriesOf(layout, w, base);
      const expected = expectations(layout, inverseEntries(layout, entries, factor), all.length, copies);
      const asked = statistics ?? statisticsOf(all, value);
      return { ...momentField(layout, entries), kktResidual: residualOf(sets, w, expected, asked, copies, slack) };
    },
    curvature: (p, constants) => {
      const { layout, copies } = constants as Prepared;
      return withInverse(layout, entriesOf(layout, weightsIn(p), base), (_, U) =>
        hessianOf(all, U, layout.size, copies),
      );
    },
    search: {
      tolerance: 1e-10,
      relativeDecrease: 0,
      solver: async () => (await import('../../inference/solvers/boundedNewton.ts')).boundedNewton({}),
    },
  });
}

/** Rows that are inferred can take their statistics to 0, where nothing bounds the multipliers. */
function checkSlack(name: string, variable: string, slack: number): void {
  if (slack < Number.POSITIVE_INFINITY) return;
  throw new InvalidInputError(
    `What '${name}' expects are statistics of the rows of '${variable}', which are inferred and may take them to 0: nothing bounds its multipliers then. Give a slack, such as slack: 25.`,
  );
}

function checkBounded(
  name: string,
  statistics: Float64Array | undefined,
  at: ConstraintSet['at'],
  slack: number,
): void {
  const none = at === 'most' ? (statistics?.findIndex((own) => !(own > 0)) ?? -1) : -1;
  if (none < 0 || slack < Number.POSITIVE_INFINITY) return;
  throw new InvalidInputError(
    `Constraint ${none} of '${name}' expects at most ${statistics![none]}, so nothing bounds its multiplier. Give a slack, such as slack: 25, or leave it out.`,
  );
}

/** Places of all entries that some form has, on the diagonal first. */
function layoutOf(all: readonly Placed[], size: number): Layout {
  const edges = new Map<number, number>();
  for (const { set, form } of all) {
    for (let e = 0; e < form.rows.length; e++) {
      const [i, j] = [form.rows[e]!, form.columns[e]!];
      if (j >= size) {
        throw new InvalidInputError(
          `A constraint of '${set}' is about point ${j}, but there are ${size} points, numbered from 0.`,
        );
      }
      if (i < j) edges.set(i * size + j, 0);
    }
  }
  const keys = [...edges.keys()].sort((a, b) => a - b);
  keys.forEach((key, e) => {
    edges.set(key, e);
  });
  const constraint: number[] = [];
  const entry: number[] = [];
  const value: number[] = [];
  all.forEach(({ form }, k) => {
    for (let e = 0; e < form.rows.length; e++) {
      const [i, j] = [form.rows[e]!, form.columns[e]!];
      constraint.push(k);
      entry.push(i === j ? i : size + edges.get(i * size + j)!);
      value.push(form.values[e]!);
    }
  });
  return {
    size,
    sources: Int32Array.from(keys, (key) => Math.floor(key / size)),
    targets: Int32Array.from(keys, (key) => key % size),
    constraint: Int32Array.from(constraint),
    entry: Int32Array.from(entry),
    value: Float64Array.from(value),
  };
}

/** Entries of the precision base·I + Σ w_k·A_k. */
function entriesOf(
  { size, sources, constraint, entry, value }: Layout,
  w: Float64Array,
  base: number,
): PrecisionEntries {
  const entries = new Float64Array(size + sources.length);
  entries.fill(base, 0, size);
  for (let e = 0; e < entry.length; e++) entries[entry[e]!]! += w[constraint[e]!]! * value[e]!;
  return { diagonal: entries.slice(0, size), edges: entries.slice(size) };
}

function entryTensors({ size, sources, constraint, entry, value }: Layout, w: Tensor1D, base: number) {
  const parts = op.mul<Tensor>(op.gather(w, constraint), op.tensor(value));
  const entries = op.reshape<Tensor1D>(
    op.segmentSum(op.reshape<Tensor2D>(parts, [entry.length, 1]), entry, size + sources.length),
    [size + sources.length],
  );
  return {
    diagonal: op.add<Tensor1D>(op.slice(entries, [0], [size]), base),
    edges: op.slice<Tensor1D>(entries, [size], [sources.length]),
  };
}

/** Σ_k w_k·tr(XᵀA_kX) of rows that move. */
function energyOf(layout: Layout, w: Tensor1D, X: Tensor2D): Scalar {
  const { diagonal, edges } = entryTensors(layout, w, 0);
  const own = op.sum(op.mul(diagonal, op.sum(op.square(X), 1)));
  const across = op.sum(op.mul(edges, op.sum(op.mul(op.gather(X, layout.sources), op.gather(X, layout.targets)), 1)));
  return op.add<Scalar>(own, op.mul(2, across));
}

/** tr(XᵀA_kX) of each constraint. */
function statisticsOf(all: readonly Placed[], X: Matrix): Float64Array {
  const q = X.columns;
  return Float64Array.from(all, ({ form: { rows, columns, values } }) => {
    let total = 0;
    for (let e = 0; e < rows.length; e++) {
      const [i, j] = [rows[e]!, columns[e]!];
      let product = 0;
      for (let c = 0; c < q; c++) product += X.data[i * q + c]! * X.data[j * q + c]!;
      total += (i === j ? 1 : 2) * values[e]! * product;
    }
    return total;
  });
}

/** The entries of U = Q⁻¹ in the places of those of Q. */
function inverseEntries(layout: Layout, entries: PrecisionEntries, factor: () => EdgeFactor): PrecisionEntries {
  if (isSparse(layout)) return factor().inverse(entries);
  const { size, sources, targets } = layout;
  return withInverse(layout, entries, (_, U) => ({
    diagonal: Float64Array.from({ length: size }, (_, i) => U[i * (size + 1)]!),
    edges: Float64Array.from(sources, (i, e) => U[targets[e]! * size + i]!),
  }));
}

/** c·tr(A_kU) of each constraint. */
function expectations(
  { size, constraint, entry, value }: Layout,
  { diagonal, edges }: PrecisionEntries,
  constraints: number,
  copies: number,
): Float64Array {
  const totals = new Float64Array(constraints);
  for (let e = 0; e < entry.length; e++) {
    const at = entry[e]!;
    totals[constraint[e]!]! += value[e]! * (at < size ? diagonal[at]! : 2 * edges[at - size]!);
  }
  return totals.map((total) => copies * total);
}

/** The Hessian of minus the log density in the multipliers, c/2·tr(A_kUA_lU). */
function hessianOf(all: readonly Placed[], U: Float64Array, N: number, copies: number): Float64Array {
  const K = all.length;
  const at = (i: number, j: number) => (i >= j ? U[i * N + j]! : U[j * N + i]!);
  // Both halves of each symmetric matrix.
  const whole = all.map(({ form: { rows, columns, values } }) => {
    const entries: (readonly [number, number, number])[] = [];
    for (let e = 0; e < rows.length; e++) {
      entries.push([rows[e]!, columns[e]!, values[e]!]);
      if (rows[e] !== columns[e]) entries.push([columns[e]!, rows[e]!, values[e]!]);
    }
    return entries;
  });
  const H = new Float64Array(K * K);
  for (let k = 0; k < K; k++) {
    for (let l = 0; l <= k; l++) {
      let total = 0;
      for (const [i, j, a] of whole[k]!) for (const [m, n, b] of whole[l]!) total += a * b * at(j, m) * at(n, i);
      H[k * K + l] = (copies / 2) * total;
      H[l * K + k] = H[k * K + l]!;
    }
  }
  return H;
}

/** Largest violation of the optimality conditions, relative to what is expected: of a multiplier at 0, that the expectation is above it. */
function residualOf(
  sets: readonly (readonly [string, ConstraintSet])[],
  w: Float64Array,
  expected: Float64Array,
  asked: Float64Array,
  copies: number,
  slack: number,
): number {
  let largest = 0;
  let k = 0;
  for (const [, { forms, at }] of sets) {
    for (let own = 0; own < forms.length; own++, k++) {
      const violation = (expected[k]! - asked[k]!) / Math.max(Math.abs(asked[k]!), LEAST_STATISTIC * copies);
      // c·tr(A_kU) above what is asked wants a larger multiplier.
      if (w[k]! >= 4 * slack && violation > 0) continue;
      if (at === 'most' && w[k]! <= 0 && violation < 0) continue;
      if (at === 'exactly' && w[k]! <= -4 * slack && violation < 0) continue;
      largest = Math.max(largest, Math.abs(violation));
    }
  }
  return largest;
}
