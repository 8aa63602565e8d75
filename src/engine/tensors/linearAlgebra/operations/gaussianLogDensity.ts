import { log } from '../../../../core/elementary/index.ts';
import { NumericalError } from '../../../../core/errors.ts';
import { entryInWords } from '../../../../core/matrix.ts';
import { firstNotFinite } from '../../../../core/plainNumbers.ts';
import { factorize, logDeterminantOf, type PositiveDefiniteOptions } from '../../../dense/factorize.ts';
import type { Float64Memory } from '../../../memory.ts';
import type { LinearAlgebraEngine } from '../../../operations/linearAlgebra.ts';
import { bytesOf, isRegistered, registerMatrixKernel, transposeInPlace, type Workspace } from './operation.ts';

export const FROM_OBSERVATIONS = 'latentfield.GaussianLogDensityFromObservations';
export const FROM_OUTER_PRODUCT = 'latentfield.GaussianLogDensityFromOuterProduct';

/** Attributes of the fused operations. */
export interface GaussianAttributes extends PositiveDefiniteOptions {
  /** D */
  readonly columns: number;
  /** True if the outputs after the value are needed. */
  readonly gradient: boolean;
}

/** −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹S), and its gradient in K from the same factor; registered when first used. */
export function registerGaussianLogDensity(): void {
  if (isRegistered(FROM_OBSERVATIONS)) return;
  // Outputs: the value; G = ½(K⁻¹YYᵀK⁻¹ − D·K⁻¹); K⁻¹Y.
  registerMatrixKernel<GaussianAttributes>({
    name: FROM_OBSERVATIONS,
    inputs: ['k', 'y'],
    outputs: ([k, y], { gradient }) => (gradient ? [[], k!, y!] : [[]]),
    compute: (workspace, [k, y], attributes) => evaluate(workspace, k![0]!, y![1]!, attributes, fromObservations),
  });

  // Outputs: the value; G = ½(K⁻¹SK⁻¹ − D·K⁻¹).
  registerMatrixKernel<GaussianAttributes>({
    name: FROM_OUTER_PRODUCT,
    inputs: ['k', 's'],
    outputs: ([k], { gradient }) => (gradient ? [[], k!] : [[]]),
    compute: (workspace, [k], attributes) => evaluate(workspace, k![0]!, k![0]!, attributes, fromOuterProduct),
  });
}

/** Factors K in the memory of G, or in a workspace if G is not needed. */
function evaluate(
  { memory, algebra, inputs, outputs }: Workspace,
  n: number,
  width: number,
  attributes: GaussianAttributes,
  density: typeof fromObservations,
): void {
  const [k, data] = inputs as [number, number];
  const within = (factor: number, solved: number) => {
    const value = density(memory, algebra, { n, width, k, data, factor, solved }, attributes);
    memory.float64(outputs[0]!, 1)[0] = value;
  };
  const withSolved = (factor: number) => {
    if (outputs[2] !== undefined) within(factor, outputs[2]);
    else memory.withBlock(bytesOf(n * width), (solved) => within(factor, solved));
  };
  if (!attributes.gradient) memory.withBlock(bytesOf(n * n), withSolved);
  else {
    withSolved(outputs[1]!);
    algebra.mirrorLower(n, outputs[1]!);
  }
}

/** Byte offsets of an evaluation's arrays. */
export interface DensityPlaces {
  readonly n: number;
  /** Number of columns of the data. */
  readonly width: number;
  /** K, n×n; its lower triangle is read. */
  readonly k: number;
  /** Y or S, n×width. */
  readonly data: number;
  /** n×n for the factor of K and then, with a gradient, the lower triangle of G; entries above the diagonal are undefined. */
  readonly factor: number;
  /** n×width; K⁻¹Y afterwards if a gradient is computed. */
  readonly solved: number;
}

/** The log density of observations Y. */
export function fromObservations(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  { n, width, k, data, factor, solved }: DensityPlaces,
  attributes: GaussianAttributes,
): number {
  const { columns, gradient } = attributes;
  const meanSquare = () => sumOfSquares(memory.float64(data, n * width)) / (n * width);
  factorize(memory, algebra, n, k, factor, besideData(attributes, meanSquare));
  memory.float64(solved, n * width).set(memory.float64(data, n * width));
  algebra.triangularSolve(n, width, factor, solved, false);
  const quadratic = sumOfSquares(memory.float64(solved, n * width));
  if (!Number.isFinite(quadratic)) throw notFinite(memory, data, n, width, 'The observations');
  const value = valueAt(memory, n, factor, columns, quadratic);
  if (!gradient) return value;
  algebra.triangularSolve(n, width, factor, solved, true);
  algebra.choleskyInverse(n, factor, 'lower');
  algebra.syrk(n, width, 0.5, { offset: solved, rowStride: width, columnStride: 1 }, -columns / 2, factor);
  return value;
}

/** Gaussian log density from S = YYᵀ. */
export function fromOuterProduct(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  { n, k, data, factor, solved: work }: DensityPlaces,
  attributes: GaussianAttributes,
): number {
  const { columns, gradient } = attributes;
  const meanSquare = () => trace(n, memory.float64(data, n * n)) / (n * columns);
  factorize(memory, algebra, n, k, factor, besideData(attributes, meanSquare));
  memory.float64(work, n * n).set(memory.float64(data, n * n));
  const halfSolve = (transpose: boolean) => algebra.triangularSolve(n, n, factor, work, transpose);
  const flip = () => transposeInPlace(n, memory.float64(work, n * n));
  // L⁻¹SL⁻ᵀ, whose trace is tr(K⁻¹S), …
  halfSolve(false);
  flip();
  halfSolve(false);
  const quadratic = trace(n, memory.float64(work, n * n));
  if (!Number.isFinite(quadratic)) throw notFinite(memory, data, n, n, 'The outer product of the observations');
  const value = valueAt(memory, n, factor, columns, quadratic);
  if (!gradient) return value;
  // … and from it K⁻¹SK⁻¹.
  halfSolve(true);
  flip();
  halfSolve(true);
  algebra.choleskyInverse(n, factor, 'lower');
  const G = memory.float64(factor, n * n);
  const weighted = memory.float64(work, n * n);
  for (let row = 0; row < n * n; row += n) {
    const diagonal = row + row / n;
    for (let i = row; i <= diagonal; i++) G[i] = 0.5 * (weighted[i]! - columns * G[i]!);
  }
  return value;
}

/** Options of the factorization of a log density, which reports jitter relative to the mean square of the data. */
export const besideData = (
  { name, onJitter }: PositiveDefiniteOptions,
  meanSquare: () => number,
): PositiveDefiniteOptions => ({
  ...(name !== undefined && { name }),
  ...(onJitter && { onJitter: (jitter) => onJitter(jitter, meanSquare()) }),
});

const LOG_2PI = log(2 * Math.PI);

/** −½·(D·n·log 2π + D·log|K| + tr(YᵀK⁻¹Y)), from log|K| and the trace. */
export function logDensity(n: number, columns: number, logDeterminant: number, quadratic: number): number {
  return -0.5 * (columns * n * LOG_2PI + columns * logDeterminant + quadratic);
}

function valueAt(memory: Float64Memory, n: number, factor: number, columns: number, quadratic: number): number {
  return logDensity(n, columns, logDeterminantOf(n, memory.float64(factor, n * n)), quadratic);
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

/** Error for data, n×columns, with a log density that is not finite. */
export function notFinite(
  memory: Float64Memory,
  offset: number,
  rows: number,
  columns: number,
  name: string,
): NumericalError {
  const entries = memory.float64(offset, rows * columns);
  const bad = firstNotFinite(entries);
  return new NumericalError(
    bad < 0
      ? `${name} (${rows}×${columns}) are so improbable under the covariance that their log density overflows. Scale them down.`
      : `${name} (${rows}×${columns}) must be finite, but ${entryInWords({ data: entries, columns }, bad)}. ` +
          'Remove or fill in missing values.',
  );
}
