import * as v from 'valibot';
import { log } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkName, checkOptions, numberAboveZero, type OptionsIn, typed } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import { checkGraph, type Graph } from '../engine/graph/graph.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor1D } from '../engine/tensors/tensorflow.ts';
import { calledBy } from '../model/language/defineDensity.ts';
import type { Density, Entries, Prior, RowsShape } from '../model/language/density.ts';
import type { ParameterValues, Search, TensorMap } from '../model/model.ts';
import { box, isParameter, type Parameter, type ParameterLike, parameterFrom, real } from '../model/parameter.ts';
import type { LearnedByLayer } from '../model/posterior.ts';
import type { BestMultipliers } from './bestMultipliers.ts';
import { type ConstraintSet, checkSet } from './constraints.ts';
import { connectingPrecision, observedConnectingPrecision } from './density/connectingPrecision.ts';
import type { FieldForm, OpenForm } from './density/fieldForm.ts';
import { distanceForm, pointsOf, quadraticForm } from './density/fieldForms.ts';
import { supportOf, withCoordinates } from './embedding/fieldEmbedding.ts';
import { fieldFindings } from './fieldFindings.ts';
import { observedSquaredDistances } from './observed/commonEntries.ts';
import { imputedByField, laplacianTerms } from './observed/imputedByField.ts';
import { type OpenObserved, openObserved } from './observed/observedField.ts';
import { type FieldProblem, kktResidual, weightScales } from './solvers/fieldProblem.ts';
import type { FieldPoint } from './solvers/fieldSearch.ts';
import { type Ties, tiesInWords, tiesOf } from './ties.ts';

/** Options for joining rows that were not fitted to the points of a field of squared differences. */
export interface JoiningRows {
  /** Number of nearest points that a new row may be joined to, or 'all' (the default). */
  readonly neighbors?: number | 'all' | undefined;
  /** Rows of the points, N×D; default the variable's rows. */
  readonly observations?: MatrixLike | undefined;
  /** φ between a new row and every point, N numbers; default squared Euclidean distances. */
  readonly distancesTo?: ((row: Float64Array) => Float64Array) | undefined;
}

export interface MaxEntropyOptions extends OptionsIn<typeof schema> {}

const aboveZero = 'a number above 0';
const schema = v.strictObject({
  /** λ > 0, the precision of every point before constraints are added; default 1. */
  base: v.optional(numberAboveZero, 1),
  /**
   * c > 0, the number of independent copies of the field. If set, the log density is the dual alone, without constants; otherwise the copies are the
   * variable's columns, and the log density is theirs.
   */
  copies: v.optional(numberAboveZero),
  /** Sets of constraints; their names are also the names of the multipliers. */
  expect: v.record(v.string(), v.any()),
  /** C > 0: the absolute value of a multiplier is at most 4C; default Infinity. Required for rows that are inferred. */
  slack: v.optional(v.pipe(v.number(aboveZero), v.gtValue(0, aboveZero)), Number.POSITIVE_INFINITY),
  /**
   * Initial multipliers by the names of the sets, or parameters such as `fixed(w)`; or `bestMultipliers()` to optimize them for the current rows
   * instead of fitting them as parameters.
   */
  multipliers: v.optional(typed<BestMultipliers | Readonly<Record<string, ParameterLike>>>()),
  /** How new rows join the field when their coordinates are computed. */
  newRows: v.optional(typed<JoiningRows>()),
});

/** Settings of a field. */
interface FieldSettings {
  readonly base: number;
  readonly copies: number | undefined;
  readonly slack: number;
  readonly sets: readonly (readonly [string, ConstraintSet])[];
  /** Set if multipliers are optimized for the current rows. */
  readonly best: BestMultipliers | undefined;
  readonly newRows?: JoiningRows | undefined;
}

/** The dual of a field for particular rows. */
interface Dual {
  /** s_k; undefined if rows move. */
  readonly statistics: Float64Array | undefined;
  /** c; undefined if it is the number of columns, which is not yet known. */
  readonly copies: number | undefined;
  /** Largest multiplier. */
  readonly upper: number;
  readonly ties: Ties | undefined;
}

interface FieldConstants extends Dual {
  readonly open: OpenForm | OpenObserved;
  /** Observed rows, NaN where missing. */
  readonly rows: Matrix | undefined;
  readonly learn: () => (problem: FieldProblem) => FieldPoint;
  dispose(): void;
}

/** Statistics, relative to the copies, below which multipliers have no typical size. */
const LEAST_STATISTIC = 1e-12;

/**
 * A maximum-entropy field: the Gaussian random field over points of largest entropy among those whose expected quadratic statistics c·tr(A_k·U) are
 * at most (or exactly) s_k, U = Q⁻¹. Its precision is Q = λI + Σ_k w_k·A_k, where the multipliers w of the constraints are parameters under the names
 * of the sets. Its log density is the concave dual
 *
 * field = c/2·log|Q| − ½·Σ_k w_k·s_k, 0 ≤ w_k ≤ 4C.
 *
 * At its maximum over w, the expected statistic is s_k if 0 < w_k < 4C, at most s_k if w_k = 0 and at least s_k if w_k = 4C. With squared differences
 * at the edges of a graph, Q = λI + L(w) is a Gaussian Markov random field.
 *
 * s_k are the values of the sets; by default, the statistics of the variable's rows. Without `copies`, the copies are the rows' columns, and the log
 * density is normal: it also has the term −λ/2·tr(XᵀX) and the normalizing constant.
 *
 * - As the density of an observed variable, with squared differences to neighbors, it is maximum entropy unfolding: see {@link meu}. If `copies` is
 *   set, entries may be missing: the density of the observed entries is maximized.
 * - With values for all sets, no rows are needed: `embedded(field, { dim })` computes coordinates from the field, see {@link mpme}.
 * - As the density of latents, or a factor of it, it is fitted with them. C must be finite, because the weight between two points that meet would
 *   otherwise be unbounded. With `multipliers: bestMultipliers()`, the weights are optimized for the current X, and the gradient in X is taken at
 *   these weights.
 *
 * If C = ∞, points at distance 0 are tied: they count as one node.
 *
 * @param options - see {@link MaxEntropyOptions}
 * @returns a density and prior named `field`; each set's multipliers have bounds [0, 4C] (for 'exactly' [−4C, 4C]) and scale min(c/s_k, 4C). Fits
 *   have `graph`, `precision()`, `covariance()` and `diagnostics.kktResidual`, the largest relative violation of the conditions above
 * @throws InvalidInputError without constraints, with values for some sets only, for numbers that are not above 0, and for C = ∞ with inferred rows
 *   or with a statistic of 0 whose multiplier is unbounded; NumericalError if the optimal multipliers for X cannot be computed
 * @see Lawrence 2012, eq. 3; Mao et al. 2017, eqs. 10 and 13
 * @example
 * ```ts
 * const near = squaredDifferences(knnGraph(Y, 6));
 * const layer = maxEntropy({ base: 0.1, copies: 2, slack: 25, multipliers: bestMultipliers(), expect: { near } });
 * const result = await fit(gplvm(Y, { latentDim: 2, priors: [layer, standardNormal({ precision: 0.1 })] }));
 * result.graph.weights;
 *
 * const both = maxEntropy({ base: 0.1, expect: { near, gram: products([[0, 1]]) } });
 * const field = defineModel({
 *   name: 'twoSets',
 *   variables: ({ y }: { y: Matrix }) => {
 *     const own = observed(y, { density: both });
 *     return { y: own, x: embedded(own, { dim: 2 }) };
 *   },
 * });
 * ```
 */
export function maxEntropy(
  options: MaxEntropyOptions & { readonly multipliers: BestMultipliers | Readonly<Record<string, Parameter>> },
): Prior<'field'>;
export function maxEntropy(options: MaxEntropyOptions): Density<'field'>;
export function maxEntropy(options: MaxEntropyOptions): Density<'field'> {
  const { expect, multipliers = {}, copies, ...rest } = checkOptions(schema, options, 'maxEntropy');
  const sets = checkSets(expect);
  const best =
    (multipliers as BestMultipliers)?.kind === 'bestMultipliers' ? (multipliers as BestMultipliers) : undefined;
  if (best === undefined && (typeof multipliers !== 'object' || multipliers === null)) {
    throw new InvalidInputError(
      `Option 'multipliers' of maxEntropy takes values or parameters by the names of the sets, or bestMultipliers(), but ${describe(multipliers)} was given.`,
    );
  }
  const unknown = best ? undefined : Object.keys(multipliers).find((name) => !(name in expect));
  if (unknown !== undefined) {
    throw new InvalidInputError(
      `Option 'multipliers' of maxEntropy names '${unknown}', but the sets of constraints are ${sets.map(([name]) => `'${name}'`).join(', ')}.`,
    );
  }
  return calledBy(
    fieldOf({ ...rest, copies, sets, best }, best ? {} : (multipliers as Readonly<Record<string, ParameterLike>>)),
    options,
  );
}

function checkSets(expect: Readonly<Record<string, unknown>>): [string, ConstraintSet][] {
  const sets = Object.entries(expect).map(([name, set]): [string, ConstraintSet] => {
    checkName(name, 'A set of constraints');
    return [name, checkSet(set, name)];
  });
  if (sets.length === 0) {
    throw new InvalidInputError(
      'maxEntropy takes at least one set of constraints in expect, such as { near: squaredDifferences(graph) }.',
    );
  }
  const known = sets.filter(([, { values }]) => values !== undefined).length;
  if (known === 0 || known === sets.length) return sets;
  throw new InvalidInputError(
    'Either all sets of constraints in expect have values or none has (the rows then define them). Give values to all of them.',
  );
}

/** The graph whose edges define all constraints, if there is one. */
const graphOf = ({ sets }: FieldSettings): Graph | undefined => (sets.length === 1 ? sets[0]![1].graph : undefined);

/** Values of all sets, concatenated; undefined if they are statistics of the rows. */
function valuesOf({ sets }: FieldSettings): Float64Array | undefined {
  const [[, first]] = sets as [FieldSettings['sets'][number]];
  if (first.values === undefined) return undefined;
  return sets.length === 1 ? first.values : Float64Array.from(sets.flatMap(([, { values }]) => Array.from(values!)));
}

/** The multipliers of all sets, concatenated. */
const multipliersIn = ({ sets }: FieldSettings, p: ParameterValues | Entries): Float64Array =>
  sets.length === 1
    ? new Float64Array(p[sets[0]![0]] as ArrayLike<number>)
    : Float64Array.from(sets.flatMap(([name]) => Array.from(p[name] as ArrayLike<number>)));

const multiplierTensor = ({ sets }: FieldSettings, p: TensorMap): Tensor1D =>
  sets.length === 1
    ? (p[sets[0]![0]] as Tensor1D)
    : op.concat<Tensor1D>(
        sets.map(([name]) => p[name] as Tensor1D),
        0,
      );

function fieldOf(settings: FieldSettings, overrides: Readonly<Record<string, ParameterLike>>): Density<'field'> {
  const { base, sets, best } = settings;
  const graph = graphOf(settings);
  const values = valuesOf(settings);
  if (best) checkBest(settings, graph, values);
  let form: FieldForm | undefined;
  const formOf = (rows: number): FieldForm => {
    if (graph) checkGraph(graph, 'maxEntropy', rows);
    if (form?.size !== rows) form = graph ? distanceForm(graph, base) : quadraticForm(sets, rows, base);
    return form;
  };
  const points = values && (graph?.size ?? pointsOf(sets.map(([, set]) => set)));
  const dualOf = (data: Matrix | undefined, rows: number, columns: number | undefined): Dual => {
    const statistics = values ?? (data && formOf(rows).statisticsOf(data));
    const copies = settings.copies ?? columns;
    const ties =
      graph && statistics && settings.slack === Infinity ? tiesOf(graph, statistics, copies as number) : undefined;
    return { statistics, copies, ties, upper: ties?.upper ?? 4 * settings.slack };
  };
  const parametersOf = (data: Matrix | undefined, rows: number, columns: number | undefined, variable: string) =>
    best ? {} : parametersIn(settings, dualOf(data, rows, columns), overrides, data, variable);
  const prepared = (data: Matrix | undefined, rows: number, columns: number | undefined): FieldConstants => {
    const holed = data?.data.some(Number.isNaN) === true;
    const open = holed
      ? openObserved(graph!, base, data)
      : formOf(rows).open(data !== undefined || values !== undefined);
    const learn = lazily(() => best!.learner(graph!));
    return { ...dualOf(data, rows, columns), open, rows: data, learn, dispose: () => open.dispose() };
  };
  const statisticsIn = (w: Float64Array, { open, statistics }: FieldConstants) =>
    'statisticsAt' in open ? open.statisticsAt(w) : statistics;
  const given = Object.values(overrides);
  const isHeld = given.length === sets.length && given.every(isFixed);
  const isGiven = given.length === sets.length && given.every(isParameter) && settings.slack < Infinity;

  return Object.freeze<Density<'field'>>({
    kind: 'density',
    name: 'field',
    normalized: settings.copies === undefined && values === undefined,
    exact: true,
    centered: true,
    takesMissing: graph !== undefined && settings.copies !== undefined && !best,
    independent: false,
    parameters:
      best || isHeld || isGiven
        ? Object.freeze(parametersOf(undefined, points ?? 0, settings.copies, 'latents'))
        : ({ data, rows, columns, variable }) => parametersOf(data, rows, columns, variable),
    prepare: ({ data, rows, columns }) => prepared(data, rows, columns),
    logDensity: (p, { value }, context) => {
      const { open, statistics, learn, copies, upper } = context.constants as FieldConstants;
      const [n, columns] = value?.shape ?? [points!, 1];
      const s = statistics ?? formOf(n).statistics(value);
      const dual = best
        ? best.density(s as Tensor1D, (phi) => learn()(problemOf(settings, phi, copies ?? columns, upper)))
        : open.dual(multiplierTensor(settings, p), s, copies ?? columns);
      if (settings.copies !== undefined || values !== undefined) return dual;
      const energy = op.mul(base / 2, op.sum(op.square(value)));
      return op.sub<Scalar>(op.sub(dual, energy), (columns * n * log(2 * Math.PI)) / 2);
    },
    ...(values === undefined &&
      !best && {
        gaussian: {
          isSparse: true as const,
          precision: (p: TensorMap, { rows }: RowsShape) =>
            formOf(rows).precision(multiplierTensor(settings, p), settings.copies === undefined ? base : 0),
        },
      }),
    search: {
      ...(best
        ? {}
        : {
            curvature: (p: Entries, constants: unknown) => {
              const { open, copies } = constants as FieldConstants;
              return open.curvature(multipliersIn(settings, p), copies!);
            },
            settings: (data: Matrix | undefined) =>
              searchOf(
                settings,
                data,
                values === undefined && !data ? undefined : dualOf(data, data?.rows ?? points!, data?.columns),
              ),
          }),
      ...(graph &&
        !best && {
          findings: (p: ParameterValues, constants: unknown) => {
            const { open, upper, copies, ties, rows } = constants as FieldConstants;
            const w = multipliersIn(settings, p);
            const s = statisticsIn(w, constants as FieldConstants);
            if (s === undefined) return undefined;
            const problem = problemOf(settings, s, copies!, upper);
            const isObserved = 'statisticsAt' in open;
            const found = fieldFindings({
              graph: supportOf(graph, w),
              candidates: w.length,
              upper: ties && !isObserved ? Infinity : upper,
              kktResidual: kktResidual(problem, w, open.expected(w)),
              base,
              connecting: () =>
                isObserved ? observedConnectingPrecision(rows!, graph) : connectingPrecision(graph, s, copies!),
              condition: isObserved ? ' for the distances expected given the observed entries' : '',
            });
            return { ...found, message: found.message + (ties ? tiesInWords(ties) : '') };
          },
        }),
      ...(values === undefined && graph && { graph }),
      ...(best && {
        hessian: (_: unknown, X: Matrix, constants: unknown) => {
          const { learn, upper } = constants as FieldConstants;
          const { copies = X.columns } = settings;
          const problem = problemOf(settings, formOf(X.rows).statisticsOf(X), copies, upper);
          return best.hessian(problem, learn()(problem).weights, X);
        },
      }),
    },
    field: {
      ...(points !== undefined && { points }),
      learned: (p, value, constants) => {
        const own = constants as FieldConstants;
        const { copies = value.columns, upper, open } = own;
        const form = formOf(value.rows || points!);
        if (best) {
          const found = own.learn()(problemOf(settings, form.statisticsOf(value), copies, upper));
          return { ...form.learned(found.weights), kktResidual: () => found.kktResidual };
        }
        const w = multipliersIn(settings, p);
        const residual = () =>
          residualOf(settings, w, open.expected(w), statisticsIn(w, own) ?? form.statisticsOf(value), copies, upper);
        const learned = { ...form.learned(w), ...(!isHeld && { kktResidual: residual }) };
        return graph ? coordinatesOf(settings, learned, { ...own, copies }) : learned;
      },
    },
  });
}

const isFixed = (given: ParameterLike) => isParameter(given) && !given.free;

function problemOf(
  settings: FieldSettings,
  squaredDistances: Float64Array,
  copies: number,
  upper: number,
): FieldProblem {
  const { size, sources, targets } = graphOf(settings)!;
  return { size, sources, targets, squaredDistances, basePrecision: settings.base, copies, upper };
}

/** The multipliers as parameters. */
function parametersIn(
  settings: FieldSettings,
  dual: Dual,
  overrides: Readonly<Record<string, ParameterLike>>,
  data: Matrix | undefined,
  variable: string,
): Record<string, Parameter> {
  const { sets, slack } = settings;
  const graph = graphOf(settings);
  const { statistics, upper, copies = 1 } = dual;
  let from = 0;
  return Object.fromEntries(
    sets.map(([name, { count, at }]) => {
      const own = statistics?.subarray(from, from + count);
      from += count;
      const held = name in overrides && isFixed(overrides[name]!);
      if (statistics === undefined && !held) checkSlack(name, variable, slack);
      if (dual.ties === undefined) checkBounded(name, own, at, slack);
      const scale =
        graph && own
          ? weightScales(problemOf(settings, own, copies, upper))
          : Float64Array.from({ length: count }, (_, k) =>
              Math.min(upper, copies / Math.max(Math.abs(own?.[k] ?? copies), LEAST_STATISTIC * copies)),
            );
      /** Weights that meet the constraints of all edges on average: Σ w_e·R_e ≈ N − 1. */
      const start = data?.data.some(Number.isNaN)
        ? Array.from(scale, (weight) => (weight * (data.rows - 1)) / count)
        : new Array<number>(count).fill(0);
      const standard = box(at === 'most' ? 0 : -upper, upper, start, { scale });
      return [name, name in overrides ? overridden(overrides[name]!, standard, name) : standard];
    }),
  );
}

/** Replacement for the multipliers of a set; initial values are moved within their bounds. */
function overridden(given: ParameterLike, standard: Parameter, name: string): Parameter {
  if (isParameter(given)) {
    checkCount(given.initial, standard, name);
    return parameterFrom(given, standard, `'${name}' of maxEntropy`);
  }
  const { initial } = parameterFrom(given, real(standard.initial), `'${name}' of maxEntropy`);
  const { lower = -Infinity, upper = Infinity } = standard;
  checkCount(initial, standard, name);
  const within = Array.from(initial as readonly number[], (weight) => Math.min(upper, Math.max(lower, weight)));
  return Object.freeze({ ...standard, initial: within });
}

function checkCount(given: unknown, { initial }: Parameter, name: string): void {
  const count = (initial as readonly number[]).length;
  if ((given as ArrayLike<number>).length === count) return;
  throw new InvalidInputError(
    `Multipliers of '${name}' of maxEntropy are one number for each of its ${count} constraints, but ${describe(given)} was given.`,
  );
}

/** Throws for inferred rows without slack: their statistics can go to 0, which leaves the multipliers unbounded. */
function checkSlack(name: string, variable: string, slack: number): void {
  if (slack < Number.POSITIVE_INFINITY) return;
  throw new InvalidInputError(
    `What '${name}' expects are statistics of the rows of '${variable}', which are inferred and may take them to 0: nothing bounds its multipliers then. Give a slack, such as slack: 25.`,
  );
}

function checkBounded(
  name: string,
  statistics: Float64Array | undefined,
  at: ConstraintSet['at'],
  slack: number,
): void {
  const none = at === 'most' ? (statistics?.findIndex((own) => !(own > 0)) ?? -1) : -1;
  if (none < 0 || slack < Number.POSITIVE_INFINITY) return;
  throw new InvalidInputError(
    `Constraint ${none} of '${name}' expects at most ${statistics![none]}, so nothing bounds its multiplier. Give a slack, such as slack: 25, or leave it out.`,
  );
}

function checkBest({ slack }: FieldSettings, graph: Graph | undefined, values: Float64Array | undefined): void {
  if (graph === undefined || values !== undefined) {
    throw new InvalidInputError(
      'maxEntropy finds bestMultipliers() for one set of squared differences of rows that move. Leave multipliers out, so that they are parameters.',
    );
  }
  if (slack < Number.POSITIVE_INFINITY) return;
  throw new InvalidInputError(
    'With slack Infinity and distances of rows that move the objective has no bound: two latents that meet raise the weight between them without end. Give a finite slack, such as 25.',
  );
}

/** A suitable search for rows that do not move. */
function searchOf(settings: FieldSettings, data: Matrix | undefined, dual: Dual | undefined): Search | undefined {
  if (dual?.statistics === undefined) return undefined;
  const { statistics, upper, copies } = dual;
  const problem = graphOf(settings) && problemOf(settings, statistics, copies!, upper);
  const holed = data?.data.some(Number.isNaN) ? copies : undefined;
  const solver = async () => {
    const { multipliersSolver } = await import('./solvers/multipliersSolver.ts');
    return multipliersSolver(problem, holed);
  };
  return { tolerance: problem ? 0 : 1e-10, relativeDecrease: 0, solver };
}

/** A learned field of squared differences with coordinates of its points. */
function coordinatesOf(
  { newRows, base, slack }: FieldSettings,
  learned: LearnedByLayer,
  { rows, upper, copies, open, ties }: FieldConstants & { readonly copies: number },
): LearnedByLayer {
  const isObserved = 'statisticsAt' in open;
  const own = ties === undefined || isObserved ? [] : ties.groups;
  if (newRows === undefined) return withCoordinates(learned, base, undefined, own);
  const { neighbors = 'all', observations: given } = newRows;
  const there = given === undefined ? rows : Matrix.from(given);
  if (there === undefined) return withCoordinates(learned, base, undefined, own);
  const observations = isObserved ? imputedByField(laplacianTerms(learned.graph, base), there).mean : there;
  const distancesTo = newRows.distancesTo ?? observedSquaredDistances(observations);
  const density = given === undefined;
  const slackPenalty = isObserved ? upper / 4 : slack;
  return withCoordinates(learned, base, { copies, slackPenalty, neighbors, density, observations, distancesTo }, own);
}

/** Largest violation of the optimality conditions, relative to the expected statistics. */
function residualOf(
  settings: FieldSettings,
  w: Float64Array,
  expected: Float64Array,
  statistics: Float64Array,
  copies: number,
  upper: number,
): number {
  if (graphOf(settings)) return kktResidual(problemOf(settings, statistics, copies, upper), w, expected);
  let largest = 0;
  let k = 0;
  for (const [, { count, at }] of settings.sets) {
    for (let own = 0; own < count; own++, k++) {
      const size = Math.max(Math.abs(statistics[k]!), LEAST_STATISTIC * copies);
      const violation = (copies * expected[k]! - statistics[k]!) / size;
      const lower = at === 'most' ? 0 : -upper;
      // An expectation above its value calls for a larger multiplier.
      if ((w[k]! >= upper && violation > 0) || (w[k]! <= lower && violation < 0)) continue;
      largest = Math.max(largest, Math.abs(violation));
    }
  }
  return largest;
}
