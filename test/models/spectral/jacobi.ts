/** Eigenvalues of a symmetric matrix by Jacobi's rotations, ascending, and its unit eigenvectors in the columns of `vectors`. */
export function jacobi(A: readonly (readonly number[])[]): { values: number[]; vectors: number[][] } {
  const n = A.length;
  const B = A.map((row) => [...row]);
  const V = A.map((_, i) => A.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (B[p]![q] === 0) continue;
        const ratio = (B[q]![q]! - B[p]![p]!) / (2 * B[p]![q]!);
        const t = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (const M of [B, V]) {
          for (const row of M) [row[p], row[q]] = [c * row[p]! - s * row[q]!, s * row[p]! + c * row[q]!];
        }
        for (let k = 0; k < n; k++) {
          const [a, b] = [B[p]![k]!, B[q]![k]!];
          B[p]![k] = c * a - s * b;
          B[q]![k] = s * a + c * b;
        }
      }
    }
  }
  const order = B.map((_, i) => i).sort((a, b) => B[a]![a]! - B[b]![b]!);
  return { values: order.map((i) => B[i]![i]!), vectors: V.map((row) => order.map((i) => row[i]!)) };
}
