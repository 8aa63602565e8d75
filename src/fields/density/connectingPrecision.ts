import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { spanningTree } from '../../engine/graph/connectedComponents.ts';
import type { Edges, Graph } from '../../engine/graph/graph.ts';

/**
 * A base precision at which the learned graph is connected, for any unit of the distances and any slack penalty:
 *
 * λ = 2c/(N·φ*), with φ* the longest edge of the minimum spanning tree.
 *
 * Proof. Suppose the learned graph separates m points from the others. In a component of m points U_ii ≥ 1/(mλ), so that every edge across has c·R_e
 * ≥ (c/λ)·(1/m + 1/(N − m)) ≥ 4c/(Nλ) = 2φ*. Some edge of the tree leads across, with φ_e ≤ φ* < c·R_e, which contradicts the condition c·R_e ≤ φ_e
 * of an edge without weight.
 *
 * @param edges - candidate edges; if they do not connect all points, the rule applies to each component
 * @param squaredDistances - φ, one per edge; not all 0
 */
export function connectingPrecision(
  edges: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
  squaredDistances: Float64Array,
  copies: number,
): number {
  let longest = 0;
  for (const e of spanningTree(edges, squaredDistances)) longest = Math.max(longest, squaredDistances[e]!);
  return (2 * copies) / (edges.size * longest);
}

/**
 * A base precision at which the graph learned from observations with missing entries (NaN) is connected, for any units:
 *
 * λ = 2/(N·ψ*), with ψ* the longest edge of the minimum spanning tree for the lengths ψ_e = [Σ_common (y_id − y_jd)² + Σ_others reach_d²]/c_e,
 *
 * where c_e is the number of columns observed in both rows, and reach_d the largest possible difference of the two entries if a missing one lies
 * between the least and the largest entry of its column. Without missing entries this is {@link connectingPrecision}.
 *
 * Proof. An edge without weight has D·R_e ≤ E[φ_e | observed entries]. A conditional mean is an average of observed entries of its column, and the
 * conditional variance of a difference is at most R_e, so that E[φ_e] ≤ c_e·ψ_e + (D − c_e)·R_e and c_e·R_e ≤ c_e·ψ_e, which contradicts R_e ≥ 4/(Nλ)
 * = 2ψ* for an edge of the tree that leads across.
 *
 * @param Y - N×D
 * @param graph - candidate edges; the rows of each have a column in common
 */
export function observedConnectingPrecision(Y: Matrix, graph: Graph): number {
  const { data, columns: D } = Y;
  const ranges = Array.from({ length: D }, (_, d) => rangeOf(Y.column(d)));
  const bounds = Float64Array.from(graph.sources, (i, e) => {
    const j = graph.targets[e]!;
    let sum = 0;
    let common = 0;
    for (let d = 0; d < D; d++) {
      const [a, b] = [data[i * D + d]!, data[j * D + d]!];
      const isCommon = !Number.isNaN(a - b);
      if (isCommon) common++;
      sum += square(isCommon ? a - b : reach(Number.isNaN(a) ? b : a, ranges[d]!));
    }
    return sum / common;
  });
  return connectingPrecision(graph, bounds, 1);
}

/** The least and the largest observed entry. */
function rangeOf(column: Float64Array): readonly [number, number] {
  const there = column.filter((entry) => !Number.isNaN(entry));
  return [there.reduce((a, b) => Math.min(a, b), Infinity), there.reduce((a, b) => Math.max(a, b), -Infinity)];
}

/** Largest possible distance between an entry, which may be missing, and another entry of its column. */
function reach(entry: number, [least, largest]: readonly [number, number]): number {
  if (!(least <= largest)) return 0;
  return Number.isNaN(entry) ? largest - least : Math.max(largest - entry, entry - least);
}
