import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/core/random.ts';
import { withEngine } from '../../../../src/engine/dense/index.ts';
import { Float64Memory } from '../../../../src/engine/memory.ts';
import type { SquaredDistanceOperations } from '../../../../src/engine/operations/covariances.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { typescriptSquaredDistances } from '../../../../src/engine/typescript/covariances.ts';
import { wasmSquaredDistances } from '../../../../src/engine/wasm/wasmEngine.ts';

const [n, m, q] = [40, 30, 3];
const { normal } = seededRandom(1);
const [a, b, W, V] = [n * q, m * q, n * m, n * n].map((length) => Float64Array.from({ length }, normal)) as [
  Float64Array,
  Float64Array,
  Float64Array,
  Float64Array,
];

/** The gradients of Σ w_ij·d²_ij by the operations themselves, on a memory of their own. */
function gradientsBy(make: (memory: Float64Memory) => SquaredDistanceOperations) {
  const memory = new Float64Memory();
  const operations = make(memory);
  const place = (values: Float64Array) => {
    const offset = memory.allocate(8 * values.length);
    memory.float64(offset, values.length).set(values);
    return offset;
  };
  const [A, B, w, v] = [place(a), place(b), place(W), place(V)];
  const [dA, dB, dX, dY] = [place(a), place(b), place(a), place(a)];
  operations.squaredDistancesGradient(n, m, q, A, B, w, dA, dB);
  operations.squaredDistancesGradient(n, n, q, A, A, v, dX, dY);
  const read = (offset: number, length: number) => memory.float64(offset, length).slice();
  return {
    between: [read(dA, n * q), read(dB, m * q)],
    within: [read(dX, n * q).map((entry, i) => entry + read(dY, n * q)[i]!)],
  };
}

describe('squaredDistances', () => {
  const engines = {
    wasm: gradientsBy(wasmSquaredDistances),
    typescript: gradientsBy(typescriptSquaredDistances),
  };

  it.each(['wasm', 'typescript'] as const)('has the gradients of the engine at work, %s', (engine) => {
    const gradients = withFloat64(({ memory64 }) =>
      withEngine(memory64, engine, () => {
        const [A, B] = [op.tensor<Tensor2D>(a, [n, q]), op.tensor<Tensor2D>(b, [m, q])];
        const weighted = (X: Tensor2D, Y: Tensor2D, weights: Float64Array) =>
          op.sum(op.mul(op.squaredDistances(X, Y), op.tensor(weights, [n, Y.shape[0]]))) as Scalar;
        return {
          between: valueAndGradients(() => weighted(A, B, W), [A, B]).gradients,
          within: valueAndGradients(() => weighted(A, A, V), [A]).gradients,
        };
      }),
    );
    expect(gradients).toEqual(engines[engine]);
  });

  it.each([3, 40])('has finite gradients within %i points where the weights of the diagonal are infinite', (count) => {
    const points = Float64Array.from({ length: count * q }, normal);
    const gradient = withFloat64(() => {
      const X = op.tensor<Tensor2D>(points, [count, q]);
      return valueAndGradients(() => op.sum(op.sqrt(op.squaredDistances(X, X))) as Scalar, [X]).gradients[0]!;
    });
    expect(gradient.every(Number.isFinite)).toBe(true);
  });

  it('has gradients that distinguish the engines, by their last digits', () => {
    expect(engines.wasm).not.toEqual(engines.typescript);
    engines.wasm.within[0]!.forEach((value, i) => {
      expect(value).toBeCloseTo(engines.typescript.within[0]![i]!, 11);
    });
  });
});
