import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { ObservationsLike } from '../../core/namedTable.ts';
import { checkEntries } from '../../core/observations.ts';
import {
  checkOptions,
  integerFrom,
  integerFromOne,
  numberFromZero,
  seedOption,
  signalOption,
  typed,
  unknownName,
} from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import type {
  AnyAbilities,
  KnownRowsOptions,
  LatentPlace,
  PredictedLatents,
  ProjectOptions,
  Viewed,
} from '../../model/abilities.ts';
import type { AnyPosterior, MissingEntries } from '../../model/posterior.ts';
import type { RowModel, RowsByName } from '../../model/rowModel.ts';
import { forecasting } from './forecast.ts';
import {
  type GivenRows,
  givenVariances,
  type Observed,
  observedRows,
  onlyOf,
  pathBetween,
  sameShape,
  startingRows,
  variancesBetween,
} from './givenRows.ts';
import { isNamed } from './knownRows.ts';

const calibrated = v.optional(v.boolean());
/** Rows of known variables. */
const beside = v.optional(typed<KnownRowsOptions['given']>());
const projectOptions = v.strictObject({
  calibrated,
  given: beside,
  starts: v.optional(integerFromOne, 40),
  maxIterations: v.optional(integerFromOne, 200),
  tolerance: v.optional(numberFromZero, 1e-6),
  draws: v.optional(integerFrom(8), 512),
  seed: seedOption,
  signal: signalOption,
});
const view = v.optional(v.any());
const predictOptions = v.strictObject({
  noise: v.optional(v.boolean(), false),
  calibrated,
  given: beside,
  view,
  latentVariances: v.optional(v.any()),
});
const sampleOptions = v.strictObject({
  ...{ seed: seedOption, noise: v.optional(v.boolean(), true), calibrated, given: beside, view },
});
const fieldOptions = v.strictObject({ calibrated, signal: signalOption });
const interpolateOptions = v.strictObject({
  noise: v.optional(v.boolean(), true),
  calibrated,
  view,
  along: v.optional(v.picklist(['line', 'geodesic'], "'line' or 'geodesic'"), 'line'),
});

/** Abilities of a fit other than showing its outcome. */
export type Abilities = Partial<AnyAbilities> | Viewed<string>;

/** Row model with or without calibrated predictive variances; by default as the fit has them. */
type ModelFor = (calibrated?: boolean | undefined) => RowModel;

/**
 * Abilities of a fit, keyed by the names of its model's variables; a bare matrix or table is accepted if only one variable is possible. Its graph and
 * field are computed on first access, since a layer searches for them.
 *
 * @param observed - converts observations to a matrix, with a table's columns in the order of the fitted columns
 * @param isCalibrated - default of the option `calibrated`
 */
export function abilitiesOf(posterior: AnyPosterior, observed: Observed, isCalibrated: boolean): Abilities {
  const { eigenvalues, distribution, variables } = posterior;
  const model = rowModelOf(posterior);
  const modelFor: ModelFor = (calibrated = isCalibrated) => (calibrated ? model : (model.uncalibrated ?? model));
  return {
    ...(distribution && {
      latentVariances: distribution.variances,
      ...(distribution.relevance && { relevance: distribution.relevance }),
    }),
    ...(eigenvalues !== undefined && { eigenvalues }),
    ...(variables && valuesOf(model, isCalibrated)),
    ...fieldAbilities(posterior, model, observed, isCalibrated),
    ...rowAbilities(posterior, model, observed, modelFor),
  } as Abilities;
}

/** Adds the graph of the posterior, if any, to a fit, as a member that is computed on first access. */
export function withGraph<F extends object>(fit: F, posterior: AnyPosterior): F {
  if (!('graph' in posterior)) return fit;
  return Object.defineProperty(fit, 'graph', { get: () => posterior.graph, enumerable: true });
}

/** Values of unobserved variables, and random fields by name. */
function valuesOf({ values, observed, fields }: RowModel, isCalibrated: boolean) {
  const own = Object.entries(values).filter(([name]) => !observed.some((one) => one.name === name));
  return {
    values: Object.freeze(Object.fromEntries(own)),
    ...(Object.keys(fields).length > 0 && { field: (name: string) => fieldOf(fields, name, isCalibrated) }),
  };
}

/** Random field over the points, in the form that a fit exposes. */
function fieldOf(fields: RowModel['fields'], name: string, isCalibrated: boolean) {
  const own = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (own === undefined) throw unknownName('random field', name, Object.keys(fields), 'field');
  const { graph, field, kktResidual, multipliers } = own();
  return Object.freeze({
    graph,
    multipliers,
    kktResidual: kktResidual?.(),
    precision: () => field.precision(),
    covariance: () => field.covariance(),
    impute: async (Y: MatrixLike, options: object = {}) => {
      const { calibrated = isCalibrated, signal } = checkOptions(fieldOptions, options, 'impute');
      return field.impute(checkEntries(Matrix.from(Y, 'Y'), 'Y', Number.isNaN), calibrated, signal);
    },
  });
}

/** Abilities of the random field over the points. */
function fieldAbilities(posterior: AnyPosterior, model: RowModel, observed: Observed, isCalibrated: boolean): object {
  if (!('field' in posterior)) return {};
  const shown = {
    precision: () => posterior.field!.precision(),
    covariance: () => posterior.field!.covariance(),
  };
  // A mapping fills in new observations too, those that were fitted among them.
  if (!('predict' in model.missing) && !('project' in model.missing)) return shown;
  return {
    ...shown,
    impute: async (Y: ObservationsLike, options: object = {}) => {
      const { calibrated = isCalibrated, signal } = checkOptions(fieldOptions, options, 'impute');
      const columns = checkEntries(Matrix.from(observed(Y), 'Y'), 'Y', Number.isNaN);
      return posterior.field!.impute(columns, calibrated, signal);
    },
  };
}

/** Abilities that concern new rows. */
function rowAbilities(posterior: AnyPosterior, model: RowModel, observed: Observed, modelFor: ModelFor): object {
  const { missing, missingEntries } = model;
  const can = (ability: string) => !(ability in missing);
  /** Checks rows and options, and loads the position search on first use, since most pages do not need it. */
  const placing = async (given: GivenRows, options: ProjectOptions, caller: string, fills?: true) => {
    const { calibrated, given: known, ...settings } = checkOptions(projectOptions, options, caller);
    const rows = observedRows(model, given, observed, caller, fills, known);
    return { rows, settings, of: modelFor(calibrated), late: await import('../../later.ts') };
  };
  return {
    ...(can('project') && {
      project: async (given: GivenRows, options: ProjectOptions = {}) => {
        const { late, of, rows, settings } = await placing(given, options, 'project');
        return late.projectedRows(of, given, rows, settings);
      },
    }),
    ...(can('predict') && predicting(posterior, model, modelFor)),
    ...(can('sample') && { sample: sampling(model, modelFor) }),
    ...(can('project') && can('predict')
      ? {
          reconstruct: async (given: GivenRows, options: ProjectOptions = {}) => {
            const { late, of, rows, settings } = await placing(given, options, 'reconstruct');
            return late.reconstructedRows(of, given, rows, settings);
          },
          ...(can('impute') && {
            impute: async (given: GivenRows, options: ProjectOptions = {}) => {
              const { late, of, rows, settings } = await placing(given, options, 'impute', true);
              return late.imputedRows(of, given, rows, settings);
            },
          }),
          ...(model.observed.length > 1 && {
            translate: async (given: GivenRows, to: string, options: ProjectOptions = {}) => {
              const { late, of, rows, settings } = await placing(given, options, 'translate');
              return late.translatedRows(of, rows, to, settings);
            },
          }),
        }
      : reconstructingByField(posterior, model, observed)),
    ...(missingEntries && { missingLogDensity: missingLogDensity(model, missingEntries, observed) }),
    ...(can('forecast') && { forecast: forecasting(modelFor) }),
  };
}

function predicting(posterior: AnyPosterior, model: RowModel, modelFor: ModelFor): object {
  const { shown, roots, values } = model;
  return {
    predict: (given: GivenRows, options: object = {}) => {
      const {
        noise,
        calibrated,
        view,
        latentVariances,
        given: known,
      } = checkOptions(predictOptions, options, 'predict');
      const rows = startingRows(model, given, 'predict', known);
      const variances =
        latentVariances === undefined ? undefined : { [shown]: spreadOf(model, rows, latentVariances as MatrixLike) };
      const found = modelFor(calibrated).predict!(rows, noise, variances);
      return isNamed(given) && view === undefined ? found : onlyOf(found, model, 'predict', view);
    },
    interpolate: (from: LatentPlace, to: LatentPlace, steps: number, options: object = {}) => {
      const { noise, calibrated, view, along } = checkOptions(interpolateOptions, options, 'interpolate');
      const straight = pathBetween(model, from, to, steps);
      const predicted = (rows: RowsByName, variance?: Matrix): PredictedLatents => {
        const spread = variance && { [shown]: variance };
        const prediction = onlyOf(modelFor(calibrated).predict!(rows, noise, spread), model, 'interpolate', view);
        return {
          latents: rows[shown] ?? model.computed(rows)[shown]!,
          ...(variance && { latentVariances: variance }),
          ...prediction,
        };
      };
      if (along === 'line') return predicted(straight, variancesBetween(model, from, to, steps));
      return import('../../later.ts').then(({ geodesicPoints }) => {
        const points = geodesicPoints(posterior, view as string | undefined, from, to, steps);
        return predicted({ [values[roots[0]!] === undefined ? shown : roots[0]!]: points });
      });
    },
  };
}

/** Variances of the shown variable's rows, for models with Gaussian rows. */
function spreadOf(model: RowModel, rows: RowsByName, given: MatrixLike): Matrix {
  const { shown, variances } = model;
  if (variances[shown] !== undefined && rows[shown] !== undefined) return givenVariances(given, rows[shown]);
  throw new InvalidInputError(
    `predict uses latentVariances for Gaussian rows of '${shown}', which this fit does not have. Omit the option.`,
  );
}

const sampling =
  (model: RowModel, modelFor: ModelFor) =>
  (given: GivenRows, options: object = {}) => {
    const { seed, noise, calibrated, view, given: known } = checkOptions(sampleOptions, options, 'sample');
    const rows = startingRows(model, given, 'sample', known);
    const found = modelFor(calibrated).sample!(rows, seededRandom(seed), noise);
    return isNamed(given) && view === undefined ? found : onlyOf(found, model, 'sample', view);
  };

/** Mean of new rows under the random field over the points and the new rows. */
function reconstructingByField(posterior: AnyPosterior, model: RowModel, observed: Observed): object {
  const ofField = 'project' in model.missing ? undefined : posterior.field?.reconstruct;
  if (ofField === undefined) return {};
  return {
    reconstruct: async (given: GivenRows, options: ProjectOptions = {}) => {
      checkOptions(projectOptions, options, 'reconstruct');
      const [Y] = Object.values(observedRows(model, given, observed, 'reconstruct')) as [Matrix];
      return ofField(Y);
    },
  };
}

const missingLogDensity =
  (model: RowModel, { logDensity }: MissingEntries, observed: Observed) =>
  (given: GivenRows, whole: GivenRows) => {
    const read = (rows: GivenRows) => {
      const found = observedRows(model, rows, observed, 'missingLogDensity', true);
      return found[model.observed[0]!.name]!;
    };
    const Y = read(given);
    return logDensity(Y, sameShape(read(whole), Y));
  };

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
    missing?.impute !== undefined ||
    (mapping !== undefined && isPlaced && (placement?.acceptsMissing ?? placement === undefined));
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
