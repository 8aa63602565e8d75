import * as tf from '@tensorflow/tfjs-core';
import { fusedOperations } from '../../dense/activeEngine.ts';
import type { Float64Memory } from '../../memory.ts';
import type { RadialProfile, RadialSum } from '../../operations/covariances.ts';
import { doubleOf, doublesOf } from '../doubles.ts';
import { sizeOf } from '../float64/operations/operation.ts';
import { floating, matrixOperand, requireBackend, scalarOperand } from '../linearAlgebra/operands.ts';
import { type MatrixKernel, registerOnce, runKernel, type Save } from '../linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D, TensorInfo } from '../tensorflow.ts';

const OPERATION = 'radialGramMatrix';

/** Parameters of a radial Gram matrix, as tensors. */
export interface RadialGramParameters {
  /** v, a scalar. */
  readonly variance: Tensor;
  /** l, a scalar or one per column of the points. */
  readonly lengthscale: Tensor;
  /** b, a scalar. */
  readonly bias: Tensor;
  /** s, a scalar. */
  readonly noise: Tensor;
}

/**
 * v·f(Σ_d ((x_id − x_jd)/l_d)²) + b + s·[i = j] among one set of points, for a profile f, as one operation: the sum of a radial covariance,
 * a bias and a white noise forwards, and the gradients in all of them backwards.
 *
 * @param X - n×q
 * @param profile - f and its derivative
 * @param parameters - see {@link RadialGramParameters}
 * @returns n×n
 * @throws InvalidInputError when X is not a matrix, there is neither one lengthscale nor one a column, or another argument is not
 *   one number
 * @example
 * ```ts
 * const cauchy: op.RadialProfile = {
 *   name: 'cauchy',
 *   value: (s) => { for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!); },
 *   slope: (s) => { for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2; },
 * };
 * const X = op.tensor<op.Tensor2D>([[0], [1]]);
 * const [one, none] = [op.scalar(1), op.scalar(0)];
 * const parameters = { variance: one, lengthscale: one, bias: none, noise: op.scalar(0.5) };
 * op.radialGramMatrix(X, cauchy, parameters); // [[1.5, 0.5], [0.5, 1.5]]
 * ```
 */
export function radialGramMatrix(X: Tensor2D, profile: RadialProfile, parameters: RadialGramParameters): Tensor2D {
  requireBackend(OPERATION);
  registerOnce(GRAM, GRADIENT);
  return tf.customGrad((...args: unknown[]) => {
    const [x, v, l, b, s, save] = args as [Tensor, Tensor, Tensor, Tensor, Tensor, Save];
    const attributes = { profile };
    const value = runKernel(GRAM.name, { x, v, l, b, s }, attributes)[0]!;
    save([x, value, v, l, b, s]);
    const gradFunc = (dy: Tensor, [x, k, v, l, b, s]: Tensor[]) =>
      runKernel(GRADIENT.name, { x: x!, k: k!, dy, v: v!, l: l!, b: b!, s: s! }, attributes);
    return { value, gradFunc };
  })(...radialOperands(X, parameters, OPERATION)) as Tensor2D;
}

/** X, variance, lengthscale, bias and noise, each in the shape that the operation needs. */
export function radialOperands(
  X: Tensor2D,
  { variance, lengthscale, bias, noise }: RadialGramParameters,
  operation: string,
): [Tensor2D, Tensor, Tensor, Tensor, Tensor] {
  const points = matrixOperand(X, operation, 'X');
  const q = points.shape[1];
  const form = `of one entry or of ${q}, one for each column of X,`;
  const fits = () => lengthscale.size === 1 || lengthscale.size === q;
  return [
    points,
    scalarOperand(variance, operation, 'variance'),
    floating(lengthscale, operation, 'lengthscale', form, fits),
    scalarOperand(bias, operation, 'bias'),
    scalarOperand(noise, operation, 'noise'),
  ];
}

/** Parameters of a radial Gram matrix, as plain numbers. */
export interface RadialNumbers {
  readonly variance: number;
  readonly lengthscale: Float64Array;
  readonly bias: number;
  readonly noise: number;
}

export const numbersAt = (v: TensorInfo, l: TensorInfo, b: TensorInfo, s: TensorInfo): RadialNumbers => ({
  variance: doubleOf(v),
  lengthscale: doublesOf(l),
  bias: doubleOf(b),
  noise: doubleOf(s),
});

/** Reads the parameters from the memory: v, lengthscales, b, s. */
function numbersIn(memory: Float64Memory, places: readonly number[], lengthscales: number): RadialNumbers {
  const [v, l, b, s] = places as [number, number, number, number];
  return {
    variance: memory.number(v),
    lengthscale: memory.float64(l, lengthscales).slice(),
    bias: memory.number(b),
    noise: memory.number(s),
  };
}

export function parametersOf({ variance, lengthscale, bias, noise }: RadialNumbers, q: number): RadialSum {
  const lengthscales = lengthscale.length === 1 ? new Float64Array(q).fill(lengthscale[0]!) : lengthscale;
  return { variance, lengthscales, bias, noise };
}

interface Attributes {
  readonly profile: RadialProfile;
}

const GRAM: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialGramMatrix',
  inputs: ['x', 'v', 'l', 'b', 's'],
  outputs: ([x]) => [[x![0]!, x![0]!]],
  compute({ memory, inputs, outputs }, [x, , l], { profile }) {
    const [n, q] = x as [number, number];
    const parameters = parametersOf(numbersIn(memory, inputs.slice(1), sizeOf(l!)), q);
    fusedOperations(memory).radialSum(n, q, inputs[0]!, profile, parameters, outputs[0]!);
  },
};

const GRADIENT: MatrixKernel<Attributes> = {
  name: 'latentfield.RadialGramMatrixGradient',
  inputs: ['x', 'k', 'dy', 'v', 'l', 'b', 's'],
  outputs: ([x, , , , l]) => [x!, [], l!, [], []],
  compute({ memory, inputs, outputs }, [x, , , , l], { profile }) {
    const [n, q] = x as [number, number];
    const [points, k, dy, ...places] = inputs as [number, number, number, ...number[]];
    const numbers = numbersIn(memory, places, sizeOf(l!));
    const operations = fusedOperations(memory);
    const parameters = parametersOf(numbers, q);
    const gradient = operations.radialSumGradient(n, q, points, profile, parameters, k, dy, outputs[0]!);
    const lengthscales = lengthscaleGradient(gradient, numbers);
    memory.float64(outputs[1]!, 1)[0] = gradient.variance;
    memory.float64(outputs[2]!, lengthscales.length).set(lengthscales);
    memory.float64(outputs[3]!, 1)[0] = gradient.bias;
    memory.float64(outputs[4]!, 1)[0] = gradient.noise;
  },
};

/** Gradient in each lengthscale; their sum for one that all columns share. */
export function lengthscaleGradient(
  { lengthscales }: RadialSum,
  { lengthscale }: Pick<RadialNumbers, 'lengthscale'>,
): Float64Array {
  if (lengthscale.length !== 1) return Float64Array.from(lengthscales);
  let sum = 0;
  for (let d = 0; d < lengthscales.length; d++) sum += lengthscales[d]!;
  return Float64Array.of(sum);
}
