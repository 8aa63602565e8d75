/** Floyd 1962: the shortest path between every two points, by way of ever more of the others. */
export function floydWarshall(size: number, edges: readonly (readonly [number, number, number])[]): number[][] {
  const D = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i === j ? 0 : Infinity)));
  for (const [i, j, length] of edges) {
    D[i]![j] = Math.min(D[i]![j]!, length);
    D[j]![i] = D[i]![j]!;
  }
  for (let k = 0; k < size; k++) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) D[i]![j] = Math.min(D[i]![j]!, D[i]![k]! + D[k]![j]!);
    }
  }
  return D;
}
