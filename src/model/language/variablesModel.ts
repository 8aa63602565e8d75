import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { seededRandom } from '../../core/random.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import * as op from '../../tensors/ops.ts';
import { checkModelGiven } from '../givenModel.ts';
import type { AnyModel, Assembly, Model, ModelJSON, ParameterValues, Search, StartKind } from '../model.ts';
import type { DataFormat } from '../modelFactory.ts';
import type { AnyPosterior, LatentMoments, Mapping, Posterior } from '../posterior.ts';
import { valueTensors } from '../valueTensors.ts';
import { withLocation } from '../withLocation.ts';
import {
  assembledGraph,
  type CompiledGraph,
  chartOf,
  compiled,
  type SeenData,
  type StartMaps,
  seenData,
  startObservations,
} from './compiled.ts';
import { type FittedVariables, fittedVariables, type RowsByName } from './derived.ts';
import { joinedColumns, type Node, type Places, type VariableGraph, type Variables, variableGraph } from './graph.ts';
import { isEncoded, type LatentVariable } from './variable.ts';

/** A model that is said once: its variables, their densities and the maps between them. */
export interface VariablesDefinition<Data, V extends Variables = Variables> {
  /** What its fits and files call it. */
  readonly name: string;
  /** Its variables by name, for data. Each that others are given is returned. */
  readonly variables: (data: Data) => V;
  /** How data that are not plain values, lists and matrices are written and read. */
  readonly data?: DataFormat<Data>;
  /** The search that suits the model, where `fit` is not told. */
  readonly search?: (data: Data) => Search;
  /** Paths of parameters by those that follow from the variables, for models that keep other names. */
  readonly toJSON?: (data: Data) => ModelJSON;
}

/** A named model that is made of variables, and keeps other names than theirs. */
export interface NamedVariables<Data> extends VariablesDefinition<Data> {
  readonly places: Places;
  /** What gives natural values, by path, of what depends on where the latents start, for restarts that begin elsewhere. */
  readonly startAt: (kind: Exclude<StartKind, 'model'>, data: Data, seed: number) => Promise<() => ParameterValues>;
  /** True if observed variables are views, each asked for by its name even where it is the only one. */
  readonly hasViews: boolean;
  /** The curvature of minus the log density in the natural values of the free parameters, where it is known. */
  readonly curvature: (data: Data) => Assembly['curvature'];
  /** Sentences about the result at these values. */
  readonly note: (data: Data, values: ParameterValues) => string;
}

/** Of a model of variables. */
export interface VariablesPosterior extends Posterior {
  readonly variables: FittedVariables;
}

/** The model that a graph of variables makes. */
export function variablesModel<Data>(
  definition: VariablesDefinition<Data> & Partial<NamedVariables<Data>>,
  data: Data,
  toJSON: () => ModelJSON,
  maps?: StartMaps,
): Model {
  const { name, variables, search, places, hasViews = false, startAt, curvature, note } = definition;
  const owner = `the model '${name}'`;
  const graph = lazily(() => variableGraph(owner, variables(data), places));
  const seen = lazily(() => seenData(owner, graph()));
  let known: CompiledGraph | undefined;
  const compile = (seed: number, batched: boolean) => {
    known = withLocation(`The variables of ${owner}`, () => compiled(owner, graph(), seen(), { seed, batched, maps }));
    return known;
  };
  // What follows from values does not depend on where they started, so a model started by any seed will do; fits of batches may have other parameters.
  const compiledFor = (values: ParameterValues): CompiledGraph => {
    const count = Object.keys(values).length;
    const isOf = ({ parameters }: CompiledGraph) =>
      Object.keys(parameters).length === count && Object.keys(parameters).every((path) => path in values);
    if (known !== undefined && isOf(known)) return known;
    return withFloat64(() => {
      const whole = compile(0, false);
      return isOf(whole) ? whole : compile(0, true);
    });
  };
  const searches = search?.(data) ?? searchOf(graph());
  const model: Model = {
    name,
    ...(searches !== undefined && { search: searches }),
    assemble: (seed, { batched = false } = {}) => {
      const model = compile(seed, batched);
      return withLocation(`The constants of ${owner}`, () => assembledGraph(model, curvature?.(data)));
    },
    ...(startAt !== undefined && {
      startAt: (kind: Exclude<StartKind, 'model'>, seed: number) => startAt(kind, data, seed),
    }),
    ...(note !== undefined && { note: (values: ParameterValues) => note(data, values) }),
    posterior: (values) => posteriorOf(compiledFor(values), values, places !== undefined, hasViews),
    toJSON,
  };
  compilers.set(toJSON, (seed) => compile(seed, false));
  const points = lazily(() => (areIndependent(graph(), () => compile(0, true)) ? graph().points : undefined));
  // Fits begin with the maps at which variables start, and go on with the model that starts there.
  const startedAt = (own: StartMaps) => variablesModel(definition, data, toJSON, own);
  const choose = lazily(() => {
    if (maps !== undefined) return undefined;
    if (graph().nodes.some(startsAtMap)) {
      return async () => ({
        model: startedAt({ ...(await mapsOf(graph(), seen())), ...(await chartMapsOf(graph(), seen())) }),
        message: ' The latents started at a t-SNE map.',
      });
    }
    if (!graph().nodes.some((node) => startsOnChart(graph(), node))) return undefined;
    return async ({ seed }: { readonly seed: number }) => {
      const onChart = startedAt(await chartMapsOf(graph(), seen()));
      const isBetter = startDensity(onChart, seed) > startDensity(model, seed);
      return isBetter
        ? { model: onChart, message: " The latents started at Laplacian eigenmaps' coordinates on their chart." }
        : { model: startedAt({}), message: '' };
    };
  });
  return Object.freeze(
    Object.defineProperties(model, {
      points: { get: points, enumerable: true },
      choose: { get: choose, enumerable: true },
      choosesStart: { value: true, enumerable: true },
    }) as Model & { readonly points?: number },
  );
}

const startsAtMap = ({ variable, isPointwise }: Node) =>
  isPointwise && variable.role === 'latent' && variable.init === 'neighbours';

/** Maps of the observations, as the model sees them, for the variables that start at one. */
async function mapsOf(graph: VariableGraph, seen: ReadonlyMap<string, SeenData>): Promise<StartMaps> {
  const { spreadMap, tsneLatents } = await import('../neighbourStart.ts');
  const observations = startObservations(graph, seen);
  const starts = graph.nodes.filter(startsAtMap).map(({ name, variable }) => {
    const { dim } = variable as LatentVariable;
    return [name, spreadMap({ latents: tsneLatents(observations, dim) }, observations, dim)] as const;
  });
  return Object.fromEntries(starts);
}

/** True for a variable on a chart that starts where its observations are. */
const startsOnChart = (graph: VariableGraph, { name, variable, isPointwise }: Node): boolean =>
  isPointwise && variable.role === 'latent' && variable.init === 'pca' && chartOf(graph, name)?.start !== undefined;

/** Coordinates of Laplacian eigenmaps on their charts, for variables that have one. */
async function chartMapsOf(graph: VariableGraph, seen: ReadonlyMap<string, SeenData>): Promise<StartMaps> {
  const nodes = graph.nodes.filter((node) => startsOnChart(graph, node));
  if (nodes.length === 0) return {};
  const { eigenmaps } = await import('../eigenmaps.ts');
  const observations = startObservations(graph, seen);
  const starts = nodes.map(({ name }) => {
    const { start, components } = chartOf(graph, name)!;
    return [name, start!(eigenmaps(observations, Math.min(components!, observations.rows - 1)))] as const;
  });
  return Object.fromEntries(starts);
}

/** The log density of a model where it starts; −∞ where it has none there. */
function startDensity(model: Model, seed: number): number {
  return withFloat64(() => {
    const assembly = model.assemble(seed);
    try {
      const start = Object.entries(assembly.parameters).map(([path, { initial }]) => [path, initial] as const);
      const terms = assembly.terms(valueTensors(Object.fromEntries(start)), {
        iteration: 0,
        random: seededRandom(seed),
        onJitter: () => {},
        onRank: () => {},
      });
      const value = Object.values(terms).reduce((sum, term) => sum + op.valueOf(term), 0);
      return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    } finally {
      assembly.dispose?.();
    }
  });
}

/** What compiles a model, by the function that writes it, which copies of a model share. */
const compilers = new WeakMap<() => ModelJSON, (seed: number) => CompiledGraph>();

/**
 * The graph of a model that is made of variables, compiled. Called inside `withFloat64`.
 *
 * @throws InvalidInputError for another model
 */
export function compiledModel(model: AnyModel, caller: string, seed: number): CompiledGraph {
  checkModelGiven(model, caller);
  const compile = compilers.get(model.toJSON);
  if (compile !== undefined) return compile(seed);
  throw new InvalidInputError(
    `${caller} takes a model of variables, made by defineModel({ name, variables }), but '${model.name}' is not one.`,
  );
}

/** The first search that a density asks for; one by curvature that it knows of observations is none of a latent variable. */
function searchOf({ nodes }: VariableGraph): Search | undefined {
  for (const { variable, densities } of nodes) {
    for (const { density } of densities) {
      if (density.search && (variable.role !== 'latent' || density.curvature === undefined)) return density.search;
    }
  }
  return undefined;
}

/** True if all that is said of points is a sum over them, so that terms may be asked for some of them. */
function areIndependent(graph: VariableGraph, compile: () => CompiledGraph): boolean {
  const placed = graph.nodes.filter(({ isPointwise }) => isPointwise).flatMap(({ densities }) => densities);
  if (placed.some(({ density }) => density.independent === false)) return false;
  if (placed.every(({ density }) => density.independent === true)) return true;
  return withFloat64(() => {
    const model = compile();
    const values = Object.fromEntries(Object.entries(model.parameters).map(([path, { initial }]) => [path, initial]));
    return fittedVariables(model, values).independent;
  });
}

/** What fits of the model can do at these values; those of named models do it by the names of their own options. */
function posteriorOf(model: CompiledGraph, values: ParameterValues, isNamed: boolean, hasViews: boolean): AnyPosterior {
  const variables = fittedVariables(model, values);
  const byView = variables.observed.length > 1 || hasViews;
  const posterior: Posterior & Partial<AnyPosterior> = {
    latents: variables.values[variables.shown]!,
    ...distributionOf(variables, byView),
    ...mappingOf(model, variables, byView),
    ...placingOf(model, variables),
    ...(variables.next && { next: variables.next }),
    ...(!isNamed && { variables }),
  };
  return withFields(posterior, variables);
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

/** How new rows are placed by the density of what is shown, or by the field that it is read off. */
function placingOf({ graph, columns }: CompiledGraph, variables: FittedVariables): Partial<AnyPosterior> {
  const { name, given, densities } = graph.shown;
  const { eigenvalues, placement } = variables.coordinates[name] ?? {};
  if (name in variables.coordinates) return { ...(eigenvalues && { eigenvalues }), ...(placement && { placement }) };
  const placed = densities.find(({ density }) => density.place !== undefined);
  if (placed === undefined || given.length !== 1) return {};
  const place = (rows: Matrix) => placed.density.place!(rows, variables.values[name]!);
  return { placement: { acceptsMissing: false, observedColumns: columns.get(given[0]!)!, place } };
}

/** The mapping from latents to observations, where one latent variable, or one that is computed from known rows, is all that new rows have. */
function mappingOf(model: CompiledGraph, variables: FittedVariables, byView: boolean): Partial<AnyPosterior> {
  const { latents, observed, known, missing, shown } = variables;
  const isPlain = latents.length === 1 && known.length === 0 && latents[0]!.name === shown;
  if (!isPlain || 'project' in missing || 'predict' in missing) return {};
  const of = (own: FittedVariables['observed']): Mapping => {
    const side = (found: RowsByName) => joinedColumns(own.map(({ name }) => found[name]!));
    return {
      observedColumns: own.reduce((sum, { columns }) => sum + columns, 0),
      metric: (X) => variables.metric(X, own.length === observed.length ? undefined : own[0]!.name),
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
  const takesMissing = model.graph.nodes.every(
    ({ variable }) => variable.role !== 'observed' || variable.density.takesMissing,
  );
  const mapping = of(observed);
  return {
    mapping,
    ...(byView && { views: Object.fromEntries(observed.map((own) => [own.name, of([own])])) }),
    ...(isComputed && {
      placement: {
        acceptsMissing: takesMissing,
        searchesMissing: takesMissing,
        observedColumns: mapping.observedColumns,
        place: (Y: Matrix) => {
          const given = apart(Y, observed);
          const X = variables.computed(given)[shown];
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

/** A posterior with the random fields of the model's variables: graph and field are those of the first. They are computed when they are asked for, which may take a search. */
function withFields(posterior: Posterior, { fields }: FittedVariables): AnyPosterior {
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
