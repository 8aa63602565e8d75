import type { AnyPosterior } from '../../model/posterior.ts';
import type { RowModel } from '../../model/rowModel.ts';

/** Names under which models in closed form take their rows. */
const LATENTS = 'x';
const OBSERVED = 'y';

/** The rows of a posterior by the names of its variables; of a model in closed form by the names 'x' of the latents and 'y' of the observations. */
export function rowModelOf(posterior: AnyPosterior): RowModel {
  const { variables, placement } = posterior;
  if (variables === undefined) return rowsInClosedForm(posterior);
  if (placement === undefined) return variables;
  const { project: _, ...missing } = variables.missing;
  return { ...variables, placement, missing };
}

function rowsInClosedForm({ latents, mapping, placement, missing }: AnyPosterior): RowModel {
  const density = mapping?.predictiveDensity;
  const none = 'the model is computed in closed form, without one.';
  const isPlaced = placement !== undefined || density !== undefined;
  const fills =
    missing?.impute !== undefined || (mapping !== undefined && isPlaced && placement?.acceptsMissing !== false);
  return {
    observed: [{ name: OBSERVED, columns: placement?.observedColumns ?? mapping?.observedColumns ?? Number.NaN }],
    known: [],
    latents: [{ name: LATENTS, columns: latents.columns }],
    roots: [LATENTS],
    shown: LATENTS,
    values: { [LATENTS]: latents },
    variances: {},
    charts: {},
    indices: new Set(),
    rowNames: new Set([LATENTS, OBSERVED]),
    fields: {},
    missing: {
      ...(!isPlaced && { project: none }),
      ...(mapping === undefined && { predict: none }),
      ...(mapping?.sample === undefined && { sample: none }),
      ...(!fills && { impute: none }),
      forecast: none,
    },
    isNormalized: false,
    checkRows: () => {},
    computed: () => ({}),
    computedVariances: () => ({}),
    ahead: undefined,
    ...(mapping && {
      predict: (values, noise) => ({ [OBSERVED]: mapping.predict(values[LATENTS]!, noise) }),
      ...(mapping.sample && {
        sample: (values, random, noise) => ({ [OBSERVED]: mapping.sample!(values[LATENTS]!, random, noise) }),
      }),
      ...(density && {
        density: (X, given, isRough) => mapping.predictiveDensity!(X, given[OBSERVED]!, isRough),
      }),
    }),
    ...(missing && { missingEntries: missing }),
    ...(placement && { placement }),
  };
}
