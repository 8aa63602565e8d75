import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { symmetricEigenpairs } from '../dense/eigenpairs.ts';
import type { Graph } from './graph.ts';

/** Beyond this many points the dense N×N eigenvalue problem takes minutes and gigabytes. */
const MOST_POINTS = 4000;

/**
 * Eigenvalues of a graph's Laplacian, in no particular order. Those of a complete class of n points are 0 and n − 1 times n; other
 * graphs take a dense N×N matrix.
 *
 * @throws InvalidInputError when the graph is not one of classes and has more than 4000 points
 */
export function laplacianEigenvalues(graph: Graph): Float64Array {
  const { complete, size } = graph;
  if (complete !== undefined && complete.rest.sources.length === 0) {
    const sizes = new Float64Array(complete.count);
    for (const c of complete.classes) if (c >= 0) sizes[c]!++;
    const seen = new Set<number>();
    return Float64Array.from(complete.classes, (c) => {
      if (c < 0 || seen.has(c)) return c < 0 ? 0 : sizes[c]!;
      seen.add(c);
      return 0;
    });
  }
  if (size > MOST_POINTS) {
    throw new InvalidInputError(
      `An offset makes the Laplacian prior proper, and its normalising constant takes the eigenvalues of the ${size}×${size} Laplacian: ` +
        `at most ${MOST_POINTS} points. Leave the offset out, use a label graph alone, or add standardNormal() with its precision instead.`,
    );
  }
  const L = Matrix.zeros(size, size);
  graph.weights.forEach((weight, e) => {
    const i = graph.sources[e]!;
    const j = graph.targets[e]!;
    L.data[i * size + i]! += weight;
    L.data[j * size + j]! += weight;
    L.data[j * size + i]! -= weight;
    L.data[i * size + j]! -= weight;
  });
  return symmetricEigenpairs(L).values;
}
