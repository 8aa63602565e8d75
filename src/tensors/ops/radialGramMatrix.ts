import * as tf from '@tensorflow/tfjs-core';
import { fusedOperations } from '../../numerics/dense/activeEngine.ts';
import type { RadialProfile, RadialSum } from '../../numerics/operations/covariances.ts';
import { doubleOf, doublesOf } from '../doubles.ts';
import { floating, matrixOperand, requireBackend, scalarOperand } from '../linearAlgebra/operands.ts';
import { type MatrixKernel, registerOnce, runKernel, type Save } from '../linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../tensorflow.ts';

const OPERATION = 'radialGramMatrix';

/** What a radial Gram matrix is made with beside its points, as tensors. */
export interface RadialGramParameters {
  /** v, a scalar. */
  readonly variance: Tensor;
  /** l, a scalar or one a column of the points. */
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
    const attributes = attributesOf(profile, x, v, l, b, s);
    const value = runKernel(GRAM.name, { x }, attributes)[0]!;
    save([x, value]);
    const gradFunc = (dy: Tensor, [x, k]: Tensor[]) => runKernel(GRADIENT.name, { x: x!, k: k!, dy }, attributes);
    return { value, gradFunc };
  })(...radialOperands(X, parameters, OPERATION)) as Tensor2D;
}

/** X, variance, lengthscale, bias and noise, each in the form that the operation needs. */
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

/** Numbers rather than tensors: keeping five scalars for the backward pass would cost more than they weigh. */
export interface RadialAttributes {
  readonly profile: RadialProfile;
  readonly variance: number;
  readonly lengthscale: Float64Array;
  readonly lengthscaleShape: number[];
  readonly bias: number;
  readonly noise: number;
}

export function attributesOf(
  profile: RadialProfile,
  _x: Tensor,
  v: Tensor,
  l: Tensor,
  b: Tensor,
  s: Tensor,
): RadialAttributes {
  return {
    profile,
    variance: doubleOf(v),
    lengthscale: doublesOf(l),
    lengthscaleShape: l.shape,
    bias: doubleOf(b),
    noise: doubleOf(s),
  };
}

export function parametersOf({ variance, lengthscale, bias, noise }: RadialAttributes, q: number): RadialSum {
  const lengthscales = lengthscale.length === 1 ? new Float64Array(q).fill(lengthscale[0]!) : lengthscale;
  return { variance, lengthscales, bias, noise };
}

const GRAM: MatrixKernel<RadialAttributes> = {
  name: 'latentfield.RadialGramMatrix',
  inputs: ['x'],
  outputs: ([x]) => [[x![0]!, x![0]!]],
  compute({ memory, inputs, outputs }, [x], attributes) {
    const [n, q] = x as [number, number];
    const parameters = parametersOf(attributes, q);
    fusedOperations(memory).radialSum(n, q, inputs[0]!, attributes.profile, parameters, outputs[0]!);
  },
};

const GRADIENT: MatrixKernel<RadialAttributes> = {
  name: 'latentfield.RadialGramMatrixGradient',
  inputs: ['x', 'k', 'dy'],
  outputs: ([x], { lengthscaleShape }) => [x!, [], lengthscaleShape, [], []],
  compute({ memory, inputs, outputs }, [x], attributes) {
    const [n, q] = x as [number, number];
    const [points, k, dy] = inputs as [number, number, number];
    const { profile } = attributes;
    const parameters = parametersOf(attributes, q);
    const operations = fusedOperations(memory);
    const gradient = operations.radialSumGradient(n, q, points, profile, parameters, k, dy, outputs[0]!);
    const lengthscales = lengthscaleGradient(gradient, attributes);
    memory.float64(outputs[1]!, 1)[0] = gradient.variance;
    memory.float64(outputs[2]!, lengthscales.length).set(lengthscales);
    memory.float64(outputs[3]!, 1)[0] = gradient.bias;
    memory.float64(outputs[4]!, 1)[0] = gradient.noise;
  },
};

/** The gradient in each lengthscale; of one that all columns share, the sum. */
export function lengthscaleGradient({ lengthscales }: RadialSum, { lengthscale }: RadialAttributes): Float64Array {
  if (lengthscale.length !== 1) return Float64Array.from(lengthscales);
  let sum = 0;
  for (let d = 0; d < lengthscales.length; d++) sum += lengthscales[d]!;
  return Float64Array.of(sum);
}
