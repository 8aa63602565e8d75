import type { Edges, Graph } from './graph.ts';

/** The edges whose value is not 0, with its modulus as weight. */
export function supportGraph(
  { size, sources, targets }: Pick<Edges, 'sources' | 'targets'> & { readonly size: number },
  values: ArrayLike<number>,
): Graph {
  const kept = Int32Array.from(sources.keys()).filter((e) => values[e] !== 0);
  return Object.freeze({
    size,
    sources: kept.map((e) => sources[e]!),
    targets: kept.map((e) => targets[e]!),
    weights: Float64Array.from(kept, (e) => Math.abs(values[e]!)),
  });
}
