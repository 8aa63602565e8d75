import { lazily } from '../../core/progressiveWork.ts';
import { type EdgeList, patternOfGraph } from './pattern.ts';
import { selectedInverse } from './selectedInverse.ts';
import { factorise, logDeterminant } from './sparseCholesky.ts';
import { analyse, type SymbolicFactor } from './symbolicFactor.ts';

/** The entries of a symmetric matrix on its diagonal, N numbers, and at the edges of a graph, one each. */
export interface EdgeEntries {
  readonly diagonal: Float64Array;
  readonly edges: Float64Array;
}

/** Factors of symmetric positive definite matrices that are 0 but on the diagonal and at the edges of one graph. */
export interface EdgeFactor {
  /** log|A|, and the entries of A⁻¹ in the places of those of A. */
  inverse(A: EdgeEntries): EdgeEntries & { readonly logDeterminant: number };
  /** The entries of A⁻¹·diag(g)·A⁻¹ in these places, given those of A⁻¹ on the diagonal. */
  product(A: EdgeEntries, g: Float64Array, variances: Float64Array): EdgeEntries;
}

/** A step so small that its square is nothing beside 1. */
const STEP = 2 ** -60;

/**
 * Prepares the factorisation of all matrices with the entries of one graph.
 *
 * A⁻¹·diag(g)·A⁻¹ is minus the derivative of A⁻¹ along diag(g). With a small ε, the inverse of [[A, εG], [εG, A]] has −ε·A⁻¹GA⁻¹ beside its diagonal
 * blocks but for ε³: as in a complex step, each number there is a sum of products with an odd number of small factors, so that no digits are lost however small ε is,
 * and the factor of that matrix is as sparse as that of A.
 *
 * @param graph - every pair once
 * @throws InvalidInputError when an edge is not a pair of different nodes, or comes twice
 * @see Squire & Trapp, SIAM Review 40 (1998), on complex steps
 */
export function edgeFactor(graph: EdgeList): EdgeFactor {
  const once = lazily(() => structureOf(graph));
  const twice = lazily(() => structureOf(doubled(graph), pairwise(once().symbolic.order)));
  const { size } = graph;
  return Object.freeze<EdgeFactor>({
    inverse: ({ diagonal, edges }) => {
      const { symbolic, diagonalEntries, edgeEntries } = once();
      const values = new Float64Array(size + edges.length);
      diagonalEntries.forEach((p, i) => {
        values[p] = diagonal[i]!;
      });
      edgeEntries.forEach((p, e) => {
        values[p] = edges[e]!;
      });
      const factor = factorise(symbolic, values);
      const inverse = selectedInverse(factor);
      return {
        logDeterminant: logDeterminant(factor),
        diagonal: Float64Array.from(diagonalEntries, (p) => inverse[p]!),
        edges: Float64Array.from(edgeEntries, (p) => inverse[p]!),
      };
    },
    product: ({ diagonal, edges }, g, variances) => {
      const largest = g.reduce((most, entry, i) => Math.max(most, Math.abs(entry) * variances[i]!), 0);
      if (largest === 0) return { diagonal: new Float64Array(size), edges: new Float64Array(edges.length) };
      const step = STEP / largest;
      const { symbolic, diagonalEntries, edgeEntries } = twice();
      const values = new Float64Array(diagonalEntries.length + edgeEntries.length);
      diagonalEntries.forEach((p, i) => {
        values[p] = diagonal[i % size]!;
      });
      edges.forEach((entry, e) => {
        values[edgeEntries[e]!] = entry;
        values[edgeEntries[edges.length + e]!] = entry;
      });
      const across = 2 * edges.length;
      for (let i = 0; i < size; i++) values[edgeEntries[across + i]!] = step * g[i]!;
      const inverse = selectedInverse(factorise(symbolic, values));
      const at = (from: number, count: number) =>
        Float64Array.from({ length: count }, (_, k) => -inverse[edgeEntries[from + k]!]! / step);
      return { diagonal: at(across, size), edges: at(across + size, edges.length) };
    },
  });
}

interface Structure {
  readonly symbolic: SymbolicFactor;
  readonly diagonalEntries: Int32Array;
  readonly edgeEntries: Int32Array;
}

function structureOf(graph: EdgeList, order?: Int32Array): Structure {
  const { pattern, edgeEntries } = patternOfGraph(graph);
  return {
    symbolic: analyse(pattern, order && { order }),
    diagonalEntries: pattern.starts.subarray(0, graph.size),
    edgeEntries,
  };
}

/** Two copies of a graph, then the edges between them: of each node with its copy, and of the first end of each edge with the copy of the second. */
function doubled({ size, sources, targets }: EdgeList): EdgeList {
  const nodes = Int32Array.from({ length: size }, (_, i) => i);
  const other = (ends: Int32Array) => ends.map((i) => size + i);
  return {
    size: 2 * size,
    sources: joined(sources, other(sources), nodes, sources),
    targets: joined(targets, other(targets), other(nodes), other(targets)),
  };
}

function joined(...parts: readonly Int32Array[]): Int32Array {
  const result = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const part of parts) {
    result.set(part, from);
    from += part.length;
  }
  return result;
}

/** Elimination order of pairs of a node and its copy. */
const pairwise = (order: Int32Array) =>
  Int32Array.from({ length: 2 * order.length }, (_, k) => order[k >> 1]! + (k & 1) * order.length);
