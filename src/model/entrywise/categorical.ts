import * as tf from '@tensorflow/tfjs-core';
import { exp, log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import { givenOptions } from '../../core/options.ts';
import { gaussHermite } from '../../engine/special/gaussHermite.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import type { MatrixKernel } from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { ObservationSupport } from '../language/support.ts';
import { defineLikelihood, type Likelihood } from './likelihood.ts';
import { ofMoments } from './slopedOperation.ts';

/** Options of {@link categorical}. */
export interface CategoricalOptions {
  /** Number of levels of each category, whose columns are adjacent; default one category with a level for each column. */
  readonly levels?: readonly number[];
}

/**
 * Categories: each has K columns, one per level, with 1 in one of them and 0 in the others, and p(level k|f) = exp f_k / Σ_l exp f_l with a function
 * for each column. Moments of a column are the probability P of its level and P·(1 − P); a missing category is NaN in all of its columns.
 *
 * Under f ~ N(a, diag s) the expectation Σ_k y_k·a_k − E[log Σ exp f_k] has no closed form and is replaced by a lower bound: E[log Σ exp f_k] ≤ ½·Σ
 * b_k²·s_k + log Σ exp(a_k + (½ − b_k)·s_k) for any b, here b = softmax(a). Probabilities are exact up to a quadrature in one dimension for any
 * number of levels: with independent Gumbel variables e_k, P = p(f_k + e_k is the largest).
 *
 * @param overrides - `levels`, the numbers of levels of several categories
 * @throws InvalidInputError for fewer than two levels; when a model is made, for rows that are not 1 in one column of each category and 0 in the others
 * @see Knowles & Minka 2011, eq. 6, for the bound
 * @example
 * ```ts
 * const plan = [[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]; // basic, team, basic, pro
 * bayesianGplvm(plan, { latentDim: 1, inducing: 3, likelihood: categorical() });
 * ```
 */
export const categorical = (overrides: CategoricalOptions = {}): Likelihood => {
  const likelihood = factory(givenOptions(overrides, 'categorical'));
  const support = ofWholeRows(likelihood.support!, likelihood);
  return Object.freeze<Likelihood>({ ...likelihood, support });
};

const factory = defineLikelihood<never, { readonly levels: readonly number[] }>({
  name: 'categorical',
  options: { levels: readLevels },
  logDensity: (_p, f, y, options) => {
    const groups = groupsOf(f, options);
    return op.mul<Tensor2D>(y, op.sub(f, groups.spread(logTotal(f, groups))));
  },
  expectation: (_p, mean, variance, y, options) => {
    const { sizes, spread } = groupsOf(mean, options);
    const bound = ofMoments(BOUND, mean, variance, { sizes }, spread);
    return op.mul<Tensor2D>(y, op.sub(mean, spread(bound)));
  },
  exactExpectation: (_p, mean, variance, y, options) => {
    const groups = groupsOf(mean, options);
    const { largest } = overLargest(mean, variance, groups, FINEST);
    return op.mul<Tensor2D>(y, op.sub(mean, groups.spread(op.sub(largest, EULER))));
  },
  logPredictive: (_p, mean, variance, y, options) => {
    const { probability } = overLargest(mean, variance, groupsOf(mean, options), COARSE);
    return op.mul<Tensor2D>(y, op.log(op.add(probability, TINY)));
  },
  moments: (_p, mean, variance, options) => {
    const { probability } = overLargest(mean, variance, groupsOf(mean, options), FINE);
    return { mean: probability, variance: op.mul<Tensor2D>(probability, op.sub(1, probability)) };
  },
  sample: (_p, f, random, options) => {
    const { sizes } = groupsOf(f, options);
    const [n, width] = f.shape;
    const [entries, drawn] = [doublesOf(f), new Float64Array(n * width)];
    for (let i = 0; i < n; i++) {
      let from = i * width;
      for (const size of sizes) {
        const own = entries.subarray(from, from + size);
        const most = own.reduce((a, b) => Math.max(a, b));
        const weights = own.map((entry) => exp(entry - most));
        let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
        const level = weights.findIndex((weight) => {
          left -= weight;
          return left < 0;
        });
        drawn[from + (level < 0 ? size - 1 : level)] = 1;
        from += size;
      }
    }
    return op.tensor<Tensor2D>(drawn, f.shape);
  },
  start: (y) => 2 * y - 1,
  refuses: (y) => (y === 0 || y === 1 ? undefined : '1 in the column of its level and 0 in the others'),
});

/** Columns of several categories, which are adjacent. */
interface Groups {
  readonly sizes: readonly number[];
  /** Sums over the columns of each category, n×W to n×C. */
  readonly total: (x: Tensor2D) => Tensor2D;
  /** Copies a number for each category to all of its columns, n×C to n×W. */
  readonly spread: (x: Tensor2D) => Tensor2D;
}

function groupsOf({ shape: [, width] }: Pick<Tensor2D, 'shape'>, { levels }: CategoricalOptions): Groups {
  const sizes = sizesOf(width, levels);
  const indicators = new Float64Array(width * sizes.length);
  let column = 0;
  sizes.forEach((size, c) => {
    for (let k = 0; k < size; k++) indicators[column++ * sizes.length + c] = 1;
  });
  const G = op.tensor<Tensor2D>(indicators, [width, sizes.length]);
  return {
    sizes,
    total: (x) => op.matMul<Tensor2D>(x, G),
    spread: (x) => op.matMul<Tensor2D>(x, G, false, true),
  };
}

function sizesOf(width: number, levels: readonly number[] = [width]): readonly number[] {
  const total = levels.reduce((sum, own) => sum + own, 0);
  if (total === width && width > 1) return levels;
  throw new InvalidInputError(
    `Likelihood 'categorical' has a column for each level, ${levels.join(' + ')}${levels.length > 1 ? ` = ${total}` : ''}, but the observations have ${width}. Give a column of 0 and 1 for each of at least two levels.`,
  );
}

/** The bound on E[log Σ exp f] of each category, n×C. */
const BOUND: MatrixKernel<Pick<Groups, 'sizes'>> = {
  name: 'latentfield.CategoricalBound',
  inputs: ['mean', 'variance'],
  outputs: ([mean], { sizes }) => [[mean![0]!, sizes.length], mean!, mean!],
  compute({ memory, inputs, outputs }, [shape], { sizes }) {
    const [n, width] = shape as [number, number];
    const [means, variances] = inputs.map((offset) => memory.float64(offset, n * width)) as Float64Array[];
    const values = memory.float64(outputs[0]!, n * sizes.length);
    const [inMean, inVariance] = outputs.slice(1).map((offset) => memory.float64(offset, n * width)) as Float64Array[];
    const most = Math.max(...sizes);
    const [b, r] = [new Float64Array(most), new Float64Array(most)];
    let [from, c] = [0, 0];
    for (let i = 0; i < n; i++) {
      for (const size of sizes) {
        for (let k = 0; k < size; k++) b[k] = means![from + k]!;
        softmax(b, size);
        for (let k = 0; k < size; k++) r[k] = means![from + k]! + (0.5 - b[k]!) * variances![from + k]!;
        values[c] = softmax(r, size);
        // Σ_j b_j·∂/∂b_j, the part of the slopes that keeps Σ b = 1.
        let pull = 0;
        for (let k = 0; k < size; k++) {
          const weighted = b[k]! * variances![from + k]!;
          values[c]! += 0.5 * b[k]! * weighted;
          pull += weighted * (b[k]! - r[k]!);
        }
        for (let k = 0; k < size; k++) {
          const [own, tilted] = [b[k]!, r[k]!];
          inMean![from + k] = tilted + own * (variances![from + k]! * (own - tilted) - pull);
          inVariance![from + k] = 0.5 * own * own + (0.5 - own) * tilted;
        }
        from += size;
        c++;
      }
    }
  },
};

/** x ← softmax(x) for its first entries; returns log Σ exp x. */
function softmax(x: Float64Array, size: number): number {
  let most = x[0]!;
  for (let k = 1; k < size; k++) most = Math.max(most, x[k]!);
  let total = 0;
  for (let k = 0; k < size; k++) {
    const entry = exp(x[k]! - most);
    x[k] = entry;
    total += entry;
  }
  for (let k = 0; k < size; k++) x[k]! /= total;
  return most + log(total);
}

/** log Σ exp f over the columns of each category, n×C. */
function logTotal(f: Tensor2D, { sizes, total, spread }: Groups): Tensor2D {
  const [n, width] = f.shape;
  const entries = doublesOf(f);
  const most = new Float64Array(n * sizes.length);
  for (let i = 0; i < n; i++) {
    let from = i * width;
    sizes.forEach((size, c) => {
      most[i * sizes.length + c] = entries.subarray(from, from + size).reduce((a, b) => Math.max(a, b));
      from += size;
    });
  }
  const shift = op.tensor<Tensor2D>(most, [n, sizes.length]);
  return op.add<Tensor2D>(shift, op.log(total(op.exp(op.sub(f, spread(shift))))));
}

/** Gauss–Hermite nodes of each function, and the trapezoidal rule for the largest of f_k + e_k, about log Σ exp a_k. */
interface Rule {
  readonly nodes: number;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Rule whose probabilities have errors below 1e-5 if variances of functions are at most 1, and below 1e-4 up to 4. */
const FINE: Rule = { nodes: 12, from: -9.75, to: 15, step: 0.75 };
/** Rule for the gap of the bound, which is measured once: expectations of a few nats have errors below 1e-5 up to variances of 2. */
const FINEST: Rule = { nodes: 20, from: -9.75, to: 18, step: 0.5 };
/** Rule whose probabilities have errors below 5e-4 up to variances of 2: for the projection of new rows, whose search needs many. */
const COARSE: Rule = { nodes: 5, from: -4.8, to: 12, step: 1.2 };
const TINY = 1e-300;
/** Mean of a standard Gumbel variable. */
const EULER = 0.5772156649015329;

/**
 * Probability that f_k + e_k is the largest in its category, n×W, and the mean of the largest, n×C, for f ~ N(a, diag s) and independent standard
 * Gumbel variables e: ∫ F_k′(t)·Π_{l≠k} F_l(t) dt with F_k(t) = E[exp(−exp(f_k − t))].
 */
function overLargest(
  mean: Tensor2D,
  variance: Tensor2D,
  groups: Groups,
  { nodes: count, from, to, step }: Rule,
): { readonly probability: Tensor2D; readonly largest: Tensor2D } {
  const [n, width] = mean.shape;
  const { nodes, weights } = gaussHermite(count);
  const center = logTotal(mean, groups);
  const deviation = op.sqrt<Tensor2D>(op.add(variance, TINY));
  const shifted = op.sub<Tensor2D>(mean, groups.spread(center));
  // All nodes below each other.
  const rates = op.exp<Tensor2D>(
    op.concat(
      Array.from(nodes, (node) => op.add<Tensor2D>(shifted, op.mul(node, deviation))),
      0,
    ) as Tensor2D,
  );
  const rule = op.tensor<Tensor2D>(weights, [1, count]);
  const averaged = (x: Tensor2D) =>
    op.reshape<Tensor2D>(op.matMul<Tensor2D>(rule, op.reshape(x, [count, n * width])), [n, width]);
  const shareAt = (t: number) => {
    const scaled = op.mul<Tensor2D>(exp(-t), rates);
    const below = op.exp<Tensor2D>(op.neg(scaled));
    const F = op.add<Tensor2D>(averaged(below), TINY);
    const slope = averaged(op.mul<Tensor2D>(below, scaled));
    const product = groups.spread(op.exp(groups.total(op.log(F))));
    return op.mul<Tensor2D>(op.div<Tensor2D>(slope, F), product);
  };
  let [mass, first]: [Tensor2D | undefined, Tensor2D | undefined] = [undefined, undefined];
  const plus = (sum: Tensor2D | undefined, part: Tensor2D) => (sum === undefined ? part : op.add<Tensor2D>(sum, part));
  for (let k = 0; k <= (to - from) / step; k++) {
    const t = from + k * step;
    // Tensors for all nodes are needed one t at a time, unless they are on a tape.
    const share = tf.tidy(() => shareAt(t));
    mass = plus(mass, share);
    first = plus(first, op.mul<Tensor2D>(t, share));
  }
  const total = groups.total(mass!);
  return {
    probability: op.div<Tensor2D>(mass!, groups.spread(total)),
    largest: op.add<Tensor2D>(center, op.div(groups.total(first!), total)),
  };
}

/** The support of entries of 0 and 1 with one 1 per row in each category. */
function ofWholeRows(entries: ObservationSupport, { toJSON }: Pick<Likelihood, 'toJSON'>): ObservationSupport {
  const { levels } = (toJSON().options ?? {}) as CategoricalOptions;
  const check = (rows: Matrix, isChanged: boolean, name?: string) => {
    entries.check(rows, isChanged, name);
    const sizes = sizesOf(rows.columns, levels);
    for (let i = 0; i < rows.rows; i++) {
      let from = 0;
      for (const size of sizes) {
        const own = rows.row(i).subarray(from, from + size);
        const sum = own.reduce((total, entry) => total + entry, 0);
        if (sum !== 1 && !own.every(Number.isNaN)) {
          throw new InvalidInputError(
            `A category of ${entries.of} is 1 in the column of its level and 0 in the others, or NaN in all of them, but column indices ${from} to ${from + size - 1} of row index ${i}${name === undefined ? '' : ` of '${name}'`} are ${Array.from(own).join(', ')}. Correct them, or leave the row out.`,
          );
        }
        from += size;
      }
    }
  };
  return Object.freeze({ ...entries, check });
}

function readLevels(given: unknown): readonly number[] {
  if (Array.isArray(given) && given.length > 0 && given.every((own) => Number.isInteger(own) && own >= 2)) {
    return Object.freeze([...(given as number[])]);
  }
  throw new InvalidInputError(
    `Option 'levels' of likelihood 'categorical' is a list with the number of levels of each category, from 2, such as [3, 2], but ${describe(given)} was given.`,
  );
}
