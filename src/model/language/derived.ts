import type { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { tensorMatrix } from '../../engine/tensors/doubles.ts';
import type { AnyPosterior } from '../posterior.ts';
import type { RowModel } from '../rowModel.ts';
import { pickedRows } from './compiled.ts';
import type { Fitted, FittedGraph } from './fittedGraph.ts';
import { type OfGaussianRows, ofGaussianRows } from './gaussianRows.ts';
import { ancestors, type PlacedDensity } from './graph.ts';
import { type OfNewRows, ofNewRows } from './newRows.ts';
import { fieldPosterior } from './readOff.ts';
import { indexOf, pointRows } from './variable.ts';

/** Quantities derived from a fit of a model of variables, in plain numbers, all based on the fitted densities. */
export interface FittedVariables extends RowModel, OfNewRows, OfGaussianRows, Pick<FittedGraph, 'coordinates'> {
  readonly density: OfNewRows['density'];
  readonly predict: OfNewRows['predict'];
  readonly sample: OfNewRows['sample'];
  leavingOut?(rows: readonly number[]): FittedVariables;
  /** True if the rows of the shown variable are points obtained by a search. */
  readonly arePoints: boolean;
}

/** Derives the quantities of a model of variables at these values. */
export function fittedVariables(of: FittedGraph): FittedVariables {
  const { model, values, variances, charts, transforms, roots, fields, coordinates, observed, known, widths } = of;
  return {
    ...ofNewRows(of),
    ...ofGaussianRows(of),
    values,
    variances,
    charts,
    transforms,
    roots,
    fields,
    coordinates,
    observed: widths(observed),
    known: widths(known),
    indices: new Set(model.graph.nodes.flatMap(({ variable }) => indexOf(variable) ?? [])),
    rowNames: new Set(of.pointwise.map(({ name }) => name)),
    shown: model.graph.shown.name,
    observations: Object.fromEntries(
      observed.map(({ name, variable }) => [name, (variable as { readonly data: Matrix }).data]),
    ),
    ...(of.leavingOut && { leavingOut: (rows: readonly number[]) => fittedVariables(of.leavingOut!(rows)) }),
    arePoints: model.graph.shown.variable.role === 'latent' && model.graph.shown.variable.posterior === undefined,
    checkRows: (given) => {
      for (const { name, densities } of observed) {
        if (given[name]) densities[0]!.density.support?.check(given[name], false, name);
      }
    },
    ...latentDensity(of),
    missing: reasonsMissing(of),
    ...embeddedBy(of),
  };
}

/** Coordinates of complete rows in an embedding, if the shown variable is computed beforehand. */
function embeddedBy({ model, latents, observed, values }: FittedGraph): Pick<RowModel, 'embedded'> {
  const { name, variable } = model.graph.shown;
  const { place } = pointRows(variable) ?? {};
  const [only, ...others] = observed;
  if (place === undefined || only === undefined || others.length > 0 || latents.length !== 1) return {};
  return { embedded: async (given) => ({ [name]: await place(given[only.name]!, values[name]!) }) };
}

/** Missing abilities with their reasons. */
export function reasonsMissing({
  model,
  latents,
  observed,
  known,
  fields,
  sequential,
  at,
}: FittedGraph): Record<string, string> {
  const { graph, owner } = model;
  const missing: Record<string, string> = {};
  if (observed.length === 0) {
    const reason = `no variable of ${owner} is observed.`;
    Object.assign(missing, { project: reason, predict: reason, sample: reason });
  }
  if (graph.shown.variable.role === 'observed') {
    const reason = `all variables of ${owner} are observed, so new rows have no latents.`;
    Object.assign(missing, { project: reason, predict: reason, sample: reason });
  }
  at((fitted) => {
    for (const node of observed) {
      const [placed] = node.densities as readonly [PlacedDensity, ...PlacedDensity[]];
      const { moments, sample, logPredictive } = fitted.conditional(placed, node);
      const of = `the density '${placed.density.name}' of '${node.name}'`;
      if (logPredictive === undefined)
        missing.project ??= `${of} defines no density of new rows (no condition with logPredictive).`;
      if (moments === undefined) missing.predict ??= `${of} gives no moments of new rows (condition with moments).`;
      if (moments === undefined && sample === undefined)
        missing.sample ??= `${of} gives neither moments nor a sample of new rows.`;
      if (!ancestors(graph, node.name).has(graph.shown.name))
        missing.predict ??= `'${node.name}' does not depend on '${graph.shown.name}'.`;
    }
  });
  if (graph.shown.variable.role === 'embedded')
    missing.project ??= `'${graph.shown.name}' is read off the field of the points that were fitted.`;
  else if (latents.length === 0 && graph.shown.variable.role !== 'mapped')
    missing.project ??= 'no variable of new rows is latent.';
  if (sequential === undefined)
    missing.forecast = `no density of '${graph.shown.name}' defines the rows that follow (condition with next).`;
  else if (known.length > 0) {
    const names = known.map(({ name }) => `'${name}'`).join(' and ');
    missing.forecast = `rows of ${names} ahead are not known: use predict with these and with latents of your own choice.`;
  } else if (missing.predict !== undefined) missing.forecast = missing.predict;
  const unfilled = missing.project ?? missing.predict;
  // A random field imputes without a mapping.
  if (unfilled !== undefined && Object.keys(fields).length === 0) missing.impute = unfilled;
  return missing;
}

/** Whether the latents of a new row have one normalized density, and its draws if rows are independent and without parents. */
function latentDensity({ model, latents, at, widths }: FittedGraph): Pick<RowModel, 'isNormalized' | 'drawLatents'> {
  const only = latents.map(({ densities }) => (densities.length === 1 ? densities[0]! : undefined));
  const says = (fitted: Fitted, of: 'logPredictive' | 'sample') =>
    latents.every((node, l) => fitted.conditional(only[l]!, node)[of] !== undefined);
  // Mapped variables that are searched for rows without latent variables have no density.
  const isNormalized =
    latents.length > 0 &&
    only.every((placed) => placed?.density.normalized) &&
    at((fitted) => says(fitted, 'logPredictive'));
  const isDrawn =
    isNormalized &&
    latents.every(({ given }, l) => given.length === 0 && only[l]!.density.sample !== undefined) &&
    at((fitted) => says(fitted, 'sample'));
  if (!isDrawn) return { isNormalized };
  return {
    isNormalized,
    drawLatents: (count, random) =>
      at(({ tensors }) =>
        joinedColumns(
          widths(latents).map(({ columns }, l) => {
            const { path, density } = only[l]!;
            return tensorMatrix(density.sample!(model.ownTensors(path, tensors), random, [count, columns], []));
          }),
        ),
      ),
  };
}

/** Densities of latent variables that do not affect the latents of new rows, with the reasons. */
export function silentOfNewRows({ latents, at }: FittedGraph): string[] {
  return at((fitted) =>
    latents.flatMap((node) =>
      node.densities
        .filter((placed) => fitted.conditional(placed, node).logPredictive === undefined)
        .map(
          ({ density, isFactor }) =>
            `${node.name}: the ${isFactor ? 'factor' : 'density'} '${density.name}' defines no density of new rows (no condition with logPredictive).`,
        ),
    ),
  );
}

/** Observed variables whose new rows can be drawn only without noise, with the reasons. */
export function drawnWithoutNoise({ model, observed, at }: FittedGraph): string[] {
  return at((fitted) =>
    observed.flatMap((node) => {
      const [placed] = node.densities as readonly [PlacedDensity, ...PlacedDensity[]];
      const { moments, sample } = fitted.conditional(placed, node);
      if (sample !== undefined || moments === undefined) return [];
      const given = node.given.map((each, i) =>
        pickedRows(fitted.values.get(each)!, node.picked[i], model.placesInPlate),
      );
      const { noise, covariances } = moments(given);
      if (noise === undefined || covariances !== undefined) return [];
      const of = `the density '${placed.density.name}' of '${node.name}'`;
      return [`sample: ${of} gives moments of new rows, but no sample of them. Ask for { noise: false }.`];
    }),
  );
}

/** The posterior of a model of variables: the values shown by fits, the random fields over the points, and derived quantities of new rows. */
export function variablesPosterior(of: FittedGraph): AnyPosterior {
  const { uncalibrated } = of;
  const variables = fittedVariables(of);
  if (uncalibrated !== undefined) {
    const made = lazily(() => fittedVariables(uncalibrated()));
    Object.defineProperty(variables, 'uncalibrated', { get: made, enumerable: true });
  }
  const own = { variables, ...distributionOf(variables) };
  // Fields are computed on demand.
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(fieldPosterior(of))) as unknown as AnyPosterior;
}

function distributionOf({ shown, variances, relevance, observed }: FittedVariables): Partial<AnyPosterior> {
  if (variances[shown] === undefined) return {};
  const [first] = Object.values(relevance);
  return {
    distribution: {
      variances: variances[shown],
      ...(first && { relevance: observed.length > 1 ? relevance : first }),
    },
  };
}
