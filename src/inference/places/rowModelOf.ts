import type { AnyPosterior } from '../../model/posterior.ts';
import type { RowModel } from '../../model/rowModel.ts';

/** Names of the latents and observations of closed-form models. */
const LATENTS = 'x';
const OBSERVED = 'y';

/** Row model of a posterior by the names of its variables; closed-form models use 'x' for the latents and 'y' for the observations. */
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
    observations: {},
    variances: {},
    charts: {},
    transforms: {},
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
        density: (X, given, accuracy) => mapping.predictiveDensity!(X, given[OBSERVED]!, accuracy),
      }),
    }),
    ...(missing && { missingEntries: missing }),
    ...(placement && { placement }),
  };
}
