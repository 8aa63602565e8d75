import { square } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { CENTRAL_DIFFERENCES, differenceStep } from '../engine/centralDifferences.ts';
import { doublesOf, matrixTensor } from '../engine/tensors/doubles.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { entriesOf } from '../model/parameter.ts';
import { type Kernel, namedParts } from './kernel.ts';

/**
 * Largest relative difference between the variances of slopes computed with a step and with twice that step; for functions without slopes it is a
 * half or more.
 */
const AGREEMENT = 0.25;

/**
 * The covariance of a function's slopes. A row of 2q columns (x, u) stands for the slope at x in the direction u, uᵀ∇f(x), and a row of q columns for
 * the value at x. Values and slopes are jointly normal, so that everything that works with values of a Gaussian process works with its slopes:
 * Cov(uᵀ∇f(x), f(x')) = uᵀ∂k(x, x')/∂x, Cov(uᵀ∇f(x), u'ᵀ∇f(x')) = uᵀ(∂²k(x, x')/∂x∂x')u'.
 * Derivatives are sixth-order central differences of the kernel, with a step of 1/500 of the spread of the points. They are exact to about 1e-10 of
 * the kernel's variance for smooth kernels whose lengthscale is at least a tenth of the spread. The second derivative of a matern32 has a corner, so
 * that its slopes are exact to about a percent. White noise has no slopes and adds nothing.
 *
 * @param points - N×q, the points whose spread is the unit of the differences
 * @see Rasmussen & Williams 2006, §9.4
 */
export function slopeKernel(kernel: Kernel, points: Matrix): Kernel {
  return withStep(kernel, points.columns, differenceStep(points.data, points.columns));
}

/**
 * Rows that stand for all slopes at n points: row i·q + d is the slope at point i along column d, n·q × 2q.
 *
 * @param points - n×q
 */
export function slopeRows({ data, rows, columns: q }: Matrix): Matrix {
  const result = Matrix.zeros(rows * q, 2 * q);
  for (let i = 0; i < rows; i++) {
    for (let d = 0; d < q; d++) {
      const from = (i * q + d) * 2 * q;
      result.data.set(data.subarray(i * q, (i + 1) * q), from);
      result.data[from + q + d] = 1;
    }
  }
  return result;
}

function withStep(kernel: Kernel, q: number, step: number): Kernel {
  const isSlope = (A: Tensor2D) => A.shape[1] === 2 * q;
  /** The points of all differences, one block per offset. */
  const around = (A: Tensor2D): Tensor2D => {
    const n = A.shape[0];
    const [x, u] = [op.slice<Tensor2D>(A, [0, 0], [n, q]), op.slice<Tensor2D>(A, [0, q], [n, q])];
    return op.concat(
      CENTRAL_DIFFERENCES.map(([offset]) => op.add(x, op.mul(step * offset, u))),
      0,
    ) as Tensor2D;
  };
  /** Σ_s w_s·K_s/h, where the rows K_s belong to offset s. */
  const differences = (K: Tensor2D, n: number): Tensor2D => {
    const weights = CENTRAL_DIFFERENCES.map(([, weight]) => op.mul(weight / step, op.eye(n)));
    return op.matMul<Tensor2D>(op.concat(weights, 1) as Tensor2D, K);
  };
  const covariance = (p: TensorMap, A: Tensor2D, B: Tensor2D, inputs: Tensor2D): Tensor2D => {
    if (!isSlope(A) && !isSlope(B)) return kernel.covariance(p, A, B, inputs);
    if (!isSlope(A)) return op.transpose(covariance(p, B, A, inputs)) as Tensor2D;
    // Separate tensors for the two sides, so that white noise is 0 between them.
    const rows = differences(kernel.covariance(p, around(A), isSlope(B) ? around(B) : B, inputs), A.shape[0]);
    if (!isSlope(B)) return rows;
    return op.transpose(differences(op.transpose(rows) as Tensor2D, B.shape[0])) as Tensor2D;
  };
  return Object.freeze<Kernel>({
    kind: 'kernel',
    name: kernel.name,
    parameters: kernel.parameters,
    form: Object.freeze({
      type: 'leaf',
      standard: kernel.parameters,
      options: {},
      remade: () => kernel,
      capabilities: {},
      own: (p: TensorMap) => p,
    }),
    covariance,
    diagonal: (p, A, inputs) =>
      isSlope(A)
        ? (op.sum(op.mul(op.eye(A.shape[0]), covariance(p, A, A, inputs)), 1) as Tensor1D)
        : kernel.diagonal(p, A, inputs),
  });
}

/**
 * Throws unless functions with this covariance are differentiable, that is, unless the variance of a slope is independent of the step of the
 * differences. Called on the float64 backend.
 *
 * @param p - natural values of the kernel's parameters
 * @param points - N×q
 * @throws InvalidInputError for a kernel whose functions are not differentiable, such as matern12
 */
export function checkSlopes(kernel: Kernel, p: TensorMap, points: Matrix): void {
  const q = points.columns;
  const step = differenceStep(points.data, q);
  const X = matrixTensor(points);
  const A = matrixTensor(slopeRows(new Matrix(points.row(Math.floor(points.rows / 2)), 1, q)));
  const [fine, coarse] = [step, 2 * step].map((own) => doublesOf(withStep(kernel, q, own).diagonal(p, A, X)));
  const bad = fine!.findIndex((variance, d) => Math.abs(variance - coarse![d]!) > AGREEMENT * Math.abs(variance));
  if (bad < 0) return;
  throw new InvalidInputError(
    `Functions with the covariance '${kernel.name}' have no slopes along column index ${bad} of the latents, or bend within 1/500 of their spread, so that there is ` +
      'no metric. Use a smoother kernel, such as rbf() or matern52().',
  );
}

/**
 * Variation of a function with this covariance along each of q input dimensions, up to a factor for each kind of kernel: the variance of its slope at
 * 0, ∂²k/∂x_d∂x'_d, is v/l_d² for an rbf, proportional to that for other functions of distance, v_d for a linear kernel and 0 for a constant. Sums
 * add.
 *
 * @returns q entries; undefined if they are unknown for a part of the kernel
 */
export function slopeVariances(kernel: Kernel, values: ParameterValues, q: number): Float64Array | undefined {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return leafSlopes(kernel.name, form.capabilities.structure?.type, values, q);
    case 'scale': {
      const [child] = namedParts([form.child], ['scale']);
      const variance = values['scale.variance'] as number;
      return slopeVariances(form.child, renamed(child!, values), q)?.map((slope) => variance * slope);
    }
    case 'select': {
      const own = slopeVariances(form.child, values, form.columns.length);
      return own && Float64Array.from({ length: q }, (_, d) => own[form.columns.indexOf(d)] ?? 0);
    }
    case 'multiply':
      return undefined;
    case 'add': {
      const parts = namedParts(form.children);
      const slopes = form.children.map((child, i) => slopeVariances(child, renamed(parts[i]!, values), q));
      return slopes.every((own) => own !== undefined)
        ? slopes.reduce((sum, own) => sum.map((slope, d) => slope + own[d]!))
        : undefined;
    }
  }
}

/** The values renamed to a part's parameter names. */
function renamed({ own }: ReturnType<typeof namedParts>[number], values: ParameterValues): ParameterValues {
  return own(values as never) as unknown as ParameterValues;
}

function leafSlopes(name: string, structure: string | undefined, values: ParameterValues, q: number) {
  const entry = (parameter: string) => {
    const entries = entriesOf(values[`${name}.${parameter}`]!);
    return (d: number) => entries[entries.length === 1 ? 0 : d]!;
  };
  switch (structure) {
    case 'constant':
    case 'white':
      return new Float64Array(q);
    case 'radial': {
      const [variance, lengthscale] = [entry('variance'), entry('lengthscale')];
      return Float64Array.from({ length: q }, (_, d) => variance(0) / square(lengthscale(d)));
    }
    default:
      return name === 'linear' ? Float64Array.from({ length: q }, (_, d) => entry('variance')(d)) : undefined;
  }
}
