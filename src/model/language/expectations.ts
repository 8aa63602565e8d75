import { square } from '../../core/elementary/index.ts';
import type { Random } from '../../core/random.ts';
import { productRule } from '../../engine/special/gaussHermite.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { normalEntries } from '../jointDraw.ts';
import type { TermContext } from '../model.ts';
import { isCorrelated } from './correlatedRows.ts';

/** Rows of a mapped variable that are linear in Gaussian rows, represented by the moments of their entries. */
export interface LinearRows extends op.GaussianRows {
  /** Columns of the Gaussian rows that they depend on. */
  readonly parts: ReadonlyMap<string, LinearPart>;
}

interface LinearPart {
  /** Change of a row per unit of the column, n×D or 1×D. */
  readonly slope: Tensor2D;
  /** Variance of the column, n×1. */
  readonly variance: Tensor2D;
}

/** Gaussian rows as rows that are linear in themselves. */
export function baseRows(name: string, { mean, variance }: op.GaussianRows): LinearRows {
  const [n, q] = mean.shape;
  const parts = Array.from({ length: q }, (_, k): [string, LinearPart] => [
    `${name} ${k}`,
    {
      slope: op.tensor<Tensor2D>(
        Float64Array.from({ length: q }, (_, d) => (d === k ? 1 : 0)),
        [1, q],
      ),
      variance: op.slice<Tensor2D>(variance, [0, k], [n, 1]),
    },
  ]);
  return { mean, variance, parts: new Map(parts) };
}

/** The rows of a plate with these indices. */
export function pickedLinearRows({ mean, variance, parts }: LinearRows, plate: string, rows: Int32Array): LinearRows {
  const own = (all: Tensor2D) => (all.shape[0] === 1 ? all : op.gather<Tensor2D>(all, rows));
  return {
    mean: op.gather<Tensor2D>(mean, rows),
    variance: op.gather<Tensor2D>(variance, rows),
    parts: new Map(
      [...parts].map(([key, part]) => [
        `${key}@${plate}`,
        { slope: own(part.slope), variance: op.gather<Tensor2D>(part.variance, rows) },
      ]),
    ),
  };
}

/**
 * Rows of a map that is affine in its inputs. Each entry is Gaussian with variance Σ_k a_k²·s_k over the columns k that it depends on; correlations
 * between columns of the result are ignored.
 *
 * @param inputs - rows that are linear in Gaussian rows, and points
 * @returns undefined if one column is reached through different rows of a plate, whose covariances are not stored
 */
export function mappedLinearRows(
  inputs: readonly (Tensor2D | LinearRows)[],
  apply: (inputs: readonly Tensor2D[]) => Tensor2D,
): LinearRows | undefined {
  const isLinear = (input: Tensor2D | LinearRows): input is LinearRows => 'parts' in input;
  const all = new Map(inputs.flatMap((input) => (isLinear(input) ? [...input.parts] : [])));
  const columns = new Set([...all.keys()].map((key) => key.split('@')[0]));
  if (columns.size < all.size) return undefined;
  const meanOf = (input: Tensor2D | LinearRows) => (isLinear(input) ? input.mean : input);
  const mean = apply(inputs.map(meanOf));
  const parts = new Map<string, LinearPart>();
  for (const [key, { variance }] of all) {
    const moved = inputs.map((input) => {
      const slope = isLinear(input) ? input.parts.get(key)?.slope : undefined;
      return slope === undefined ? meanOf(input) : op.add<Tensor2D>(meanOf(input), slope);
    });
    parts.set(key, { slope: op.sub<Tensor2D>(apply(moved), mean), variance });
  }
  const variance = [...parts.values()]
    .map((part) => op.mul<Tensor2D>(op.square(part.slope), part.variance))
    .reduce((sum, own) => op.add<Tensor2D>(sum, own));
  return { mean, variance, parts };
}

/** Values shared by the points of one evaluation, and the points that replace Gaussian rows for densities that need them. */
export interface Points {
  /** Gaussian rows by the names of their variables. */
  readonly spreads: Map<string, op.GaussianRows>;
  /** Rows of mapped variables that are linear in these, by name. */
  readonly linear: Map<string, LinearRows>;
  /** Terms of densities that do not depend on the points, by path. */
  readonly fixed: Map<string, Scalar>;
  /** Points for the Gaussian rows of a variable; `isByRow` if each row of other variables depends on at most one of them. */
  at(name: string, rows: op.GaussianRows, isByRow: boolean): Tensor2D;
  /** Reports a density at these points whose rows depend on each other. */
  onJointDensity(): void;
}

/** Method of taking expectations that have no closed form, chosen by the first evaluation of all rows. */
export interface Averaging {
  /** Columns of the variables whose rows are replaced by points, by name: none if all expectations have a closed form. */
  columns?: ReadonlyMap<string, number>;
  /** True if each density depends on one row of each of these variables. */
  isByRow?: boolean;
}

/** Nodes of each column, by the number of columns. */
const NODES = [1, 10, 5, 4];

const widthOf = (columns: ReadonlyMap<string, number>): number =>
  [...columns.values()].reduce((sum, own) => sum + own, 0);

/** Number of times that all draws are repeated to measure the error of an average over them. */
const REPEATS = 8;

/**
 * Expected terms. A batch of rows uses one draw, new in each iteration. For all rows, expectations use Gauss–Hermite quadrature of each row if
 * densities have independent rows that depend on at most three random columns; otherwise the mean over eight draws, because an optimizer would
 * overfit a single draw that is the same in each evaluation. Each entry of a variable visits the eight points of {@link SHARES} in a separate random
 * order (a Latin hypercube).
 *
 * @param averaging - method of taking expectations, set by the first evaluation
 * @see McKay, Beckman & Conover 1979
 */
export function expectedTerms(
  context: TermContext,
  averaging: Averaging,
  termsAt: (points: Points) => Record<string, Scalar>,
): Record<string, Scalar> {
  const shared = {
    spreads: new Map<string, op.GaussianRows>(),
    linear: new Map<string, LinearRows>(),
    fixed: new Map<string, Scalar>(),
    onJointDensity: () => {},
  };
  if (context.batch) {
    const at = (name: string, rows: op.GaussianRows) => {
      context.onApproximation?.({ name: 'draws', of: [name], count: 1 });
      return drawnRows(rows, normalEntries(context.random, ...rows.mean.shape));
    };
    return termsAt({ ...shared, at });
  }
  const { onApproximation } = context;
  const isQuadrature = () => averaging.isByRow === true && widthOf(averaging.columns!) < NODES.length;
  const quadrature = (columns: ReadonlyMap<string, number>) => {
    const count = NODES[widthOf(columns)]!;
    const by = (nodes: number) => byQuadrature(columns, shared, termsAt, nodes);
    const found = by(count);
    onApproximation?.({ name: 'quadrature', of: [...columns.keys()], count }, () => ({
      error: totalOf(found) - totalOf(by(count + 2)),
    }));
    return found;
  };
  const before = averaging.columns;
  if (before !== undefined && before.size > 0 && isQuadrature()) return quadrature(before);
  const drawn = new Map<string, readonly Tensor2D[]>();
  const columns = new Map<string, number>();
  let isByRow = true;
  const termsOf = (k: number) =>
    termsAt({
      ...shared,
      at: (name, rows, isOwn) => {
        isByRow &&= isOwn;
        const all = drawn.get(name) ?? stratifiedEntries(context.random, rows.mean.shape);
        drawn.set(name, all);
        columns.set(name, rows.mean.shape[1]);
        return drawnRows(rows, all[k]!);
      },
      onJointDensity: () => {
        isByRow = false;
      },
    });
  const first = termsOf(0);
  Object.assign(averaging, { columns, isByRow });
  if (drawn.size === 0) return first;
  if (isQuadrature()) return quadrature(columns);
  const meanFrom = (own: Record<string, Scalar>) => {
    const all = SHARES.map((_, k) => (k === 0 ? own : termsOf(k)));
    const mean = (term: string) => op.mul<Scalar>(1 / SHARES.length, sumInPairs(all.map((terms) => terms[term]!)));
    return Object.fromEntries(Object.keys(own).map((term) => [term, mean(term)]));
  };
  const found = meanFrom(first);
  onApproximation?.({ name: 'draws', of: [...columns.keys()], count: SHARES.length }, () => {
    const others = Array.from({ length: REPEATS }, () => {
      drawn.clear();
      return totalOf(found) - totalOf(meanFrom(termsOf(0)));
    });
    const error = others.reduce((sum, other) => sum + other) / REPEATS;
    const squares = others.reduce((sum, other) => sum + square(other - error), 0);
    return { error, standardError: Math.sqrt(squares / (REPEATS * (REPEATS - 1))) };
  });
  return found;
}

/** Terms with all rows at each node of a product rule in turn, summed with the weights of the nodes: rows are independent, so each is integrated over its columns. */
function byQuadrature(
  columns: ReadonlyMap<string, number>,
  shared: Omit<Points, 'at'>,
  termsAt: (points: Points) => Record<string, Scalar>,
  count: number,
): Record<string, Scalar> {
  const from = new Map<string, number>();
  let at = 0;
  for (const [name, own] of columns) {
    from.set(name, at);
    at += own;
  }
  const sums: Record<string, Scalar> = {};
  for (const { at: chosen, weight } of productRule(count, at)) {
    const terms = termsAt({
      ...shared,
      at: (name, { mean, variance }) => {
        const [first, q] = [from.get(name)!, mean.shape[1]];
        const entries = Float64Array.from({ length: q }, (_, d) => chosen[first + d]!);
        return op.add<Tensor2D>(mean, op.mul(op.sqrt(variance), op.tensor<Tensor2D>(entries, [1, q])));
      },
    });
    for (const [name, term] of Object.entries(terms)) {
      const own = op.mul<Scalar>(weight, term);
      sums[name] = name in sums ? op.add<Scalar>(sums[name]!, own) : own;
    }
  }
  return sums;
}

const totalOf = (terms: Record<string, Scalar>): number =>
  Object.values(terms).reduce((sum, term) => sum + op.valueOf(term), 0);

/** A sum of 2^k terms, exact if they are equal. */
const sumInPairs = (each: readonly Scalar[]): Scalar =>
  each.length === 1
    ? each[0]!
    : op.add<Scalar>(sumInPairs(each.slice(0, each.length / 2)), sumInPairs(each.slice(each.length / 2)));

/** Midpoints of eight equal shares of the standard normal distribution, to a thousandth, at variance 1. */
const HALF = [157, 489, 887, 1534].map((share) => share / Math.sqrt(850923.75));
export const SHARES: readonly number[] = [...HALF, ...HALF.map((share) => -share)];

/** One draw per share: each entry visits all shares in a separate random order. */
export function stratifiedEntries({ integer }: Random, [n, q]: readonly [number, number]): Tensor2D[] {
  const draws = SHARES.map(() => new Float64Array(n * q));
  for (let i = 0; i < n * q; i++) {
    const order = [...SHARES];
    for (let k = order.length - 1; k >= 0; k--) {
      const other = integer(k + 1);
      draws[k]![i] = order[other]!;
      order[other] = order[k]!;
    }
  }
  return draws.map((entries) => op.tensor<Tensor2D>(entries, [n, q]));
}

/** A reparameterized draw of Gaussian rows, differentiable in their means and variances. */
function drawnRows(rows: op.GaussianRows, entries: Tensor2D): Tensor2D {
  const { mean, variance } = rows;
  if (!isCorrelated(rows)) return op.add<Tensor2D>(mean, op.mul(op.sqrt(variance), entries));
  const columns = rows.factors.map((F, d) => op.matMul<Tensor2D>(F, op.slice(entries, [0, d], [-1, 1])));
  return op.add<Tensor2D>(mean, op.concat(columns, 1));
}
