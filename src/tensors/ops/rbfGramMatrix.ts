import { fusedOperations } from '../../numerics/dense/activeEngine.ts';
import type { RbfParameters } from '../../numerics/wasm/index.ts';
import { doublesOf } from '../doubles.ts';
import { floating, matrixOperand, requireBackend, scalarOperand } from '../linearAlgebra/operands.ts';
import { type MatrixKernel, runKernel, type Save } from '../linearAlgebra/operations/operation.ts';
import { type Tensor, type Tensor2D, tf } from '../tensorflow.ts';
import { registerOnce } from './registerOnce.ts';

const OPERATION = 'rbfGramMatrix';

/**
 * v·exp(−½·Σ_d ((x_id − x_jd)/l_d)²) + b + s·[i = j] among one set of points, as one operation: the sum of an rbf, a bias and a white
 * noise in one pass over the matrix forwards, and the gradients in all of them in one pass backwards.
 *
 * @param X - n×q
 * @param variance - v, a scalar
 * @param lengthscale - l, a scalar or q entries
 * @param bias - b, a scalar
 * @param noise - s, a scalar
 * @returns n×n
 * @throws InvalidInputError when X is not a matrix, there is neither one lengthscale nor one a column, or another argument is not
 *   one number
 * @example
 * ```ts
 * const X = op.tensor<op.Tensor2D>([[0], [1]]);
 * const [v, l, b, s] = [op.scalar(1), op.scalar(1), op.scalar(0.1), op.scalar(0.01)];
 * op.rbfGramMatrix(X, v, l, b, s); // [[1.11, 0.7065306597126334], [0.7065306597126334, 1.11]]
 * ```
 */
export function rbfGramMatrix(
  X: Tensor2D,
  variance: Tensor,
  lengthscale: Tensor,
  bias: Tensor,
  noise: Tensor,
): Tensor2D {
  requireBackend(OPERATION);
  registerOnce(GRAM, GRADIENT);
  const points = matrixOperand(X, OPERATION, 'X');
  const q = points.shape[1];
  const form = `of one entry or of ${q}, one for each column of X,`;
  const fits = () => lengthscale.size === 1 || lengthscale.size === q;
  const scales = floating(lengthscale, OPERATION, 'lengthscale', form, fits);
  return gram(
    points,
    scalarOperand(variance, OPERATION, 'variance'),
    scales,
    scalarOperand(bias, OPERATION, 'bias'),
    scalarOperand(noise, OPERATION, 'noise'),
  );
}

const gram = tf.customGrad((...args: unknown[]) => {
  const [x, v, l, b, s, save] = args as [Tensor, Tensor, Tensor, Tensor, Tensor, Save];
  // Numbers rather than tensors: keeping five scalars for the backward pass would cost more than they weigh.
  const attributes: Attributes = {
    variance: doublesOf(v)[0]!,
    lengthscale: doublesOf(l),
    lengthscaleShape: l.shape,
    bias: doublesOf(b)[0]!,
    noise: doublesOf(s)[0]!,
  };
  const value = runKernel(GRAM.name, { x }, attributes)[0]!;
  save([x, value]);
  const gradFunc = (dy: Tensor, [x, k]: Tensor[]) => runKernel(GRADIENT.name, { x: x!, k: k!, dy }, attributes);
  return { value, gradFunc };
}) as (X: Tensor2D, v: Tensor, l: Tensor, b: Tensor, s: Tensor) => Tensor2D;

interface Attributes {
  readonly variance: number;
  readonly lengthscale: Float64Array;
  readonly lengthscaleShape: number[];
  readonly bias: number;
  readonly noise: number;
}

function parametersOf({ variance, lengthscale, bias, noise }: Attributes, q: number): RbfParameters {
  const lengthscales = lengthscale.length === 1 ? new Float64Array(q).fill(lengthscale[0]!) : lengthscale;
  return { variance, lengthscales, bias, noise };
}

const GRAM: MatrixKernel<Attributes> = {
  name: 'latentfield.RbfGramMatrix',
  inputs: ['x'],
  outputs: ([x]) => [[x![0]!, x![0]!]],
  compute({ memory, inputs, outputs }, [x], attributes) {
    const [n, q] = x as [number, number];
    fusedOperations(memory).rbfCovariance(n, q, inputs[0]!, parametersOf(attributes, q), outputs[0]!);
  },
};

const GRADIENT: MatrixKernel<Attributes> = {
  name: 'latentfield.RbfGramMatrixGradient',
  inputs: ['x', 'k', 'dy'],
  outputs: ([x], { lengthscaleShape }) => [x!, [], lengthscaleShape, [], []],
  compute({ memory, inputs, outputs }, [x], attributes) {
    const [n, q] = x as [number, number];
    const [points, k, dy] = inputs as [number, number, number];
    const operations = fusedOperations(memory);
    const parameters = parametersOf(attributes, q);
    const gradient = operations.rbfCovarianceGradient(n, q, points, parameters, k, dy, outputs[0]!);
    const lengthscales = Array.from(gradient.lengthscales);
    const count = attributes.lengthscale.length;
    const shared = () => lengthscales.reduce((sum, entry) => sum + entry, 0);
    memory.float64(outputs[1]!, 1)[0] = gradient.variance;
    memory.float64(outputs[2]!, count).set(count === 1 ? [shared()] : lengthscales);
    memory.float64(outputs[3]!, 1)[0] = gradient.bias;
    memory.float64(outputs[4]!, 1)[0] = gradient.noise;
  },
};
