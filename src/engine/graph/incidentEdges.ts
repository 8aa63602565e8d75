import type { Edges } from './graph.ts';

/** Edges at each node: those of node i are `edges[starts[i]]` …, and `others` are their other ends. */
export interface IncidentEdges {
  readonly starts: Int32Array;
  readonly edges: Int32Array;
  readonly others: Int32Array;
}

/** Lists edges by node, in the order of their indices. */
export function incidentEdges({
  size,
  sources,
  targets,
}: Pick<Edges, 'sources' | 'targets'> & { readonly size: number }): IncidentEdges {
  const starts = new Int32Array(size + 1);
  for (let e = 0; e < sources.length; e++) {
    starts[sources[e]! + 1]!++;
    starts[targets[e]! + 1]!++;
  }
  for (let i = 0; i < size; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const edges = new Int32Array(2 * sources.length);
  const others = new Int32Array(2 * sources.length);
  const add = (node: number, e: number, other: number) => {
    const p = next[node]!++;
    edges[p] = e;
    others[p] = other;
  };
  for (let e = 0; e < sources.length; e++) {
    add(sources[e]!, e, targets[e]!);
    add(targets[e]!, e, sources[e]!);
  }
  return { starts, edges, others };
}
