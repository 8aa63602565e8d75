import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { registerNetworkOperations } from '../../../../src/engine/tensors/float64/network.ts';
import { float64Backend, withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';

const KERNELS = `
  Add Sub Multiply RealDiv Maximum Minimum SquaredDifference Neg Abs Sign Exp Expm1 Log Log1p Sqrt Rsqrt Square Reciprocal
  Sigmoid Softplus Tanh Relu ClipByValue Cast Identity Reshape ExpandDims Transpose Slice Concat Pack SplitV PadV2
  Tile GatherV2 UnsortedSegmentSum ZerosLike OnesLike Select Diag Equal Greater GreaterEqual Less LessEqual Sum Mean Max Min
  BatchMatMul`
  .trim()
  .split(/\s+/);
const TRIGONOMETRIC = 'Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh'.split(' ');
const NETWORKS = 'Relu6 LeakyRelu Prelu Elu Selu Softmax LogSoftmax FusedBatchNorm _FusedMatMul Unpack'.split(' ');
const registered = () => tf.getKernelsForBackend('float64').map(({ kernelName }) => kernelName);

test('the float64 backend has the operations of latentfield/ops, and others on request', () => {
  float64Backend();
  expect(registered().sort()).toEqual(KERNELS.sort());
  withFloat64(() => op.atan(1));
  expect(registered().sort()).toEqual([...KERNELS, ...TRIGONOMETRIC].sort());
  registerNetworkOperations();
  registerNetworkOperations();
  expect(registered().sort()).toEqual([...KERNELS, ...TRIGONOMETRIC, ...NETWORKS].sort());
});

test('the gamma family exists once it was requested, on the stock backends as well', () => {
  withFloat64(() => op.lgamma(op.tensor([5])));
  for (const name of ['Lgamma', 'Digamma', 'Trigamma']) {
    for (const backend of ['float64', 'cpu', 'wasm']) expect(tf.getKernel(name, backend)?.kernelName).toBe(name);
  }
});

test('gradients registered on demand return after others replace them, as loading all of TensorFlow.js does', async () => {
  const slope = () => withFloat64(() => doublesOf(tf.grad((x) => op.erf(x))(op.tensor([0.5])) as tf.Tensor)[0]!);
  // 2/√π·exp(−1/4)
  const exact = 0.8787825789354448;
  expect(Math.abs(slope() - exact)).toBeLessThan(1e-15);
  for (const kernelName of ['Erf', 'SquaredDifference']) {
    const gradFunc: tf.GradFunc = (dy) => ({ x: () => tf.zerosLike(dy as tf.Tensor) });
    tf.registerGradient({ ...tf.getGradient(kernelName), kernelName, gradFunc });
  }
  expect(Math.abs(slope() - exact)).toBeLessThan(1e-15);
});
