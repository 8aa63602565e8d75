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
    const sharing = parts.filter(({ rows, hidden }) => hidden.length < rows.length);
    const isWorthwhile = isCheaper(n, sharing);
    const shared = isWorthwhile ? sharedDensity(workspace, n, sharing, attributes) : undefined;
    if (isWorthwhile && shared === undefined) clear();
    const others = shared === undefined ? parts : parts.filter((part) => !sharing.includes(part));
    const value = others.reduce((sum, part) => sum + ownDensity(workspace, n, part, attributes), shared ?? 0);
    memory.float64(outputs[0]!, 1)[0] = value;
    if (attributes.gradient) algebra.mirrorLower(n, outputs[1]!);
  },
};

/** Rows that some pattern hides, ascending. */
function hiddenRows(n: number, parts: readonly Part[]): Int32Array {
  const isHidden = new Uint8Array(n);
  for (const { hidden } of parts) for (const row of hidden) isHidden[row] = 1;
  return Int32Array.from(isHidden.keys()).filter((row) => isHidden[row] === 1);
}

/** True if these patterns take fewer multiplications with a shared factor than with separate ones. */
function isCheaper(n: number, parts: readonly Part[]): boolean {
  const cubes = (of: (part: Part) => number) => parts.reduce((sum, part) => sum + cube(of(part)), 0);
  const { length: u } = hiddenRows(n, parts);
  return (
    cubes(({ rows }) => rows.length) > cube(n) + u * n * (u + n) + cube(u) / 3 + cubes(({ hidden }) => hidden.length)
  );
}

const cube = (x: number) => x * x * x;

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
 * The log density of several patterns through one factor; adds the lower triangle of its gradient,
 * ½Σ_p (w_pw_pᵀ − c_p·K_p⁻¹) = ½(WWᵀ − D·P + P_·u·S·P_u·) with S = Σ_p c_p·P_hh⁻¹ in the rows u that some pattern hides.
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
  const union = hiddenRows(n, parts);
  const u = union.length;
  const placeIn = new Int32Array(n);
  union.forEach((row, place) => {
    placeIn[row] = place;
  });
  const within = (P: number, A: number, Z: number, S: number) => {
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
    const largest = largestDiagonal(n, memory.float64(inputs[0]!, n * n));
    // Not true of NaN either.
    if (!(largest * largestDiagonal(n, memory.float64(P, n * n)) <= MOST_CONDITION)) return undefined;
    memory.float64(Z, n * D).fill(0);
    memory.float64(S, u * u).fill(0);
    const logDeterminants: number[] = [];
    first = 0;
    for (const { hidden, columns } of parts) {
      const h = hidden.length;
      const start = first;
      const corrected = memory.withBlock(bytesOf(h * h), (inverse) => {
        const [all, small] = [memory.float64(P, n * n), memory.float64(inverse, h * h)];
        for (let a = 0; a < h; a++) for (let b = 0; b <= a; b++) small[a * h + b] = all[hidden[a]! * n + hidden[b]!]!;
        if (algebra.cholesky(h, inverse) >= 0) return false;
        logDeterminants.push(logDeterminant + logDeterminantOf(h, memory.float64(inverse, h * h)));
        algebra.choleskyInverse(h, inverse);
        const [own, sums] = [memory.float64(inverse, h * h), memory.float64(S, u * u)];
        const [weights, moves] = [memory.float64(A, n * D), memory.float64(Z, n * D)];
        for (let a = 0; a < h; a++) {
          const to = hidden[a]! * D + start;
          for (let b = 0; b < h; b++) {
            const from = hidden[b]! * D + start;
            const entry = own[a * h + b]!;
            sums[placeIn[hidden[a]!]! * u + placeIn[hidden[b]!]!]! += columns * entry;
            for (let c = 0; c < columns; c++) moves[to + c]! += entry * weights[from + c]!;
          }
        }
        return true;
      });
      if (!corrected) return undefined;
      first += columns;
    }
    // K_p⁻¹Y_p in the observed rows of each pattern, and 0 up to rounding in the others
    algebra.gemm(n, D, n, -1, contiguous(P, n), contiguous(Z, D), 1, contiguous(A, D));
    const weights = memory.float64(A, n * D);
    let value = 0;
    first = 0;
    for (const [p, { hidden, rows, columns, data }] of parts.entries()) {
      const Y = memory.float64(data, rows.length * columns);
      for (const row of hidden) weights.fill(0, row * D + first, row * D + first + columns);
      let quadratic = 0;
      for (let i = 0; i < rows.length; i++)
        for (let j = 0; j < columns; j++) quadratic += Y[i * columns + j]! * weights[rows[i]! * D + first + j]!;
      value += logDensity(rows.length, columns, logDeterminants[p]!, quadratic);
      first += columns;
    }
    if (!Number.isFinite(value)) return undefined;
    return gradient && !addGradient(P, A, S) ? undefined : value;
  };
  const addGradient = (P: number, A: number, S: number) => {
    if (algebra.cholesky(u, S) >= 0) return false;
    algebra.syrk(n, D, 0.5, contiguous(A, D), 1, outputs[1]!);
    const [G, inverse] = [memory.float64(outputs[1]!, n * n), memory.float64(P, n * n)];
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) G[i * n + j]! -= (D / 2) * inverse[i * n + j]!;
    memory.withBlock(bytesOf(u * n), (V) => {
      const [all, wide] = [memory.float64(P, n * n), memory.float64(V, u * n)];
      union.forEach((row, place) => {
        wide.set(all.subarray(row * n, (row + 1) * n), place * n);
      });
      algebra.triangularMultiply(u, n, S, V, true);
      algebra.syrk(n, u, 0.5, { offset: V, rowStride: 1, columnStride: n }, 1, outputs[1]!);
    });
    return true;
  };
  return memory.withBlock(bytesOf(n * n), (P) =>
    memory.withBlock(bytesOf(n * D), (A) =>
      memory.withBlock(bytesOf(n * D), (Z) => memory.withBlock(bytesOf(u * u), (S) => within(P, A, Z, S))),
    ),
  );
}

function largestDiagonal(n: number, matrix: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, matrix[i * (n + 1)]!);
  return largest;
}
