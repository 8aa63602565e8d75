/** L of A = LLᵀ. */
export function choleskyOf(A: readonly (readonly number[])[]): number[][] {
  const L = A.map((row) => row.map(() => 0));
  A.forEach((row, i) => {
    for (let j = 0; j <= i; j++) {
      let rest = row[j]!;
      for (let k = 0; k < j; k++) rest -= L[i]![k]! * L[j]![k]!;
      L[i]![j] = i === j ? Math.sqrt(rest) : rest / L[j]![j]!;
    }
  });
  return L;
}

export function logDeterminantOf(A: readonly (readonly number[])[]): number {
  return choleskyOf(A).reduce((sum, row, i) => sum + 2 * Math.log(row[i]!), 0);
}

/** x of A·x = b. */
export function solved(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const L = choleskyOf(A);
  const x = b.slice();
  for (let i = 0; i < x.length; i++) {
    for (let k = 0; k < i; k++) x[i]! -= L[i]![k]! * x[k]!;
    x[i]! /= L[i]![i]!;
  }
  for (let i = x.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < x.length; k++) x[i]! -= L[k]![i]! * x[k]!;
    x[i]! /= L[i]![i]!;
  }
  return x;
}

export function inverseOf(A: readonly (readonly number[])[]): number[][] {
  return A.map((_, i) =>
    solved(
      A,
      A.map((_, j) => (i === j ? 1 : 0)),
    ),
  );
}
