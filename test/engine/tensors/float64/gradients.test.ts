import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, expectNumbers, mapped, type Numbers, tensorOf } from './backends.ts';

interface Case {
  readonly name: string;
  readonly operation: (...x: Tensor[]) => Tensor | Tensor[];
  readonly shapes: number[][];
  /** Brings a standard normal number, entry i of operand k, where the function is smooth within reach of the differences. */
  readonly domain?: (x: number, i: number, k: number) => number;
}

const on = (name: string, operation: Case['operation'], shapes: number[][], domain?: Case['domain']): Case =>
  domain === undefined ? { name, operation, shapes } : { name, operation, shapes, domain };
const positive = (x: number) => 0.5 + Math.abs(x);
const unit = (x: number) => 0.8 * Math.tanh(x);
const aside = (x: number) => x + 0.2 * Math.sign(x);
/** Entries of different operands are an eighth apart at least, and a sixteenth from 0 and 1. */
const apart = (x: number, _i: number, k: number) => Math.round(4 * x) / 4 + (1 + 2 * k) / 16;
/** Entries are a quarter apart at least. */
const distinct = (_x: number, i: number) => ((i * 5) % 12) / 4 - 1.3;
const run = (kernel: string, x: Tensor, attributes = {}) => tf.engine().runKernel(kernel, { x }, attributes) as Tensor;
const indices = tf.tensor1d([2, 0, 2, 1], 'int32');

const unary: [string, (x: Tensor) => Tensor, Case['domain']?][] = [
  ['neg', tf.neg],
  ['abs', tf.abs, aside],
  ['sign', tf.sign, aside],
  ['exp', tf.exp],
  ['expm1', tf.expm1],
  ['log', tf.log, positive],
  ['log1p', tf.log1p, positive],
  ['sqrt', tf.sqrt, positive],
  ['rsqrt', tf.rsqrt, positive],
  ['square', tf.square],
  ['reciprocal', tf.reciprocal, positive],
  ['sigmoid', tf.sigmoid],
  ['softplus', tf.softplus],
  ['relu', tf.relu, aside],
  ['relu6', tf.relu6, aside],
  ['leakyRelu', (x) => tf.leakyRelu(x, 0.1), aside],
  ['elu', tf.elu, aside],
  ['selu', tf.selu, aside],
  ['step', (x) => tf.step(x), aside],
  ['clipByValue', (x) => tf.clipByValue(x, -0.31, 0.77), (x) => 2 * aside(x)],
  ['erf', tf.erf],
  ['sin', tf.sin],
  ['cos', tf.cos],
  ['tan', tf.tan, unit],
  ['asin', tf.asin, unit],
  ['acos', tf.acos, unit],
  ['atan', tf.atan],
  ['sinh', tf.sinh],
  ['cosh', tf.cosh],
  ['tanh', tf.tanh],
  ['asinh', tf.asinh],
  ['acosh', tf.acosh, (x) => 1.5 + Math.abs(x)],
  ['atanh', tf.atanh, unit],
  ['floor', tf.floor, () => 0.5],
  ['ceil', tf.ceil, () => 0.5],
  ['round', tf.round, () => 0.3],
  ['lgamma', op.lgamma, positive],
  ['digamma', op.digamma, positive],
  ['lgamma below 0', op.lgamma, () => -1.4],
  ['digamma below 0', op.digamma, () => -1.4],
];

const binary: [string, (a: Tensor, b: Tensor) => Tensor, Case['domain']?][] = [
  ['add', tf.add],
  ['sub', tf.sub],
  ['mul', tf.mul],
  ['div', tf.div, positive],
  ['pow', tf.pow, positive],
  ['maximum', tf.maximum, apart],
  ['minimum', tf.minimum, apart],
  ['squaredDifference', tf.squaredDifference],
  ['atan2', tf.atan2, positive],
  ['mod', tf.mod, (x, _, k) => (k === 0 ? 7.5 + unit(x) / 5 : 3 + unit(x) / 10)],
];
const pairs = [
  [[], []],
  [[3], []],
  [[2, 3], [3]],
  [
    [2, 1],
    [1, 3],
  ],
  [
    [2, 1, 3],
    [2, 1],
  ],
];

const cases: Case[] = [
  ...unary.map(([name, f, domain]) => on(name, (x) => f(x!), [[2, 3]], domain)),
  ...binary.flatMap(([name, f, domain]) =>
    pairs.map((shapes) => on(`${name} of [${shapes[0]}] and [${shapes[1]}]`, (a, b) => f(a!, b!), shapes, domain)),
  ),
  on('addN', (...x) => tf.addN(x), [
    [2, 2],
    [2, 2],
    [2, 2],
  ]),
  on('eluGrad twice', (x) => tf.elu(tf.elu(x!)), [[5]], aside),
  on('sum', (x) => [tf.sum(x!), tf.sum(x!, 1), tf.sum(x!, [0, -1], true)], [[2, 3, 2]]),
  on('mean', (x) => [tf.mean(x!), tf.mean(x!, -2), tf.mean(x!, [0, 2], true)], [[2, 3, 2]]),
  on('max', (x) => [tf.max(x!), tf.max(x!, 1), tf.max(x!, -1, true)], [[3, 4]], distinct),
  on('min', (x) => [tf.min(x!), tf.min(x!, 0), tf.min(x!, -1, true)], [[3, 4]], distinct),
  on('prod', (x) => [tf.prod(x!), tf.prod(x!, 1), tf.prod(x!, [2, 0], true), tf.prod(x!, -2)], [[2, 3, 2]]),
  on('cumsum', (x) => [tf.cumsum(x!, 0), tf.cumsum(x!, 1, true), tf.cumsum(x!, 2, false, true)], [[2, 3, 3]]),
  on('logSumExp', (x) => [tf.logSumExp(x!, 1), tf.logSumExp(x!)], [[3, 4]]),
  on('softmax', (x) => tf.softmax(x!), [[3, 4]]),
  on('logSoftmax', (x) => tf.logSoftmax(x!), [[3, 4]]),
  on('LogSoftmax', (x) => tf.engine().runKernel('LogSoftmax', { logits: x! }, { axis: 1 }) as Tensor, [[3, 4]]),
  on('clone and cast', (x) => tf.cast(tf.clone(x!), 'float32'), [[3]]),
  on('reshape', (x) => [tf.reshape(x!, [3, 2]), tf.expandDims(x!, 1), tf.squeeze(x!)], [[2, 1, 3]]),
  on('transpose', (x) => [tf.transpose(x!), tf.transpose(x!, [1, 2, 0])], [[2, 3, 4]]),
  on('slice', (x) => [tf.slice(x!, [1, 0], [1, 2]), tf.slice(x!, 1)], [[3, 4]]),
  on('stridedSlice', (x) => tf.stridedSlice(x!, [-1, 3], [-5, 0], [-1, -2]), [[5, 4]]),
  on('stridedSlice with masks', (x) => tf.stridedSlice(x!, [1, 0, 2], [0, 0, 3], [1, 1, 1], 2, 3, 0, 0, 4), [
    [3, 2, 4],
  ]),
  on('concat', (...x) => [tf.concat(x, 0), tf.concat([x[0]!, x[0]!], 1)], [
    [2, 3],
    [1, 3],
  ]),
  on('stack', (...x) => [tf.stack(x, 0), tf.stack(x, 2)], [
    [2, 3],
    [2, 3],
  ]),
  on('unstack', (x) => tf.unstack(x!, 1), [[2, 3, 2]]),
  on('split', (x) => tf.split(x!, [1, 2], 1), [[2, 3]]),
  on(
    'pad',
    (x) =>
      tf.pad(
        x!,
        [
          [1, 0],
          [2, 1],
        ],
        3,
      ),
    [[2, 3]],
  ),
  on('tile', (x) => tf.tile(x!, [2, 1, 3, 1, 2]), [[1, 2, 1, 2, 2]]),
  on('broadcastTo', (x) => tf.broadcastTo(x!, [2, 3, 4]), [[3, 1]]),
  on('BroadcastTo', (x) => run('BroadcastTo', x!, { shape: [2, 3], inputShape: [2, 1] }), [[2, 1]]),
  on('reverse', (x) => tf.reverse(x!, 1), [[2, 3]]),
  on('gather', (x) => [tf.gather(x!, indices), tf.gather(x!, indices, 1), tf.gather(x!, indices, -1)], [[3, 3, 4]]),
  on('unsortedSegmentSum', (x) => tf.unsortedSegmentSum(x!, tf.tensor1d([1, 0, 1], 'int32'), 3), [[3, 2]]),
  on('diag', (x) => [tf.diag(x!), op.diag(x!)], [[4]]),
  on('diagPart and trace', (x) => [op.diagPart(x!), op.trace(x!)], [[4, 4]]),
  on('where', (a, b) => tf.where(tf.greater(a!, b!), a!, tf.mul(b!, b!)), [[2, 3], [3]], apart),
  on(
    'logical operations',
    (a, b) => {
      const inside = tf.logicalOr(
        tf.logicalAnd(tf.greaterEqual(a!, 0), tf.less(b!, 1)),
        tf.logicalNot(tf.lessEqual(a!, b!)),
      );
      return tf.where(tf.logicalAnd(inside, tf.notEqual(a!, b!)), tf.mul(a!, b!), tf.exp(a!));
    },
    [
      [4, 3],
      [4, 3],
    ],
    apart,
  ),
  on('equal', (a, b) => tf.mul(tf.cast(tf.equal(a!, b!), 'float32'), a!), [[3], [3]]),
  on('all and any', (x) => tf.where(tf.any(tf.greater(x!, 0)), tf.where(tf.all(tf.less(x!, 0)), x!, tf.exp(x!)), x!), [
    [4],
  ]),
  on(
    'isNaN, isFinite, isInf',
    (x) =>
      tf.where(
        tf.logicalOr(tf.isNaN(x!), tf.isInf(x!)),
        tf.zerosLike(x!),
        tf.where(tf.isFinite(x!), tf.square(x!), x!),
      ),
    [[4]],
  ),
  on('gather where argMax points', (x) => tf.gather(x!, tf.expandDims(tf.argMax(x!), 0)), [[5]]),
  on('matMul', (a, b) => tf.matMul(a!, b!), [
    [2, 3],
    [3, 4],
  ]),
  on('matMul, first transposed', (a, b) => tf.matMul(a!, b!, true, false), [
    [3, 2],
    [3, 4],
  ]),
  on('matMul, second transposed', (a, b) => tf.matMul(a!, b!, false, true), [
    [2, 3],
    [4, 3],
  ]),
  on('matMul, both transposed', (a, b) => tf.matMul(a!, b!, true, true), [
    [3, 2],
    [4, 3],
  ]),
  on('matMul in broadcast batches', (a, b) => tf.matMul(a!, b!), [
    [2, 1, 2, 3],
    [4, 3, 2],
  ]),
  on('fused matMul with a bias', (a, b, bias) => tf.fused.matMul({ a: a!, b: b!, bias: bias! }), [[2, 3], [3, 4], [4]]),
  ...(['relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu'] as const).map((activation) =>
    on(
      `fused matMul with ${activation}`,
      (a, b, bias) => tf.fused.matMul({ a: a!, b: b!, bias: bias!, transposeB: true, activation, leakyreluAlpha: 0.3 }),
      [[2, 3], [4, 3], [4]],
    ),
  ),
  on(
    'prelu',
    (x, alpha) => tf.prelu(x!, alpha!),
    [[2, 3], [3]],
    (x, _, k) => (k === 0 ? aside(x) : x),
  ),
  ...['ij->ji', 'ij->i', 'ij->'].map((equation) => on(`einsum ${equation}`, (a) => tf.einsum(equation, a!), [[2, 3]])),
  on('einsum of matrices', (a, b) => [tf.einsum('ij,jk->ik', a!, b!), tf.einsum('ij,jk->kj', a!, b!)], [
    [2, 3],
    [3, 4],
  ]),
  on('einsum of stacks', (a, b) => [tf.einsum('bij,bkj->bki', a!, b!), tf.einsum('bij,bkj->k', a!, b!)], [
    [2, 3, 4],
    [2, 5, 4],
  ]),
  on('einsum of a tensor and a vector', (a, b) => [tf.einsum('bij,j->ib', a!, b!), tf.einsum('bij,k->jk', a!, b!)], [
    [2, 3, 4],
    [4],
  ]),
  on(
    'batchNorm',
    (x, mean, variance, offset, scale) => tf.batchNorm(x!, mean!, variance!, offset!, scale!, 0.1),
    [[2, 3], [3], [3], [3], [3]],
    (x, _, k) => (k === 2 ? positive(x) : x),
  ),
];

/** Σ over all outputs of fixed random weights times the output: one number that depends on every entry. */
function weighted(outputs: Tensor | Tensor[]): Scalar {
  const list = Array.isArray(outputs) ? outputs : [outputs];
  const parts = list.map((y, k) => tf.sum(tf.mul(y, tensorOf(drawn(y.shape, 'float32', 100 + k)))));
  return parts.length === 1 ? (parts[0] as Scalar) : (tf.addN(parts) as Scalar);
}

/** Central differences of sixth order: with this step both errors, of truncation and of rounding, are near 1e-12. */
function differences(f: (inputs: Numbers[]) => number, inputs: Numbers[]): number[][] {
  const h = 2 ** -7;
  const at = (k: number, i: number, offset: number) =>
    f(inputs.map((x, j) => (j === k ? mapped(x, (v, e) => (e === i ? v + offset : v)) : x)));
  return inputs.map((x, k) =>
    x.values.map((_, i) => {
      const [d1, d2, d3] = [1, 2, 3].map((n) => at(k, i, n * h) - at(k, i, -n * h));
      return (45 * d1! - 9 * d2! + d3!) / (60 * h);
    }),
  );
}

test.each(cases)('$name', ({ operation, shapes, domain = (x) => x }) => {
  const inputs = shapes.map((shape, k) => mapped(drawn(shape, 'float32', 10 + k), (x, i) => domain(x, i, k)));
  const before = tf.memory().numTensors;
  const { gradients } = withFloat64(() => {
    const xs = inputs.map(tensorOf);
    return valueAndGradients(() => weighted(operation(...xs)), xs);
  });
  expect(tf.memory().numTensors).toBe(before);
  const value = (moved: Numbers[]) => withFloat64(() => op.valueOf(weighted(operation(...moved.map(tensorOf)))));
  const expected = differences(value, inputs);
  for (const [k, gradient] of gradients.entries()) expectNumbers(gradient!, expected[k]!, 1e-8, 1e-3);
});

describe('on other backends', () => {
  const x = [-1.5, -0.25, 0, 0.75];
  const onCpu = (f: (t: Tensor) => Tensor) => Array.from(tf.grad(f)(tf.tensor1d(x)).dataSync());

  test('stock gradients answer bit for bit as before', async () => {
    await tf.setBackend('cpu');
    const t = tf.tensor1d(x);
    const stockErf = tf.mul(tf.exp(tf.neg(tf.square(t))), 2 / Math.sqrt(Math.PI));
    expect(onCpu(tf.erf)).toEqual(Array.from(stockErf.dataSync()));
    expect(onCpu((v) => tf.leakyRelu(v, 0.1))).toEqual([Math.fround(0.1), Math.fround(0.1), Math.fround(0.1), 1]);
    expect(onCpu(tf.abs)).toEqual([-1, -1, -1, 1]);
    expect(() => tf.grads((a, b) => tf.maximum(a, b))([tf.zeros([2, 3]), tf.zeros([3])])).toThrow(/shape/);
  });

  test('added gradients work there too', async () => {
    await tf.setBackend('cpu');
    expect(onCpu((v) => tf.where(tf.greater(v, 0), tf.square(v), v))).toEqual([1, 1, 1, 1.5]);
    expect(onCpu((v) => op.diagPart(tf.mul(tf.reshape(v, [2, 2]), 3)))).toEqual([3, 0, 0, 3]);
    expect(onCpu((v) => tf.mul(tf.diag(v), 2))).toEqual([2, 2, 2, 2]);
    expect(Array.from(tf.grad(op.lgamma)(tf.scalar(1)).dataSync())).toEqual([Math.fround(-0.5772156649015329)]);
  });
});
