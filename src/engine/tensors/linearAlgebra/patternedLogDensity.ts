import { logDeterminantOf, type PositiveDefiniteOptions } from '../../dense/factorize.ts';
import { contiguous } from '../../operations/linearAlgebra.ts';
import { engine, type Scalar, type Tensor, type Tensor2D } from '../tensorflow.ts';
import { fromObservations, logDensity } from './operations/gaussianLogDensity.ts';
import { bytesOf, type MatrixKernel, registerOnce, type Workspace, withSlopes } from './operations/operation.ts';

/** Columns that are observed in the same rows. */
export interface ColumnPattern {
  /** Observed rows, ascending. */
  readonly rows: Int32Array;
  /** Number of columns. */
  readonly columns: number;
}

interface PatternAttributes extends PositiveDefiniteOptions {
  readonly patterns: readonly ColumnPattern[];
  /** True if the gradient in K is needed. */
  readonly gradient: boolean;
}

/** A pattern with the byte offset of its entries. */
interface Part extends ColumnPattern {
  readonly hidden: Int32Array;
  readonly data: number;
}

/**
 * Sum of the log densities log N(Y_p | 0, K_p) of columns that are observed in different rows, where K_p are the observed rows and columns of K.
 *
 * Patterns share one factor of K if that is cheaper and K is well-conditioned. With P = K⁻¹ and the hidden rows h of a pattern, log|K_p| = log|K| +
 * log|P_hh|, and P − P_·h·P_hh⁻¹·P_h· is K_p⁻¹ in the observed rows and 0 elsewhere.
 *
 * @param K - N×N, symmetric
 * @param entries - constant entries of one pattern after the other, each rows × columns
 * @param patterns - observed rows of each, and its number of columns
 * @param options - see `cholesky`; the gradient treats the jitter as constant
 */
export function patternedLogDensity(
  K: Tensor2D,
  entries: Tensor,
  patterns: readonly ColumnPattern[],
  options: PositiveDefiniteOptions,
): Scalar {
  registerOnce(PATTERNED);
  const gradient = engine().state.gradientDepth > 0;
  return withSlopes(PATTERNED.name, { k: K, y: entries }, ['k'], { ...options, patterns, gradient });
}

/** Outputs: the value; its gradient in K. */
const PATTERNED: MatrixKernel<PatternAttributes> = {
  name: 'latentfield.PatternedLogDensity',
  inputs: ['k', 'y'],
  outputs: ([k], { gradient }) => (gradient ? [[], k!] : [[]]),
  compute(workspace, [k], attributes) {
    const { memory, algebra, inputs, outputs } = workspace;
    const n = k![0]!;
    let data = inputs[1]!;
    const parts = attributes.patterns.map((pattern) => {
      const isObserved = new Uint8Array(n);
      for (const row of pattern.rows) isObserved[row] = 1;
      const part = { ...pattern, hidden: Int32Array.from(isObserved.keys()).filter((row) => !isObserved[row]), data };
      data += 8 * pattern.rows.length * pattern.columns;
      return part;
    });
    const clear = () => {
      if (attributes.gradient) memory.float64(outputs[1]!, n * n).fill(0);
    };
    clear();
    const sharing = parts.filter((part) => saved(n, part) > 0);
    const isWorthwhile = sharing.reduce((sum, part) => sum + saved(n, part), 0) > (n * n * n) / 2;
    const shared = isWorthwhile ? sharedDensity(workspace, n, sharing, attributes) : undefined;
    if (isWorthwhile && shared === undefined) clear();
    const others = shared === undefined ? parts : parts.filter((part) => !sharing.includes(part));
    const value = others.reduce((sum, part) => sum + ownDensity(workspace, n, part, attributes), shared ?? 0);
    memory.float64(outputs[0]!, 1)[0] = value;
    if (attributes.gradient) algebra.mirrorLower(n, outputs[1]!);
  },
};

/** Multiplications that a pattern saves if it shares a factor. */
function saved(n: number, { rows: { length: m }, hidden: { length: h } }: Part): number {
  return (m * m * m - n * h * (n + h) - (h * h * h) / 3) / 2;
}

/** The log density of one pattern through its own factor; adds the lower triangle of its gradient. */
function ownDensity(
  { memory, algebra, inputs, outputs }: Workspace,
  n: number,
  { rows, columns, data }: Part,
  attributes: PatternAttributes,
): number {
  const m = rows.length;
  return memory.withBlock(bytesOf(m * m), (k) =>
    memory.withBlock(bytesOf(m * m), (factor) =>
      memory.withBlock(bytesOf(m * columns), (solved) => {
        const [all, own] = [memory.float64(inputs[0]!, n * n), memory.float64(k, m * m)];
        for (let i = 0; i < m; i++) for (let j = 0; j <= i; j++) own[i * m + j] = all[rows[i]! * n + rows[j]!]!;
        const places = { n: m, width: columns, k, data, factor, solved };
        const value = fromObservations(memory, algebra, places, { ...attributes, columns });
        if (attributes.gradient) {
          const [from, G] = [memory.float64(factor, m * m), memory.float64(outputs[1]!, n * n)];
          for (let i = 0; i < m; i++) for (let j = 0; j <= i; j++) G[rows[i]! * n + rows[j]!]! += from[i * m + j]!;
        }
        return value;
      }),
    ),
  );
}

/** Patterns share a factor if the product of the largest diagonal entries of K and K⁻¹ is at most this. */
const MOST_CONDITION = 1e6;

/**
 * The log density of several patterns through one factor; adds the lower triangle of its gradient.
 *
 * @returns undefined if a matrix is not positive definite or not well-conditioned
 */
function sharedDensity(
  { memory, algebra, inputs, outputs }: Workspace,
  n: number,
  parts: readonly Part[],
  { gradient }: PatternAttributes,
): number | undefined {
  const D = parts.reduce((sum, { columns }) => sum + columns, 0);
  const within = (P: number, A: number) => {
    const K = memory.float64(inputs[0]!, n * n);
    memory.float64(P, n * n).set(K);
    if (algebra.cholesky(n, P) >= 0) return undefined;
    const logDeterminant = logDeterminantOf(n, memory.float64(P, n * n));
    const solved = memory.float64(A, n * D).fill(0);
    let first = 0;
    for (const { rows, columns, data } of parts) {
      const Y = memory.float64(data, rows.length * columns);
      for (let i = 0; i < rows.length; i++)
        solved.set(Y.subarray(i * columns, (i + 1) * columns), rows[i]! * D + first);
      first += columns;
    }
    algebra.triangularSolve(n, D, P, A, false);
    algebra.triangularSolve(n, D, P, A, true);
    algebra.choleskyInverse(n, P);
    if (
      !(
        largestDiagonal(n, memory.float64(inputs[0]!, n * n)) * largestDiagonal(n, memory.float64(P, n * n)) <=
        MOST_CONDITION
      )
    )
      return undefined;
    let value = 0;
    first = 0;
    for (const part of parts) {
      const { hidden, rows, columns, data } = part;
      const h = hidden.length;
      const start = first;
      const own = (S: number, V: number, B: number, weights: number) => {
        const [inverse, all] = [memory.float64(P, n * n), memory.float64(A, n * D)];
        const [small, wide] = [memory.float64(S, h * h), memory.float64(V, h * n)];
        const [right, left] = [memory.float64(B, h * columns), memory.float64(weights, n * columns)];
        for (let i = 0; i < n; i++) left.set(all.subarray(i * D + first, i * D + first + columns), i * columns);
        for (let a = 0; a < h; a++) {
          const row = hidden[a]! * n;
          wide.set(inverse.subarray(row, row + n), a * n);
          for (let b = 0; b <= a; b++) small[a * h + b] = inverse[row + hidden[b]!]!;
          right.set(left.subarray(hidden[a]! * columns, (hidden[a]! + 1) * columns), a * columns);
        }
        if (algebra.cholesky(h, S) >= 0) return undefined;
        algebra.triangularSolve(h, n, S, V, false);
        algebra.triangularSolve(h, columns, S, B, false);
        const across = { offset: V, rowStride: 1, columnStride: n };
        algebra.gemm(n, columns, h, -1, across, contiguous(B, columns), 1, contiguous(weights, columns));
        // K_p⁻¹Y_p in the observed rows, and 0 up to rounding in the others
        const [Y, w] = [memory.float64(data, rows.length * columns), memory.float64(weights, n * columns)];
        for (const row of hidden) w.fill(0, row * columns, (row + 1) * columns);
        let quadratic = 0;
        for (let i = 0; i < rows.length; i++)
          for (let j = 0; j < columns; j++) quadratic += Y[i * columns + j]! * w[rows[i]! * columns + j]!;
        if (gradient) {
          algebra.syrk(n, h, columns / 2, across, 1, outputs[1]!);
          const [whole, part] = [memory.float64(A, n * D), memory.float64(weights, n * columns)];
          for (let i = 0; i < n; i++) whole.set(part.subarray(i * columns, (i + 1) * columns), i * D + start);
        }
        return logDensity(
          rows.length,
          columns,
          logDeterminant + logDeterminantOf(h, memory.float64(S, h * h)),
          quadratic,
        );
      };
      const term = memory.withBlock(bytesOf(h * h), (S) =>
        memory.withBlock(bytesOf(h * n), (V) =>
          memory.withBlock(bytesOf(h * columns), (B) =>
            memory.withBlock(bytesOf(n * columns), (weights) => own(S, V, B, weights)),
          ),
        ),
      );
      if (term === undefined || !Number.isFinite(term)) return undefined;
      value += term;
      first += columns;
    }
    if (gradient) {
      algebra.syrk(n, D, 0.5, contiguous(A, D), 1, outputs[1]!);
      const [G, inverse] = [memory.float64(outputs[1]!, n * n), memory.float64(P, n * n)];
      for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) G[i * n + j]! -= (D / 2) * inverse[i * n + j]!;
    }
    return value;
  };
  return memory.withBlock(bytesOf(n * n), (P) => memory.withBlock(bytesOf(n * D), (A) => within(P, A)));
}

function largestDiagonal(n: number, matrix: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, matrix[i * (n + 1)]!);
  return largest;
}
