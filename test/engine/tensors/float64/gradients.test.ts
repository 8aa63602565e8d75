import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { registerNetworkOperations } from '../../../../src/engine/tensors/float64/network.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import { engine, type Scalar, type Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
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
registerNetworkOperations();
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
  ['clipByValue', (x) => tf.clipByValue(x, -0.31, 0.77), (x) => 2 * aside(x)],
  ['erf', op.erf],
  ['sin', op.sin],
  ['cos', op.cos],
  ['tan', op.tan, unit],
  ['asin', op.asin, unit],
  ['acos', op.acos, unit],
  ['atan', op.atan],
  ['sinh', op.sinh],
  ['cosh', op.cosh],
  ['tanh', tf.tanh],
  ['asinh', op.asinh],
  ['acosh', op.acosh, (x) => 1.5 + Math.abs(x)],
  ['atanh', op.atanh, unit],
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
  ['pow', op.pow, positive],
  ['maximum', tf.maximum, apart],
  ['minimum', tf.minimum, apart],
  ['squaredDifference', tf.squaredDifference],
  ['atan2', op.atan2, positive],
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
  on('elu twice', (x) => tf.elu(tf.elu(x!)), [[5]], aside),
  on('sum', (x) => [tf.sum(x!), tf.sum(x!, 1), tf.sum(x!, [0, -1], true)], [[2, 3, 2]]),
  on('mean', (x) => [tf.mean(x!), tf.mean(x!, -2), tf.mean(x!, [0, 2], true)], [[2, 3, 2]]),
  on('max', (x) => [tf.max(x!), tf.max(x!, 1), tf.max(x!, -1, true)], [[3, 4]], distinct),
  on('min', (x) => [tf.min(x!), tf.min(x!, 0), tf.min(x!, -1, true)], [[3, 4]], distinct),
  on('logSumExp', (x) => [tf.logSumExp(x!, 1), tf.logSumExp(x!)], [[3, 4]]),
  on('softmax', (x) => tf.softmax(x!), [[3, 4]]),
  on('logSoftmax', (x) => tf.logSoftmax(x!), [[3, 4]]),
  on('LogSoftmax', (x) => tf.engine().runKernel('LogSoftmax', { logits: x! }, { axis: 1 }) as Tensor, [[3, 4]]),
  on('clone and cast', (x) => tf.cast(tf.clone(x!), 'float32'), [[3]]),
  on('reshape', (x) => [tf.reshape(x!, [3, 2]), tf.expandDims(x!, 1), tf.squeeze(x!)], [[2, 1, 3]]),
  on('transpose', (x) => [tf.transpose(x!), tf.transpose(x!, [1, 2, 0])], [[2, 3, 4]]),
  on('slice', (x) => [tf.slice(x!, [1, 0], [1, 2]), tf.slice(x!, 1)], [[3, 4]]),
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
  on('tile', (x) => tf.tile(x!, [2, 1, 3, 1, 2]), [[1, 2, 1, 2, 2]]),
  on('broadcastTo', (x) => tf.broadcastTo(x!, [2, 3, 4]), [[3, 1]]),
  on('gather', (x) => [tf.gather(x!, indices), tf.gather(x!, indices, 1), tf.gather(x!, indices, -1)], [[3, 3, 4]]),
  on('diag', (x) => [tf.diag(x!), op.diag(x!)], [[4]]),
  on('diagPart and trace', (x) => [op.diagPart(x!), op.trace(x!)], [[4, 4]]),
  on('where', (a, b) => tf.where(tf.greater(a!, b!), a!, tf.mul(b!, b!)), [[2, 3], [3]], apart),
  on(
    'comparisons',
    (a, b) => {
      const inside = op.where(tf.greaterEqual(a!, 0), tf.less(b!, 1), tf.lessEqual(a!, b!));
      return tf.where(inside, tf.mul(a!, b!), tf.exp(a!));
    },
    [
      [4, 3],
      [4, 3],
    ],
    apart,
  ),
  on('equal', (a, b) => tf.mul(tf.cast(tf.equal(a!, b!), 'float32'), a!), [[3], [3]]),
  on('zerosLike and onesLike', (x) => tf.mul(tf.add(tf.zerosLike(x!), tf.onesLike(x!)), x!), [[4]]),
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
  ...(['relu', 'relu6', 'elu', 'sigmoid'] as const).map((activation) =>
    on(
      `fused matMul with ${activation}`,
      (a, b, bias) => tf.fused.matMul({ a: a!, b: b!, bias: bias!, transposeB: true, activation }),
      [[2, 3], [4, 3], [4]],
    ),
  ),
  on(
    'prelu',
    (x, alpha) => tf.prelu(x!, alpha!),
    [[2, 3], [3]],
    (x, _, k) => (k === 0 ? aside(x) : x),
  ),
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
  return parts.length === 1 ? (parts[0] as Scalar) : op.addScalars(...parts);
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

/** Names of the operations whose gradients were compared with differences. */
const compared = new Set<string>();

test.each(cases)('$name', ({ operation, shapes, domain = (x) => x }) => {
  const inputs = shapes.map((shape, k) => mapped(drawn(shape, 'float32', 10 + k), (x, i) => domain(x, i, k)));
  const before = tf.memory().numTensors;
  const { gradients } = withFloat64(() => {
    const xs = inputs.map(tensorOf);
    return valueAndGradients(() => {
      const y = weighted(operation(...xs));
      for (const { kernelName, gradient } of engine().state.activeTape!) if (gradient) compared.add(kernelName);
      return y;
    }, xs);
  });
  expect(tf.memory().numTensors).toBe(before);
  const value = (moved: Numbers[]) => withFloat64(() => op.valueOf(weighted(operation(...moved.map(tensorOf)))));
  const expected = differences(value, inputs);
  for (const [k, gradient] of gradients.entries()) expectNumbers(gradient!, expected[k]!, 1e-8, 1e-3);
});

test('every operation with a gradient of the library was compared with differences', () => {
  // Two are run inside of gradients only; those of matrices, which other files register, have tests beside them.
  const inside = new Set(['PadV2', 'UnsortedSegmentSum']);
  const own = tf
    .getKernelsForBackend('float64')
    .map(({ kernelName }) => kernelName)
    .filter(
      (name) =>
        !inside.has(name) && !name.startsWith('latentfield.') && (tf.getGradient(name) as unknown) !== undefined,
    );
  expect(own.length).toBeGreaterThan(60);
  expect(own.filter((name) => !compared.has(name))).toEqual([]);
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
