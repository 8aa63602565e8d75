import { describe, expect, it } from 'vitest';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { normalMatrix } from '../../dense/matrices.ts';
import { expectGradients } from '../linearAlgebra/differences.ts';

describe('squared lengths of columns under several roots', () => {
  // More columns than are formed at once, and fewer.
  it.each([
    [1, 1, 1],
    [3, 2, 5],
    [4, 3, 70],
    [7, 1, 33],
  ])(
    'agree with the products of roots and columns, and their gradients with differences: order %i, %i roots, %i columns',
    (M, c, n) => {
      const [roots, A] = [normalMatrix(c * M, M, 3), normalMatrix(M, n, 4)];
      const found = withFloat64(() => doublesOf(op.columnForms(op.tensor(roots), op.tensor(A))).slice());
      for (let d = 0; d < c; d++) {
        for (let j = 0; j < n; j++) {
          let sum = 0;
          for (let i = d * M; i < (d + 1) * M; i++) {
            sum += roots.row(i).reduce((total, entry, k) => total + entry * A.at(k, j), 0) ** 2;
          }
          expect(Math.abs(found[d * n + j]! / sum - 1)).toBeLessThan(1e-13);
        }
      }
      const weights = normalMatrix(c, n, 5);
      expectGradients(
        (R, a) => op.sum(op.mul(op.tensor(weights), op.square(op.columnForms(R, a)))) as Scalar,
        [{ at: roots }, { at: A }],
      );
    },
  );

  it('refuse roots that are not square blocks', () => {
    withFloat64(() => {
      const A = op.ones<Tensor2D>([3, 2]);
      for (const shape of [
        [3, 2],
        [4, 3],
      ] as const) {
        expect(() => op.columnForms(op.ones<Tensor2D>([...shape]), A)).toThrow(/blocks of 3×3/);
      }
    });
  });
});
