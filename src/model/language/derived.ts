import { log, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Standardization } from '../../core/observations.ts';
import { firstRows, paddedRows } from '../../core/paddedRows.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { type Random, seededRandom } from '../../core/random.ts';
import { differenceStep } from '../../numerics/centralDifferences.ts';
import { topEigenpairs } from '../../numerics/dense/topEigenpairs.ts';
import { doublesOf } from '../../tensors/doubles.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { valueAndGradients } from '../../tensors/gradients.ts';
import { matrixTensor, tensorMatrix } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import { jointDraw, normalEntries } from '../jointDraw.ts';
import type { ParameterValues, TensorMap } from '../model.ts';
import type {
  FieldCoordinates,
  LatentMoments,
  LearnedByLayer,
  MissingEntries,
  PlacedBound,
  Prediction,
  PredictiveDensity,
} from '../posterior.ts';
import { type PullBack, pointsAround, pullBackOf, pullBackSum, pulledBack, slopesFrom } from '../pullBack.ts';
import { valueTensors } from '../valueTensors.ts';
import { type CompiledGraph, latentRowsAt, type NodeValues, rowsAround } from './compiled.ts';
import type { Conditional, DensityContext, RowMoments, Rows, RowsStart } from './density.ts';
import { entropies, mixtureOfPlaces, perRow, placedBound } from './gaussianPlaces.ts';
import { ancestors, joinedColumns, type Node, type PlacedDensity } from './graph.ts';
import type { Chart } from './map.ts';
import { isEncoded, type MappedVariable } from './variable.ts';

/** Matrices of rows by the names of variables. */
export type RowsByName = Readonly<Record<string, Matrix>>;

/** A variable that has rows of its own, and how wide it is. */
export interface VariableWidth {
  readonly name: string;
  readonly columns: number;
}

/** What a fit of a model of variables can say, in plain numbers: all of it by the densities that it was fitted with. */
export interface FittedVariables {
  /** Latent variables that new rows have, in the order in which they stand side by side in a search. */
  readonly latents: readonly VariableWidth[];
  /** Observed variables. */
  readonly observed: readonly VariableWidth[];
  /** Known variables that new rows come with. */
  readonly known: readonly VariableWidth[];
  /** Values of all variables at the fit, in units of the model for the observed ones. */
  readonly values: RowsByName;
  /** The variable that `fit.latents` shows. */
  readonly shown: string;
  /** Latent variables that are given nothing: those that predictions begin with. */
  readonly roots: readonly string[];
  /** Chart on which a variable's points lie, by its name. */
  readonly charts: Readonly<Record<string, Chart>>;
  /** Observations of those that were fitted, as they were given; NaN where missing. */
  readonly observations: RowsByName;
  /**
   * log density of new rows at values of the latent variables side by side (n×Q): of their observations, and of all that speaks of such rows.
   *
   * @param given - rows of the observed and known variables; NaN counts as not observed
   */
  density(X: Matrix, given: RowsByName, isRough?: boolean): PredictiveDensity;
  /**
   * Moments of the variables that follow from these values; of observations with `noise`. With variances the values of the variable of that name are means of
   * Gaussian rows, and observations that are given it alone have their moments under these.
   */
  predict(values: RowsByName, noise: boolean, variances?: RowsByName): Readonly<Record<string, Prediction>>;
  /**
   * What new rows of the observed variables add to the bound, given the means and variances of the shown variable: where that is one of Gaussian rows,
   * and the only one that is searched.
   */
  readonly bound: ((given: RowsByName, x: LatentMoments) => PlacedBound) | undefined;
  /** What missing entries are like, where they are observed with Gaussian noise at Gaussian rows of the shown variable, and of nothing else. */
  readonly missingEntries: MissingEntries | undefined;
  /** How much each observed variable varies along the columns of the shown variable, which it alone is given; of those that say it. */
  readonly relevance: Readonly<Record<string, Float64Array>>;
  /**
   * Expected metric of the noise-free functions at rows of the only root, summed over the observed variables or that of one.
   *
   * @throws InvalidInputError for a model with another random variable on the way, or without moments
   */
  metric(rows: Matrix, view?: string): PullBack;
  /** A draw of the variables that follow from these values. */
  sample(values: RowsByName, random: Random, noise: boolean): RowsByName;
  /** Values of variables that new rows have without a search: mapped from known ones, or the means of an encoder. */
  computed(given: RowsByName): RowsByName;
  /** Variances of Gaussian rows that an encoder computes, by name. */
  computedVariances(given: RowsByName): RowsByName;
  /** Variances of the Gaussian rows of the fit, by name. */
  readonly variances: RowsByName;
  /** Mean of the row of the shown variable that follows these; undefined where nothing says so. */
  readonly next: ((before: Matrix) => Matrix) | undefined;
  /** Random fields over the points, and the values of their parameters, by the variables whose density they are. */
  readonly fields: Readonly<Record<string, () => LearnedByLayer & { readonly multipliers: ParameterValues }>>;
  /** What was read off such fields, by the variables that are. */
  readonly coordinates: Readonly<Record<string, FieldCoordinates>>;
  /** True if all that is said of points is a sum over them. */
  readonly independent: boolean;
  /** What cannot be done with fits of this model, and why, by the name of what it is. */
  readonly missing: Readonly<Record<string, string>>;
}

/** How many draws stand for a variable between those that are given and those that are asked for. */
const DRAWS = 128;
/** Seed of these draws: predictions are the same each time. */
const DRAWS_SEED = 20_080_613;

/** The fitted rows as tensors, and what is at hand in one evaluation. */
interface Fitted {
  readonly tensors: TensorMap;
  /** Values of the variables at the fit. */
  readonly values: NodeValues;
  contextOf(node: Node, placed: PlacedDensity): DensityContext;
  conditional(placed: PlacedDensity, node: Node, isRough?: boolean): Conditional;
}

/** What follows from a model of variables at these values. */
export function fittedVariables(model: CompiledGraph, values: ParameterValues): FittedVariables {
  const { graph, owner, seen, columns } = model;
  const { nodes } = graph;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  // Of each density what it remembers, by what it remembers it for.
  const memory = new Map<string, Map<object, unknown>>();
  const kinds = new Map<string, boolean>();

  const { kept, variances: keptVariances } = fittedValues(model, values);

  /** Does work with the fitted rows on the float64 backend. */
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
      const contextOf = (node: Node, { path, density }: PlacedDensity, isRough: boolean): DensityContext => {
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
          isRough,
          remember: (key, make) => {
            const known = memory.get(path) ?? new Map<object, unknown>();
            memory.set(path, known);
            if (!known.has(key)) known.set(key, make());
            return known.get(key) as ReturnType<typeof make>;
          },
          onJitter: () => {},
          onRank: () => {},
        };
      };
      const fittedRows = (node: Node): Rows => {
        const present = seen.get(node.name)?.present;
        const spread = node.given.map((each) => keptVariances[each]);
        // Read when a density asks for them: observations of many rows take time to be made.
        const ofValue = keptVariances[node.name];
        return {
          ...(ofValue && {
            get variance() {
              return matrixTensor(ofValue);
            },
          }),
          ...(spread.some((own) => own !== undefined) && {
            get givenVariances() {
              return spread.map((own) => own && matrixTensor(own));
            },
          }),
          get value() {
            return current.get(node.name)!;
          },
          get given() {
            return node.given.map((each) => current.get(each)!);
          },
          ...(present && {
            get present() {
              return matrixTensor(present);
            },
          }),
        };
      };
      const fitted: Fitted = {
        tensors,
        values: current,
        contextOf: (node, placed) => contextOf(node, placed, false),
        conditional: (placed, node, isRough = false) => {
          const { density, path } = placed;
          const p = model.ownTensors(path, tensors);
          const context = contextOf(node, placed, isRough);
          const own = density.condition?.(p, fittedRows(node), context) ?? {};
          if (own.logPredictive !== undefined && (own.sample !== undefined || density.sample === undefined)) return own;
          const isIndependent =
            density.independent ?? kinds.get(path) ?? density.logDensity(p, fittedRows(node), context).rank === 1;
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
        return work(fitted);
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
          placed.density.field!(
            multipliers,
            withDeviations(kept[node.name] ?? Matrix.zeros(graph.points, 0), keptVariances[node.name]),
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
    const { dim, by } = variable;
    const { field, embedding } = fields[given[0] ?? name]!();
    coordinates[name] = embedding?.(dim, by) ?? {
      latents:
        by === 'eigenmap'
          ? eigenmapCoordinates(field.precision(), field.covariance(), dim)
          : principalCoordinates(field.covariance(), dim),
    };
    kept[name] = coordinates[name].latents;
  }

  function sequenceOf(fitted: Fitted): PlacedDensity | undefined {
    return graph.shown.densities.find((placed) => fitted.conditional(placed, graph.shown).next !== undefined);
  }

  /** Rows of known and observed variables as the model sees them, with what is missing apart. */
  function seenRows(
    name: string,
    rows: Matrix,
  ): { value: Tensor2D; present: Tensor2D | undefined; scale: Float64Array } {
    const standardization = seen.get(name)?.standardization;
    const D = rows.columns;
    const value = Matrix.zeros(rows.rows, D);
    const there = Matrix.zeros(rows.rows, D);
    const scale = new Float64Array(rows.rows);
    let isWhole = true;
    rows.data.forEach((entry, i) => {
      if (Number.isNaN(entry)) {
        isWhole = false;
        return;
      }
      const j = i % D;
      const deviation = standardization?.deviation[j] ?? 1;
      value.data[i] = (entry - (standardization?.mean[j] ?? 0)) / deviation;
      there.data[i] = 1;
      if (deviation !== 1) scale[(i - j) / D]! -= log(deviation);
    });
    return { value: matrixTensor(value), present: isWhole ? undefined : matrixTensor(there), scale };
  }

  /** Values of new rows, variable by variable; those whose givens are not all there are left out. */
  function newValues(fitted: Fitted, start: ReadonlyMap<string, Tensor2D>, raw: RowsByName): Map<string, Tensor2D> {
    const current = new Map<string, Tensor2D>();
    for (const node of nodes) {
      const { name, variable, given, isPointwise } = node;
      const there = start.get(name);
      if (there !== undefined) current.set(name, there);
      else if (!isPointwise) current.set(name, fitted.values.get(name)!);
      else if (variable.role === 'mapped' && given.every((each) => current.has(each))) {
        current.set(name, model.mapped(node, fitted.tensors, mapInputs(node, current, raw)));
      }
    }
    return current;
  }

  function mapInputs(node: Node, current: ReadonlyMap<string, Tensor2D>, raw: RowsByName): Tensor2D[] {
    return node.given.map((each, i) => {
      const rows = raw[each];
      const made = rows === undefined ? undefined : model.features(node, i, rows);
      return made === undefined ? current.get(each)! : matrixTensor(made);
    });
  }

  /** Rows that are given, under the names of known variables that hold the same rows too. */
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

  /** Gaussian rows that encoders compute of new rows, where all observed variables are given without missing entries. */
  function encodedRows(given: RowsByName): [string, RowsStart][] {
    const encoders = latents.filter(({ variable }) => isEncoded(variable));
    const isWhole = observed.every(({ name }) => given[name] !== undefined && !given[name].data.some(Number.isNaN));
    if (encoders.length === 0 || !isWhole) return [];
    const rows = joinedColumns(observed.map(({ name }) => tensorMatrix(seenRows(name, given[name]!).value)));
    return encoders.map((node) => [node.name, latentRowsAt(model, node, values, model.encoderInputs(node, rows))]);
  }

  const density: FittedVariables['density'] = (X, rows, isRough = false) =>
    at((fitted) => {
      const joint = matrixTensor(paddedRows(X));
      const [n] = joint.shape;
      const given = withSources(mapValues(rows, paddedRows));
      const start = new Map<string, Tensor2D>();
      const presence = new Map<string, Tensor2D>();
      let scales: Float64Array | undefined;
      for (const [name, matrix] of Object.entries(given)) {
        const { value, present, scale } = seenRows(name, matrix);
        start.set(name, value);
        if (present !== undefined) presence.set(name, present);
        if (byName.get(name)!.variable.role === 'observed') {
          scales = scales === undefined ? scale : scales.map((entry, i) => entry + scale[i]!);
        }
      }
      let ofObservations = new Float64Array(n);
      let ofAll = ofObservations;
      const sum = () => {
        let from = 0;
        const searched = new Map(start);
        for (const { name, columns: width } of units) {
          searched.set(name, op.slice<Tensor2D>(joint, [0, from], [n, width]));
          from += width;
        }
        const current = newValues(fitted, searched, given);
        let seenPart: Tensor1D | undefined;
        let rest: Tensor1D | undefined;
        for (const node of pointwise) {
          if (!current.has(node.name) || !node.given.every((each) => current.has(each))) continue;
          for (const placed of node.densities) {
            const { logPredictive } = fitted.conditional(placed, node, isRough);
            if (logPredictive === undefined) continue;
            const present = presence.get(node.name);
            if (present !== undefined && !placed.density.takesMissing) throw missingEntries(owner, node.name, placed);
            const term = logPredictive(rowsAround(node, current, present));
            if (node.variable.role === 'observed' && !placed.isFactor) {
              seenPart = seenPart === undefined ? term : op.add<Tensor1D>(seenPart, term);
            } else rest = rest === undefined ? term : op.add<Tensor1D>(rest, term);
          }
        }
        const observations = seenPart === undefined ? op.zeros<Tensor1D>([n]) : seenPart;
        const scaled = scales?.some((entry) => entry !== 0)
          ? op.add<Tensor1D>(observations, op.tensor(scales))
          : observations;
        const both = rest === undefined ? scaled : op.add<Tensor1D>(scaled, rest);
        ofObservations = new Float64Array(doublesOf(scaled));
        ofAll = new Float64Array(doublesOf(both));
        return op.sum<Scalar>(both);
      };
      const { gradients } = valueAndGradients(sum, [joint]);
      const gradient = new Matrix(gradients[0] ?? new Float64Array(n * X.columns), n, X.columns);
      return {
        density: ofObservations.slice(0, X.rows),
        posterior: ofAll.slice(0, X.rows),
        gradient: firstRows(gradient, X.rows),
      };
    });

  // What is searched for new rows: latent variables; where there are none, what is mapped from rows that may have missing entries.
  const units = latents.length > 0 ? widths(latents) : widths([graph.shown]);

  /** What follows where all that is observed is given the shown variable alone, and that is one of Gaussian rows. */
  function ofGaussianRows(): Pick<FittedVariables, 'bound' | 'missingEntries' | 'relevance'> {
    const { shown } = graph;
    const { name: z, densities } = shown;
    const variance = keptVariances[z];
    const none = { bound: undefined, missingEntries: undefined, relevance: {} };
    const isOnly =
      variance !== undefined &&
      latents.length === 1 &&
      observed.every(({ given, densities }) => given.length === 1 && given[0] === z && densities.length === 1);
    if (!isOnly) return none;
    const conditionalOf = (fitted: Fitted, node: Node) => fitted.conditional(node.densities[0]!, node);
    const divergencesOf = (fitted: Fitted, x: op.GaussianRows): Tensor | undefined => {
      const { path, density } = densities[0]!;
      const p = model.ownTensors(path, fitted.tensors);
      if (density.divergence !== undefined) return density.divergence(p, x);
      const expected = density.expected?.(p, { value: x, given: [] }, fitted.contextOf(shown, densities[0]!));
      return expected && op.neg(op.add(expected, entropies(x.variance)));
    };
    const divergences = (fitted: Fitted, x: op.GaussianRows) => perRow(divergencesOf(fitted, x)!);
    return at((fitted) => {
      const relevance: Record<string, Float64Array> = {};
      for (const node of observed) {
        const own = conditionalOf(fitted, node).relevance?.();
        if (own !== undefined) relevance[node.name] = own;
      }
      const isPlaced = observed.every((node) => conditionalOf(fitted, node).expected !== undefined);
      const hasPrior = densities.length === 1 && shown.given.length === 0 && !densities[0]!.isFactor;
      const q = { mean: fitted.values.get(z)!, variance: matrixTensor(variance) };
      const lost = isPlaced && hasPrior ? divergencesOf(fitted, q) : undefined;
      if (lost === undefined || lost.rank === 0) return { ...none, relevance };
      const node = observed[0]!;
      const isFilled = observed.length === 1 && conditionalOf(fitted, node).hasGaussianNoise === true;
      return {
        relevance,
        bound: (given, x) =>
          at((fitted) => {
            const there = observed.filter(({ name }) => given[name] !== undefined);
            const rows = there.map(({ name }) => seenRows(name, paddedRows(given[name]!)));
            return placedBound(x, (q) => {
              const lost = op.neg(divergences(fitted, q)) as Tensor1D;
              return there.reduce((sum, node, i) => {
                const { value, present } = rows[i]!;
                const seen = { value, given: [q], ...(present && { present }) };
                return op.add<Tensor1D>(sum, conditionalOf(fitted, node).expected!(seen));
              }, lost);
            });
          }),
        missingEntries: isFilled
          ? mixtureOfPlaces(
              (work) =>
                at((fitted) => {
                  const q = { mean: fitted.values.get(z)!, variance: matrixTensor(variance) };
                  const moments = conditionalOf(fitted, node).uncertainMoments!([q]);
                  return work({ moments, divergences: divergences(fitted, q) });
                }),
              seen.get(node.name)!.standardization,
            )
          : undefined,
      };
    });
  }

  /** Moments or draws of what follows from the values that are given. */
  function follow(
    fitted: Fitted,
    given: RowsByName,
    visit: (
      node: Node,
      moments: () => RowMoments | undefined,
      conditional: Conditional,
      rows: readonly Tensor2D[],
    ) => Tensor2D | undefined,
  ): Map<string, Tensor2D> {
    const current = new Map<string, Tensor2D>();
    for (const node of nodes) {
      const { name, variable, given: needs, isPointwise } = node;
      const there = given[name];
      if (there !== undefined) current.set(name, matrixTensor(there));
      else if (!isPointwise) current.set(name, fitted.values.get(name)!);
      else if (!needs.every((each) => current.has(each))) continue;
      else if (variable.role === 'mapped') {
        current.set(name, model.mapped(node, fitted.tensors, mapInputs(node, current, given)));
      } else if (variable.role === 'latent' || variable.role === 'observed') {
        if (needs.length === 0 && variable.role === 'latent') continue;
        const [placed] = node.densities;
        if (placed === undefined || placed.isFactor) continue;
        const conditional = fitted.conditional(placed, node);
        const rows = needs.map((each) => current.get(each)!);
        const value = visit(node, () => conditional.moments?.(rows), conditional, rows);
        if (value !== undefined) current.set(name, value);
      }
    }
    return current;
  }

  const inUnits = (name: string, mean: Matrix, variance: Matrix): Prediction => {
    const standardization = seen.get(name)?.standardization;
    if (standardization === undefined) return { mean, variance };
    return { mean: unscaled(mean, standardization), variance: squareUnscaled(variance, standardization) };
  };

  /** True if something between the given values and an observed variable is itself random. */
  function isIndirect(given: RowsByName): boolean {
    return latents.some(({ name, given: needs }) => given[name] === undefined && needs.length > 0);
  }

  const predict: FittedVariables['predict'] = (given, noise, variances = {}) =>
    at((fitted) => {
      const all = withSources(mapValues(given, paddedRows));
      const spreads = mapValues(variances, paddedRows);
      const [{ rows: count }] = Object.values(given) as [Matrix, ...Matrix[]];
      const random = seededRandom(DRAWS_SEED);
      const found: Record<string, Prediction> = {};
      const copies = isIndirect(all) ? DRAWS : 1;
      const repeated = copies === 1 ? all : mapValues(all, (rows) => stacked(rows, copies));
      follow(fitted, repeated, (node, certain, conditional, rows) => {
        const [only, ...others] = node.given;
        const spread = others.length === 0 ? spreads[only!] : undefined;
        const moments =
          spread === undefined || conditional.uncertainMoments === undefined
            ? certain()
            : conditional.uncertainMoments([{ mean: rows[0]!, variance: matrixTensor(spread) }]);
        if (moments === undefined) return undefined;
        const { mean, variance, added } = wide(owner, node.name, moments);
        const isObserved = node.variable.role === 'observed';
        const ofFunction = op.relu<Tensor2D>(variance);
        const noisy = () => moments.observed?.() ?? { mean, variance: op.add<Tensor2D>(ofFunction, added) };
        const shown = noise ? noisy() : { mean, variance: ofFunction };
        found[node.name] = inUnits(
          node.name,
          ...averaged(tensorMatrix(shown.mean), tensorMatrix(shown.variance), copies),
        );
        if (isObserved) return undefined;
        // Latent rows in between have the noise of their density in them. Each row is predicted by itself, so covariances between rows are left out.
        if (moments.covariances === undefined) return drawn(owner, node, moments, conditional, rows, random, true);
        const whole = op.sqrt(op.add<Tensor2D>(ofFunction, added));
        return op.add<Tensor2D>(mean, op.mul(whole, normalEntries(random, ...mean.shape)));
      });
      return Object.fromEntries(
        Object.entries(found).map(([name, { mean, variance }]) => [
          name,
          { mean: firstRows(mean, count), variance: firstRows(variance, count) },
        ]),
      );
    });

  const sample: FittedVariables['sample'] = (given, random, noise) =>
    at((fitted) => {
      const all = withSources(given);
      const found: Record<string, Matrix> = {};
      follow(fitted, all, (node, moments, conditional, rows) => {
        const isObserved = node.variable.role === 'observed';
        const value = drawn(owner, node, moments(), conditional, rows, random, noise || !isObserved);
        if (value === undefined) return undefined;
        const { standardization } = seen.get(node.name) ?? {};
        found[node.name] = standardization ? unscaled(tensorMatrix(value), standardization) : tensorMatrix(value);
        return value;
      });
      return found;
    });

  const roots = latents
    .filter(({ given }) => given.length === 0 || !given.some((each) => byName.get(each)!.isPointwise))
    .map(({ name }) => name);
  const metric: FittedVariables['metric'] = (Z, view) => {
    // Without a latent variable that of what is mapped from known rows.
    const root = latents.length > 0 ? roots[0] : graph.shown.variable.role === 'mapped' ? graph.shown.name : undefined;
    if (root === undefined || roots.length > 1 || known.length > 0 || latents.length > 1) {
      const others = [...latents, ...known].map(({ name }) => `'${name}'`).join(', ');
      throw new InvalidInputError(
        `A metric is one of the points of a single latent variable, but what is observed of ${owner} depends on ${others || 'no latent variable'}.`,
      );
    }
    return at((fitted) => {
      const step = differenceStep(kept[root]!.data, kept[root]!.columns);
      const before = (node: Node, z: Matrix) => {
        const current = newValues(fitted, new Map([[root, matrixTensor(z)]]), {});
        return node.given.map((each) => current.get(each)!);
      };
      const parts = observed
        .filter(({ name }) => view === undefined || view === name)
        .map((node): PullBack => {
          const conditional = fitted.conditional(node.densities[0]!, node);
          const deviation =
            seen.get(node.name)?.standardization.deviation ?? new Float64Array(columns.get(node.name)!).fill(1);
          if (conditional.slopes !== undefined) {
            const given = before(node, Z);
            const { mean, covariances } = conditional.slopes(given);
            const width = given.reduce((sum, { shape }) => sum + shape[1], 0);
            const own = pullBackOf(tensorMatrix(mean), covariances().map(tensorMatrix), deviation, width);
            if (node.given.length === 1 && node.given[0] === root) return own;
            const around = op.concat(before(node, pointsAround(Z, step)), 1) as Tensor2D;
            return pulledBack(own, slopesFrom(tensorMatrix(around), step));
          }
          const moments = conditional.moments?.(before(node, pointsAround(Z, step)));
          if (moments === undefined) {
            throw new InvalidInputError(
              `There is no metric of '${node.name}' of ${owner}: its density '${node.densities[0]!.density.name}' gives no moments of new rows.`,
            );
          }
          const isCertain = doublesOf(moments.variance).every((variance) => variance === 0);
          const slopes = slopesFrom(tensorMatrix(moments.mean), step);
          const { mean } = pullBackOf(slopes, undefined, deviation, Z.columns);
          return { mean, spread: isCertain ? Matrix.zeros(mean.rows, mean.columns) : undefined };
        });
      return pullBackSum(parts);
    });
  };
  return {
    latents: units,
    ...ofGaussianRows(),
    observed: widths(observed),
    known: widths(known),
    values: kept,
    shown: graph.shown.name,
    roots,
    charts: chartsOf(nodes),
    observations: Object.fromEntries(
      observed.map(({ name, variable }) => [name, (variable as { readonly data: Matrix }).data]),
    ),
    fields,
    coordinates,
    density,
    predict,
    metric,
    sample,
    computed: (given) =>
      at((fitted) => {
        const raw = withSources(mapValues(given, paddedRows));
        const count = Object.values(given)[0]?.rows ?? 0;
        const start = new Map(Object.entries(raw).map(([name, rows]) => [name, seenRows(name, rows).value]));
        for (const [name, { mean }] of encodedRows(mapValues(given, paddedRows)))
          if (!start.has(name)) start.set(name, matrixTensor(mean));
        const current = newValues(fitted, start, raw);
        const isComputed = (name: string) => isEncoded(byName.get(name)!.variable) && given[name] === undefined;
        const mapped = [...current].filter(([name]) => {
          const { variable, isPointwise } = byName.get(name)!;
          return isComputed(name) || (variable.role === 'mapped' && isPointwise);
        });
        return Object.fromEntries(mapped.map(([name, tensor]) => [name, firstRows(tensorMatrix(tensor), count)]));
      }),
    computedVariances: (given) =>
      at(() =>
        Object.fromEntries(
          encodedRows(mapValues(given, paddedRows)).flatMap(([name, { variance }]) =>
            variance === undefined ? [] : [[name, firstRows(variance, Object.values(given)[0]!.rows)]],
          ),
        ),
      ),
    variances: keptVariances,
    next:
      sequential === undefined
        ? undefined
        : (before) =>
            at((fitted) => tensorMatrix(fitted.conditional(sequential, graph.shown).next!(matrixTensor(before)))),
    get independent() {
      return at((fitted) =>
        pointwise.every((node) =>
          node.densities.every((placed) => {
            fitted.conditional(placed, node);
            return placed.density.independent ?? kinds.get(placed.path) ?? false;
          }),
        ),
      );
    },
    missing: reasonsMissing(at, model, latents, observed, sequential),
  };
}

/** What fits cannot do, and why. */
function reasonsMissing(
  at: <T>(work: (fitted: Fitted) => T) => T,
  { graph, owner }: CompiledGraph,
  latents: readonly Node[],
  observed: readonly Node[],
  sequential: PlacedDensity | undefined,
): Record<string, string> {
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
  return missing;
}

const NOT_RANDOM: Random = { uniform: notRandom, normal: notRandom, integer: notRandom };

function notRandom(): never {
  throw new InvalidInputError('Predictions are not random: draw in the log density of a model only.');
}

function sourceOf({ graph }: CompiledGraph, { variable }: Node): string | undefined {
  if (variable.role !== 'observed' || variable.source === undefined) return undefined;
  return graph.nodes.find((node) => node.variable === variable.source)!.name;
}

/** The values of variables at the fit, and the variances of Gaussian rows, whose values are means. Those that are read off a field are added when that is known. */
function fittedValues(
  model: CompiledGraph,
  values: ParameterValues,
): { kept: Record<string, Matrix>; variances: Record<string, Matrix> } {
  const kept: Record<string, Matrix> = {};
  const variances: Record<string, Matrix> = {};
  for (const node of model.graph.nodes) {
    const { name, variable, given } = node;
    if (variable.role === 'known') kept[name] = variable.data;
    else if (variable.role === 'observed') kept[name] = model.seen.get(name)!.filled;
    else if (variable.role === 'latent') {
      const rows = latentRowsAt(model, node, values, isEncoded(variable) ? model.encoderInputs(node) : undefined);
      kept[name] = rows.mean;
      if (rows.variance !== undefined) variances[name] = rows.variance;
    } else if (variable.role === 'mapped') {
      kept[name] = withFloat64(() => {
        const inputs = given.map((each, i) => matrixTensor(model.features(node, i) ?? kept[each]!));
        return tensorMatrix(model.mapped(node, valueTensors(values), inputs));
      });
    }
  }
  return { kept, variances };
}

/** Rows whose products are those that are expected of Gaussian rows: x_iᵀx_i is m_iᵀm_i + Σ_d s_id, which a column of its own adds to each. */
function withDeviations(mean: Matrix, variance: Matrix | undefined): Matrix {
  if (variance === undefined) return mean;
  const deviations = Matrix.zeros(mean.rows, mean.rows);
  for (let i = 0; i < mean.rows; i++) {
    deviations.data[i * (mean.rows + 1)] = Math.sqrt(variance.row(i).reduce((sum, own) => sum + own, 0));
  }
  return joinedColumns([mean, deviations]);
}

/** Top eigenvectors of HUH, each times the root of its eigenvalue, N×dim. */
function principalCoordinates({ data, rows: N }: Matrix, dim: number): Matrix {
  const means = new Float64Array(N);
  for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) means[i]! += data[i * N + j]! / N;
  const grand = means.reduce((sum, mean) => sum + mean, 0) / N;
  const centred = Matrix.zeros(N, N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) centred.data[i * N + j] = data[i * N + j]! - means[i]! - means[j]! + grand;
  }
  const { values, vectors } = topEigenpairs(
    (x, y) => {
      for (let i = 0; i < N; i++) {
        let sum = 0;
        for (let j = 0; j < N; j++) sum += centred.data[i * N + j]! * x[j]!;
        y[i] = sum;
      }
    },
    N,
    dim,
  );
  return new Matrix(
    vectors.data.map((entry, k) => entry * Math.sqrt(Math.max(0, values[k % dim]!))),
    N,
    dim,
  );
}

/** f_2 … f_{dim+1} of Q·f = μ·diag(Q)·f, N×dim: with D = diag(Q), D^½·f are the top eigenvectors of D^½·Q⁻¹·D^½ beside the first. */
function eigenmapCoordinates(Q: Matrix, { data: U, rows: N }: Matrix, dim: number): Matrix {
  const roots = Float64Array.from({ length: N }, (_, i) => Math.sqrt(Q.at(i, i)));
  const { vectors } = topEigenpairs(
    (x, y) => {
      for (let i = 0; i < N; i++) {
        let sum = 0;
        for (let j = 0; j < N; j++) sum += U[i * N + j]! * roots[j]! * x[j]!;
        y[i] = roots[i]! * sum;
      }
    },
    N,
    dim + 1,
  );
  const result = Matrix.zeros(N, dim);
  for (let i = 0; i < N; i++) for (let c = 0; c < dim; c++) result.data[i * dim + c] = vectors.at(i, c + 1) / roots[i]!;
  return result;
}

/** Charts of variables that a map onto a manifold is given, and of what it gives. */
function chartsOf(nodes: readonly Node[]): Record<string, Chart> {
  const charts: Record<string, Chart> = {};
  for (const { variable, given } of nodes) {
    if (variable.role !== 'mapped' || given.length !== 1) continue;
    const { chart } = (variable as MappedVariable).map;
    if (chart !== undefined) charts[given[0]!] = chart;
  }
  return charts;
}

/** Moments n×D with what noise adds, 0 where there is none. */
function wide(owner: string, name: string, { mean, variance, noise }: RowMoments) {
  if (mean?.rank !== 2 || variance?.rank !== 2 || mean.shape[0] !== variance.shape[0]) {
    throw new InvalidInputError(
      `The moments of '${name}' of ${owner} are a mean and a variance with one row a point, but they have shapes [${mean?.shape}] and [${variance?.shape}].`,
    );
  }
  const all = variance.shape[1] === mean.shape[1] ? variance : op.mul<Tensor2D>(variance, op.ones([1, mean.shape[1]]));
  return { mean, variance: all, added: noise ?? op.scalar(0) };
}

/**
 * A draw of new rows: by the density's own sample, or of functions that are normal together, which covariances say.
 *
 * @throws InvalidInputError for a density that says the moments of its rows and not what is distributed so
 */
function drawn(
  owner: string,
  node: Node,
  moments: RowMoments | undefined,
  conditional: Conditional,
  given: readonly Tensor2D[],
  random: Random,
  noise: boolean,
): Tensor2D | undefined {
  if (conditional.sample !== undefined && noise) return conditional.sample(given, random);
  if (moments === undefined) return undefined;
  const { mean, variance, added } = wide(owner, node.name, moments);
  const asked = noise ? added : op.scalar(0);
  if (moments.covariances === undefined) {
    const isRandom = (tensor: Tensor) => doublesOf(tensor).some((entry) => entry !== 0);
    if (!isRandom(variance) && !isRandom(asked)) return mean;
    const { density } = node.densities[0]!;
    const orFunctions = node.variable.role === 'observed' && !isRandom(variance) ? ', or ask for { noise: false }' : '';
    throw new InvalidInputError(
      `'${node.name}' of ${owner} cannot be drawn: the density '${density.name}' gives moments of new rows, but no sample of them. Give defineDensity its sample${orFunctions}.`,
    );
  }
  const all = moments.covariances();
  const isShared = all.length === 1;
  return jointDraw({ mean, covarianceOf: (column) => all[isShared ? 0 : column]!, isShared, noise: asked }, random);
}

function missingEntries(owner: string, name: string, { density }: PlacedDensity): InvalidInputError {
  return new InvalidInputError(
    `New rows of '${name}' have missing entries (NaN), but the density '${density.name}' of ${owner} takes complete rows only. ` +
      'Fill them in, or let the density read rows.present and say takesMissing: true.',
  );
}

function unscaled({ data, rows, columns }: Matrix, { mean, deviation }: Standardization): Matrix {
  return new Matrix(
    data.map((entry, i) => entry * deviation[i % columns]! + mean[i % columns]!),
    rows,
    columns,
  );
}

function squareUnscaled({ data, rows, columns }: Matrix, { deviation }: Standardization): Matrix {
  return new Matrix(
    data.map((entry, i) => entry * square(deviation[i % columns]!)),
    rows,
    columns,
  );
}

const mapValues = (rows: RowsByName, change: (matrix: Matrix) => Matrix): RowsByName =>
  Object.fromEntries(Object.entries(rows).map(([name, matrix]) => [name, change(matrix)]));

/** So many copies of rows, one below the other. */
function stacked({ data, rows, columns }: Matrix, copies: number): Matrix {
  const result = Matrix.zeros(rows * copies, columns);
  for (let k = 0; k < copies; k++) result.data.set(data, k * data.length);
  return result;
}

/** Mean and variance of mixtures of so many copies with equal weights. */
function averaged(mean: Matrix, variance: Matrix, copies: number): [Matrix, Matrix] {
  if (copies === 1) return [mean, variance];
  const rows = mean.rows / copies;
  const [first, second] = [Matrix.zeros(rows, mean.columns), Matrix.zeros(rows, mean.columns)];
  const size = first.data.length;
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let k = 0; k < copies; k++) sum += mean.data[k * size + i]!;
    const centre = sum / copies;
    let spread = 0;
    for (let k = 0; k < copies; k++) spread += variance.data[k * size + i]! + square(mean.data[k * size + i]! - centre);
    first.data[i] = centre;
    second.data[i] = spread / copies;
  }
  return [first, second];
}
