import { describe, expect, it } from 'vitest';
import { NumericalError } from '../../../../src/core/errors.ts';
import { seededRandom } from '../../../../src/core/random.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import { patternedLogDensity } from '../../../../src/engine/tensors/linearAlgebra/patternedLogDensity.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';

const N = 60;

/** A kernel of N inputs on a line, with noise; every second input repeats the previous one if there are duplicates. */
const gram = (noise: number, hasDuplicates = false) =>
  Float64Array.from({ length: N * N }, (_, k) => {
    const [i, j] = [Math.floor(k / N), k % N].map((row) => (hasDuplicates ? row - (row % 2) : row)) as [number, number];
    return Math.exp(-(((i - j) / 6) ** 2)) + (Math.floor(k / N) === k % N ? noise : 0);
  });

/** Patterns with this share of hidden rows each, the first without any, and their entries. */
function drawn(shares: readonly number[], seed: number) {
  const random = seededRandom(seed);
  const patterns = [0, ...shares].map((share, p) => ({
    rows: Int32Array.from({ length: N }, (_, i) => i).filter(() => share === 0 || random.uniform() >= share),
    columns: 1 + (p % 2),
  }));
  return {
    patterns,
    entries: patterns.map(({ rows, columns }) =>
      Float64Array.from({ length: rows.length * columns }, () => random.normal()),
    ),
  };
}

/** The value and the gradient in K, by one operation or by the observed part of K for every pattern. */
function density(k: Float64Array, { patterns, entries }: ReturnType<typeof drawn>, isTogether: boolean, options = {}) {
  return withFloat64(() => {
    const K = op.tensor<Tensor2D>(k, [N, N]);
    const all = Float64Array.from(entries.flatMap((own) => [...own]));
    const together = () => patternedLogDensity(K, op.tensor(all, [all.length]), patterns, options);
    const apart = () =>
      patterns
        .map(({ rows, columns }, p) => {
          const chosen = Float64Array.from({ length: rows.length * N }, (_, e) =>
            rows[Math.floor(e / N)] === e % N ? 1 : 0,
          );
          const S = op.tensor<Tensor2D>(chosen, [rows.length, N]);
          const own = op.matMul(op.matMul(S, K), op.transpose(S)) as Tensor2D;
          const observations = op.tensor<Tensor2D>(entries[p]!, [rows.length, columns]);
          return op.gaussianLogDensity(own, { observations, constant: true }, options) as Scalar;
        })
        .reduce((sum, part) => op.add<Scalar>(sum, part));
    const { value, gradients } = valueAndGradients(isTogether ? together : apart, [K]);
    return { value, gradient: gradients[0]! };
  });
}

const few = [0.2, 0.2, 0.1, 0.2, 0.15, 0.2, 0.2, 0.25];

describe('the log density of columns that are observed in different rows', () => {
  // Differences grow as the condition number of K, about 10 over the noise, times the rounding error.
  it.each([
    ['few hidden rows', few, 0.1, false, 1e-14],
    ['few hidden rows and little noise', few, 1e-4, false, 1e-11],
    ['few hidden rows and too little noise to share a factor', few, 1e-7, false, 1e-8],
    ['few hidden rows of inputs that repeat', few, 1e-3, true, 1e-12],
    ['more hidden rows than share a factor', [0.5, 0.6, 0.7], 0.1, false, 1e-14],
    ['some patterns that share a factor and some that do not', [...few, 0.6, 0.8], 0.1, false, 1e-14],
    ['two patterns', [0.2], 0.1, false, 1e-14],
  ])('is the sum over patterns, each with a separate factor: %s', (_, shares, noise, hasDuplicates, within) => {
    const data = drawn(shares, 7);
    const K = gram(noise, hasDuplicates);
    const [one, all] = [density(K, data, true), density(K, data, false)];
    expect(Math.abs(one.value / all.value - 1)).toBeLessThan(within);
    const largest = all.gradient.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    // K is symmetric: only the sum of the two gradients of a pair matters.
    const ofPair = (gradient: ArrayLike<number>, i: number, j: number) => gradient[i * N + j]! + gradient[j * N + i]!;
    let off = 0;
    for (let i = 0; i < N; i++)
      for (let j = 0; j <= i; j++)
        off = Math.max(off, Math.abs(ofPair(one.gradient, i, j) - ofPair(all.gradient, i, j)));
    expect(off / largest).toBeLessThan(100 * within);
  });

  it('has the gradient of its differences', () => {
    const data = drawn(few, 8);
    const K = gram(0.1);
    const { gradient } = density(K, data, true);
    const direction = gram(0).map((x, k) => x * Math.cos(Math.floor(k / N) + (k % N)));
    const step = 1e-5;
    const at = (t: number) =>
      density(
        K.map((x, k) => x + t * direction[k]!),
        data,
        true,
      ).value;
    const slope = direction.reduce((sum, x, k) => sum + x * gradient[k]!, 0);
    expect(slope / ((at(step) - at(-step)) / (2 * step))).toBeCloseTo(1, 6);
  });

  it('adds jitter as for a factor of each pattern, and fails as it does', () => {
    const data = drawn(few, 9);
    const indefinite = gram(-2);
    expect(() => density(indefinite, data, true)).toThrow(NumericalError);
    expect(() => density(indefinite, data, false)).toThrow(NumericalError);
    const singular = gram(0, true);
    const jitters = (isTogether: boolean) => {
      const found: number[] = [];
      const { value } = density(singular, data, isTogether, { onJitter: (jitter: number) => found.push(jitter) });
      return { found, value };
    };
    const [one, all] = [jitters(true), jitters(false)];
    expect(one.found.length).toBeGreaterThan(0);
    expect(one.found).toEqual(all.found);
    expect(Math.abs(one.value / all.value - 1)).toBeLessThan(1e-6);
  });
});
