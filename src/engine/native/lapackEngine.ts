import type { Float64Memory } from '../memory.ts';
import type { LinearAlgebraEngine } from '../operations/linearAlgebra.ts';
import { kernelsOn } from '../wasm/instance.ts';
import { wasmEngine } from '../wasm/wasmEngine.ts';
import type { Routines, Transposition } from './routines.ts';

const BYTES = 8;

/**
 * Dense linear algebra with the system's BLAS and LAPACK, in place on the memory. A row-major matrix is the transpose of a column-major one, and its
 * lower triangle the upper one: L of A = LLᵀ is Uᵀ of A = UᵀU.
 * Empty operands and those that Fortran cannot address go to the WebAssembly engine.
 *
 * @param address - address of an ArrayBuffer, which may change when the memory grows
 */
export function lapackEngine(
  memory: Float64Memory,
  routines: Routines,
  address: (buffer: ArrayBufferLike) => number,
): LinearAlgebraEngine {
  const kernels = kernelsOn(memory);
  const wasm = wasmEngine(memory);
  let buffer: ArrayBufferLike | undefined;
  let start = 0;

  /** Address of an offset in the memory. */
  function at(offset: number): number {
    if (buffer !== memory.memory.buffer) {
      buffer = memory.memory.buffer;
      start = address(buffer);
    }
    return start + offset;
  }

  return Object.freeze<LinearAlgebraEngine>({
    name: 'native',

    gemm(m, n, k, alpha, a, b, beta, c) {
      if (m === 0 || n === 0) return;
      const target = k === 0 ? undefined : fortranLayout(n, m, c.columnStride, c.rowStride);
      // Cᵀ = Bᵀ·Aᵀ where C is stored by rows, C = A·B where it is stored by columns.
      const left = target && fortranLayout(n, k, b.columnStride, b.rowStride);
      const right = target && fortranLayout(k, m, a.columnStride, a.rowStride);
      if (left === undefined || right === undefined) {
        wasm.gemm(m, n, k, alpha, a, b, beta, c);
        return;
      }
      const { leading } = target!;
      const [p, q] = [at(b.offset), at(a.offset)];
      if (target!.transpose === 'N') {
        const { transpose, leading: ldp } = left;
        routines.dgemm(
          transpose,
          right.transpose,
          n,
          m,
          k,
          alpha,
          p,
          ldp,
          q,
          right.leading,
          beta,
          at(c.offset),
          leading,
        );
      } else {
        const [first, second] = [flipped(right.transpose), flipped(left.transpose)];
        routines.dgemm(first, second, m, n, k, alpha, q, right.leading, p, left.leading, beta, at(c.offset), leading);
      }
    },

    syrk(n, k, alpha, a, beta, c) {
      if (n === 0) return;
      const source = k === 0 ? undefined : fortranLayout(n, k, a.rowStride, a.columnStride);
      if (source === undefined) wasm.syrk(n, k, alpha, a, beta, c);
      else routines.dsyrk(source.transpose, n, k, alpha, at(a.offset), source.leading, beta, at(c), n);
    },

    cholesky(n, a) {
      if (n === 0) return -1;
      const diagonal = diagonalOf(n, memory.float64(a, n * n));
      const info = routines.dpotrf(n, at(a), n);
      const matrix = memory.float64(a, n * n);
      const end = info > 0 ? info - 1 : n;
      // Some libraries take NaN for a positive pivot.
      for (let i = 0; i < end; i++) if (Number.isNaN(matrix[i * (n + 1)])) return i;
      if (info <= 0) return -1;
      // Few libraries define what they leave in place of a pivot that is not positive.
      matrix[end * (n + 1)] = Math.min(0, remainder(diagonal[end]!, matrix.subarray(end * n, end * (n + 1))));
      return end;
    },

    triangularSolve(n, m, l, b, transpose) {
      if (n > 0 && m > 0) routines.dtrsm(transpose ? 'T' : 'N', m, n, at(l), n, at(b), m);
    },

    triangularMultiply(n, m, l, b, transpose) {
      if (n > 0 && m > 0) routines.dtrmm('R', transpose ? 'T' : 'N', m, n, 1, at(l), n, at(b), m);
    },

    choleskyInverse(n, l, part) {
      if (n === 0) return;
      if (diagonalOf(n, memory.float64(l, n * n)).includes(0)) {
        wasm.choleskyInverse(n, l, part);
        return;
      }
      invertUpper(routines, n, at(l), n);
      routines.dlauum(n, at(l), n);
      if (part !== 'lower') kernels.mirrorLower(n, l);
    },

    mirrorLower: (n, a) => kernels.mirrorLower(n, a),

    symmetricEigen(n, a, w) {
      if (n === 0) return 0;
      // LAPACK may not return if entries are not finite.
      if (!lowerIsFinite(n, memory.float64(a, n * n))) return 1;
      const length = 1 + 6 * n + 2 * n * n;
      const integersLength = 3 + 5 * n;
      return memory.withBlock(BYTES * (length + integersLength), (work) => {
        const integers = work + BYTES * length;
        const info = routines.dsyevd(n, at(a), n, at(w), at(work), length, at(integers), integersLength);
        if (info !== 0) return 1;
        // LAPACK's eigenvectors are rows here.
        memory.float64(work, n * n).set(memory.float64(a, n * n));
        const order = memory.int32(integers, n);
        for (let j = 0; j < n; j++) order[j] = j;
        kernels.placeEigenvectors(n, work, integers, a);
        return 0;
      });
    },
  });
}

/** Triangles up to this order are inverted by LAPACK, whose routine solves where products are faster. */
const SMALL = 64;

/** U ← U⁻¹ by recursive halving with matrix products: [U₁₁ U₁₂; 0 U₂₂]⁻¹ = [U₁₁⁻¹ −U₁₁⁻¹U₁₂U₂₂⁻¹; 0 U₂₂⁻¹]. The diagonal has no zero. */
function invertUpper(routines: Routines, n: number, u: number, ldu: number): void {
  if (n <= SMALL) {
    routines.dtrtri(n, u, ldu);
    return;
  }
  const half = n >> 1;
  const corner = u + BYTES * half * ldu;
  const rest = corner + BYTES * half;
  invertUpper(routines, half, u, ldu);
  invertUpper(routines, n - half, rest, ldu);
  routines.dtrmm('L', 'N', half, n - half, -1, u, ldu, corner, ldu);
  routines.dtrmm('R', 'N', half, n - half, 1, rest, ldu, corner, ldu);
}

const flipped = (transpose: Transposition): Transposition => (transpose === 'N' ? 'T' : 'N');

function lowerIsFinite(n: number, a: Float64Array): boolean {
  for (let i = 0; i < n; i++) {
    let sum = 0;
    // x − x is 0 for finite numbers and NaN for others.
    for (let p = i * n, end = p + i; p <= end; p++) sum += a[p]! - a[p]!;
    if (sum !== 0) return false;
  }
  return true;
}

function diagonalOf(n: number, a: Float64Array): Float64Array {
  const diagonal = new Float64Array(n);
  for (let i = 0; i < n; i++) diagonal[i] = a[i * (n + 1)]!;
  return diagonal;
}

/** A diagonal entry minus the squares of its row of the factor, up to the diagonal. */
function remainder(entry: number, row: Float64Array): number {
  return row.reduce((rest, x) => rest - x * x, entry);
}

/** A matrix from the view of a column-major routine: stored as is ('N') or as its transpose ('T'). */
export interface FortranLayout {
  readonly transpose: Transposition;
  /** Distance from one stored column to the next. */
  readonly leading: number;
}

/**
 * Layout of a nonempty rows×columns matrix in these strides for a column-major routine; undefined if entries are adjacent neither in rows nor in
 * columns.
 */
export function fortranLayout(
  rows: number,
  columns: number,
  rowStride: number,
  columnStride: number,
): FortranLayout | undefined {
  const byColumns = rowStride === 1 || rows === 1;
  if (byColumns && (columns === 1 || columnStride >= rows)) {
    return { transpose: 'N', leading: columns === 1 ? rows : columnStride };
  }
  const byRows = columnStride === 1 || columns === 1;
  if (byRows && (rows === 1 || rowStride >= columns)) {
    return { transpose: 'T', leading: rows === 1 ? columns : rowStride };
  }
  return undefined;
}
