import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { tensorMatrix } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { categorical } from '../../src/model/entrywise/categorical.ts';
import { expectedSoftplus } from '../../src/model/entrywise/expectedSoftplus.ts';
import { logChoices } from '../../src/model/entrywise/logChoices.ts';
import { normalExpectation } from '../../src/model/entrywise/normalExpectation.ts';
import { densityNodes, nodesPerDimension } from '../../src/processes/variational/expectedDensity.ts';

const random = seededRandom(5);
const numbers = (count: number, of: () => number = random.normal) => Float64Array.from({ length: count }, of);

/** Largest difference of the values and of the gradients of two functions of tensors, relative to the largest entry of each. */
function differences(
  inputs: readonly { readonly data: Float64Array; readonly shape: number[] }[],
  fused: (...x: Tensor2D[]) => Tensor,
  plain: (...x: Tensor2D[]) => Tensor,
): number {
  return withFloat64(() => {
    const x = inputs.map(({ data, shape }) => op.tensor<Tensor2D>(data, shape));
    const weights = numbers(plain(...x).size);
    const of = (f: typeof fused) =>
      valueAndGradients(() => {
        const y = f(...x);
        return op.sum(op.mul(op.tensor(weights, y.shape), y));
      }, x);
    const [a, b] = [of(fused), of(plain)];
    const gaps = a.gradients.map((own, i) => {
      const other = b.gradients[i]!;
      const size = other.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
      return own!.reduce((most, entry, k) => Math.max(most, Math.abs(entry - other[k]!)), 0) / size;
    });
    return Math.max(Math.abs(a.value - b.value) / Math.abs(b.value), ...gaps);
  });
}

describe('expectations in one pass agree with single operations', () => {
  test.each([1e-4, 0.001, 1 / 64, 1 / 20, 1 / 16, 1 / 8, 1 / 4, 0.5, 4, 100])(
    'log(1 + exp f) at a variance of %d',
    (variance) => {
      const shape = [7, 40];
      const mean = numbers(280, () => 6 * random.normal());
      mean.set([-800, -40, 0, 40, 800]);
      const variances = numbers(280, () => variance * (0.9 + 0.1 * random.uniform()));
      const plain = (m: Tensor2D, v: Tensor2D) => normalExpectation(m, v, (f) => op.softplus(f));
      const inputs = [
        { data: mean, shape },
        { data: variances, shape },
      ];
      // The plain slope in a small variance divides differences of rounded numbers by its root.
      expect(differences(inputs, expectedSoftplus, plain)).toBeLessThan(variance < 0.1 ? 1e-11 : 1e-12);
    },
  );

  test('a variance of 0 has the slope σ(m)·(1 − σ(m))/2', () => {
    withFloat64(() => {
      const v = op.zeros<Tensor2D>([1, 1]);
      const { gradients } = valueAndGradients(() => op.sum(expectedSoftplus(op.tensor<Tensor2D>([[0.3]]), v)), [v]);
      const share = 1 / (1 + Math.exp(-0.3));
      expect(gradients[0]![0]).toBeCloseTo((share * (1 - share)) / 2, 14);
    });
  });

  test.each([[[1, 1]], [[3]], [[40, 3]]])('log Γ(y + r) − log Γ(r) − log y! for sizes of shape %j', (shape) => {
    const y = numbers(120, () => random.integer(30));
    y.set([0, 5000, 4096, 4095]);
    const sizes = numbers(
      shape.reduce((a, b) => a * b),
      () => 0.2 + 3 * random.uniform(),
    );
    withFloat64(() => {
      const counts = op.tensor<Tensor2D>(y, [40, 3]);
      const plain = (r: Tensor) =>
        op.sub(op.lgamma(op.add(counts, r)), op.add(op.lgamma(r), op.lgamma(op.add(counts, 1))));
      expect(differences([{ data: sizes, shape }], (r) => logChoices(counts, r), plain)).toBeLessThan(1e-13);
    });
  });

  test('the bound on log Σ exp f of categories with 2, 4 and 3 levels', () => {
    const levels = [2, 4, 3];
    const likelihood = categorical({ levels });
    const shape = [20, 9];
    const y = Float64Array.from({ length: 180 }, (_, i) => (i % 9 === 1 || i % 9 === 4 || i % 9 === 6 ? 1 : 0));
    // ½·Σ b²s + log Σ exp(a + (½ − b)·s) with b = softmax(a).
    const plain = (mean: Tensor2D, variance: Tensor2D) => {
      let from = 0;
      const parts = levels.map((size) => {
        const some = (x: Tensor2D) => op.slice<Tensor2D>(x, [0, from], [20, size]);
        const [a, s] = [some(mean), some(variance)];
        from += size;
        const b = op.exp(op.sub(a, op.logSumExp(a, 1, true)));
        const tilted = op.add(a, op.mul(op.sub(0.5, b), s));
        const squares = op.mul(0.5, op.sum(op.mul(op.square(b), s), 1, true));
        return op.sub<Tensor2D>(a, op.add(squares, op.logSumExp(tilted, 1, true)));
      });
      return op.mul(op.tensor(y, shape), op.concat(parts, 1));
    };
    const inputs = [
      { data: numbers(180, () => 3 * random.normal()), shape },
      { data: numbers(180, () => 2 * random.uniform()), shape },
    ];
    const fused = (mean: Tensor2D, variance: Tensor2D) =>
      likelihood.expectation!({}, mean, variance, op.tensor<Tensor2D>(y, shape));
    expect(differences(inputs, fused, plain)).toBeLessThan(1e-13);
  });
});

describe('nodes of the latents', () => {
  const moment = (rows: number, powers: readonly number[]) =>
    withFloat64(() => {
      const noDraws = () => {
        throw new Error('drawn');
      };
      const { moves, weights } = densityNodes(2, noDraws, 2, rows);
      const at = tensorMatrix(moves);
      return weights.reduce(
        (sum, weight, k) => sum + weight * at.at(k, 0) ** powers[0]! * at.at(k, 1) ** powers[1]!,
        0,
      );
    });

  test.each([
    [1000, 25, [8, 8], 105 ** 2],
    [1001, 9, [4, 4], 9],
  ])('%d rows take %d, which are exact for x^%j', (rows, count, powers, expected) => {
    expect(nodesPerDimension(2, rows)! ** 2).toBe(count);
    expect(moment(rows, powers)).toBeCloseTo(expected, 8);
  });
});
