import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import {
  drawn,
  EXACT,
  expectClose,
  expectNumbers,
  mapped,
  type Numbers,
  type Operation,
  onCpu,
  onFloat64,
} from './backends.ts';

interface Case {
  readonly name: string;
  readonly operation: Operation;
  readonly shapes: number[][];
}

const on = (name: string, operation: Operation, ...shapes: number[][]): Case => ({ name, operation, shapes });
const rows = (...values: number[]) => tf.tensor1d(values, 'int32');

/** Operations that move numbers without changing them. */
const cases: Case[] = [
  on('clone', (x) => tf.clone(x!), [], [3], [0, 2], [2, 3, 1, 2]),
  on('reshape', (x) => tf.reshape(x!, [3, -1]), [6], [3, 2], [2, 3, 2, 1]),
  on('reshape to a scalar', (x) => tf.reshape(x!, []), [1], [1, 1]),
  on('reshape of nothing', (x) => tf.reshape(x!, [2, 0]), [0], [0, 3]),
  on('expandDims', (x) => [tf.expandDims(x!, 0), tf.expandDims(x!, -1)], [], [3], [2, 3], [2, 0, 3]),
  on('squeeze', (x) => tf.squeeze(x!), [1], [1, 3, 1], [2, 1, 3]),
  on('transpose', (x) => tf.transpose(x!), [], [4], [3, 5], [40, 70], [2, 3, 4], [2, 1, 3, 2], [0, 3]),
  on('transpose 0 2 1', (x) => tf.transpose(x!, [0, 2, 1]), [2, 3, 4], [1, 3, 4], [2, 0, 4]),
  on('transpose 2 0 3 1', (x) => tf.transpose(x!, [2, 0, 3, 1]), [2, 3, 4, 5]),
  on('slice of a vector', (x) => tf.slice(x!, [2], [3]), [7]),
  on(
    'slice of a matrix',
    (x) => [tf.slice(x!, [1, 2], [2, 2]), tf.slice(x!, 1), tf.slice(x!, [0, 1], [-1, 0])],
    [4, 5],
  ),
  on('slice of a block', (x) => tf.slice(x!, [0, 1, 1], [2, 2, -1]), [2, 3, 4]),
  on('slice of rank 4', (x) => tf.slice(x!, [1, 0, 1, 0], [1, 2, 1, 2]), [2, 2, 3, 2]),
  on('concat', (...x) => tf.concat(x, 0), [2, 3], [1, 3], [0, 3], [4, 3]),
  on('concat along the last axis', (...x) => tf.concat(x, -1), [2, 2, 3], [2, 2, 1]),
  on('concat of vectors', (...x) => tf.concat(x), [3], [0], [2]),
  on('stack', (...x) => [tf.stack(x, 0), tf.stack(x, 1), tf.stack(x, 2)], [2, 3], [2, 3], [2, 3]),
  on('stack of one', (x) => tf.stack([x!], 1), [3]),
  on('stack of scalars', (...x) => tf.stack(x), [], []),
  on('split', (x) => [...tf.split(x!, 2, 1), ...tf.split(x!, [1, 2], 0)], [3, 4], [3, 2, 2]),
  on('tile', (x) => tf.tile(x!, [2, 3]), [2, 3], [1, 4], [3, 1], [0, 2]),
  on('tile of a vector', (x) => tf.tile(x!, [3]), [4], [1]),
  on('tile of rank 4', (x) => tf.tile(x!, [1, 2, 3, 2]), [2, 2, 1, 2]),
  on('tile to nothing', (x) => tf.tile(x!, [0, 2]), [2, 3]),
  on('broadcastTo', (x) => tf.broadcastTo(x!, [2, 3, 4]), [2, 3, 4], [3, 1], [1], [], [2, 1, 4]),
  on('gather', (x) => [tf.gather(x!, rows(2, 0, 2, 1)), tf.gather(x!, rows(1, 0), 1)], [3, 4], [3, 2, 2]),
  on(
    'gather by a matrix',
    (x) =>
      tf.gather(
        x!,
        tf.tensor2d(
          [
            [0, 1],
            [2, 2],
          ],
          [2, 2],
          'int32',
        ),
        -1,
      ),
    [2, 3],
  ),
  on('gather of nothing', (x) => tf.gather(x!, tf.tensor1d([], 'int32')), [3, 2]),
];

describe.each(cases)('$name', ({ operation, shapes }) => {
  // A join takes all shapes at once, everything else one after the other.
  const groups = operation.length === 0 ? [shapes] : shapes.map((shape) => [shape]);

  test.each(['float32', 'int32', 'bool'] as const)('agrees with the stock backend on %s', (dtype) => {
    for (const group of groups) {
      const inputs = group.map((shape, k) => drawn(shape, dtype, k + 1));
      expectClose(onFloat64(operation, ...inputs), onCpu(operation, ...inputs), EXACT);
    }
  });

  test('keeps every digit', () => {
    for (const group of groups) {
      // Numbers that say where they come from: the stock backend moves them, and each stands for one of 53 bits.
      let next = 0;
      const places: Numbers[] = group.map((shape) => mapped(drawn(shape), () => next++));
      const doubles = Array.from({ length: next }, (_, i) => Math.sqrt(i + 2) / 3);
      const moved = onFloat64(operation, ...places.map((x) => mapped(x, (place) => doubles[place]!)));
      const expected = onCpu(operation, ...places);
      for (const [k, { values }] of moved.entries()) {
        expectNumbers(
          values,
          expected[k]!.values.map((place) => doubles[place]!),
          EXACT,
        );
      }
    }
  });
});

test.each(['float32', 'int32'] as const)('padding and diagonal matrices of %s', (dtype) => {
  const pads: [number[], [number, number][]][] = [
    [[3], [[1, 2]]],
    [
      [2, 3],
      [
        [0, 1],
        [2, 0],
      ],
    ],
    [
      [0, 2],
      [
        [1, 1],
        [0, 0],
      ],
    ],
    [
      [2, 1, 2, 2],
      [
        [1, 0],
        [0, 0],
        [0, 1],
        [1, 1],
      ],
    ],
  ];
  for (const [shape, paddings] of pads) {
    for (const constant of [0, 3]) {
      const pad = (x: Tensor) => tf.pad(x, paddings, constant);
      expectClose(onFloat64(pad, drawn(shape, dtype)), onCpu(pad, drawn(shape, dtype)), EXACT);
    }
  }
  for (const shape of [[4], [0], [2, 2]]) {
    expectClose(onFloat64(tf.diag, drawn(shape, dtype)), onCpu(tf.diag, drawn(shape, dtype)), EXACT);
  }
});

test('where picks entries, broadcast, and rows', () => {
  for (const [c, t, e] of [
    [[], [], []],
    [[4], [4], [4]],
    [
      [2, 3],
      [2, 3],
      [2, 3],
    ],
    [[2, 1], [3], []],
    [[0, 3], [0, 3], [3]],
    [
      [2, 1, 1, 2],
      [3, 1],
      [2, 3, 1, 2],
    ],
  ] as [number[], number[], number[]][]) {
    for (const dtype of ['float32', 'int32', 'bool'] as const) {
      const inputs = [drawn(c, 'bool', 3), drawn(t, dtype), drawn(e, dtype, 2)];
      const where = (condition: Tensor, yes: Tensor, no: Tensor) => tf.where(condition as Tensor<tf.Rank>, yes, no);
      expectClose(onFloat64(where as Operation, ...inputs), onCpu(where as Operation, ...inputs), EXACT);
    }
  }
  const condition = { shape: [2], dtype: 'bool' as const, values: [0, 1] };
  const select = (c: Tensor, t: Tensor, e: Tensor) => tf.engine().runKernel('Select', { condition: c, t, e }) as Tensor;
  const [picked] = onFloat64(select, condition, drawn([2, 2]), drawn([2, 2], 'float32', 2));
  const [t, e] = [drawn([2, 2]).values, drawn([2, 2], 'float32', 2).values];
  expect(picked!.values).toEqual([e[0], e[1], t[2], t[3]]);
});

test('unsortedSegmentSum adds up rows of one segment and drops the others', () => {
  const ids = { shape: [5], dtype: 'int32' as const, values: [2, 0, -1, 2, 3] };
  for (const [shape, dtype] of [
    [[5], 'float32'],
    [[5, 3], 'float32'],
    [[5, 2, 2], 'float32'],
    [[5, 0], 'float32'],
    [[5, 3], 'int32'],
  ] as const) {
    const add = (x: Tensor, segments: Tensor) => tf.unsortedSegmentSum(x, segments as tf.Tensor1D, 3);
    const x = drawn([...shape], dtype);
    expectClose(onFloat64(add, x, ids), onCpu(add, x, ids), 2 ** -20, 1);
  }
  const x = mapped(drawn([5]), (v) => v / 11);
  const v = x.values;
  const [sums] = onFloat64((t, s) => tf.unsortedSegmentSum(t, s as tf.Tensor1D, 3), x, ids);
  expectNumbers(sums!.values, [v[1]!, 0, v[0]! + v[3]!], EXACT);
});

test('bad shapes and indices are refused with their values', () => {
  const refuse = (work: () => unknown) => expect(() => withFloat64(() => tf.tidy(() => void work())));
  refuse(() => tf.gather(tf.zeros([3, 2]), [0, 3])).toThrow('Index 3 at position 1 is not in 0 … 2');
  refuse(() => tf.reshape(tf.zeros([2, 3]), [4])).toThrow('Size(6) must match');
  refuse(() => tf.stack([tf.zeros([2]), tf.zeros([2, 1])] as never)).toThrow(/shape/);
  refuse(() => tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])])).toThrow(
    'shapes [2,3] and [2,4] cannot be joined along axis 0',
  );
  refuse(() => tf.engine().runKernel('Pack', [tf.zeros([2]), tf.zeros([3])] as never, { axis: 0 })).toThrow(
    'cannot be joined along axis 0',
  );
  refuse(() => tf.slice(tf.zeros([2, 3]), [1, 1], [1, 3])).toThrow('size [1,3] from [1,1] is not inside');
  refuse(() => tf.split(tf.zeros([4, 2]), [1, 2])).toThrow('Axis 0 of a tensor of shape [4,2] cannot be split');
  refuse(() => tf.split(tf.zeros([4, 2]), 3)).toThrow(/split/);
  refuse(() => tf.gather(tf.zeros([2, 2]), tf.zeros([2, 1], 'int32'), 1, 1)).toThrow('batchDims');
  refuse(() => tf.engine().runKernel('ExpandDims', { input: tf.zeros([2]) }, { dim: 3 })).toThrow('-2 … 1');
});
