import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { ObservationsLike } from '../../core/namedTable.ts';
import { checkEntries } from '../../core/observations.ts';
import { checkOptions, integerFromOne, numberFromZero, seedOption, signalOption } from '../../core/options.ts';
import { seededRandom } from '../../core/random.ts';
import type {
  AnyAbilities,
  DistributedLatents,
  FieldShowing,
  Forecasting,
  Imputing,
  LatentPlace,
  Placing,
  PredictedLatents,
  Predicting,
  ProjectOptions,
  Reconstructing,
  Viewed,
} from '../../model/abilities.ts';
import type { RowSearches } from '../../model/language/abilitiesByName.ts';
import type { AnyPosterior, Mapping, MissingEntries } from '../../model/posterior.ts';
import {
  givenLatents,
  givenObservations,
  givenVariances,
  latentsAt,
  sameShape,
  sideBySide,
  viewOf,
} from './inputChecks.ts';

const projectOptions = v.strictObject({
  starts: v.optional(integerFromOne, 40),
  maxIterations: v.optional(integerFromOne, 200),
  tolerance: v.optional(numberFromZero, 1e-6),
  signal: signalOption,
});
const view = v.optional(v.any());
const predictOptions = v.strictObject({ noise: v.optional(v.boolean(), false) });
const distributedPredictOptions = v.strictObject({
  ...predictOptions.entries,
  latentVariances: v.optional(v.any()),
});
const sampleOptions = v.strictObject({
  seed: seedOption,
  noise: v.optional(v.boolean(), true),
});
const viewPredictOptions = v.strictObject({ ...predictOptions.entries, view });
const distributedViewPredictOptions = v.strictObject({ ...distributedPredictOptions.entries, view });
const viewSampleOptions = v.strictObject({ ...sampleOptions.entries, view });
const ways = v.optional(v.picklist(['line', 'geodesic'], "'line' or 'geodesic'"), 'line');
const alongOptions = v.strictObject({ along: ways });
const interpolateOptions = v.strictObject({ view, along: ways });

/** The matrix of observations that are given. */
type Observed = (Y: ObservationsLike) => MatrixLike;

/** Abilities of a fit beside showing its outcome. */
export type Abilities = Partial<AnyAbilities> | Viewed<string>;

/**
 * The abilities that follow from what a posterior has. Its graph and field are read when they are asked for, as a layer searches for them then.
 *
 * @param observed - the matrix of observations that are given, a table's in the order of the columns that were fitted
 */
export function abilitiesOf(posterior: AnyPosterior, observed: Observed): Abilities {
  const plain = plainAbilities(posterior, observed);
  const { variables, abilities } = posterior;
  if (variables === undefined || abilities === undefined) return plain;
  return { ...plain, ...abilities(variables, plain as Readonly<Record<string, unknown>>, searchesOf(posterior)) };
}

/** The searches behind abilities that take rows by name. */
function searchesOf(posterior: AnyPosterior): RowSearches {
  return {
    plainly: async (given, options, caller) => {
      const { views } = posterior;
      const Y = views === undefined ? given : sideBySide(given as Readonly<Record<string, MatrixLike>>, views);
      const rows = givenObservations(Y as MatrixLike, posterior);
      const settings = placingOptions(options, caller);
      return (await placing()).placed(posterior, rows, settings);
    },
    byVariables: async (rows, options, caller) => {
      const settings = placingOptions(options, caller);
      const { placedVariables } = await import('../placedVariables.ts');
      return placedVariables(posterior.variables!, rows, settings);
    },
    over: async (modes, at, predict) => {
      const { predictedOverPlaces } = await import('../placeModes.ts');
      return predictedOverPlaces(modes, at, predict);
    },
    geodesic: async (view, from, to, steps) => {
      const { geodesicPoints } = await import('../geometry/along.ts');
      return geodesicPoints(posterior, view as string | undefined, from, to, steps);
    },
  };
}

function plainAbilities(posterior: AnyPosterior, observed: Observed): Abilities {
  const { views, eigenvalues, distribution } = posterior;
  if (views !== undefined) {
    return { ...fieldOf(posterior), ...distributedBy(distribution), ...viewedBy(posterior, views) };
  }
  return {
    ...distributedBy(distribution),
    ...(eigenvalues !== undefined && { eigenvalues }),
    ...placingBy(posterior, observed),
    ...reconstructingBy(posterior, observed),
    ...mappedBy(posterior),
    ...imputingBy(posterior, observed),
    ...fieldOf(posterior),
    // A mapping fills in new observations too, those that were fitted among them.
    ...(posterior.mapping === undefined &&
      'field' in posterior && {
        impute: (Y: ObservationsLike) =>
          posterior.field!.impute(checkEntries(Matrix.from(observed(Y), 'Y'), 'Y', Number.isNaN)),
      }),
  };
}

function distributedBy(distribution: AnyPosterior['distribution']): object {
  if (distribution === undefined) return {};
  const { variances, relevance } = distribution;
  return { latentVariances: variances, ...(relevance && { relevance }) };
}

function fieldOf(posterior: AnyPosterior): Partial<Omit<FieldShowing, 'graph'>> {
  if (!('field' in posterior)) return {};
  return { precision: () => posterior.field!.precision(), covariance: () => posterior.field!.covariance() };
}

/** A fit with the graph of its posterior, where that has one, as a member that is computed when it is read. */
export function withGraph<F extends object>(fit: F, posterior: AnyPosterior): F {
  if (!('graph' in posterior)) return fit;
  return Object.defineProperty(fit, 'graph', { get: () => posterior.graph, enumerable: true });
}

const places = ({ placement, mapping }: AnyPosterior) =>
  placement !== undefined || mapping?.predictiveDensity !== undefined;

// What places observations is loaded when it is asked for, as most pages have no use for it.
const placing = () => import('../placedVariables.ts');
const placingOptions = (options: ProjectOptions, caller: string) => checkOptions(projectOptions, options, caller);

function placingBy(posterior: AnyPosterior, observed: Observed): Placing | undefined {
  if (!places(posterior)) return undefined;
  return {
    project: async (given, options = {}) => {
      const Y = givenObservations(observed(given), posterior);
      const { placed, projectionOf } = await placing();
      return projectionOf(await placed(posterior, Y, placingOptions(options, 'project')));
    },
  };
}

function reconstructingBy(posterior: AnyPosterior, observed: Observed): Reconstructing | undefined {
  if (!places(posterior)) return undefined;
  const { mapping } = posterior;
  const reconstruct = mapping === undefined ? posterior.field?.reconstruct : undefined;
  if (reconstruct !== undefined) {
    return {
      reconstruct: async (Y, options = {}) => {
        placingOptions(options, 'reconstruct');
        return reconstruct(givenObservations(observed(Y), posterior));
      },
    };
  }
  if (mapping === undefined) return undefined;
  return {
    reconstruct: async (given, options = {}) => {
      const Y = givenObservations(observed(given), posterior);
      const { placed, predictedAt } = await placing();
      return (await predictedAt(await placed(posterior, Y, placingOptions(options, 'reconstruct')), mapping, true))
        .mean;
    },
  };
}

function imputingBy(posterior: AnyPosterior, observed: Observed): Imputing | undefined {
  const { mapping, placement, missing } = posterior;
  const filling = missing && fillingBy(posterior, missing, observed);
  if (missing?.impute !== undefined) return filling as Imputing;
  if (mapping === undefined || !places(posterior) || placement?.acceptsMissing === false) return undefined;
  return {
    ...filling,
    impute: async (given, options = {}) => {
      const Y = givenObservations(observed(given), posterior);
      return (await placing()).completed(posterior, Y, placingOptions(options, 'impute'));
    },
  };
}

function fillingBy(
  posterior: AnyPosterior,
  missing: MissingEntries,
  observed: Observed,
): Partial<Imputing> & Pick<DistributedLatents, 'missingLogDensity'> {
  const rowsOf = (given: ObservationsLike) => givenObservations(observed(given), posterior, { acceptsMissing: true });
  return {
    ...(missing.impute && {
      impute: async (Y: ObservationsLike, options: ProjectOptions = {}) => {
        placingOptions(options, 'impute');
        return missing.impute!(rowsOf(Y));
      },
    }),
    missingLogDensity: (given, whole) => {
      const Y = rowsOf(given);
      return missing.logDensity(Y, sameShape(rowsOf(whole), Y));
    },
  };
}

function mappedBy(posterior: AnyPosterior): (Predicting & Partial<Forecasting>) | undefined {
  const { latents, distribution, mapping, next } = posterior;
  if (mapping === undefined) return undefined;
  const { sample } = mapping;
  const predict: Predicting['predict'] = (X, options = {}) => {
    const points = () => givenLatents(X, latents.columns, 'predict');
    if (distribution === undefined) {
      return mapping.predict(points(), checkOptions(predictOptions, options, 'predict').noise);
    }
    const { noise, latentVariances: spread } = checkOptions(distributedPredictOptions, options, 'predict');
    return mapping.predict(points(), noise, spread === undefined ? undefined : givenVariances(spread, points()));
  };
  return {
    predict,
    interpolate: ((from: LatentPlace, to: LatentPlace, steps: number, options = {}) => {
      const asked = checkOptions(alongOptions, options, 'interpolate');
      return onTheWay(posterior, { from, to, steps, mapping, ...asked });
    }) as Predicting['interpolate'],
    ...(sample !== undefined && {
      sample: (X: MatrixLike, options = {}) => {
        const { seed, noise } = checkOptions(sampleOptions, options, 'sample');
        return sample(givenLatents(X, latents.columns, 'sample'), seededRandom(seed), noise);
      },
    }),
    ...(next !== undefined && {
      forecast: (steps: number) => {
        const path = futurePath(latents, next, steps);
        return { latents: path, ...predict(path) };
      },
    }),
  };
}

function viewedBy(
  posterior: AnyPosterior,
  views: Readonly<Record<string, Mapping>>,
): Viewed<string> & Partial<Forecasting> {
  const { latents, mapping, next, distribution } = posterior;
  const q = latents.columns;
  const placed = async (
    given: Readonly<Record<string, MatrixLike | undefined>>,
    options: ProjectOptions,
    caller: string,
  ) => {
    const Y = givenObservations(sideBySide(given, views), posterior);
    return (await placing()).placed(posterior, Y, placingOptions(options, caller));
  };
  return {
    predict: (X, options) => {
      const schema = distribution === undefined ? viewPredictOptions : distributedViewPredictOptions;
      const asked: { noise: boolean; view?: string; latentVariances?: MatrixLike } = checkOptions(
        schema,
        options ?? {},
        'predict',
      );
      const points = givenLatents(X, q, 'predict');
      const spread = asked.latentVariances && givenVariances(asked.latentVariances, points);
      return viewOf(views, asked.view).predict(points, asked.noise, spread);
    },
    sample: (X, options) => {
      const asked = checkOptions(viewSampleOptions, options ?? {}, 'sample');
      // Every view of a model with several is a Gaussian process, which can be drawn from.
      return viewOf(views, asked.view).sample!(givenLatents(X, q, 'sample'), seededRandom(asked.seed), asked.noise);
    },
    interpolate: ((from: LatentPlace, to: LatentPlace, steps: number, options?: object) => {
      const asked = checkOptions(interpolateOptions, options ?? {}, 'interpolate');
      return onTheWay(posterior, { from, to, steps, mapping: viewOf(views, asked.view), ...asked });
    }) as Viewed<string>['interpolate'],
    project: async (given, options = {}) => (await placing()).projectionOf(await placed(given, options, 'project')),
    reconstruct: async (given, options = {}) => {
      const rows = await placed(given, options, 'reconstruct');
      const { predictedAt } = await placing();
      const means: Record<string, Matrix> = {};
      for (const name of Object.keys(given)) {
        means[name] = (await predictedAt(rows, viewOf(views, name), true)).mean;
      }
      return means as { [N in keyof typeof given]: Matrix };
    },
    translate: async (given, to, options = {}) => {
      const view = viewOf(views, to);
      const rows = await placed(given, options, 'translate');
      const { predictedAt, projectionOf } = await placing();
      const { latents: X, latentVariances } = projectionOf(rows);
      return { latents: X, ...(latentVariances && { latentVariances }), ...(await predictedAt(rows, view, false)) };
    },
    ...(next !== undefined &&
      mapping !== undefined && {
        forecast: (steps: number) => {
          const path = futurePath(latents, next, steps);
          return { latents: path, ...mapping.predict(path, false) };
        },
      }),
  };
}

/** Points between two latents, and the mapping that predicts there. */
interface Way {
  readonly from: LatentPlace;
  readonly to: LatentPlace;
  readonly steps: number;
  readonly mapping: Mapping;
  readonly along: 'line' | 'geodesic';
  readonly view?: string;
}

/** Predictions on the straight line between two latents, or, later, along the geodesic. */
function onTheWay(
  posterior: AnyPosterior,
  { from, to, steps, mapping, along, view }: Way,
): PredictedLatents | Promise<PredictedLatents> {
  const { latents } = posterior;
  if (!Number.isInteger(steps) || steps < 2) {
    throw new InvalidInputError(`interpolate takes a whole number of steps from 2, but ${describe(steps)} was given.`);
  }
  const ends = givenLatents([latentsAt(latents, from), latentsAt(latents, to)], latents.columns, 'interpolate');
  const predicted = (path: Matrix) => ({ latents: path, ...mapping.predict(path, false) });
  if (along === 'geodesic') {
    const [first, last] = ends.toArrays() as [number[], number[]];
    return import('../geometry/along.ts').then(({ geodesicPoints }) =>
      predicted(geodesicPoints(posterior, view, first, last, steps)),
    );
  }
  const points = Array.from({ length: steps }, (_, k) => {
    const part = k / (steps - 1);
    return Array.from(ends.row(0), (entry, c) => (1 - part) * entry + part * ends.at(1, c));
  });
  return predicted(Matrix.from(points));
}

/** The mean path of the latents after the last point. */
function futurePath(latents: Matrix, next: (X: Matrix) => Matrix, steps: number): Matrix {
  if (!Number.isInteger(steps) || steps < 1) {
    throw new InvalidInputError(`forecast takes a whole number of steps from 1, but ${describe(steps)} was given.`);
  }
  let point = new Matrix(latents.row(latents.rows - 1), 1, latents.columns);
  const path = Matrix.zeros(steps, latents.columns);
  for (let k = 0; k < steps; k++) {
    point = next(point);
    path.data.set(point.data, k * latents.columns);
  }
  return path;
}
