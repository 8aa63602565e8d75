/** A small square system, factored in place: P·A = L·U with partial pivoting. */
export interface LinearSystem {
  /** A, row-major with `most` as the row length; overwritten by its factors. */
  readonly matrix: Float64Array;
  readonly rowLength: number;
  /** Factors the leading order × order block; false when it is singular to rounding. */
  factor(order: number): boolean;
  /** right ← A⁻¹·right. */
  solve(right: Float64Array): void;
}

/**
 * Scratch memory for systems of up to `most` unknowns.
 *
 * @see Golub, Van Loan (2013), Matrix Computations, 4th ed., Algorithm 3.4.1
 */
export function linearSystem(most: number): LinearSystem {
  const matrix = new Float64Array(most * most);
  const pivots = new Int32Array(most);
  let size = 0;

  const swap = (a: number, b: number) => {
    for (let j = 0; j < size; j++) {
      const kept = matrix[a * most + j]!;
      matrix[a * most + j] = matrix[b * most + j]!;
      matrix[b * most + j] = kept;
    }
  };

  return {
    matrix,
    rowLength: most,

    factor(order) {
      size = order;
      for (let k = 0; k < size; k++) {
        let pivot = k;
        for (let i = k + 1; i < size; i++) {
          if (Math.abs(matrix[i * most + k]!) > Math.abs(matrix[pivot * most + k]!)) pivot = i;
        }
        pivots[k] = pivot;
        if (pivot !== k) swap(pivot, k);
        const diagonal = matrix[k * most + k]!;
        if (diagonal === 0 || !Number.isFinite(diagonal)) return false;
        for (let i = k + 1; i < size; i++) {
          const factor = matrix[i * most + k]! / diagonal;
          matrix[i * most + k] = factor;
          for (let j = k + 1; j < size; j++) {
            matrix[i * most + j] = matrix[i * most + j]! - factor * matrix[k * most + j]!;
          }
        }
      }
      return true;
    },

    solve(right) {
      for (let k = 0; k < size; k++) {
        const pivot = pivots[k]!;
        const kept = right[pivot]!;
        right[pivot] = right[k]!;
        right[k] = kept;
      }
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < i; j++) right[i] = right[i]! - matrix[i * most + j]! * right[j]!;
      }
      for (let i = size - 1; i >= 0; i--) {
        for (let j = i + 1; j < size; j++) right[i] = right[i]! - matrix[i * most + j]! * right[j]!;
        right[i] = right[i]! / matrix[i * most + i]!;
      }
    },
  };
}
