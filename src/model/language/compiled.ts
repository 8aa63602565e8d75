import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { lazily, withGetters } from '../../core/progressiveWork.ts';
import { columnsByName, joinedColumns, joinedRows, rowsBetween, rowsOf } from '../../core/rowMatrices.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Approximation, Measured } from '../approximation.ts';
import { denseCurvature } from '../denseCurvature.ts';
import type { Assembly, ParameterValues, TensorMap, TermContext } from '../model.ts';
import type { Parameter } from '../parameter.ts';
import { valueTensors, withLocation } from '../part.ts';
import { imputed } from '../posterior.ts';
import { type CorrelatedRows, expectedForm, isCorrelated, precisionBetween } from './correlatedRows.ts';
import { checkedTerm, type DensityContext, type DensityStart, parametersOf, type RowsStart } from './density.ts';
import {
  type Averaging,
  baseRows,
  expectedTerms,
  mappedLinearRows,
  type Points,
  pickedLinearRows,
} from './expectations.ts';
import type { Node, PlacedDensity, VariableGraph } from './graph.ts';
import { type Observations, observationsOf } from './observations.ts';
import {
  type DistributedRows,
  distributedRows,
  type EncodedRows,
  indexOf,
  isEncoded,
  isShared,
  type KnownVariable,
  type LatentVariable,
  type MappedVariable,
  type ObservedVariable,
  type ParameterRegistry,
  type PointRows,
  pointRows,
  pointsOf,
  type Variable,
} from './variable.ts';

/** Parameters of one component by the component's names, with their paths in the model. */
type PartPaths = ReadonlyMap<string, string>;

/** Values of the variables, by name. */
export type NodeValues = Pick<ReadonlyMap<string, Tensor2D>, 'get'>;

/** A model of variables, prepared for its data: its terms, and everything derived from the model, are computed from it. */
export interface CompiledGraph {
  readonly graph: VariableGraph;
  readonly owner: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly seen: ReadonlyMap<string, Observations>;
  /** Number of columns of each variable. */
  readonly columns: ReadonlyMap<string, number>;
  /** Paths of the parameters with one row per point. */
  readonly pointwise: readonly string[];
  /** Row of a plate with one row per value of a known variable, for points with these values (the fitted points by default). */
  placesInPlate(plate: string, rows?: Matrix): Int32Array;
  /** Extracts the tensors of a component's parameters from the model's, by the component's names. */
  ownTensors(path: string, values: TensorMap): TensorMap;
  /** Plain values of a component's parameters, by the component's names. */
  ownValues(path: string, values: ParameterValues): ParameterValues;
  /** Paths of a component's parameters, by the component's names. */
  ownPaths(path: string): Readonly<Record<string, string>>;
  /** Context of a density before the fit. */
  startOf(node: Node): DensityStart;
  /** Features of the known rows (the fitted ones by default) that a map uses instead; undefined if it uses the rows themselves. */
  features(node: Node, position: number, rows?: Matrix): Matrix | undefined;
  /** Input of an encoder: the rows of all observed variables side by side in the model's units; the fitted ones by default. */
  encoderInputs(node: Node, rows?: Matrix): Matrix;
  /** Points of a latent variable; `inputs` are the inputs of its encoder, if it has one. */
  points(node: Node, values: TensorMap, inputs: Tensor2D | undefined): Tensor2D;
  /**
   * Means and variances of the rows of a latent variable with a Gaussian posterior; `inputs` are the inputs of its encoder, if it has one. Without
   * `context`, which belongs to the variable's density, correlated rows have their initial variances.
   */
  gaussianRows(
    node: Node,
    values: TensorMap,
    inputs: Tensor2D | undefined,
    context?: DensityContext,
  ): op.GaussianRows | CorrelatedRows | undefined;
  /** Value of a mapped variable at the inputs of its map. */
  mapped(node: Node, values: TensorMap, inputs: readonly Tensor2D[]): Tensor2D;
}

/** Options of the initial values. */
export interface CompileOptions {
  readonly seed: number;
  readonly batched: boolean;
  /** Initial maps of variables whose init is 'tsne', by name; without a map, they start at principal components. */
  readonly maps?: StartMaps | undefined;
}

/** Initial values of variables that start at maps of the observations, by name. */
export type StartMaps = Readonly<Record<string, Matrix>>;

/** All observations side by side in the model's units, with missing entries filled in, as input of maps. */
export function startObservations(graph: VariableGraph, seen: ReadonlyMap<string, Observations>): Matrix {
  const { nodes, points } = graph;
  const observed = nodes.flatMap(({ name, variable }) => (variable.role === 'observed' ? [seen.get(name)!.data] : []));
  const known = nodes.flatMap(({ variable, isPointwise }) =>
    variable.role === 'known' && isPointwise ? [variable.data] : [],
  );
  const all = observed.length > 0 ? observed : known.length > 0 ? known : [Matrix.zeros(points, 0)];
  return imputed(joinedColumns(all), widestOf(graph));
}

/**
 * Functions underlying all observations, side by side, with counts and labels replaced; latents are initialized from these. Missing entries are filled
 * in among the functions: means of counts may be negative, and have no logarithm.
 */
export function startFunctions(
  graph: VariableGraph,
  seen: ReadonlyMap<string, Observations>,
  observations = () => startObservations(graph, seen),
): Matrix {
  const observed = graph.nodes.flatMap(({ name, variable }) =>
    variable.role === 'observed' ? [{ name, variable }] : [],
  );
  if (observed.every(({ variable }) => variable.density.functionStart === undefined)) return observations();
  // Among several functions per column, the first one corresponds to the observations.
  const first = ({ density, data }: ObservedVariable, own: Matrix): Matrix => {
    const functions = density.functionStart?.(own) ?? own;
    return functions.columns === data.columns
      ? functions
      : columnsByName(functions, [{ name: 'first', columns: data.columns }]).first!;
  };
  const parts = observed.map(({ name, variable }) => first(variable, seen.get(name)!.data));
  return imputed(joinedColumns(parts), widestOf(graph));
}

/** Largest dimension of the latents, at least 1. */
const widestOf = ({ nodes }: VariableGraph): number =>
  Math.max(1, ...nodes.map(({ variable }) => (variable.role === 'latent' ? variable.dim : 1)));

/** Observations of every observed variable, checked and standardized. */
export function seenData(owner: string, { nodes }: VariableGraph): Map<string, Observations> {
  const result = new Map<string, Observations>();
  for (const { name, variable } of nodes) {
    if (variable.role === 'observed') result.set(name, seenOf(owner, name, variable));
  }
  return result;
}

function seenOf(owner: string, name: string, variable: ObservedVariable): Observations {
  const { density, missing } = variable;
  if (missing === 'ignore' && !density.takesMissing) {
    throw new InvalidInputError(
      `'${name}' of ${owner} has missing: 'ignore', but its density '${density.name}' supports complete rows only. Impute the missing entries.`,
    );
  }
  const seen = variable.observations ?? observationsOf(variable.data, variable);
  density.support?.check(seen.raw, seen.center || seen.isScaled, name);
  return seen;
}

/** Makes the parameters of all variables, densities and maps, initialized from the data. Called inside `withFloat64`. */
export function compiled(
  owner: string,
  graph: VariableGraph,
  seen: ReadonlyMap<string, Observations>,
  { seed, batched, maps }: CompileOptions,
): CompiledGraph {
  const { nodes, points, shared } = graph;
  const parameters: Record<string, Parameter> = {};
  const paths = new Map<string, PartPaths>();
  const pointwise: string[] = [];
  const columns = new Map<string, number>();
  const starts = new Map<string, () => Matrix>();
  const spreads = new Map<string, () => RowsStart>();
  const features = new Map<string, Matrix>();
  const observations = lazily(() => startObservations(graph, seen));
  const functions = lazily(() => startFunctions(graph, seen, observations));
  const outputs = nodes.flatMap(({ variable }) => (variable.role === 'observed' ? [variable.data.columns] : []));
  const plates = new Map(
    nodes.flatMap(({ variable }) => {
      const index = indexOf(variable);
      return index === undefined ? [] : [[index, plateOf(graph, index)] as const];
    }),
  );
  const rowCount = (variable: Variable): number => {
    if (variable.role === 'known') return variable.data.rows;
    if (variable.role !== 'latent' || variable.rows === undefined) return points;
    if (typeof variable.rows === 'number') return variable.rows;
    return variable.rows === 'outputs' ? outputs[0]! : plates.get(variable.rows)!.rowOf.size;
  };

  for (const [parameter, name] of shared) parameters[name] = parameter;
  /** Registers a component's parameters under a key, with their paths by the component's names. */
  const register = (
    part: string,
    own: Readonly<Record<string, Parameter>>,
    pathOf: (name: string) => string = (name) => `${part}.${name}`,
  ) => {
    const found = new Map<string, string>();
    for (const [key, parameter] of Object.entries(own)) {
      const path = pathOf(key);
      if (isShared(parameter) && !shared.has(parameter)) {
        throw new InvalidInputError(
          `'${path}' of ${owner} is a shared parameter that has no name. Return it among the variables too.`,
        );
      }
      const where = shared.get(parameter) ?? path;
      parameters[where] = parameter;
      found.set(key, where);
    }
    paths.set(part, found);
  };
  const latentTensors = (name: string, values: TensorMap) => result.ownTensors(pointsOf(name), values);
  const result: CompiledGraph = {
    graph,
    owner,
    parameters,
    seen,
    columns,
    pointwise,
    placesInPlate: (plate, rows) => {
      const { rowOf, places } = plates.get(plate)!;
      return rows === undefined ? places : placesOf(owner, plate, rowOf, rows);
    },
    ownTensors: (path, values) => {
      const own: Record<string, Tensor> = {};
      for (const [key, where] of paths.get(path)!) own[key] = values[where]!;
      return own;
    },
    ownValues: (path, values) => {
      const own: Record<string, ParameterValues[string]> = {};
      for (const [key, where] of paths.get(path)!) own[key] = values[where]!;
      return own;
    },
    ownPaths: (path) => Object.fromEntries(paths.get(path)!),
    startOf: ({ name, variable, given, picked }) => ({
      variable: name,
      rows: rowCount(variable),
      columns: columns.get(name)!,
      givenColumns: given.map((each) => columns.get(each)!),
      get given() {
        return given.map((each, i) => {
          const { mean, variance } = spreads.get(each)?.() ?? { mean: starts.get(each)!(), variance: undefined };
          const own = (rows: Matrix) => pickedMatrix(result, picked[i], rows);
          return { mean: own(mean), ...(variance && { variance: own(variance) }) };
        });
      },
      data: seen.get(name)?.data,
      weights: variable.role === 'observed' ? variable.weights : undefined,
      get observations() {
        return observations();
      },
      isOnChart: given.some((each) => {
        const { variable: other } = nodes.find((node) => node.name === each)!;
        return other.role === 'mapped' && other.map.chart !== undefined;
      }),
      seed,
      batched,
    }),
    features: ({ name, variable, given }, position, rows) => {
      const { variable: of } = nodes.find((node) => node.name === given[position])!;
      if (variable.role !== 'mapped' || of.role !== 'known') return undefined;
      const key = `${name} ${position}`;
      const made =
        rows === undefined
          ? (features.get(key) ?? variable.map.features(of.data, of.data))
          : variable.map.features(rows, of.data);
      if (rows === undefined) features.set(key, made);
      return made === (rows ?? of.data) ? undefined : made;
    },
    encoderInputs: ({ variable }, rows) => {
      const posterior = (variable as LatentVariable).posterior as EncodedRows | DistributedRows | PointRows;
      const features = 'encoder' in posterior ? posterior.encoder.features : posterior.features;
      return features(rows ?? observations(), observations());
    },
    points: ({ name, variable }, values, inputs) => {
      const own = pointRows(variable);
      return own === undefined
        ? (values[name] as Tensor2D)
        : checkedRows(owner, name, own.apply(latentTensors(name, values), inputs!));
    },
    gaussianRows: (node, values, inputs, context) => {
      const { name, variable } = node;
      const distributed = distributedRows(variable);
      if (distributed !== undefined) {
        const prior = context && distributed.precisionFrom?.(result, node, values, context);
        return distributed.apply(latentTensors(name, values), inputs!, prior);
      }
      if (variable.role !== 'latent' || variable.posterior === undefined || 'features' in variable.posterior) {
        return undefined;
      }
      if (!('encoder' in variable.posterior)) {
        return {
          mean: values[`${name}.posterior.mean`] as Tensor2D,
          variance: values[`${name}.posterior.variance`] as Tensor2D,
        };
      }
      const own = result.ownTensors(`${name}.posterior`, values);
      const both = checkedRows(owner, name, variable.posterior.encoder.apply(own, inputs!));
      const half = (k: number) => op.slice<Tensor2D>(both, [0, k * variable.dim], [-1, variable.dim]);
      return { mean: half(0), variance: op.exp<Tensor2D>(half(1)) };
    },
    mapped: ({ name, variable }, values, inputs) =>
      checkedRows(owner, name, (variable as MappedVariable).map.apply(result.ownTensors(name, values), ...inputs)),
  };

  const initialOf = (part: string): ParameterValues =>
    Object.fromEntries([...paths.get(part)!.values()].map((path) => [path, parameters[path]!.initial]));
  const registry: ParameterRegistry = {
    ...{ model: result, parameters, pointwise, maps, seed, observations, functions, starts, spreads },
    ...{ rowCount, register, initialOf },
  };
  const registerDensity = (node: Node, { path, density }: PlacedDensity) =>
    register(path, parametersOf(density, result.startOf(node)));

  for (const node of nodes) {
    const { name, variable, densities } = node;
    if (variable.role === 'known') {
      columns.set(name, variable.data.columns);
      starts.set(name, () => variable.data);
    } else if (variable.role === 'observed') {
      columns.set(name, variable.data.columns);
      starts.set(name, () => seen.get(name)!.filled);
    } else if (variable.role === 'latent') {
      columns.set(name, variable.dim);
      starts.set(name, variable['~starts'].begin(node as Node<LatentVariable>, registry));
    } else if (variable.role === 'embedded') {
      columns.set(name, variable.dim);
    } else {
      const value = variable['~starts'](node as Node<MappedVariable>, registry);
      columns.set(name, value.columns);
      starts.set(name, () => value);
    }
    for (const placed of densities) if (!placed.isFactor) registerDensity(node, placed);
  }
  for (const node of nodes) for (const placed of node.densities) if (placed.isFactor) registerDensity(node, placed);
  for (const [parameter, name] of shared) {
    if ([...paths.values()].some((own) => [...own.values()].includes(name))) continue;
    throw new InvalidInputError(
      `Nothing uses the shared parameter '${name}' of ${owner}${parameter.free ? '' : ' (fixed)'}.`,
    );
  }
  return result;
}

/** Rows of a plate with one row per value of a known variable. */
interface Plate {
  /** Row of each value. */
  readonly rowOf: ReadonlyMap<number, number>;
  /** Row of each point of the fit. */
  readonly places: Int32Array;
}

function plateOf({ nodes }: VariableGraph, index: string): Plate {
  const { data } = (nodes.find(({ name }) => name === index)!.variable as KnownVariable).data;
  const levels = [...new Set(data)].sort((a, b) => a - b);
  const rowOf = new Map(levels.map((level, row) => [level, row]));
  return { rowOf, places: Int32Array.from(data, (level) => rowOf.get(level)!) };
}

/** @throws InvalidInputError for a value that did not occur in the fit */
function placesOf(owner: string, plate: string, rowOf: Plate['rowOf'], { data }: Matrix): Int32Array {
  const unseen = data.findIndex((level) => !rowOf.has(level));
  if (unseen < 0) return Int32Array.from(data, (level) => rowOf.get(level)!);
  const [first, last] = [[...rowOf.keys()][0], [...rowOf.keys()].at(-1)];
  throw new InvalidInputError(
    `'${plate}' of ${owner} is ${data[unseen]} in row index ${unseen}, which is not among its ${rowOf.size} values in the fit (${first} to ${last}). Give one of these.`,
  );
}

/** The same for plain rows of the fit. */
export function pickedMatrix(
  { placesInPlate }: Pick<CompiledGraph, 'placesInPlate'>,
  plate: string | undefined,
  rows: Matrix,
) {
  return plate === undefined ? rows : rowsOf(rows, placesInPlate(plate));
}

function checkedRows(owner: string, name: string, X: unknown): Tensor2D {
  if (X instanceof tf.Tensor && X.rank === 2) return X as Tensor2D;
  const shape = X instanceof tf.Tensor ? `a tensor of shape [${X.shape}]` : typeof X;
  throw new InvalidInputError(
    `The map of '${name}' of ${owner} must give a matrix, one row per point, but ${shape} was returned.`,
  );
}

/** The terms of the model, with constants stored as tensors; `curvature` belongs to a model that computes its curvature itself. */
export function assembledGraph(model: CompiledGraph, curvature?: Assembly['curvature']): Assembly {
  const { graph, seen, parameters, pointwise, owner } = model;
  const { nodes } = graph;
  const kept: Tensor[] = [];
  // A matrix is kept once even if it is used twice, such as observations that are also the input of an encoder.
  const made = new Map<Matrix, Tensor2D>();
  const keep = (matrix: Matrix) => {
    const tensor = made.get(matrix) ?? (tf.keep(matrixTensor(matrix)) as Tensor2D);
    if (!made.has(matrix)) kept.push(tensor);
    made.set(matrix, tensor);
    return tensor;
  };
  const data = new Map<string, Tensor2D>();
  const present = new Map<string, Tensor2D>();
  const weights = new Map<string, Tensor2D>();
  for (const { name, variable } of nodes) {
    if (variable.role === 'known') data.set(name, keep(variable.data));
    if (variable.role !== 'observed') continue;
    const own = seen.get(name)!;
    data.set(name, keep(own.filled));
    if (own.present !== undefined) present.set(name, keep(own.present));
    if (variable.weights !== undefined)
      weights.set(name, keep(new Matrix(variable.weights, variable.weights.length, 1)));
  }
  let observed = 0;
  for (const { data, present } of seen.values())
    observed += present === undefined ? data.data.length : present.data.reduce((sum, entry) => sum + entry, 0);
  const prepared = new Map<string, unknown>();
  const held: { readonly paths: readonly string[]; readonly iterations: number }[] = [];
  const features = new Map<string, Tensor2D>();
  const encoders = new Map<string, Tensor2D>();
  for (const node of nodes) {
    if (isEncoded(node.variable)) encoders.set(node.name, keep(model.encoderInputs(node)));
    node.given.forEach((_, i) => {
      const own = model.features(node, i);
      if (own !== undefined) features.set(`${node.name} ${i}`, keep(own));
    });
    for (const { path, density } of node.densities) {
      const constants = density.prepare?.(model.startOf(node));
      kept.push(...tensorsIn(constants).map((tensor) => tf.keep(tensor)));
      prepared.set(path, constants);
      const own = density.search?.held?.(model.startOf(node));
      if (own === undefined) continue;
      const known = model.ownPaths(path);
      held.push({ paths: own.names.map((key) => known[key]!), iterations: own.iterations });
    }
  }
  const where = `The terms of ${owner}`;
  const averaging: Averaging = {};
  const termsAt = (
    values: TensorMap,
    context: TermContext,
    { spreads, linear, fixed, at: pointsAt, onJointDensity }: Points,
  ): Record<string, Scalar> => {
    const { batch } = context;
    const places = (plate: string) => {
      const all = model.placesInPlate(plate);
      return batch === undefined ? all : batch.rows.map((row) => all[row]!);
    };
    const seenRows = (tensor: Tensor2D | undefined, isPointwise: boolean) =>
      tensor === undefined || batch === undefined || !isPointwise
        ? tensor
        : (op.gather(tensor, batch.rows) as Tensor2D);
    // Rows that are read in batches come with the batch.
    const read = batch?.observations;
    const terms: Record<string, Scalar> = {};
    const current = new Map<string, Tensor2D>();
    // Variables whose values depend on draws: Gaussian rows are drawn where a density needs points.
    const drawn = new Set<string>();
    const mappedAt = new Map<string, () => void>();
    const points: NodeValues = {
      get: (name) => {
        const spread = spreads.get(name);
        if (current.has(name)) return current.get(name);
        if (spread === undefined) mappedAt.get(name)?.();
        else {
          const { variable } = nodes.find((node) => node.name === name)!;
          current.set(name, pointsAt(name, spread, isOneByOne(variable)));
          drawn.add(name);
        }
        return current.get(name);
      },
    };
    const scaled = (term: Scalar, { isPointwise }: Node) =>
      batch !== undefined && isPointwise ? op.mul<Scalar>(batch.scale, term) : term;
    // The terms of divergences come last.
    const divergences: [string, () => Scalar][] = [];
    const add = (node: Node, placed: PlacedDensity) => {
      const { density, path } = placed;
      const spread = spreads.get(node.name);
      const p = model.ownTensors(path, values);
      const { expected, divergence, over } = density.gaussian ?? {};
      const lost = expected === undefined ? divergence : undefined;
      if (spread !== undefined && lost !== undefined && !placed.isFactor) {
        divergences.push([placed.divergence, () => op.neg(scaled(op.sum(lost(p, spread)), node))]);
        return;
      }
      const once = density.once?.(p);
      if (once !== undefined) divergences.push([placed.divergence, () => once]);
      const known = fixed.get(path);
      if (known !== undefined) {
        terms[placed.term] = known;
        return;
      }
      const own = densityContext(context, prepared.get(path), node);
      const there = read === undefined ? seenRows(present.get(node.name), node.isPointwise) : undefined;
      const spreadOf = (name: string) =>
        expected === undefined || (over !== undefined && (over === 'value') !== (name === node.name))
          ? undefined
          : (spreads.get(name) ?? (density.functions === 1 ? linear.get(name) : undefined));
      const weight = placed.isFactor ? undefined : seenRows(weights.get(node.name), true);
      const isExpected = [node.name, ...node.given].some((name) => spreadOf(name) !== undefined);
      const at = <V extends Tensor2D | op.GaussianRows>(value: (name: string) => V) => ({
        value: value(node.name),
        given: node.given.map((each, i) => pickedRows(value(each), node.picked[i], places)),
        ...(there !== undefined && { present: there }),
        ...(weight !== undefined && density.countsRows && { weights: weight }),
      });
      // E[log p] is log p of the means less ½·Σ_d tr(QS_d) where log p is quadratic.
      const formOf = () => {
        if (isExpected || spread === undefined) return undefined;
        if (isCorrelated(spread) && !placed.isFactor) return spread.form();
        const given = node.given.map((each, i) => pickedRows(points.get(each)!, node.picked[i], places));
        const Q = precisionBetween(density, p, { rows: spread.mean.shape[0], given }, own);
        return Q && expectedForm(Q, spread);
      };
      const form = formOf();
      const found = withLocation(
        () =>
          `The density '${density.name}' of '${node.name}' (${[node.name, ...node.given].map((each) => `${each} ${(spreads.get(each)?.mean ?? points.get(each))?.shape.join('×')}`).join(', ')})`,
        () =>
          isExpected
            ? expected!(
                p,
                at((name) => spreadOf(name) ?? points.get(name)!),
                own,
              )
            : form === undefined
              ? density.logDensity(
                  p,
                  at((name) => points.get(name)!),
                  own,
                )
              : op.sub<Scalar>(
                  op.sum(
                    density.logDensity(
                      p,
                      at((name) => (name === node.name ? spread!.mean : points.get(name)!)),
                      own,
                    ),
                  ),
                  op.mul(0.5, form),
                ),
      );
      // A field that reads no rows has one log density.
      const count = (spreads.get(node.name)?.mean ?? points.get(node.name))?.shape[0] ?? 0;
      const term = scaled(summed(owner, placed, found, count, weight), node);
      const isDrawn = [node.name, ...node.given].some((name) => drawn.has(name) && spreadOf(name) === undefined);
      if (!isDrawn) fixed.set(path, term);
      else if (found.rank !== 1) onJointDensity();
      terms[placed.term] = term;
    };
    for (const node of nodes) {
      const { name, variable, given, isPointwise } = node;
      if (variable.role === 'embedded') {
        for (const placed of node.densities) add(node, placed);
        continue;
      }
      const encoded =
        read !== undefined && encoders.has(name)
          ? matrixTensor(model.encoderInputs(node, read))
          : seenRows(encoders.get(name), isPointwise);
      const own = node.densities.find(({ isFactor }) => !isFactor);
      const spread =
        spreads.get(name) ??
        model.gaussianRows(node, values, encoded, densityContext(context, own && prepared.get(own.path), node));
      if (spread !== undefined) spreads.set(name, spread);
      else if (variable.role === 'latent') current.set(name, model.points(node, values, encoded));
      else if (variable.role === 'mapped') {
        const featuresOf = (i: number) => seenRows(features.get(`${name} ${i}`), isPointwise);
        mappedAt.set(name, () => {
          const inputs = given.map((each, i) => featuresOf(i) ?? pickedRows(points.get(each)!, node.picked[i], places));
          current.set(name, model.mapped(node, values, inputs));
          if (given.some((each) => drawn.has(each))) drawn.add(name);
        });
        const isLinear = (each: string) => spreads.has(each) || linear.has(each);
        if (variable.map.affine === true && !linear.has(name) && given.some(isLinear)) {
          const inputs = given.map((each, i) => {
            const spread = spreads.get(each);
            const own = linear.get(each) ?? (spread && baseRows(each, spread));
            const plate = node.picked[i];
            if (own === undefined) return featuresOf(i) ?? pickedRows(points.get(each)!, plate, places);
            return plate === undefined ? own : pickedLinearRows(own, plate, places(plate));
          });
          const own = given.some((each) => drawn.has(each) && !isLinear(each))
            ? undefined
            : mappedLinearRows(inputs, (rows) => model.mapped(node, values, rows));
          if (own !== undefined) linear.set(name, own);
        }
      } else if (variable.role === 'observed' && read !== undefined) current.set(name, matrixTensor(read));
      else current.set(name, seenRows(data.get(name), isPointwise)!);
      if (own !== undefined) add(node, own);
      if (
        spread !== undefined &&
        (own?.density.gaussian?.divergence === undefined || own.density.gaussian.expected !== undefined)
      ) {
        terms[`${name}.entropy`] = isCorrelated(spread)
          ? spread.entropy
          : entropyOf(spread.variance, context, isPointwise);
      }
    }
    for (const node of nodes) for (const placed of node.densities) if (placed.isFactor) add(node, placed);
    for (const [term, lost] of divergences) terms[term] = term in terms ? op.add<Scalar>(terms[term]!, lost()) : lost();
    return terms;
  };
  return {
    parameters,
    observed,
    ...(pointwise.length > 0 && { pointwise }),
    ...(held.length > 0 && { held: { paths: held.flatMap(({ paths }) => paths), iterations: held[0]!.iterations } }),
    ...(curvature === undefined ? curvatureIn(model, prepared) : { curvature }),
    ...findingsIn(model, prepared),
    // Errors thrown by custom components name the component.
    terms: (values, context) =>
      withLocation(where, () => expectedTerms(context, averaging, (at) => termsAt(values, context, at))),
    dispose: () => {
      for (const tensor of kept) tensor.dispose();
      for (const constants of prepared.values()) {
        const { dispose } = (constants ?? {}) as { dispose?: unknown };
        if (typeof dispose === 'function') dispose.call(constants);
      }
    },
  };
}

/** True if each row of another variable depends on at most one row of this variable. */
const isOneByOne = (variable: Variable): boolean =>
  variable.role !== 'latent' ||
  variable.rows === undefined ||
  (typeof variable.rows === 'string' && variable.rows !== 'outputs');

/** Findings about a result, from the first density that has any. */
function findingsIn(model: CompiledGraph, prepared: ReadonlyMap<string, unknown>): Pick<Assembly, 'findings'> {
  const all = model.graph.nodes.flatMap(({ densities }) => densities);
  const placed = all.find(({ density }) => density.search?.findings !== undefined);
  if (placed === undefined) return {};
  const { path, density } = placed;
  return { findings: (values) => density.search!.findings!(model.ownValues(path, values), prepared.get(path)) };
}

/** The curvature of a model whose only free parameters belong to one density with fixed rows. */
function curvatureIn(model: CompiledGraph, prepared: ReadonlyMap<string, unknown>): Pick<Assembly, 'curvature'> {
  const { graph, parameters } = model;
  const free = Object.entries(parameters).filter(([, parameter]) => parameter.free);
  for (const { variable, densities } of graph.nodes) {
    const curved = densities.find(({ path, density }) => {
      const own = Object.values(model.ownPaths(path));
      const isStill = variable.role === 'observed' || variable.role === 'embedded';
      return density.search?.curvature !== undefined && isStill && free.every(([path]) => own.includes(path));
    });
    if (curved === undefined) continue;
    const paths = Object.entries(model.ownPaths(curved.path));
    return {
      curvature: (_, { size, natural }) => {
        const entries = paths.flatMap(([key, path]) => (natural.has(path) ? [[key, natural.get(path)!] as const] : []));
        const found = curved.density.search!.curvature!(Object.fromEntries(entries), prepared.get(curved.path));
        return found instanceof Float64Array ? denseCurvature(found, size) : found;
      },
    };
  }
  return {};
}

/** Rows of a latent variable at plain values, computed in blocks if they are a function of the observations. */
export function latentRowsAt(
  model: Pick<CompiledGraph, 'gaussianRows' | 'points'>,
  node: Node,
  values: ParameterValues,
  inputs: Matrix | undefined,
): RowsStart {
  const rowsOf = (some: Matrix | undefined): RowsStart =>
    withFloat64(() => {
      const tensors = valueTensors(values);
      const own = some && matrixTensor(some);
      const spread = model.gaussianRows(node, tensors, own);
      if (spread === undefined) return { mean: tensorMatrix(model.points(node, tensors, own)) };
      const { mean, variance } = spread;
      return { mean: tensorMatrix(mean), variance: tensorMatrix(variance) };
    });
  if (inputs === undefined || inputs.rows <= MOST_ROWS) return rowsOf(inputs);
  const parts = Array.from({ length: Math.ceil(inputs.rows / MOST_ROWS) }, (_, k) =>
    rowsOf(rowsBetween(inputs, k * MOST_ROWS, Math.min(inputs.rows, (k + 1) * MOST_ROWS))),
  );
  const mean = joinedRows(parts.map((part) => part.mean));
  if (parts[0]!.variance === undefined) return { mean };
  return { mean, variance: joinedRows(parts.map((part) => part.variance!)) };
}

/** Number of rows that a map is applied to at a time. */
const MOST_ROWS = 1024;

/** Entropy of Gaussian rows: ½·Σ log(2πe·s). */
function entropyOf(variance: Tensor2D, { batch }: TermContext, isPointwise: boolean): Scalar {
  const own = op.mul<Scalar>(0.5, op.sum(op.add(1, op.log(op.mul(2 * Math.PI, variance)))));
  return batch !== undefined && isPointwise ? op.mul<Scalar>(batch.scale, own) : own;
}

/** The row of each point, or its Gaussian: by index into a plate, or unchanged if `index` is undefined. */
export function pickedRows<V extends Tensor2D | op.GaussianRows>(
  rows: V,
  plate: string | undefined,
  places: (plate: string) => Int32Array,
): V {
  if (plate === undefined) return rows;
  const own = (tensor: Tensor2D) => op.gather<Tensor2D>(tensor, places(plate));
  return (rows instanceof tf.Tensor ? own(rows) : { mean: own(rows.mean), variance: own(rows.variance) }) as V;
}

/** Approximations of a density itself; others concern the rows of its parents. */
const OF_DENSITIES: ReadonlySet<Approximation['name']> = new Set([
  'inducingInputs',
  'basisFunctions',
  'expectationBound',
]);

/** Context of a density in an evaluation of all rows, without a cache. */
function densityContext(context: TermContext, constants: unknown, { name, given }: Node): DensityContext {
  const { onRank, onApproximation } = context;
  const plain = {
    constants,
    iteration: context.iteration,
    ...(context.batch !== undefined && { batch: context.batch }),
    remember: <T>(_: object, make: () => T) => make(),
    onJitter: (jitter: number, meanSquare?: number) => context.onJitter(jitter, meanSquare),
    ...(onRank && { onRank }),
    ...(onApproximation && {
      onApproximation: (own: Omit<Approximation, 'of'>, measure?: Measured) =>
        onApproximation({ ...own, of: OF_DENSITIES.has(own.name) ? [name] : given }, measure),
    }),
  };
  return withGetters(plain, { random: () => context.random }) as DensityContext;
}

/** The sum of a log density over its rows, weighted by their multiplicities. */
function summed(
  owner: string,
  { path, density }: PlacedDensity,
  found: unknown,
  rows: number,
  weights: Tensor2D | undefined,
): Scalar {
  const term = checkedTerm(found, rows, `'${path}' of ${owner}`);
  if (term.rank === 1) return op.sum(weights === undefined ? term : op.mul(op.reshape(weights, [rows]), term));
  if (weights === undefined || density.countsRows) return term as Scalar;
  throw new InvalidInputError(
    `'${path}' of ${owner} has weights of rows, which under its density '${density.name}' are not independent. Omit them, or use inducing inputs (inducing: 50, --inducing 50) or ` +
      "gaussian({ variance, per: 'row' }).",
  );
}

function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof tf.Tensor) return [value];
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? Object.values(value).flatMap(tensorsIn) : [];
}
