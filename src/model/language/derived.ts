import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { AnyPosterior, LatentMoments, Mapping } from '../posterior.ts';
import { pickedRows } from './compiled.ts';
import type { FittedGraph, RowsByName, VariableWidth } from './fittedGraph.ts';
import { type OfGaussianRows, ofGaussianRows } from './gaussianRows.ts';
import { ancestors, joinedColumns, type PlacedDensity } from './graph.ts';
import { type OfNewRows, ofNewRows } from './newRows.ts';
import { fieldPosterior } from './readOff.ts';
import { indexOf, isEncoded, pointRows } from './variable.ts';

/** Quantities derived from a fit of a model of variables, in plain numbers, all by the densities that it was fitted with. */
export interface FittedVariables
  extends OfNewRows,
    OfGaussianRows,
    Pick<FittedGraph, 'values' | 'variances' | 'charts' | 'fields' | 'coordinates' | 'roots'> {
  /** Observed variables. */
  readonly observed: readonly VariableWidth[];
  /** Known variables that new rows come with. */
  readonly known: readonly VariableWidth[];
  /** Names of the known variables whose values stand for rows of a plate. */
  readonly indices: ReadonlySet<string>;
  /** Names of the variables that new rows have. */
  readonly rowNames: ReadonlySet<string>;
  /** The variable that `fit.latents` shows. */
  readonly shown: string;
  /** Observations of those that were fitted, as they were given; NaN where missing. */
  readonly observations: RowsByName;
  /** Throws for observations outside of the support of their density. */
  checkRows(given: RowsByName): void;
  /** Abilities that fits of this model do not have, with the reasons, by name. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Derives the quantities of a model of variables at these values. */
export function fittedVariables(of: FittedGraph): FittedVariables {
  const { model, values, variances, charts, roots, fields, coordinates, observed, known, widths } = of;
  return {
    ...ofNewRows(of),
    ...ofGaussianRows(of),
    values,
    variances,
    charts,
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
    checkRows: (given) => {
      for (const { name, densities } of observed) {
        if (given[name]) densities[0]!.density.support?.check(given[name], false, name);
      }
    },
    missing: reasonsMissing(of),
  };
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
  at((fitted) => {
    for (const node of observed) {
      const [placed] = node.densities as readonly [PlacedDensity, ...PlacedDensity[]];
      const { moments, sample, logPredictive } = fitted.conditional(placed, node);
      const of = `the density '${placed.density.name}' of '${node.name}'`;
      if (logPredictive === undefined)
        missing.project ??= `${of} says nothing of new rows (no condition with logPredictive).`;
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
    missing.forecast = `no density of '${graph.shown.name}' says what follows its rows (condition with next).`;
  else if (known.length > 0) {
    const names = known.map(({ name }) => `'${name}'`).join(' and ');
    missing.forecast = `rows of ${names} ahead are not known: use predict with these and with latents of your own choice.`;
  } else if (missing.predict !== undefined) missing.forecast = missing.predict;
  const unfilled = missing.project ?? missing.predict;
  // A random field fills in by itself.
  if (unfilled !== undefined && Object.keys(fields).length === 0) missing.impute = unfilled;
  return missing;
}

/** Densities of latent variables that have no say in where new rows are placed, and why. */
export function silentOfNewRows({ latents, at }: FittedGraph): string[] {
  return at((fitted) =>
    latents.flatMap((node) =>
      node.densities
        .filter((placed) => fitted.conditional(placed, node).logPredictive === undefined)
        .map(
          ({ density, isFactor }) =>
            `${node.name}: the ${isFactor ? 'factor' : 'density'} '${density.name}' says nothing of new rows (no condition with logPredictive).`,
        ),
    ),
  );
}

/** Observed variables of which new rows have no draws but those of the function, and why. */
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

/**
 * What fits of a model with observed variables can do.
 *
 * @param hasViews - whether observed variables are views, each asked for by its name even where it is the only one
 */
export const rowsPosterior =
  (hasViews: boolean) =>
  (of: FittedGraph): AnyPosterior =>
    withRows(of, fittedVariables(of), hasViews);

/** The posterior of fitted points, and what follows from it for new rows. */
export function withRows(of: FittedGraph, variables: FittedVariables, hasViews: boolean): AnyPosterior {
  const byView = variables.observed.length > 1 || hasViews;
  const own = {
    ...distributionOf(variables, byView),
    ...mappingOf(of, variables, byView),
    checkRows: (Y: Matrix) => variables.checkRows(apart(Y, variables.observed)),
    ...(variables.next && { next: variables.next }),
  };
  // Fields are searched for when they are asked for.
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(fieldPosterior(of))) as AnyPosterior;
}

function distributionOf(variables: FittedVariables, byView: boolean): Partial<AnyPosterior> {
  const { shown, variances, relevance, observed, bound, missingEntries } = variables;
  if (variances[shown] === undefined) return {};
  const [first] = Object.values(relevance);
  return {
    distribution: {
      variances: variances[shown],
      ...(first && { relevance: byView ? relevance : first }),
      ...(bound && { placedBound: (Y: Matrix, x: LatentMoments) => bound(apart(Y, observed), x) }),
    },
    ...(missingEntries && !byView && { missing: missingEntries }),
  };
}

/** The mapping from latents to observations, where one latent variable, or one that is computed from known rows, is all that new rows have. */
function mappingOf({ model }: FittedGraph, variables: FittedVariables, byView: boolean): Partial<AnyPosterior> {
  const { latents, observed, known, missing, shown } = variables;
  const isPlain = latents.length === 1 && known.length === 0 && latents[0]!.name === shown;
  if (!isPlain || 'project' in missing || 'predict' in missing) return {};
  const of = (own: FittedVariables['observed']): Mapping => {
    const side = (found: RowsByName) => joinedColumns(own.map(({ name }) => found[name]!));
    return {
      observedColumns: own.reduce((sum, { columns }) => sum + columns, 0),
      predict: (X, noise, spread) => {
        const found = variables.predict({ [shown]: X }, noise, spread && { [shown]: spread });
        const part = (key: 'mean' | 'variance') =>
          side(Object.fromEntries(own.map(({ name }) => [name, found[name]![key]])));
        return { mean: part('mean'), variance: part('variance') };
      },
      ...('sample' in missing
        ? {}
        : { sample: (X: Matrix, random, noise) => side(variables.sample({ [shown]: X }, random, noise)) }),
      predictiveDensity: (X, Y, isRough) => variables.density(X, apart(Y, own), isRough),
    };
  };
  const { variable } = model.graph.shown;
  const isComputed = variable.role === 'mapped' || isEncoded(variable);
  const { place } = pointRows(variable) ?? {};
  const takesMissing = model.graph.nodes.every(
    ({ variable }) => variable.role !== 'observed' || variable.density.takesMissing,
  );
  const mapping = of(observed);
  return {
    mapping,
    ...(byView && { views: Object.fromEntries(observed.map((own) => [own.name, of([own])])) }),
    ...((isComputed || place !== undefined) && {
      placement: {
        acceptsMissing: takesMissing,
        searchesMissing: takesMissing,
        observedColumns: mapping.observedColumns,
        ...(place && { found: (Y: Matrix) => place(Y, variables.values[shown]!) }),
        place: (Y: Matrix, found?: Matrix) => {
          const given = apart(Y, observed);
          const X = found ?? variables.computed(given)[shown];
          if (X === undefined) throw new InvalidInputError(`New rows need all that '${shown}' is computed from.`);
          const latentVariances = variables.computedVariances(given)[shown];
          const { density } = mapping.predictiveDensity!(X, Y);
          return { latents: X, ...(latentVariances && { latentVariances }), logDensity: density };
        },
      },
    }),
  };
}

/** Columns of observed variables that stand side by side, each under its name; those that are missing in all rows are left out. */
function apart(Y: Matrix, observed: FittedVariables['observed']): RowsByName {
  const found: Record<string, Matrix> = {};
  let from = 0;
  for (const { name, columns } of observed) {
    const own = Matrix.zeros(Y.rows, columns);
    for (let i = 0; i < Y.rows; i++) own.data.set(Y.row(i).subarray(from, from + columns), i * columns);
    from += columns;
    if (observed.length === 1 || !own.data.every(Number.isNaN)) found[name] = own;
  }
  return found;
}
