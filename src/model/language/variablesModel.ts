import { InvalidInputError } from '../../core/errors.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { seededRandom } from '../../core/random.ts';
import { copiesNote, isSampled, joinedColumns, type RowSource, rowsGone } from '../../core/rowMatrices.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import { type DataFormat, jsonOf } from '../computedModel.ts';
import { checkModelGiven } from '../givenModel.ts';
import { noiseNote } from '../leastNoise.ts';
import type {
  AnyModel,
  Assembly,
  ChoiceSettings,
  Model,
  ModelJSON,
  ParameterValues,
  Search,
  SourcedModel,
} from '../model.ts';
import { checkSupport, type Parameter } from '../parameter.ts';
import { valueTensors, withLocation } from '../part.ts';
import type { AnyPosterior, LatentMoments, Posterior } from '../posterior.ts';
import { assembledGraph, type CompiledGraph, compiled, type StartMaps, seenData } from './compiled.ts';
import type { FittedVariables } from './derived.ts';
import { type FittedGraph, fittedGraph } from './fittedGraph.ts';
import { type Node, type PathTable, type Places, type VariableGraph, type Variables, variableGraph } from './graph.ts';
import type { Observations } from './observations.ts';
import type { SpectralStart } from './startMaps.ts';
import type { LatentVariable } from './variable.ts';

/** Definition of a model: its variables, their densities and the maps between them. `O` are its checked options. */
export interface VariablesDefinition<Data, V extends Variables = Variables, O = undefined> {
  /** Name of the model in fits and files. */
  readonly name: string;
  /** Its variables by name, for data and options. All parents must be included. */
  readonly variables: (data: Data, options: O) => V;
  /** Reader and writer of data other than plain values, lists and matrices. */
  readonly data?: DataFormat<Data>;
  /** Default search of `fit` for this model. */
  readonly search?: (data: Data, options: O) => Search;
  /** Short paths of its parameters, by their default paths. */
  readonly paths?: PathTable;
  readonly toJSON?: (data: Data) => ModelJSON;
}

/** A named model of variables, with names that differ from the variables'. */
export interface NamedVariables<Data> extends VariablesDefinition<Data> {
  readonly places: Places;
  /** Spectral embeddings of complete observations (N×D), N×q, as alternative initial latents. */
  readonly spectralStart: SpectralStart;
  /** The curvature of the negative log density in the natural values of the free parameters, if known. */
  readonly curvature: (data: Data) => Assembly['curvature'];
  /** Sentences about the result at these values, before those derived from the variables. */
  readonly note: (data: Data, values: ParameterValues) => string;
}

/** The posterior of a model of variables. */
export interface VariablesPosterior extends Posterior {
  readonly fitted: FittedGraph;
  readonly variables: FittedVariables;
}

/**
 * The model defined by a graph of variables.
 *
 * @param posteriorOf - abilities of its fits: a page loads only the code that this function uses
 * @param reading - how rows are read if the data contain a sample of the observations
 */
export function variablesModel<Data>(
  definition: VariablesDefinition<Data> & Partial<NamedVariables<Data>>,
  data: Data,
  toJSON: () => ModelJSON,
  posteriorOf: (of: FittedGraph) => AnyPosterior,
  { maps, reading }: { readonly maps?: StartMaps | undefined; readonly reading?: SourcedModel | undefined } = {},
): Model {
  const { name, variables, search, places, paths, spectralStart, curvature, note } = definition;
  const owner = `the model '${name}'`;
  const where = `The variables of ${owner}`;
  const graph = lazily(() =>
    variableGraph(
      owner,
      withLocation(where, () => variables(data, undefined)),
      { places, paths },
    ),
  );
  const seen = lazily(() => seenData(owner, graph()));
  let known: CompiledGraph | undefined;
  const stream = lazily(() => streamOf(graph()));
  const compiledAt = (seed: number, batched: boolean, at: StartMaps | undefined) => {
    if (stream() !== undefined && !isSampled(stream()!)) throw unread(name);
    return withLocation(where, () => compiled(owner, graph(), seen(), { seed, batched, maps: at }));
  };
  const compile = (seed: number, batched: boolean) => {
    known = compiledAt(seed, batched, maps);
    return known;
  };
  // Derived quantities do not depend on initial values, so a model initialized with any seed suffices; fits of batches may have other parameters.
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
  const model: { -readonly [K in keyof Model]: Model[K] } = {
    name,
    search: {
      ...(hasFewPoints(graph()) && { maxIterations: ITERATIONS_OF_FEW }),
      ...(search?.(data, undefined) ?? searchOf(graph(), seen)),
    },
    assemble: (seed, { batched = false } = {}) => {
      if (reading === undefined && stream() !== undefined && isSampled(stream()!)) rowsGone();
      const compiled = compile(seed, batched);
      return withLocation(`The constants of ${owner}`, () => assembledGraph(compiled, curvature?.(data)));
    },
    note: (values: ParameterValues) =>
      (note?.(data, values) ?? '') +
      observationsNote(seen(), compiledFor(values)) +
      startNote(graph()) +
      noiseNote(compiledFor(values).parameters, (path) => values[path]),
    posterior: (values) => {
      const posterior = posteriorOf(fittedGraph(compiledFor(values), values));
      const source = stream();
      if (source === undefined || !isSampled(source) || source.latents === undefined) return posterior;
      return ofAllRows(posterior, source.latents);
    },
    findings: async (values, seed) => {
      if (!graph().nodes.some(mayShrink)) return undefined;
      const { contractionFindings, scaleFindings } = await import('../../later.ts');
      const isLoose = ([path, { free, prior }]: [string, Parameter]) =>
        free && prior === undefined && (places === undefined || /lengthscale/.test(path));
      return () => {
        const compiled = compiledFor(values);
        const areLoose = Object.entries(compiled.parameters).some(isLoose);
        // Named models fix the scales of their default kernels.
        if (!areLoose && places !== undefined) return undefined;
        return withDensity(
          model,
          seed,
          (density, _, termsAt) =>
            (areLoose ? scaleFindings(compiled, values, density) : undefined) ??
            (places === undefined ? contractionFindings(compiled, values, termsAt) : undefined),
        );
      };
    },
    toJSON,
  };
  const latents = graph().nodes.find(({ variable, isPointwise }) => variable.role === 'latent' && isPointwise);
  if (latents !== undefined && stream() === undefined) {
    model.startAt = async (kind, seed) => {
      const { startMapOf } = await import('../../later.ts');
      const embedding = await startMapOf(owner, kind, latents as Node<LatentVariable>, spectralStart);
      return () => {
        const { observations } = (latents.variable as LatentVariable)['~starts'];
        const at = embedding(observations(graph(), seen()), seed);
        const { parameters } = compiledAt(seed, false, { [latents.name]: at });
        return Object.fromEntries(Object.entries(parameters).map(([path, { initial }]) => [path, initial]));
      };
    };
  }
  compilers.set(toJSON, (seed) => compile(seed, false));
  const points = lazily(() => {
    const source = stream();
    const isRead = source === undefined || isSampled(source);
    if (isRead && !areIndependent(graph(), () => compile(0, true))) return undefined;
    return source?.rows ?? graph().points;
  });
  // Fits begin with the maps at which variables start, and continue with the model that starts there.
  const startedAt = (own: StartMaps) => variablesModel(definition, data, toJSON, posteriorOf, { maps: own });
  const chooseStart = lazily(() => {
    const { variable } = graph().nodes.find(({ variable }) => variable.role === 'latent') ?? {};
    if (maps !== undefined || variable?.role !== 'latent') return undefined;
    return variable['~starts'].choose(graph(), seen(), { startedAt, densityAt: startDensity }, model);
  });
  // A fit of a model without a maximum would continue until it stops somewhere; named models fix their scales.
  const choose = lazily(() => {
    const source = stream();
    if (source !== undefined) return isSampled(source) ? undefined : () => startedReading();
    if (places !== undefined || paths !== undefined || maps !== undefined || !graph().nodes.some(mayShrink)) {
      return chooseStart();
    }
    return async (settings: ChoiceSettings) => {
      const { scalesAreHeld } = await import('../../later.ts');
      withLocation(`The variables of ${owner}`, () =>
        withDensity(model, settings.seed, (density, start) =>
          scalesAreHeld(model, compile(settings.seed, false), start, density),
        ),
      );
      return (await chooseStart()?.(settings)) ?? { model, message: '' };
    };
  });
  const startedReading = async () => {
    const { startedFromRows } = await import('../../later.ts');
    const make = (own: Data, reading?: SourcedModel) =>
      variablesModel(definition, own, () => jsonOf(definition, own), posteriorOf, { reading });
    return {
      model: await startedFromRows(owner, graph(), data, make, ({ toJSON: of }) =>
        withFloat64(() => compilers.get(of)!(0)),
      ),
      message: '',
    };
  };
  return Object.freeze(
    Object.defineProperties(model, {
      sourced: { get: () => reading ?? unreadRows(name, stream()), enumerable: true },
      points: { get: points, enumerable: true },
      choose: { get: choose, enumerable: true },
      choosesStart: { value: true, enumerable: true },
    }) as Model & { readonly points?: number },
  );
}

/** Notes about columns that were divided by their deviations, and about rows that repeat in all variables if there is noise. */
function observationsNote(seen: ReadonlyMap<string, Observations>, { graph, ownPaths }: CompiledGraph): string {
  const observed = graph.nodes.filter(({ variable }) => variable.role === 'observed');
  const all = observed.map(({ name }) => seen.get(name)!);
  const raws = all.map(({ raw }) => raw);
  const hasNoise = observed.some(({ densities: [own] }) => 'noise' in ownPaths(own!.path));
  const areRows = hasNoise && raws.every(({ rows }) => rows === raws[0]!.rows);
  return all.map(({ note }) => note).join('') + (areRows ? copiesNote(joinedColumns(raws)) : '');
}

/** Notes about perturbed initial latents. */
const startNote = ({ nodes }: VariableGraph): string =>
  nodes
    .map(({ variable, isPointwise }) =>
      variable.role === 'latent' && isPointwise ? variable['~starts'].note(variable) : '',
    )
    .join('');

const streamOf = ({ nodes }: VariableGraph): RowSource | undefined => {
  for (const { variable } of nodes)
    if (variable.role === 'observed' && variable.stream !== undefined) return variable.stream;
  return undefined;
};

/** A source of rows before it is read by a fit: it refuses operations that need its values. */
function unreadRows(name: string, source: RowSource | undefined): SourcedModel | undefined {
  if (source === undefined) return undefined;
  const refuse = () => {
    throw isSampled(source) ? rowsGone() : unread(name);
  };
  return { source, latentsOf: refuse, placed: refuse };
}

const unread = (name: string) =>
  new InvalidInputError(
    `The observations of the model '${name}' are read in blocks of rows, which fit(model, { batchSize }) does. For anything else give it a matrix.`,
  );

/** The posterior of a model that stores a sample of its rows, with the latents of all rows. Values of other variables are known for the sample only. */
function ofAllRows(posterior: AnyPosterior, { mean, variance }: LatentMoments): AnyPosterior {
  const variables = posterior.variables!;
  const { shown, rowNames } = variables;
  const shared = Object.entries(variables.values).filter(([name]) => !rowNames.has(name));
  return {
    ...posterior,
    latents: mean,
    distribution: { ...posterior.distribution, variances: variance },
    variables: {
      ...variables,
      values: { ...Object.fromEntries(shared), [shown]: mean },
      variances: { [shown]: variance },
    },
  };
}

/** True for points whose scale may be undetermined. */
const mayShrink = ({ variable }: Node): boolean => variable.role === 'latent' && variable.posterior === undefined;

/** Calls `work` with the log density of a model as a function of natural values (−∞ if undefined), its initial values, and the terms of the density. */
function withDensity<T>(
  model: Model,
  seed: number,
  work: (
    density: (values: ParameterValues) => number,
    start: ParameterValues,
    termsAt: (values: ParameterValues) => Readonly<Record<string, number>>,
  ) => T,
): T {
  return withFloat64(() => {
    const assembly = model.assemble(seed);
    const start = Object.fromEntries(Object.entries(assembly.parameters).map(([path, { initial }]) => [path, initial]));
    const termsAt = (values: ParameterValues) =>
      withFloat64(() => {
        for (const [path, parameter] of Object.entries(assembly.parameters))
          checkSupport(parameter, values[path]!, path);
        const terms = assembly.terms(valueTensors(values), {
          iteration: 0,
          random: seededRandom(seed),
          onJitter: () => {},
        });
        return Object.fromEntries(Object.entries(terms).map(([name, term]) => [name, op.valueOf(term)]));
      });
    const density = (values: ParameterValues) => {
      const value = Object.values(termsAt(values)).reduce((sum, term) => sum + term, 0);
      return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    };
    try {
      return work(density, start, termsAt);
    } finally {
      assembly.dispose?.();
    }
  });
}

/** The log density of a model at its initial values. */
const startDensity = (model: Model, seed: number): number =>
  withDensity(model, seed, (density, start) => density(start));

/** Compilers of models, by the function that writes the model as JSON, which copies of a model share. */
const compilers = new WeakMap<() => ModelJSON, (seed: number) => CompiledGraph>();

/**
 * The compiled graph of a model of variables. Called inside `withFloat64`.
 *
 * @throws InvalidInputError for any other model
 */
export function compiledModel(model: AnyModel, caller: string, seed: number): CompiledGraph {
  checkModelGiven(model, caller);
  const compile = compilers.get(model.toJSON);
  if (compile !== undefined) return compile(seed);
  throw new InvalidInputError(
    `${caller} takes a model of variables, made by defineModel({ name, variables }), but '${model.name}' is not one.`,
  );
}

/** Names of the terms that are densities of observed variables; empty for a model without variables. */
export function termsOfObservations(model: AnyModel, seed: number): ReadonlySet<string> {
  const compile = compilers.get(model.toJSON);
  if (compile === undefined) return new Set();
  const { nodes } = withFloat64(() => compile(seed)).graph;
  const observed = nodes.filter(({ variable }) => variable.role === 'observed');
  return new Set(
    observed.flatMap(({ densities }) => densities.filter(({ isFactor }) => !isFactor).map(({ term }) => term)),
  );
}

/** Largest number of points of Gaussian processes with evaluations so fast that a search may use thousands, and largest number of iterations of such a search. */
const FEW = 300;
const ITERATIONS_OF_FEW = 5000;

/**
 * True if the latents of a Gaussian process may use more iterations: they move along valleys where a thousand iterations may end 250 below the
 * maximum, while an evaluation of 150 points takes a millisecond or two.
 */
const hasFewPoints = ({ nodes, points }: VariableGraph): boolean =>
  points <= FEW && nodes.some(({ densities }) => densities.some(({ density }) => density.name === 'gaussianProcess'));

/** The first custom search of a density; a search based on curvature for observations is not used for a latent variable. */
function searchOf({ nodes }: VariableGraph, seen: () => ReadonlyMap<string, Observations>): Search | undefined {
  for (const { name, variable, densities } of nodes) {
    for (const { density } of densities) {
      if (variable.role === 'latent' && density.search?.curvature !== undefined) continue;
      const settings = density.search?.settings;
      const own = typeof settings === 'function' ? settings(seen().get(name)?.data) : settings;
      if (own !== undefined) return own;
    }
  }
  return undefined;
}

/** True if the log density is a sum over points, so that terms of some points can be computed alone. */
function areIndependent(graph: VariableGraph, compile: () => CompiledGraph): boolean {
  const placed = graph.nodes.filter(({ isPointwise }) => isPointwise).flatMap(({ densities }) => densities);
  if (placed.some(({ density }) => density.independent === false)) return false;
  if (placed.every(({ density }) => density.independent === true)) return true;
  return withFloat64(() => {
    const model = compile();
    const values = Object.fromEntries(Object.entries(model.parameters).map(([path, { initial }]) => [path, initial]));
    return fittedGraph(model, values).isIndependent();
  });
}
