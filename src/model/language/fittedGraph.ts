import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { standardized } from '../../core/observations.ts';
import { lazily } from '../../core/progressiveWork.ts';
import type { Random } from '../../core/random.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { ParameterValues, TensorMap } from '../model.ts';
import { valueTensors, withLocation } from '../part.ts';
import type { Accuracy, FieldCoordinates, LearnedByLayer } from '../posterior.ts';
import type { RowModel, RowsByName, VariableWidth } from '../rowModel.ts';
import { rowTransform } from '../rowTransforms.ts';
import { type CompiledGraph, latentRowsAt, type NodeValues, pickedMatrix, pickedRows } from './compiled.ts';
import type { Conditional, DensityContext, Rows, RowsStart } from './density.ts';
import type { Node, PlacedDensity } from './graph.ts';
import type { Chart } from './mapped.ts';
import { readOff, withDeviations } from './readOff.ts';
import { distributedRows, isEncoded, type LatentVariable, type MappedVariable } from './variable.ts';

/** Rows of a known or observed variable in the model's units. */
interface SeenRows {
  readonly value: Tensor2D;
  /** 1 where an entry is observed, 0 where it is missing; undefined if none is missing. */
  readonly present: Tensor2D | undefined;
  /** Term of each row's log density for the change of units, the log of the Jacobian. */
  readonly scale: Float64Array;
}

/** A graph of variables at the values of its parameters, the source of all other quantities of a fit. */
export interface FittedGraph {
  readonly model: CompiledGraph;
  /** Values of the parameters by path, points among them. */
  readonly parameters: ParameterValues;
  /** Fitted values of all variables; observed ones in the units of the model. */
  readonly values: RowsByName;
  /** Variances of the fitted Gaussian rows, by name. */
  readonly variances: RowsByName;
  /** Chart of the manifold of a variable's points, by name. */
  readonly charts: Readonly<Record<string, Chart>>;
  /** Transforms of latent variables with constrained rows, by name. */
  readonly transforms: RowModel['transforms'];
  /** Variables with one row per point. */
  readonly pointwise: readonly Node[];
  readonly latents: readonly Node[];
  readonly observed: readonly Node[];
  /** Known variables, which are required for new rows. */
  readonly known: readonly Node[];
  /** Latent variables without parents, where predictions start. */
  readonly roots: readonly string[];
  /** The density of the shown variable's rows as a sequence, if there is one. */
  readonly sequential: PlacedDensity | undefined;
  /** Random fields over the points with the values of their parameters, by the name of their variable. */
  readonly fields: Readonly<Record<string, () => LearnedByLayer & { readonly multipliers: ParameterValues }>>;
  /** Coordinates computed from such fields, by variable. */
  readonly coordinates: Readonly<Record<string, FieldCoordinates>>;
  /** The same without factors that calibrate predictive variances; undefined if there are none. */
  readonly uncalibrated: (() => FittedGraph) | undefined;
  /** The same at these values, but conditioned on the observations of other points than these; undefined if a density does not accept missing entries. */
  readonly leavingOut: ((rows: readonly number[]) => FittedGraph) | undefined;
  widths(of: readonly Node[]): VariableWidth[];
  nodeOf(name: string): Node;
  /** Runs a computation with the fitted rows on the float64 backend. */
  at<T>(work: (fitted: Fitted) => T): T;
  seenRows(name: string, rows: Matrix): SeenRows;
  /** Values of new rows, variable by variable; variables with a missing parent are left out. */
  newValues(fitted: Fitted, start: ReadonlyMap<string, Tensor2D>, raw: RowsByName): Map<string, Tensor2D>;
  /** True if all parents of a variable have values for the new rows. */
  isGiven(node: Node, current: ReadonlyMap<string, Tensor2D>, raw: RowsByName): boolean;
  /** Values of a variable's parents for new rows. */
  givenRows(node: Node, current: ReadonlyMap<string, Tensor2D>, raw: RowsByName): Tensor2D[];
  /** The same as inputs of a map: known rows are replaced by their features. */
  mapInputs(node: Node, current: ReadonlyMap<string, Tensor2D>, raw: RowsByName): Tensor2D[];
  /** The rows, also under the names of known variables that share them. */
  withSources(given: RowsByName): RowsByName;
  /** Gaussian rows that encoders compute from new rows, if all observed variables are present without missing entries. */
  encodedRows(given: RowsByName): [string, RowsStart][];
  /** True if the log density is a sum over the points. */
  isIndependent(): boolean;
}

/** The fitted rows as tensors, with the values of one evaluation. */
export interface Fitted {
  readonly tensors: TensorMap;
  /** Fitted values of the variables. */
  readonly values: NodeValues;
  contextOf(node: Node, placed: PlacedDensity): DensityContext;
  conditional(placed: PlacedDensity, node: Node, accuracy?: Accuracy): Conditional;
}

/** True if a log density has one value per row. Values that are not tensors are refused when terms are summed. */
const isOfRows = (density: unknown): boolean => (density as Partial<Tensor> | null | undefined)?.rank === 1;

/**
 * A compiled graph at these values of its parameters.
 *
 * @param isCalibrated - whether predictive variances may be multiplied by factors computed from the residuals
 * @param left - points whose observations are left out of conditionals
 */
export function fittedGraph(
  model: CompiledGraph,
  values: ParameterValues,
  isCalibrated = true,
  left: readonly number[] = [],
): FittedGraph {
  const { graph, seen, columns } = model;
  const { nodes } = graph;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  // Cached values of each density, by its path and their keys.
  const memory = new Map<string, Map<object, unknown>>();
  const kinds = new Map<string, boolean>();

  const { kept, variances: keptVariances, factors } = fittedValues(model, values);

  function at<T>(work: (fitted: Fitted) => T): T {
    return withFloat64(() => {
      const tensors = valueTensors(values);
      const made = new Map<string, Tensor2D>();
      const current: NodeValues = {
        get: (name) => {
          const rows = made.get(name) ?? matrixTensor(kept[name]!);
          made.set(name, rows);
          return rows;
        },
      };
      const disposals: (() => void)[] = [];
      const contextOf = (node: Node, { path, density }: PlacedDensity, accuracy?: Accuracy): DensityContext => {
        const constants = lazily(() => {
          const made = density.prepare?.(model.startOf(node));
          const { dispose } = (made ?? {}) as { dispose?: unknown };
          if (typeof dispose === 'function') disposals.push(() => dispose.call(made));
          return made;
        });
        return {
          get constants() {
            return constants();
          },
          random: NOT_RANDOM,
          iteration: 0,
          values: model.ownValues(path, values),
          accuracy,
          isCalibrated,
          remember: (key, make) => {
            const known = memory.get(path) ?? new Map<object, unknown>();
            memory.set(path, known);
            if (!known.has(key)) known.set(key, make());
            return known.get(key) as ReturnType<typeof make>;
          },
          onJitter: () => {},
        };
      };
      const fittedRows = (node: Node): Rows => {
        const own = seen.get(node.name);
        const isLeft = left.length > 0 && node.isPointwise && node.variable.role === 'observed';
        const present = isLeft ? presentWithout(left, kept[node.name]!, own?.present) : own?.present;
        const weights = node.variable.role === 'observed' ? node.variable.weights : undefined;
        const pick = (tensor: Tensor2D, i: number) => pickedRows(tensor, node.picked[i], model.placesInPlate);
        const spread = node.given.map((each) => keptVariances[each]);
        // Made on demand: observations of many rows take time.
        const ofValue = keptVariances[node.name];
        return {
          ...(ofValue && {
            get variance() {
              return matrixTensor(ofValue);
            },
          }),
          get factors() {
            return factors[node.name]?.().map(matrixTensor);
          },
          ...(spread.some((own) => own !== undefined) && {
            get givenVariances() {
              return spread.map((own, i) => own && pick(matrixTensor(own), i));
            },
          }),
          get value() {
            return current.get(node.name)!;
          },
          get given() {
            return node.given.map((each, i) => pick(current.get(each)!, i));
          },
          ...(present && {
            get present() {
              return matrixTensor(present);
            },
          }),
          ...(weights && {
            get weights() {
              return matrixTensor(new Matrix(weights, weights.length, 1));
            },
          }),
        };
      };
      const fitted: Fitted = {
        tensors,
        values: current,
        contextOf: (node, placed) => contextOf(node, placed),
        conditional: (placed, node, accuracy) => {
          const { density, path } = placed;
          const p = model.ownTensors(path, tensors);
          const context = contextOf(node, placed, accuracy);
          const own = density.condition?.(p, fittedRows(node), context) ?? {};
          if (own.logPredictive !== undefined && (own.sample !== undefined || density.sample === undefined)) return own;
          const isIndependent =
            density.independent ?? kinds.get(path) ?? isOfRows(density.logDensity(p, fittedRows(node), context));
          kinds.set(path, isIndependent);
          if (!isIndependent) return own;
          const width = columns.get(node.name)!;
          return {
            logPredictive: (rows) => density.logDensity(p, rows, context) as Tensor1D,
            ...(density.sample && {
              sample: (given: readonly Tensor2D[], random: Random) =>
                density.sample!(p, random, [given[0]!.shape[0], width], given),
            }),
            ...own,
          };
        },
      };
      try {
        // Errors thrown by custom densities name the density.
        return withLocation(`The densities of ${model.owner}`, () => work(fitted));
      } finally {
        for (const dispose of disposals) dispose();
      }
    });
  }

  const pointwise = nodes.filter(({ isPointwise }) => isPointwise);
  const latents = pointwise.filter(({ variable }) => variable.role === 'latent');
  const observed = pointwise.filter(({ variable }) => variable.role === 'observed');
  const known = pointwise.filter(
    ({ name, variable }) => variable.role === 'known' && !observed.some((node) => sourceOf(model, node) === name),
  );
  const widths = (of: readonly Node[]) => of.map(({ name }) => ({ name, columns: columns.get(name)! }));
  const sequential = at(sequenceOf);
  const fields = Object.fromEntries(
    nodes.flatMap((node) => {
      const placed = node.densities.find(({ density }) => density.field !== undefined);
      if (placed === undefined) return [];
      const multipliers = model.ownValues(placed.path, values);
      const learned = lazily(() =>
        withFloat64(() =>
          placed.density.field!.learned(
            multipliers,
            withDeviations(
              kept[node.name] ?? Matrix.zeros(graph.points, 0),
              keptVariances[node.name],
              factors[node.name]?.(),
            ),
            placed.density.prepare?.(model.startOf(node)),
          ),
        ),
      );
      return [[node.name, () => ({ ...learned(), multipliers })] as const];
    }),
  );
  const coordinates: Record<string, FieldCoordinates> = {};
  for (const { name, variable, given } of nodes) {
    if (variable.role !== 'embedded') continue;
    const { field, embedding } = fields[given[0] ?? name]!();
    coordinates[name] = embedding?.(variable.dim, variable.by) ?? readOff(field, variable);
    kept[name] = coordinates[name].latents;
  }

  function sequenceOf(fitted: Fitted): PlacedDensity | undefined {
    return graph.shown.densities.find((placed) => fitted.conditional(placed, graph.shown).next !== undefined);
  }

  function seenRows(name: string, rows: Matrix): SeenRows {
    const { standardization } = seen.get(name) ?? {};
    const own = standardization === undefined ? rows : standardized(rows, standardization);
    const logs = standardization?.deviation.map(log);
    const scale = new Float64Array(rows.rows);
    const value = own.map((entry, i, j) => {
      if (Number.isNaN(entry)) return 0;
      scale[i]! -= logs?.[j] ?? 0;
      return entry;
    });
    const there = own.data.some(Number.isNaN) ? own.map((entry) => (Number.isNaN(entry) ? 0 : 1)) : undefined;
    return { value: matrixTensor(value), present: there && matrixTensor(there), scale };
  }

  function newValues(fitted: Fitted, start: ReadonlyMap<string, Tensor2D>, raw: RowsByName): Map<string, Tensor2D> {
    const current = new Map<string, Tensor2D>();
    for (const node of nodes) {
      const { name, variable, isPointwise } = node;
      const there = start.get(name);
      if (there !== undefined) current.set(name, there);
      else if (!isPointwise) current.set(name, fitted.values.get(name)!);
      else if (variable.role === 'mapped' && isGiven(node, current, raw)) {
        current.set(name, model.mapped(node, fitted.tensors, mapInputs(node, current, raw)));
      }
    }
    return current;
  }

  const isGiven: FittedGraph['isGiven'] = ({ given, picked }, current, raw) =>
    given.every((each) => current.has(each)) &&
    picked.every((plate) => plate === undefined || raw[plate] !== undefined);

  const givenRows: FittedGraph['givenRows'] = (node, current, raw) =>
    node.given.map((each, i) =>
      pickedRows(current.get(each)!, node.picked[i], (plate) => model.placesInPlate(plate, raw[plate])),
    );

  const mapInputs: FittedGraph['mapInputs'] = (node, current, raw) =>
    givenRows(node, current, raw).map((own, i) => {
      const rows = raw[node.given[i]!];
      const made = rows === undefined ? undefined : model.features(node, i, rows);
      return made === undefined ? own : matrixTensor(made);
    });

  function withSources(given: RowsByName): RowsByName {
    const all: Record<string, Matrix> = { ...given };
    for (const node of observed) {
      const source = sourceOf(model, node);
      if (source !== undefined && given[node.name] !== undefined && !given[node.name]!.data.some(Number.isNaN)) {
        all[source] ??= given[node.name]!;
      }
    }
    return all;
  }

  function encodedRows(given: RowsByName): [string, RowsStart][] {
    const encoders = latents.filter(({ variable }) => isEncoded(variable));
    const isWhole = observed.every(({ name }) => given[name] !== undefined && !given[name].data.some(Number.isNaN));
    if (encoders.length === 0 || !isWhole) return [];
    const rows = joinedColumns(observed.map(({ name }) => tensorMatrix(seenRows(name, given[name]!).value)));
    return encoders.map((node) => [node.name, latentRowsAt(model, node, values, model.encoderInputs(node, rows))]);
  }

  return {
    model,
    parameters: values,
    values: kept,
    variances: keptVariances,
    charts: chartsOf(nodes),
    transforms: transformsOf(latents),
    pointwise,
    latents,
    observed,
    known,
    roots: latents
      .filter(({ given }) => given.length === 0 || !given.some((each) => byName.get(each)!.isPointwise))
      .map(({ name }) => name),
    sequential,
    fields,
    coordinates,
    uncalibrated:
      isCalibrated && nodes.some(({ densities }) => densities.some(({ density }) => density.calibrates))
        ? () => fittedGraph(model, values, false, left)
        : undefined,
    leavingOut: observed.every(({ densities }) => densities.every(({ density }) => density.takesMissing))
      ? (rows) => fittedGraph(model, values, isCalibrated, rows)
      : undefined,
    widths,
    nodeOf: (name) => byName.get(name)!,
    at,
    seenRows,
    newValues,
    isGiven,
    givenRows,
    mapInputs,
    withSources,
    encodedRows,
    isIndependent: () =>
      at((fitted) =>
        pointwise.every((node) =>
          node.densities.every((placed) => {
            fitted.conditional(placed, node);
            return placed.density.independent ?? kinds.get(placed.path) ?? false;
          }),
        ),
      ),
  };
}

/** 1 where an entry in rows other than these is observed, 0 elsewhere; columns observed in no other row keep their entries. */
function presentWithout(rows: readonly number[], { rows: N, columns: D }: Matrix, present: Matrix | undefined): Matrix {
  const found = new Matrix(present?.data.slice() ?? new Float64Array(N * D).fill(1), N, D);
  for (const row of rows) found.data.fill(0, row * D, (row + 1) * D);
  for (let d = 0; d < D; d++) {
    if (found.column(d).includes(1)) continue;
    for (const row of rows) found.data[row * D + d] = present?.at(row, d) ?? 1;
  }
  return found;
}

const NOT_RANDOM: Random = { uniform: notRandom, normal: notRandom, integer: notRandom };

function notRandom(): never {
  throw new InvalidInputError('Predictions are not random: draw in the log density of a model only.');
}

function sourceOf({ graph }: CompiledGraph, { variable }: Node): string | undefined {
  if (variable.role !== 'observed' || variable.source === undefined) return undefined;
  return graph.nodes.find((node) => node.variable === variable.source)!.name;
}

/** Factor F_d of each column of correlated rows, computed on demand. */
type FactorsOf = () => readonly Matrix[];

/** Fitted values of the variables (means for Gaussian rows), and the variances of Gaussian rows. Coordinates computed from a field are added once they are known. */
function fittedValues(
  model: CompiledGraph,
  values: ParameterValues,
): { kept: Record<string, Matrix>; variances: Record<string, Matrix>; factors: Record<string, FactorsOf> } {
  const kept: Record<string, Matrix> = {};
  const variances: Record<string, Matrix> = {};
  const factors: Record<string, FactorsOf> = {};
  for (const node of model.graph.nodes) {
    const { name, variable, given } = node;
    if (variable.role === 'known') kept[name] = variable.data;
    else if (variable.role === 'observed') kept[name] = model.seen.get(name)!.filled;
    else if (variable.role === 'latent') {
      const correlated = distributedRows(variable)?.correlatedAt?.(model, node, values, NOT_RANDOM);
      const rows =
        correlated ?? latentRowsAt(model, node, values, isEncoded(variable) ? model.encoderInputs(node) : undefined);
      kept[name] = rows.mean;
      if (rows.variance !== undefined) variances[name] = rows.variance;
      if (correlated !== undefined) factors[name] = correlated.factors;
    } else if (variable.role === 'mapped') {
      kept[name] = withFloat64(() => {
        const inputs = given.map((each, i) =>
          matrixTensor(model.features(node, i) ?? pickedMatrix(model, node.picked[i], kept[each]!)),
        );
        return tensorMatrix(model.mapped(node, valueTensors(values), inputs));
      });
    }
  }
  return { kept, variances, factors };
}

function transformsOf(latents: readonly Node[]): RowModel['transforms'] {
  const constrained = latents.flatMap(({ name, variable }) => {
    const { transform, dim } = variable as LatentVariable;
    return transform === undefined ? [] : [[name, rowTransform(transform, dim)] as const];
  });
  return Object.fromEntries(constrained);
}

/** Charts of the inputs of maps onto a manifold. */
function chartsOf(nodes: readonly Node[]): Record<string, Chart> {
  const charts: Record<string, Chart> = {};
  for (const { variable, given } of nodes) {
    if (variable.role !== 'mapped' || given.length !== 1) continue;
    const { chart } = (variable as MappedVariable).map;
    if (chart !== undefined) charts[given[0]!] = chart;
  }
  return charts;
}
