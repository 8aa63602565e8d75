import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../../src/core/matrix.ts';
import { withEngine } from '../../../../src/engine/dense/index.ts';
import { matrixTensor } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { normalMatrix, symmetricMatrix } from '../../dense/matrices.ts';
import { difference } from '../../wasm/difference.ts';
import { expectGradients } from './differences.ts';

/** K formed, and its density. */
function ofCovariance(E: Tensor2D, U: Tensor2D, noise: Tensor2D, Y: Tensor2D): Scalar {
  const K = op.addDiagonal(op.add(op.gramMatrix(E), op.gramMatrix(U)) as Tensor2D, op.reshape(noise, []));
  return op.gaussianLogDensity(K, { observations: Y, constant: true });
}

function results(density: typeof ofCovariance, parts: readonly Matrix[], factor: number) {
  const [E, U, noise, Y] = parts.map(matrixTensor) as [Tensor2D, Tensor2D, Tensor2D, Tensor2D];
  return valueAndGradients(() => op.mul(factor, density(E, U, noise, Y)) as Scalar, [E, U, noise]);
}

/** Halves of the entries on both sides of the diagonal. */
function symmetricPart(n: number, entries: Float64Array): Float64Array {
  return entries.map((entry, p) => 0.5 * (entry + entries[(p % n) * n + Math.floor(p / n)]!));
}

const SIZES = [
  [1, 1, 1],
  [2, 3, 1],
  [5, 2, 3],
  [33, 0, 4],
  [64, 3, 12],
  [150, 3, 7],
] as const;

describe.each(['wasm', 'typescript'] as const)('log density under E² + UUᵀ + σ²I, %s', (engine) => {
  it.each(SIZES)('of %i points, %i features and %i columns agrees with the dense covariance', (n, r, columns) => {
    for (const noise of [1, 1e-4]) {
      const parts = [symmetricMatrix(n, 1), normalMatrix(n, r, 2), Matrix.from([[noise]]), normalMatrix(n, columns, 3)];
      withFloat64(({ memory64 }) =>
        withEngine(memory64, engine, () => {
          for (const factor of [1, -0.3]) {
            const fused = results(op.symmetricBasisLogDensity, parts, factor);
            const formed = results(ofCovariance, parts, factor);
            const expected = [symmetricPart(n, formed.gradients[0]!), ...formed.gradients.slice(1)];
            expect(difference([fused.value], [formed.value])).toBeLessThan(1e-12);
            // Inverses are as near as the condition of K, at most 10⁶ here, lets them be.
            expected.forEach((gradient, i) => {
              expect(difference(fused.gradients[i]!, gradient!)).toBeLessThan(1e-10);
            });
          }
        }),
      );
    }
  });
});

describe('gradients of the log density under E² + UUᵀ + σ²I', () => {
  it.each([1, 2, 6])('are the limits of differences: %i points', (n) => {
    const Y = normalMatrix(n, 3, 3);
    expectGradients(
      (E, U, noise) => op.symmetricBasisLogDensity(E, U, noise, matrixTensor(Y)),
      [{ at: symmetricMatrix(n, 1), symmetric: true }, { at: normalMatrix(n, 2, 2) }, { at: Matrix.from([[0.7]]) }],
    );
  });
});

describe('the log density under E² + UUᵀ + σ²I', () => {
  const density = (E: number[][], U: number[][], noise: number, Y: number[][], options = {}) =>
    withFloat64(
      () =>
        op.symmetricBasisLogDensity(op.tensor(E), op.tensor(U), op.scalar(noise), op.tensor(Y), options).dataSync()[0],
    );

  it('agrees with two independent normals for a covariance [[3, 1], [1, 3]]', () => {
    // Along (1, 1)/√2 the variance is 4, across it 2; Y = (1, 1) is √2 along it.
    const expected = -Math.log(2 * Math.PI) - 0.5 * Math.log(8) - 0.5 * (2 / 4);
    const E = [
      [0, 1],
      [1, 0],
    ];
    expect(density(E, [[1], [1]], 1, [[1], [1]])).toBeCloseTo(expected, 14);
  });

  it('adds a jitter where the covariance is singular, and reports it', () => {
    let reported = 0;
    const onJitter = (jitter: number) => {
      reported = jitter;
    };
    const E = [
      [2, 0],
      [0, 0],
    ];
    density(E, [[0], [0]], 0, [[1], [1]], { onJitter });
    // 10⁻¹⁰ of the mean of the diagonal, 2.
    expect(reported).toBeCloseTo(2e-10, 24);
  });

  it('names entries that are not finite and shapes that do not fit', () => {
    expect(() => density([[Number.NaN]], [[1]], 1, [[1]])).toThrow(/must be finite, but entry \[0\]\[0\] is NaN/);
    expect(() => density([[1]], [[1]], 1, [[Number.POSITIVE_INFINITY]])).toThrow(
      /observations \(1×1\) must be finite, but entry \[0\]\[0\] is Infinity/,
    );
    expect(() => density([[1]], [[1]], 1, [[1], [2]])).toThrow(/as many rows in Y as in E, but E is 1×1 and Y is 2×1/);
    expect(() => density([[1]], [[1], [2]], 1, [[1]])).toThrow(/as many rows in U as in E/);
    expect(() =>
      withFloat64(() => op.symmetricBasisLogDensity(op.ones([1, 1]), op.ones([1, 1]), op.ones([2]), op.ones([1, 1]))),
    ).toThrow(/tensor of one entry as noise, but a tensor of type float32 and shape \[2\]/);
  });
});
