import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import type { Matrix } from '../../../../src/core/matrix.ts';
import { float64Backend, withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';

/** A point to differentiate at; a symmetric matrix is moved symmetrically. */
export interface Point {
  readonly at: Matrix;
  readonly symmetric?: boolean;
}

export type ScalarFunction = (...xs: Tensor2D[]) => Scalar;

/**
 * Expects the gradients of `f` in all its arguments to agree with central differences of sixth order to 1e-8, relative to the
 * largest derivative, and nothing to be left behind.
 */
export function expectGradients(f: ScalarFunction, points: readonly Point[], step = 1e-3): void {
  const { memory64 } = float64Backend();
  const before = [tf.memory().numTensors, memory64.liveBlocks];
  const { gradients } = withFloat64(() => {
    const xs = points.map(({ at }) => op.tensor<Tensor2D>(at));
    return valueAndGradients(() => f(...xs), xs);
  });
  points.forEach(({ at, symmetric = false }, which) => {
    const gradient = gradients[which]!;
    const { rows, columns } = at;
    const valueAt = (index: number, mirrored: number, move: number) => {
      const data = at.data.slice();
      data[index]! += move;
      if (mirrored !== index) data[mirrored]! += move;
      return withFloat64(() =>
        op.valueOf(
          f(...points.map((point, i) => op.tensor<Tensor2D>(i === which ? data : point.at.data, sizeOf(point.at)))),
        ),
      );
    };
    const expected: number[] = [];
    const got: number[] = [];
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < (symmetric ? i + 1 : columns); j++) {
        const index = i * columns + j;
        const mirrored = symmetric ? j * columns + i : index;
        const difference = (k: number) => valueAt(index, mirrored, k * step) - valueAt(index, mirrored, -k * step);
        expected.push((45 * difference(1) - 9 * difference(2) + difference(3)) / (60 * step));
        got.push(mirrored === index ? gradient[index]! : gradient[index]! + gradient[mirrored]!);
        if (symmetric) expect(gradient[index]).toBe(gradient[mirrored]);
      }
    }
    const scale = Math.max(...expected.map(Math.abs)) || 1;
    expected.forEach((value, k) => {
      expect(Math.abs(got[k]! - value) / scale, `argument ${which}, derivative ${k}`).toBeLessThan(1e-8);
    });
  });
  expect([tf.memory().numTensors, memory64.liveBlocks]).toEqual(before);
}

const sizeOf = ({ rows, columns }: Matrix): [number, number] => [rows, columns];
