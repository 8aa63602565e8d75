import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { spanningTree } from '../../engine/graph/connectedComponents.ts';
import type { Edges, Graph } from '../../engine/graph/graph.ts';

/**
 * A base precision at which the learned graph is connected, whatever the unit of the distances and the slack penalty:
 *
 * λ = 2c/(N·φ*), φ* the longest edge of the minimum spanning tree.
 *
 * For suppose the learned graph leaves m points and the others apart. In a component of m points U_ii ≥ 1/(mλ), so that every edge across
 * has c·R_e ≥ (c/λ)·(1/m + 1/(N − m)) ≥ 4c/(Nλ) = 2φ*. Some edge of the tree leads across, and has φ_e ≤ φ* < c·R_e, against the condition
 * c·R_e ≤ φ_e of an edge without weight.
 *
 * @param edges - that may have a weight; where they leave points apart, the rule holds for each part
 * @param squaredDistances - φ, one of each; not all 0
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
 * A base precision at which the graph learned from observations with missing entries (NaN) is connected, whatever the units:
 *
 * λ = 2/(N·ψ*), ψ* the longest edge of the minimum spanning tree by ψ_e = [Σ_common (y_id − y_jd)² + Σ_others reach_d²]/c_e,
 *
 * c_e the number of columns that both rows have, and reach_d how far apart the two entries can lie when what is missing is anywhere between the
 * least and the largest entry of its column. Without missing entries that is {@link connectingPrecision}.
 *
 * For an edge without weight has D·R_e ≤ E[φ_e | observed entries]. A conditional mean is an average of observed entries of its column, and the
 * conditional variance of a difference is at most R_e, so that E[φ_e] ≤ c_e·ψ_e + (D − c_e)·R_e: c_e·R_e ≤ c_e·ψ_e, against R_e ≥ 4/(Nλ) = 2ψ*
 * of an edge of the tree that leads across.
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

/** The least and the largest of the entries that are there. */
function rangeOf(column: Float64Array): readonly [number, number] {
  const there = column.filter((entry) => !Number.isNaN(entry));
  return [there.reduce((a, b) => Math.min(a, b), Infinity), there.reduce((a, b) => Math.max(a, b), -Infinity)];
}

/** The farthest from an entry, or from one that is missing too, that another of its column can lie. */
function reach(entry: number, [least, largest]: readonly [number, number]): number {
  if (!(least <= largest)) return 0;
  return Number.isNaN(entry) ? largest - least : Math.max(largest - entry, entry - least);
}
