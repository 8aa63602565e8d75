import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { AnyPosterior, Posterior } from '../posterior.ts';
import type { FittedGraph } from './fittedGraph.ts';

/** What fits of a model can do whose points are all that it speaks of: the values that are shown, the random fields, and how what they are of is placed. */
export function fieldPosterior(of: FittedGraph): AnyPosterior {
  const posterior = { latents: of.values[of.model.graph.shown.name]!, ...placingOf(of), fitted: of };
  return withFields(posterior, of);
}

/** How new rows are placed by the density of what is shown, or by the field that it is read off. */
function placingOf({ model, coordinates, values }: FittedGraph): Partial<AnyPosterior> {
  const { graph, columns } = model;
  const { name, given, densities } = graph.shown;
  const { eigenvalues, placement } = coordinates[name] ?? {};
  if (name in coordinates) return { ...(eigenvalues && { eigenvalues }), ...(placement && { placement }) };
  const placed = densities.find(({ density }) => density.place !== undefined);
  if (placed === undefined || given.length !== 1) return {};
  const place = (rows: Matrix) => placed.density.place!(rows, values[name]!);
  return { placement: { acceptsMissing: false, observedColumns: columns.get(given[0]!)!, place } };
}

/** A posterior with the random fields of the model's variables: graph and field are those of the first. They are computed when they are asked for, which may take a search. */
function withFields(posterior: Posterior, { fields }: FittedGraph): AnyPosterior {
  const all = Object.values(fields);
  if (all.length === 0) return posterior;
  const learned = lazily(() => all.map((field) => field()));
  return {
    ...posterior,
    get graph() {
      return learned()[0]!.graph;
    },
    get field() {
      return learned()[0]!.field;
    },
    kktResidual: () => {
      const residuals = learned().flatMap(({ kktResidual }) => kktResidual ?? []);
      return residuals.length === 0 ? undefined : Math.max(...residuals);
    },
  };
}
