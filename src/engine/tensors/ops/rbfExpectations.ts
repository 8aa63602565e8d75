import * as tf from '@tensorflow/tfjs-core';
import { square } from '../../../core/elementary/index.ts';
import { expectationOperations } from '../../dense/activeEngine.ts';
import type { GaussianPoints, RbfSlopes } from '../../operations/covariances.ts';
import { doublesOf } from '../doubles.ts';
import { Float64Backend } from '../float64/backend.ts';
import {
  floating,
  type MatrixKernel,
  matrixOperand,
  registerOnce,
  requireBackend,
  runKernel,
  type Save,
  scalarOperand,
  type Workspace,
} from '../linearAlgebra/operations/operation.ts';
import { engine, type Tensor, type Tensor1D, type Tensor2D } from '../tensorflow.ts';
import { mul } from './arithmetic.ts';
import { ones, zeros } from './creation.ts';
import { concat, reshape, slice } from './structure.ts';

/** Independent Gaussians N(μ_n, diag s_n), one per row. */
export interface GaussianRows {
  /** μ, n×q. */
  readonly mean: Tensor2D;
  /** s, n×q, ≥ 0. */
  readonly variance: Tensor2D;
}

/**
 * Ψ1_nm = E[v·exp(−½·Σ_d ((x_d − z_md)/l_d)²)] under x ~ N(μ_n, diag s_n): the expectation of an rbf covariance with inducing inputs,
 * v·Π_d (1 + s_nd/l_d²)^−½·exp(−½·(μ_nd − z_md)²/(l_d² + s_nd)).
 *
 * @param x - means and variances, n×q
 * @param Z - m×q
 * @param variance - v, a scalar
 * @param lengthscale - l, a scalar or q entries
 * @returns n×m
 * @throws InvalidInputError if the shapes do not match
 * @see Titsias & Lawrence 2010, appendix
 * @example
 * ```ts
 * const x = { mean: op.tensor<op.Tensor2D>([[0]]), variance: op.tensor<op.Tensor2D>([[3]]) };
 * op.expectedRbf(x, op.tensor([[0]]), op.scalar(1), op.scalar(1)); // [[0.5]]
 * ```
 */
export function expectedRbf(x: GaussianRows, Z: Tensor2D, variance: Tensor, lengthscale: Tensor): Tensor2D {
  const operands = operandsOf('expectedRbf', x, Z, variance, lengthscale);
  registerOnce(EXPECTED, EXPECTED_GRADIENT);
  return expected(...operands) as Tensor2D;
}

/**
 * Ψ2 = Σ_n ω_n·E[k(z_m, x)·k(x, z_m')] of the same rbf under the same Gaussians,
 * v²·Σ_n ω_n·Π_d (1 + 2s_nd/l_d²)^−½·exp(−(z_md − z_m'd)²/(4l_d²) − (μ_nd − (z_md + z_m'd)/2)²/(l_d² + 2s_nd)). One pass over points and
 * pairs of inducing inputs, O(n·m²·q). No n×m×m array is stored, except for at most 64 MB that are kept until the gradient is computed.
 *
 * @param x - means and variances, n×q
 * @param Z - m×q
 * @param variance - v, a scalar
 * @param lengthscale - l, a scalar or q entries
 * @param weights - ω, n×p, for p sums at once; they are constants. Without them every point has weight 1, in one sum.
 * @returns p×m×m
 * @throws InvalidInputError if the shapes do not match
 * @see Titsias & Lawrence 2010, appendix
 * @example
 * ```ts
 * const x = { mean: op.tensor<op.Tensor2D>([[0]]), variance: op.tensor<op.Tensor2D>([[4]]) };
 * op.expectedRbfProducts(x, op.tensor([[0]]), op.scalar(1), op.scalar(1)); // [[[0.3333333333333333]]]
 * ```
 */
export function expectedRbfProducts(
  x: GaussianRows,
  Z: Tensor2D,
  variance: Tensor,
  lengthscale: Tensor,
  weights?: Tensor2D,
): Tensor {
  const operands = operandsOf('expectedRbfProducts', x, Z, variance, lengthscale);
  registerOnce(PRODUCTS, PRODUCTS_GRADIENT);
  return products(...operands, weights ?? noWeights());
}

/**
 * Σ_p ω_np·tr(G_p·Ψ2_n) of every point n, with the Ψ2_n = E[k(z_m, x)·k(x, z_m')] of `expectedRbfProducts`, in one pass without storing any of them.
 * Differentiable in the means and variances only.
 *
 * @param G - symmetric, p×m×m
 * @returns n entries
 */
export function contractedRbfProducts(
  x: GaussianRows,
  Z: Tensor2D,
  v: Tensor,
  l: Tensor,
  G: Tensor,
  weights: Tensor = noWeights(),
): Tensor1D {
  registerOnce(PRODUCTS_GRADIENT);
  const [n, q] = x.mean.shape;
  // A further dimension where everything is 0: the derivative in its variances is −tr(G·Ψ2_n).
  const wide = (rows: Tensor) => concat([rows, zeros([rows.shape[0]!, 1])], 1);
  const attributes = { ...attributesOf(v, concat([mul(l, ones([q])), ones([1])])), kept: [0, 0] };
  const contracted = tf.customGrad((...args: unknown[]) => {
    const [mean, spread, save] = args as [Tensor, Tensor, Save];
    const inputs = { mean: wide(mean), variance: wide(spread), z: wide(Z), weights, kept: zeros([0, 0]), dy: G };
    const [means, spreads] = runKernel(PRODUCTS_GRADIENT.name, inputs, attributes);
    save([means!, spreads!].map((own) => slice(own, [0, 0], [n, q])));
    return {
      value: mul(-1, reshape(slice(spreads!, [0, q], [n, 1]), [n])),
      gradFunc: (dy: Tensor, own: Tensor[]) => own.map((slope) => mul(reshape(dy, [n, 1]), slope)),
    };
  }) as (mean: Tensor, variance: Tensor) => Tensor1D;
  return contracted(x.mean, x.variance);
}

/** Placeholder for weights that are all 1. */
const noWeights = () => zeros([0, 1]);

type Operands = [mean: Tensor, variance: Tensor, Z: Tensor, v: Tensor, l: Tensor];

function operandsOf(operation: string, x: GaussianRows, Z: Tensor2D, v: Tensor, l: Tensor): Operands {
  requireBackend(operation);
  const inducing = matrixOperand(Z, operation, 'Z');
  const q = inducing.shape[1];
  const mean = floating(
    x.mean,
    operation,
    'the means',
    `of rank 2 with ${q} columns, as Z,`,
    () => x.mean.rank === 2 && x.mean.shape[1] === q,
  );
  const sameShape = () => x.variance.rank === 2 && x.variance.shape[0] === mean.shape[0] && x.variance.shape[1] === q;
  return [
    mean,
    floating(x.variance, operation, 'the variances', `of shape [${mean.shape}], as the means,`, sameShape),
    inducing,
    scalarOperand(v, operation, 'variance'),
    floating(
      l,
      operation,
      'lengthscale',
      `of one entry or of ${q}, one for each column of Z,`,
      () => l.size === 1 || l.size === q,
    ),
  ];
}

// Plain numbers, because keeping scalar tensors for the backward pass would be expensive.
interface Attributes {
  readonly variance: number;
  readonly lengthscale: Float64Array;
  readonly lengthscaleShape: number[];
}

interface ProductAttributes extends Attributes {
  /** Shape of the numbers kept for the gradient: number of points, and numbers per point. */
  readonly kept: readonly [points: number, numbers: number];
}

/** Largest number of entries that are kept, 64 MB, for as many points as fit. */
const MOST_KEPT = 2 ** 23;

function keptOf(n: number, m: number): ProductAttributes['kept'] {
  const backend = tf.backend();
  if (engine().state.gradientDepth === 0 || !(backend instanceof Float64Backend)) return [0, 0];
  const numbers = expectationOperations(backend.memory64).keptOfPoint(m);
  return numbers === 0 ? [0, 0] : [Math.min(n, Math.floor(MOST_KEPT / numbers)), numbers];
}

const attributesOf = (v: Tensor, l: Tensor): Attributes => ({
  variance: doublesOf(v)[0]!,
  lengthscale: doublesOf(l),
  lengthscaleShape: l.shape,
});

const expected = tf.customGrad((...args: unknown[]) => {
  const [mean, variance, z, v, l, save] = args as [...Operands, Save];
  const attributes = attributesOf(v, l);
  const value = runKernel(EXPECTED.name, { mean, variance, z }, attributes)[0]!;
  save([mean, variance, z]);
  const gradFunc = (dy: Tensor, [m, s, Z]: Tensor[]) =>
    runKernel(EXPECTED_GRADIENT.name, { mean: m!, variance: s!, z: Z!, dy }, attributes);
  return { value, gradFunc };
}) as (...operands: Operands) => Tensor;

const products = tf.customGrad((...args: unknown[]) => {
  const [mean, variance, z, v, l, weights, save] = args as [...Operands, Tensor, Save];
  const attributes = { ...attributesOf(v, l), kept: keptOf(mean.shape[0]!, z.shape[0]!) };
  const [value, exponentials] = runKernel(PRODUCTS.name, { mean, variance, z, weights }, attributes) as [
    Tensor,
    Tensor,
  ];
  save([mean, variance, z, weights, exponentials]);
  const gradFunc = (dy: Tensor, [m, s, Z, w, kept]: Tensor[]) => [
    ...runKernel(PRODUCTS_GRADIENT.name, { mean: m!, variance: s!, z: Z!, weights: w!, kept: kept!, dy }, attributes),
    tf.zerosLike(w!),
  ];
  return { value, gradFunc };
}) as (...operands: [...Operands, Tensor]) => Tensor;

type Shapes = readonly (readonly number[])[];

/** The points of an operation whose first inputs are means, variances and inducing inputs. */
function pointsOf({ inputs }: Workspace, [mean, , z]: Shapes, { lengthscale }: Attributes): GaussianPoints {
  const [n, q] = mean as [number, number];
  return {
    n,
    q,
    m: z![0]!,
    mean: inputs[0]!,
    variance: inputs[1]!,
    inducing: inputs[2]!,
    lengthscales: lengthscale.length === 1 ? new Float64Array(q).fill(lengthscale[0]!) : lengthscale,
  };
}

/** The weights; without rows, one sum over all points. */
function weightsOf({ inputs }: Workspace, shape: readonly number[]) {
  return shape[0] === 0 ? { sums: 1 } : { sums: shape[1]!, offset: inputs[3]! };
}

const slopeShapes = ([mean, variance, z]: Shapes, { lengthscaleShape }: Attributes) => [
  mean!,
  variance!,
  z!,
  [],
  lengthscaleShape,
];

const slopesAt = ([mean, variance, inducing]: readonly number[]) => ({
  mean: mean!,
  variance: variance!,
  inducing: inducing!,
});

/** Multiplies the derivatives of a unit expectation by `factor`, and writes the derivatives in variance and lengthscales. */
function writeSlopes(
  { memory, outputs }: Workspace,
  { n, m, q }: GaussianPoints,
  { total, lengthscales }: RbfSlopes,
  factor: number,
  factorSlope: number,
  count: number,
): void {
  [n * q, n * q, m * q].forEach((size, i) => {
    scaleEntries(memory.float64(outputs[i]!, size), factor);
  });
  memory.float64(outputs[3]!, 1)[0] = factorSlope * total;
  const own = memory.float64(outputs[4]!, count);
  if (count === q) own.set(lengthscales);
  else own[0] = lengthscales.reduce((sum, entry) => sum + entry, 0);
  scaleEntries(own, factor);
}

function scaleEntries(x: Float64Array, factor: number): void {
  for (let i = 0; i < x.length; i++) x[i]! *= factor;
}

const EXPECTED: MatrixKernel<Attributes> = {
  name: 'latentfield.ExpectedRbf',
  inputs: ['mean', 'variance', 'z'],
  outputs: ([mean, , z]) => [[mean![0]!, z![0]!]],
  compute(workspace, shapes, attributes) {
    const { memory, outputs } = workspace;
    const points = pointsOf(workspace, shapes, attributes);
    expectationOperations(memory).expectedRbf(points, outputs[0]!);
    scaleEntries(memory.float64(outputs[0]!, points.n * points.m), attributes.variance);
  },
};

const EXPECTED_GRADIENT: MatrixKernel<Attributes> = {
  name: 'latentfield.ExpectedRbfGradient',
  inputs: ['mean', 'variance', 'z', 'dy'],
  outputs: slopeShapes,
  compute(workspace, shapes, attributes) {
    const { memory, inputs, outputs } = workspace;
    const points = pointsOf(workspace, shapes, attributes);
    const slopes = expectationOperations(memory).expectedRbfGradient(points, inputs[3]!, slopesAt(outputs));
    writeSlopes(workspace, points, slopes, attributes.variance, 1, attributes.lengthscale.length);
  },
};

const PRODUCTS: MatrixKernel<ProductAttributes> = {
  name: 'latentfield.ExpectedRbfProducts',
  inputs: ['mean', 'variance', 'z', 'weights'],
  outputs: ([, , z, weights], { kept }) => [[weights![1]!, z![0]!, z![0]!], kept],
  compute(workspace, shapes, attributes) {
    const { memory, outputs } = workspace;
    const kept = { points: attributes.kept[0], offset: outputs[1]! };
    const points = pointsOf(workspace, shapes, attributes);
    const weights = weightsOf(workspace, shapes[3]!);
    expectationOperations(memory).expectedRbfProducts(points, weights, outputs[0]!, kept);
    scaleEntries(memory.float64(outputs[0]!, weights.sums * points.m * points.m), square(attributes.variance));
  },
};

const PRODUCTS_GRADIENT: MatrixKernel<ProductAttributes> = {
  name: 'latentfield.ExpectedRbfProductsGradient',
  inputs: ['mean', 'variance', 'z', 'weights', 'kept', 'dy'],
  outputs: slopeShapes,
  compute(workspace, shapes, attributes) {
    const { memory, inputs, outputs } = workspace;
    const { variance, lengthscale } = attributes;
    const points = pointsOf(workspace, shapes, attributes);
    const weights = weightsOf(workspace, shapes[3]!);
    const slopes = expectationOperations(memory).expectedRbfProductsGradient(
      points,
      weights,
      inputs[5]!,
      slopesAt(outputs),
      { points: attributes.kept[0], offset: inputs[4]! },
    );
    writeSlopes(workspace, points, slopes, square(variance), 2 * variance, lengthscale.length);
  },
};
