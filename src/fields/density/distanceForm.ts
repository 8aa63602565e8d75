import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { edgeFactor, isSparse, laplacianFactor } from '../../engine/sparse/index.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { sparsePrecision } from '../../priors/sparsePrecision.ts';
import { laplacianField, supportOf } from '../embedding/fieldEmbedding.ts';
import { commonSquaredDistance } from '../observed/commonEntries.ts';
import { curvedField } from './curvedField.ts';
import { edgeDistances, edgeSquaredDistances } from './edgeSquaredDistances.ts';
import { fieldDensity, fieldFactor, sparseField } from './fieldDensity.ts';
import type { FieldForm } from './fieldForm.ts';

/** Fields of precision λI + L(w), L the Laplacian of a graph with weights w. Their statistics are squared distances at its edges. */
export function distanceForm(graph: Graph, base: number): FieldForm {
  const { size, sources, targets } = graph;
  const factor = lazily(() => edgeFactor(graph));
  return {
    size,
    statisticsOf: (X) => (X.data.some(Number.isNaN) ? commonDistances(X, graph) : edgeDistances(X, graph)),
    statistics: (X) => edgeSquaredDistances(X, graph),
    precision: (w, own) => {
      const ofEnds = (ends: Int32Array) => op.segmentSum(op.reshape<Tensor2D>(w, [w.size, 1]), ends, size);
      const degrees = op.reshape<Tensor1D>(op.add(ofEnds(sources), ofEnds(targets)), [size]);
      return sparsePrecision({ diagonal: op.add(degrees, own), edges: op.neg(w) }, graph, factor);
    },
    learned: (w) => {
      const learned = supportOf(graph, w);
      return { graph: learned, field: laplacianField(learned, base) };
    },
    open: (keeps) => {
      const curved = !keeps || isSparse(graph) ? undefined : curvedField(graph);
      const field = lazily(() => curved ?? (keeps ? sparseField(laplacianFactor(graph)) : fieldFactor(graph)));
      return {
        dual: (w, statistics, copies) => fieldDensity(w, statistics, field(), base, copies),
        expected: (w) => field().evaluate(w, base).resistances,
        curvature: (w, copies) => curved?.curvature(w, base, copies),
        dispose: () => curved?.dispose(),
      };
    },
  };
}

/** Squared distances over the entries observed in both rows. */
const commonDistances = (X: Matrix, { sources, targets }: Graph): Float64Array =>
  Float64Array.from(sources, (i, e) => commonSquaredDistance(X, i, targets[e]!));
