import { Matrix } from '../../core/matrix.ts';
import { type PrecisionEntries, withInverse } from '../../inference/solvers/fields/momentProblem.ts';
import type { LearnedByLayer } from '../../model/posterior.ts';
import { supportGraph } from '../../numerics/graph/edges.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import type { SparseTerms } from '../../numerics/sparse/index.ts';
import { imputedByField } from '../observed/imputedByField.ts';

type Ends = Pick<Graph, 'size' | 'sources' | 'targets'>;

/** The field whose precision Θ has these entries on the diagonal and at the edges; its graph has weights |Θ_ij|. */
export function momentField(ends: Ends, entries: PrecisionEntries): LearnedByLayer {
  const { size: N, sources, targets } = ends;
  return {
    graph: supportGraph(ends, entries.edges),
    field: {
      covariance: () => withInverse(ends, entries, (_, W) => new Matrix(Float64Array.from(W), N, N)),
      impute: (Y: Matrix) => imputedByField(termsOf(ends, entries), Y),
      precision: () => {
        const precision = Matrix.zeros(N, N);
        entries.diagonal.forEach((entry, i) => {
          precision.data[i * (N + 1)] = entry;
        });
        entries.edges.forEach((entry, e) => {
          precision.data[sources[e]! * N + targets[e]!] = entry;
          precision.data[targets[e]! * N + sources[e]!] = entry;
        });
        return precision;
      },
    },
  };
}

/** Θ as a sum of entries. */
function termsOf({ size, sources, targets }: Ends, { diagonal, edges }: PrecisionEntries): SparseTerms {
  const ends = (of: Int32Array) => Int32Array.from([...diagonal.keys(), ...of]);
  return { size, rows: ends(sources), columns: ends(targets), values: Float64Array.from([...diagonal, ...edges]) };
}
