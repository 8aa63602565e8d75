import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import { curvedField } from '../density/curvedField.ts';
import type { OpenForm } from '../density/fieldForm.ts';
import { scalarWithSlopes } from '../density/scalarWithSlopes.ts';
import { observedCurvature, observedField } from './observedField.ts';

/** The density of the observed entries of rows with missing ones, and the statistics expected given them. */
export interface OpenObserved extends OpenForm {
  /** E[φ_e | observed entries], one per edge. */
  statisticsAt(w: Float64Array): Float64Array;
}

/**
 * Evaluates the density of the observed entries of rows with missing ones (NaN), with its gradient c/2·R_e − ½·E[φ_e | observed entries] and the
 * field's curvature at these expected distances: a Newton step is then an EM step whose M-step is a single Newton step, halved until the density
 * rises. Where the density is concave, as near a maximum, full Newton steps are used: see {@link observedCurvature}.
 */
export function openObserved(graph: Graph, base: number, rows: Matrix): OpenObserved {
  const curved = curvedField(graph);
  const evaluate = lazily(() => observedField(rows, graph, curved, base));
  return {
    dual: (weights, _, copies) =>
      scalarWithSlopes([weights], (w) => {
        const { value, resistances, expectedDistances } = evaluate()(w);
        return { value, slopes: [resistances.map((R, e) => 0.5 * (copies * R - expectedDistances[e]!))] };
      }),
    expected: (w) => evaluate()(w).resistances,
    statisticsAt: (w) => evaluate()(w).expectedDistances,
    curvature: (w, copies) => observedCurvature(curved.curvature(w, base, copies), rows, graph, w, base),
    dispose: curved.dispose,
  };
}
