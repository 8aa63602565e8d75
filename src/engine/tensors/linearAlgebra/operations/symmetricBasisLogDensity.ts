import { lowerProduct } from '../../../dense/activeEngine.ts';
import { factorize, logDeterminantOf, type PositiveDefiniteOptions } from '../../../dense/factorize.ts';
import { contiguous, type Strided } from '../../../operations/linearAlgebra.ts';
import { engine, type Scalar, type Tensor, type Tensor2D } from '../../tensorflow.ts';
import { besideData, logDensity, notFinite, sumOfSquares } from './gaussianLogDensity.ts';
import {
  bytesOf,
  isRegistered,
  registerMatrixKernel,
  requireBackend,
  scalarOperand,
  systemOperands,
  type Workspace,
  withSlopes,
} from './operation.ts';

const SYMMETRIC_BASIS = 'latentfield.SymmetricBasisLogDensity';

/** Attributes of the operation. */
interface SymmetricBasisAttributes extends PositiveDefiniteOptions {
  /** True if the outputs after the value are needed. */
  readonly gradient: boolean;
}

/** log N(Y | 0, K), K = E² + UUᵀ + σ²I with E symmetric, and its gradients in E, U and σ²; registered when first used. */
function registerSymmetricBasisLogDensity(): void {
  if (isRegistered(SYMMETRIC_BASIS)) return;
  registerMatrixKernel<SymmetricBasisAttributes>({
    name: SYMMETRIC_BASIS,
    inputs: ['e', 'u', 'noise', 'y'],
    outputs: ([e, u], { gradient }) => (gradient ? [[], e!, u!, []] : [[]]),
    compute(workspace, [e, u, , y], attributes) {
      const { memory, algebra, inputs, outputs } = workspace;
      const sizes = { n: e![0]!, r: u![1]!, columns: y![1]! };
      const { n, r, columns } = sizes;
      const width = columns + 2 * r;
      const within = (covariance: number) =>
        memory.withBlock(bytesOf(n * n + n * width), (factor) => {
          formCovariance(workspace, sizes, covariance);
          const meanSquare = () => sumOfSquares(memory.float64(inputs[3]!, n * columns)) / (n * columns);
          factorize(memory, algebra, n, covariance, factor, besideData(attributes, meanSquare));
          const solved = factor + 8 * n * n;
          placeRightSides(workspace, sizes, solved);
          algebra.triangularSolve(n, width, factor, solved, false);
          writeValue(workspace, sizes, factor, solved);
          if (!attributes.gradient) return;
          algebra.triangularSolve(n, width, factor, solved, true);
          algebra.choleskyInverse(n, factor);
          gradientInBasis(workspace, sizes, factor, solved, covariance);
          gradientInRest(workspace, sizes, factor, solved);
        });
      if (attributes.gradient) within(outputs[1]!);
      else memory.withBlock(bytesOf(n * n), within);
    },
  });
}

/** Sizes of E n×n, U n×r, Y n×columns. */
interface Sizes {
  readonly n: number;
  readonly r: number;
  readonly columns: number;
}

const transposed = ({ offset, rowStride, columnStride }: Strided): Strided => ({
  offset,
  rowStride: columnStride,
  columnStride: rowStride,
});

/** Writes the lower triangle of K. */
function formCovariance({ memory, algebra, inputs }: Workspace, { n, r }: Sizes, target: number): void {
  const [e, u, noise] = inputs as [number, number, number];
  algebra.syrk(n, n, 1, contiguous(e, n), 0, target);
  algebra.syrk(n, r, 1, contiguous(u, r), 1, target);
  const variance = memory.float64(noise, 1)[0]!;
  const K = memory.float64(target, n * n);
  for (let i = 0; i < n * n; i += n + 1) K[i]! += variance;
}

/** [Y | U | EU], side by side. */
function placeRightSides({ memory, algebra, inputs }: Workspace, { n, r, columns }: Sizes, target: number): void {
  const [e, u, , y] = inputs as [number, number, number, number];
  const width = columns + 2 * r;
  const [U, Y, T] = [memory.float64(u, n * r), memory.float64(y, n * columns), memory.float64(target, n * width)];
  for (let i = 0; i < n; i++) {
    T.set(Y.subarray(i * columns, (i + 1) * columns), i * width);
    T.set(U.subarray(i * r, (i + 1) * r), i * width + columns);
  }
  const product = { offset: target + 8 * (columns + r), rowStride: width, columnStride: 1 };
  algebra.gemm(n, r, n, 1, contiguous(e, n), contiguous(u, r), 0, product);
}

function writeValue(
  { memory, inputs, outputs }: Workspace,
  { n, r, columns }: Sizes,
  factor: number,
  solved: number,
): void {
  const width = columns + 2 * r;
  const halves = memory.float64(solved, n * width);
  let quadratic = 0;
  for (let i = 0; i < n; i++) quadratic += sumOfSquares(halves.subarray(i * width, i * width + columns));
  if (!Number.isFinite(quadratic)) throw notFinite(memory, inputs[3]!, n, columns, 'The observations');
  const logDeterminant = logDeterminantOf(n, memory.float64(factor, n * n));
  memory.float64(outputs[0]!, 1)[0] = logDensity(n, columns, logDeterminant, quadratic);
}

/**
 * Target ← EG + GE, G = ½(AAᵀ − D·K⁻¹), A = K⁻¹Y. Only one triangle of EK⁻¹ is formed, because it is symmetric except for a matrix of low rank,
 *
 *   EK⁻¹ − K⁻¹E = K⁻¹(KE − EK)K⁻¹ = VPᵀ − PVᵀ,  V = K⁻¹U,  P = K⁻¹EU,
 *
 * because E commutes with E² + σ²I. So, with B = EA, EG + GE = −D·EK⁻¹ + ½(BAᵀ + ABᵀ) + D/2·(VPᵀ − PVᵀ).
 *
 * @param inverse - K⁻¹
 * @param solved - [A | V | P], side by side
 */
function gradientInBasis(
  { memory, algebra, inputs }: Workspace,
  { n, r, columns }: Sizes,
  inverse: number,
  solved: number,
  target: number,
): void {
  const E = contiguous(inputs[0]!, n);
  const width = columns + 2 * r;
  const depth = columns + width;
  memory.withBlock(bytesOf(2 * n * depth), (left) => {
    const right = left + 8 * n * depth;
    // Left [B | A | V | P], right [½A | ½B | D/2·P | −D/2·V]: their product is all but −D·EK⁻¹.
    const A = { offset: solved, rowStride: width, columnStride: 1 };
    algebra.gemm(n, columns, n, 1, E, A, 0, { offset: left, rowStride: depth, columnStride: 1 });
    const S = memory.float64(solved, n * width);
    const [L, R] = [memory.float64(left, n * depth), memory.float64(right, n * depth)];
    for (let i = 0; i < n; i++) {
      const [row, from] = [i * depth, i * width];
      L.set(S.subarray(from, from + width), row + columns);
      for (let c = 0; c < columns; c++) {
        R[row + c] = 0.5 * S[from + c]!;
        R[row + columns + c] = 0.5 * L[row + c]!;
      }
      const [v, p] = [from + columns, from + columns + r];
      for (let c = 0; c < r; c++) {
        R[row + 2 * columns + c] = 0.5 * columns * S[p + c]!;
        R[row + 2 * columns + r + c] = -0.5 * columns * S[v + c]!;
      }
    }
    lowerProduct(memory, algebra, n, n, -columns, E, contiguous(inverse, n), 0, target);
    lowerProduct(
      memory,
      algebra,
      n,
      depth,
      1,
      contiguous(left, depth),
      transposed(contiguous(right, depth)),
      1,
      target,
    );
  });
  algebra.mirrorLower(n, target);
}

/** 2GU = A(AᵀU) − D·K⁻¹U and tr G = ½(‖A‖² − D·tr K⁻¹). */
function gradientInRest(
  { memory, algebra, inputs, outputs }: Workspace,
  { n, r, columns }: Sizes,
  inverse: number,
  solved: number,
): void {
  const width = columns + 2 * r;
  const A = { offset: solved, rowStride: width, columnStride: 1 };
  const target = contiguous(outputs[2]!, r);
  memory.withBlock(bytesOf(columns * r), (moments) => {
    algebra.gemm(columns, r, n, 1, transposed(A), contiguous(inputs[1]!, r), 0, contiguous(moments, r));
    algebra.gemm(n, r, columns, 1, A, contiguous(moments, r), 0, target);
  });
  const S = memory.float64(solved, n * width);
  const dU = memory.float64(outputs[2]!, n * r);
  const K = memory.float64(inverse, n * n);
  let trace = 0;
  for (let i = 0; i < n; i++) {
    const row = i * width;
    trace += sumOfSquares(S.subarray(row, row + columns)) - columns * K[i * (n + 1)]!;
    for (let c = 0; c < r; c++) dU[i * r + c]! -= columns * S[row + columns + c]!;
  }
  memory.float64(outputs[3]!, 1)[0] = 0.5 * trace;
}

const OPERATION = 'symmetricBasisLogDensity';

/**
 * Log density of D independent columns of Y under N(0, K), K = E² + UUᵀ + σ²I with a symmetric matrix E of N basis functions at their N centers:
 * −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ).
 *
 * It equals `gaussianLogDensity` of K, with three quarters of the work for value and gradients: the gradient in a symmetric E is EG + GE, G = ∂/∂K,
 * and only one triangle of EK⁻¹ is formed, because E commutes with all terms of K except UUᵀ.
 *
 * @param E - N×N, symmetric; its gradient is symmetric
 * @param U - N×r, of few columns
 * @param noise - σ² > 0, a scalar
 * @param Y - N×D; a constant, without gradient
 * @param options - see `cholesky`; the gradient treats the jitter as constant
 * @returns a scalar
 * @throws InvalidInputError if the shapes do not match, or the noise is not one number
 * @throws NumericalError if K is not positive definite even with jitter, or an entry is not finite
 * @example
 * ```ts
 * const E = op.tensor<Tensor2D>([[0, 1], [1, 0]]);
 * const H = op.ones<Tensor2D>([2, 1]); // K = [[3, 1], [1, 3]]
 * op.symmetricBasisLogDensity(E, H, op.scalar(1), op.tensor<Tensor2D>([[1], [1]])); // -3.1275978372492632
 * ```
 */
export function symmetricBasisLogDensity(
  E: Tensor2D,
  U: Tensor2D,
  noise: Tensor,
  Y: Tensor2D,
  options: PositiveDefiniteOptions = {},
): Scalar {
  requireBackend(OPERATION);
  registerSymmetricBasisLogDensity();
  const [basis, rest] = systemOperands(E, U, OPERATION, ['E', 'U']);
  const [, data] = systemOperands(E, Y, OPERATION, ['E', 'Y']);
  const variance = scalarOperand(noise, OPERATION, 'noise');
  const attributes = { ...options, gradient: engine().state.gradientDepth > 0 };
  return withSlopes(SYMMETRIC_BASIS, { e: basis, u: rest, noise: variance, y: data }, ['e', 'u', 'noise'], attributes);
}
