import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { givenOptions } from '../../core/options.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { positive, real } from '../parameter.ts';
import { defineLikelihood, drawnEntries, type Likelihood, type LikelihoodFactory } from './likelihood.ts';

/** Options of {@link ordinal}. */
export interface OrdinalOptions {
  /** Number of grades K ≥ 2. */
  readonly levels?: number;
  /** Lowest grade m, a whole number, default 0: observations are m … m + K − 1. */
  readonly from?: number;
  /** First of the K − 1 cut points, a number or a parameter. */
  readonly first?: Parameters<typeof real>[0];
}

interface Options {
  readonly levels: number;
  readonly from: number;
}

/**
 * Ordered grades 0 … K − 1, or m … m + K − 1, by the cumulative logit: p(y ≤ k|f) = σ(c_k − f) with cut points c_0 < c_1 < … < c_{K−2}, so that
 * log p(y = k|f) = −softplus(f − c_k) − softplus(c_{k−1} − f) + log(1 − exp(c_{k−1} − c_k)), without the terms of cut points that do not exist.
 *
 * @param overrides - `levels` K (5); `from`, the lowest grade (0); `first`, the first cut point, and `gaps`, K − 2 positive gaps between them (default 1 each, about 0)
 * @throws InvalidInputError for fewer than two levels; when a model is made, for grades outside the range
 * @see McCullagh 1980
 * @example
 * ```ts
 * bayesianGplvm(grades, { latentDim: 2, inducing: 20, likelihood: ordinal({ levels: 5 }) });
 * ```
 */
export const ordinal = (overrides: Readonly<Record<string, unknown>> = {}): Likelihood => {
  const own = givenOptions(overrides, 'ordinal');
  const levels = readLevels(own.levels ?? 5);
  return factoryFor(levels)({ ...own, levels });
};

function factoryFor(levels: number): LikelihoodFactory<'first' | 'gaps', Options> {
  return defineLikelihood<'first' | 'gaps', Options>({
    name: 'ordinal',
    parameters: {
      first: real(-(levels - 2) / 2),
      gaps: positive(new Array<number>(Math.max(1, levels - 2)).fill(1)),
    },
    options: { levels: readLevels, from: readFrom },
    logDensity: (p, f, y, { from = 0 }) =>
      gradeDensity(cutsOf(p, levels), f, from === 0 ? y : op.sub<Tensor2D>(y, from), levels),
    momentsAt: (p, f, { from = 0 }) => {
      // p(y > k|f) = σ(f − c_k), E[y] = Σ_k p(y > k), E[y²] = Σ_k (2k + 1)·p(y > k).
      const above = op.sigmoid(op.sub(op.reshape<Tensor>(f, [...f.shape, 1]), cutsOf(p, levels)));
      const odd = Array.from({ length: levels - 1 }, (_, k) => 2 * k + 1);
      const average = op.sum<Tensor2D>(above, 2);
      const squares = op.sum<Tensor2D>(op.mul(above, op.tensor(odd)), 2);
      return { mean: op.add<Tensor2D>(average, from), variance: op.sub<Tensor2D>(squares, op.square(average)) };
    },
    sample: (p, f, random, { from = 0 }) => {
      const cuts = doublesOf(cutsOf(p, levels));
      // The grade is the number of cut points below the sum of f and a logistic variable.
      return drawnEntries(f, [], (entry) => {
        const u = random.uniform();
        const moved = entry + log(u / (1 - u));
        return cuts.reduce<number>((grade, cut) => grade + (cut < moved ? 1 : 0), from);
      });
    },
    start: (y, { from = 0 }) => y - from - (levels - 1) / 2,
    refuses: (y, { from = 0 }) =>
      Number.isInteger(y) && y >= from && y < from + levels
        ? undefined
        : `a grade, a whole number from ${from} to ${from + levels - 1}${y === levels ? `; grades from 1 to ${levels} take from: 1` : ''}`,
  });
}

/** The K − 1 cut points. */
function cutsOf({ first, gaps }: Readonly<Record<'first' | 'gaps', Tensor>>, levels: number): Tensor {
  if (levels === 2) return op.reshape(first, [1]);
  const steps = Float64Array.from({ length: (levels - 1) * (levels - 2) }, (_, i) =>
    i % (levels - 2) < Math.floor(i / (levels - 2)) ? 1 : 0,
  );
  const sums = op.matMul(op.tensor(steps, [levels - 1, levels - 2]), op.reshape(gaps, [levels - 2, 1]));
  return op.add(first, op.reshape(sums, [levels - 1]));
}

function gradeDensity(cuts: Tensor, f: Tensor2D, y: Tensor2D, levels: number): Tensor2D {
  const grades = doublesOf(y);
  const at = (shift: number) => {
    const places = Int32Array.from(grades, (k) => Math.min(levels - 2, Math.max(0, k - shift)));
    return op.reshape<Tensor2D>(op.gather(cuts, places), f.shape);
  };
  const where = (holds: (k: number) => boolean) =>
    op.tensor<Tensor2D>(
      Float64Array.from(grades, (k) => (holds(k) ? 1 : 0)),
      f.shape,
    );
  const [upper, lower] = [at(0), at(1)];
  const hasUpper = where((k) => k < levels - 1);
  const hasLower = where((k) => k > 0);
  const both = op.mul(hasUpper, hasLower);
  // Where one of the two cut points does not exist, a gap of 1 in place of 0 keeps the logarithm finite; it is not used.
  const gap = op.add(op.mul(both, op.sub(upper, lower)), op.sub(1, both));
  const between = op.mul(both, op.log(op.sub(1, op.exp(op.neg(gap)))));
  const below = op.mul(hasUpper, op.softplus(op.sub(f, upper)));
  const above = op.mul(hasLower, op.softplus(op.sub(lower, f)));
  return op.sub<Tensor2D>(between, op.add(below, above));
}

function readFrom(given: unknown): number {
  if (Number.isInteger(given)) return given as number;
  throw new InvalidInputError(
    `Option 'from' of likelihood 'ordinal', the lowest grade, must be a whole number, but ${describe(given)} was given.`,
  );
}

function readLevels(given: unknown): number {
  if (Number.isInteger(given) && (given as number) >= 2) return given as number;
  throw new InvalidInputError(
    `Option 'levels' of likelihood 'ordinal' must be a whole number from 2, but ${describe(given)} was given.`,
  );
}
