import { log } from '../../../core/elementary/index.ts';
import { NumericalError } from '../../../core/errors.ts';
import { factorize, logDeterminantOf, type PositiveDefiniteOptions } from '../../../numerics/dense/factorize.ts';
import type { Float64Memory } from '../../../numerics/memory.ts';
import { bytesOf, isRegistered, registerMatrixKernel, type Workspace } from './operation.ts';
import { mirrorLowerOf, transposeInPlace } from './square.ts';

export const FROM_OBSERVATIONS = 'latentfield.GaussianLogDensityFromObservations';
export const FROM_OUTER_PRODUCT = 'latentfield.GaussianLogDensityFromOuterProduct';

/** Attributes of the fused operations. */
export interface GaussianAttributes extends PositiveDefiniteOptions {
  /** D */
  readonly columns: number;
  /** Whether the outputs after the value are wanted. */
  readonly gradient: boolean;
}

/** −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹S), and with the same factor of K its gradient in K; registered when first used. */
export function registerGaussianLogDensity(): void {
  if (isRegistered(FROM_OBSERVATIONS)) return;
  // Outputs: the value; G = ½(K⁻¹YYᵀK⁻¹ − D·K⁻¹); K⁻¹Y.
  registerMatrixKernel<GaussianAttributes>({
    name: FROM_OBSERVATIONS,
    inputs: ['k', 'y'],
    outputs: ([k, y], { gradient }) => (gradient ? [[], k!, y!] : [[]]),
    compute(workspace, [k, y], attributes) {
      const n = k![0]!;
      withFactor(workspace, n, attributes, (factor) => fromObservations(workspace, n, y![1]!, factor, attributes));
    },
  });

  // Outputs: the value; G = ½(K⁻¹SK⁻¹ − D·K⁻¹).
  registerMatrixKernel<GaussianAttributes>({
    name: FROM_OUTER_PRODUCT,
    inputs: ['k', 's'],
    outputs: ([k], { gradient }) => (gradient ? [[], k!] : [[]]),
    compute(workspace, [k], attributes) {
      const n = k![0]!;
      withFactor(workspace, n, attributes, (factor) => fromOuterProduct(workspace, n, factor, attributes));
    },
  });
}

/** Factors K where G will be, or in a workspace when G is not wanted. */
function withFactor(
  { memory, algebra, inputs, outputs }: Workspace,
  n: number,
  attributes: GaussianAttributes,
  work: (factor: number) => void,
): void {
  const use = (factor: number) => {
    factorize(memory, algebra, n, inputs[0]!, factor, attributes);
    work(factor);
  };
  if (attributes.gradient) use(outputs[1]!);
  else memory.withBlock(bytesOf(n * n), use);
}

function fromObservations(
  { memory, algebra, inputs, outputs }: Workspace,
  n: number,
  width: number,
  factor: number,
  { columns, gradient }: GaussianAttributes,
): void {
  const y = inputs[1]!;
  const finish = (solved: number) => {
    memory.float64(solved, n * width).set(memory.float64(y, n * width));
    algebra.triangularSolve(n, width, factor, solved, false);
    const quadratic = sumOfSquares(memory.float64(solved, n * width));
    if (!Number.isFinite(quadratic)) throw notFinite(memory, y, n, width, 'The observations');
    writeValue(memory, outputs[0]!, n, factor, columns, quadratic);
    if (!gradient) return;
    algebra.triangularSolve(n, width, factor, solved, true);
    algebra.choleskyInverse(n, factor);
    algebra.syrk(n, width, 0.5, { offset: solved, rowStride: width, columnStride: 1 }, -columns / 2, factor);
    mirrorLowerOf(n, memory.float64(factor, n * n));
  };
  if (gradient) finish(outputs[2]!);
  else memory.withBlock(bytesOf(n * width), finish);
}

function fromOuterProduct(
  { memory, algebra, inputs, outputs }: Workspace,
  n: number,
  factor: number,
  { columns, gradient }: GaussianAttributes,
): void {
  memory.withBlock(bytesOf(n * n), (work) => {
    memory.float64(work, n * n).set(memory.float64(inputs[1]!, n * n));
    const halfSolve = (transpose: boolean) => algebra.triangularSolve(n, n, factor, work, transpose);
    const flip = () => transposeInPlace(n, memory.float64(work, n * n));
    // L⁻¹SL⁻ᵀ, whose trace is tr(K⁻¹S), …
    halfSolve(false);
    flip();
    halfSolve(false);
    const quadratic = trace(n, memory.float64(work, n * n));
    if (!Number.isFinite(quadratic)) throw notFinite(memory, inputs[1]!, n, n, 'The outer product of the observations');
    writeValue(memory, outputs[0]!, n, factor, columns, quadratic);
    if (!gradient) return;
    // … and from it K⁻¹SK⁻¹.
    halfSolve(true);
    flip();
    halfSolve(true);
    algebra.choleskyInverse(n, factor);
    const G = memory.float64(factor, n * n);
    const weighted = memory.float64(work, n * n);
    for (let i = 0; i < n * n; i++) G[i] = 0.5 * (weighted[i]! - columns * G[i]!);
    mirrorLowerOf(n, G);
  });
}

const LOG_2PI = log(2 * Math.PI);

/** −½·(D·n·log 2π + D·log|K| + tr(YᵀK⁻¹Y)), from log|K| and the trace. */
export function logDensity(n: number, columns: number, logDeterminant: number, quadratic: number): number {
  return -0.5 * (columns * n * LOG_2PI + columns * logDeterminant + quadratic);
}

function writeValue(
  memory: Float64Memory,
  target: number,
  n: number,
  factor: number,
  columns: number,
  quadratic: number,
): void {
  const logDeterminant = logDeterminantOf(n, memory.float64(factor, n * n));
  const value = logDensity(n, columns, logDeterminant, quadratic);
  memory.float64(target, 1)[0] = value;
}

export function sumOfSquares(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * x[i]!;
  return sum;
}

function trace(n: number, matrix: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += matrix[i * (n + 1)]!;
  return sum;
}

/** The error for data, n×columns, whose log density is not finite. */
export function notFinite(
  memory: Float64Memory,
  offset: number,
  rows: number,
  columns: number,
  name: string,
): NumericalError {
  const entries = memory.float64(offset, rows * columns);
  const bad = entries.findIndex((entry) => !Number.isFinite(entry));
  return new NumericalError(
    bad < 0
      ? `${name} (${rows}×${columns}) are so far from what the covariance allows that their log density overflows. Scale them down.`
      : `${name} (${rows}×${columns}) must be finite, but row ${Math.floor(bad / columns)}, column ${bad % columns} is ${entries[bad]}. ` +
          'Remove or fill in missing values.',
  );
}
