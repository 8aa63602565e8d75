import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';

const KERNELS = `
  Add AddN Sub Multiply RealDiv FloorDiv Mod Pow Maximum Minimum SquaredDifference Neg Abs Sign Exp Expm1 Log Log1p Sqrt
  Rsqrt Square Reciprocal Sigmoid Softplus Tanh Relu Elu EluGrad LeakyRelu Erf Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Step
  ClipByValue Floor Ceil Round IsNan IsFinite IsInf Softmax LogSoftmax Cast Identity Reshape ExpandDims Transpose Slice
  StridedSlice Concat Pack Unpack SplitV PadV2 Tile GatherV2 UnsortedSegmentSum Reverse Fill Range LinSpace OneHot ZerosLike
  OnesLike Select BroadcastTo Diag Equal NotEqual Greater GreaterEqual Less LessEqual LogicalAnd LogicalOr LogicalNot Sum Mean
  Max Min Prod All Any ArgMax ArgMin Cumsum Cumprod BatchMatMul Selu Relu6 Asinh Acosh Atanh _FusedMatMul Einsum
  FusedBatchNorm Prelu`
  .trim()
  .split(/\s+/);

test.each(KERNELS)('the float64 backend has %s', (name) => {
  expect(tf.getKernel(name, 'float64')?.kernelName).toBe(name);
});

test('the gamma family is there once it was asked for, on the stock backends as well', () => {
  withFloat64(() => op.lgamma(op.tensor([5])));
  for (const name of ['Lgamma', 'Digamma', 'Trigamma']) {
    for (const backend of ['float64', 'cpu', 'wasm']) expect(tf.getKernel(name, backend)?.kernelName).toBe(name);
  }
});
