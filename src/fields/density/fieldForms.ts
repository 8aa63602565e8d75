import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { type EdgeFactor, edgeFactor, isSparse, laplacianFactor } from '../../engine/sparse/index.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { sparsePrecision } from '../../priors/sparsePrecision.ts';
import { type ConstraintSet, formsOf, type QuadraticForm } from '../constraints.ts';
import { laplacianField, momentField, supportOf } from '../embedding/fieldEmbedding.ts';
import { commonSquaredDistance } from '../observed/commonEntries.ts';
import { type PrecisionEntries, withInverse } from '../solvers/momentProblem.ts';
import { curvedField } from './curvedField.ts';
import { edgeDistances, edgeSquaredDistances } from './edgeSquaredDistances.ts';
import { fieldDensity, fieldFactor, sparseField } from './fieldDensity.ts';
import type { FieldForm } from './fieldForm.ts';
import { precisionLogDeterminant } from './momentDensity.ts';

/** Fields of precision λI + L(w), L the Laplacian of a graph with weights w. Their statistics are squared distances at its edges. */
export function distanceForm(graph: Graph, base: number): FieldForm {
  const { size, sources, targets } = graph;
  const factor = lazily(() => edgeFactor(graph));
  return {
    size,
    statisticsOf: (X) => (X.data.some(Number.isNaN) ? commonDistances(X, graph) : edgeDistances(X, graph)),
    statistics: (X) => edgeSquaredDistances(X, graph),
    precision: (w, own) => {
      const ofEnds = (ends: Int32Array) => op.segmentSum(op.reshape<Tensor2D>(w, [w.size, 1]), ends, size);
      const degrees = op.reshape<Tensor1D>(op.add(ofEnds(sources), ofEnds(targets)), [size]);
      return sparsePrecision({ diagonal: op.add(degrees, own), edges: op.neg(w) }, graph, factor);
    },
    learned: (w) => {
      const learned = supportOf(graph, w);
      return { graph: learned, field: laplacianField(learned, base) };
    },
    open: (keeps) => {
      const curved = !keeps || isSparse(graph) ? undefined : curvedField(graph);
      const field = lazily(() => curved ?? (keeps ? sparseField(laplacianFactor(graph)) : fieldFactor(graph)));
      return {
        dual: (w, statistics, copies) => fieldDensity(w, statistics, field(), base, copies),
        expected: (w) => field().evaluate(w, base).resistances,
        curvature: (w, copies) => curved?.curvature(w, base, copies),
        dispose: () => curved?.dispose(),
      };
    },
  };
}

/** Squared distances over the entries observed in both rows. */
const commonDistances = (X: Matrix, { sources, targets }: Graph): Float64Array =>
  Float64Array.from(sources, (i, e) => commonSquaredDistance(X, i, targets[e]!));

/** A constraint, with the name of its set. */
interface NamedForm {
  readonly set: string;
  readonly form: QuadraticForm;
}

/** Sparsity pattern of the precision over all constraints, and the map from multipliers to its entries. */
interface Layout {
  readonly size: number;
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  /** For each entry of each quadratic form: its constraint, its index among diagonal and edges, and its value. */
  readonly constraint: Int32Array;
  readonly entry: Int32Array;
  readonly value: Float64Array;
}

/** Number of points: the largest index in the constraints of these sets, plus one. */
export const pointsOf = (sets: readonly ConstraintSet[]): number =>
  1 + Math.max(...sets.flatMap((set) => formsOf(set).map(({ columns }) => Math.max(...Array.from(columns)))));

/**
 * Fields of precision λI + Σ_k w_k·A_k over all constraints of these sets.
 *
 * @throws InvalidInputError for a constraint on a point that does not exist
 */
export function quadraticForm(
  sets: readonly (readonly [string, ConstraintSet])[],
  size: number,
  base: number,
): FieldForm {
  const all: NamedForm[] = sets.flatMap(([set, own]) => formsOf(own).map((form) => ({ set, form })));
  const layout = layoutOf(all, size);
  const factor = lazily(() => edgeFactor(layout));
  const pairs = pairsOf(all);
  return {
    size,
    statisticsOf: (X) => statisticsOf(all, X),
    statistics: (X) => {
      const across = op.mul(op.gather<Tensor2D>(X, pairs.rows), op.gather<Tensor2D>(X, pairs.columns));
      const own = op.mul(op.sum(across, 1), op.tensor(pairs.values));
      return op.reshape<Tensor1D>(
        op.segmentSum(op.reshape<Tensor2D>(own, [pairs.values.length, 1]), pairs.constraints, all.length),
        [all.length],
      );
    },
    precision: (w, own) => sparsePrecision(entryTensors(layout, w, own), layout, factor),
    learned: (w) => momentField(layout, entriesOf(layout, w, base)),
    open: () => ({
      dual: (w, statistics, copies) => {
        const { diagonal, edges } = entryTensors(layout, w, base);
        const determinant = op.mul<Scalar>(copies / 2, precisionLogDeterminant(diagonal, edges, layout, factor));
        const s = statistics instanceof Float64Array ? op.tensor(statistics) : statistics;
        return op.sub<Scalar>(determinant, op.mul(0.5, op.sum(op.mul(w, s))));
      },
      expected: (w) => expectations(layout, inverseEntries(layout, entriesOf(layout, w, base), factor), all.length),
      curvature: (w, copies) =>
        withInverse(layout, entriesOf(layout, w, base), (_, U) => hessianOf(all, U, size, copies)),
      dispose: () => undefined,
    }),
  };
}

/** Entries of all forms; those off the diagonal count twice. */
function pairsOf(all: readonly NamedForm[]) {
  const entries = all.flatMap(({ form: { rows, columns, values } }, k) =>
    Array.from(rows, (i, e) => ({ k, i, j: columns[e]!, value: (i === columns[e] ? 1 : 2) * values[e]! })),
  );
  return {
    constraints: Int32Array.from(entries, ({ k }) => k),
    rows: Int32Array.from(entries, ({ i }) => i),
    columns: Int32Array.from(entries, ({ j }) => j),
    values: Float64Array.from(entries, ({ value }) => value),
  };
}

/** Positions of all entries that occur in some form, with the diagonal first. */
function layoutOf(all: readonly NamedForm[], size: number): Layout {
  const edges = new Map<number, number>();
  for (const { set, form } of all) {
    for (let e = 0; e < form.rows.length; e++) {
      const [i, j] = [form.rows[e]!, form.columns[e]!];
      if (j >= size) {
        throw new InvalidInputError(
          `A constraint of '${set}' is about point index ${j}, but there are ${size} points, numbered from 0.`,
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

/** tr(XᵀA_kX) for each constraint. */
function statisticsOf(all: readonly NamedForm[], X: Matrix): Float64Array {
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

/** The entries of U = Q⁻¹ at the positions of Q's entries. */
function inverseEntries(layout: Layout, entries: PrecisionEntries, factor: () => EdgeFactor): PrecisionEntries {
  if (isSparse(layout)) return factor().inverse(entries);
  const { size, sources, targets } = layout;
  return withInverse(layout, entries, (_, U) => ({
    diagonal: Float64Array.from({ length: size }, (_, i) => U[i * (size + 1)]!),
    edges: Float64Array.from(sources, (i, e) => U[targets[e]! * size + i]!),
  }));
}

/** tr(A_kU) for each constraint. */
function expectations(
  { size, constraint, entry, value }: Layout,
  { diagonal, edges }: PrecisionEntries,
  constraints: number,
): Float64Array {
  const totals = new Float64Array(constraints);
  for (let e = 0; e < entry.length; e++) {
    const at = entry[e]!;
    totals[constraint[e]!]! += value[e]! * (at < size ? diagonal[at]! : 2 * edges[at - size]!);
  }
  return totals;
}

/** Hessian of the negative log density in the multipliers, c/2·tr(A_kUA_lU). */
function hessianOf(all: readonly NamedForm[], U: Float64Array, N: number, copies: number): Float64Array {
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
