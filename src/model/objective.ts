import { InvalidInputError, NumericalError, OptimizationError } from '../core/errors.ts';
import { firstNotFinite } from '../core/plainNumbers.ts';
import { lazily, withGetters } from '../core/progressiveWork.ts';
import { seededRandom } from '../core/random.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import { type RepeatedGradients, valueAndGradients } from '../engine/tensors/gradients.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor } from '../engine/tensors/tensorflow.ts';
import type { Approximation, Measured } from './approximation.ts';
import { curvatureOf } from './denseCurvature.ts';
import type { Assembly, Batch, TensorMap, TermContext } from './model.ts';
import type { Curvature } from './solver.ts';
import { hyperparameterTerms, type SeenVariables, seenVariables, type VariableLayout } from './variables.ts';

/** Offset between random streams that keeps streams of different seeds apart. */
const STREAMS = 7_919_000_003;

/** The log density of a model at some natural values. */
export interface LogDensity {
  /** Sum of the terms. */
  readonly value: number;
  /** Values of the terms by name. */
  readonly terms: Readonly<Record<string, number>>;
  /** Gradient in the natural values of each free parameter, in the order of the layout; undefined if none arrives or was requested. */
  readonly gradients: readonly (Float64Array | undefined)[];
  /** The largest jitter that a factorization needed (absolute, added to the diagonal); 0 if none. */
  readonly jitter: number;
  /** The mean square of the data, if a jitter exceeds it. The log density is then dominated by the jitter, for any model. */
  readonly drowned?: number;
  /** The largest rank of covariances that were factored in low-rank form. */
  readonly rank?: number;
  /** Approximations with their errors, for an evaluation that measures them. */
  readonly approximations?: readonly Approximation[];
}

/** Options of an evaluation. */
export interface EvaluationOptions {
  /** false omits the gradients and saves their cost. */
  readonly differentiated?: boolean;
  /** Seed of the terms' random numbers; default 0. */
  readonly seed?: number;
  /** Iteration of a stochastic solver; default 0. */
  readonly iteration?: number;
  readonly batch?: Batch;
  /** Whether the errors of approximations are measured, which takes longer than the evaluation; default false. */
  readonly measured?: boolean;
}

/** State shared by evaluations of one model at many points with the same options. */
interface Repeated {
  readonly gradients: RepeatedGradients;
  /** Names of the terms. */
  names: readonly string[];
  readonly findings: Findings;
}

/** Information collected while terms are computed. */
interface Findings {
  jitter: number;
  rank: number | undefined;
  drowned: number | undefined;
}

const noFindings = (): Findings => ({ jitter: 0, rank: undefined, drowned: undefined });

/**
 * Evaluates the sum of a model's terms and its gradients, on the float64 backend, leaving no tensor behind.
 *
 * @param natural - entries of the natural values; in a batch, only the entries in the batch
 */
export function logDensity(
  assembly: Assembly,
  layout: VariableLayout,
  natural: readonly Float64Array[],
  of: EvaluationOptions = {},
  repeated?: Repeated,
): LogDensity {
  // Replayed evaluations make no tensors: they switch to the backend only where necessary.
  return repeated === undefined
    ? withFloat64(() => sumOfTerms(assembly, layout, natural, of))
    : sumOfTerms(assembly, layout, natural, of, repeated);
}

function sumOfTerms(
  assembly: Assembly,
  layout: VariableLayout,
  natural: readonly Float64Array[],
  of: EvaluationOptions,
  repeated?: Repeated,
): LogDensity {
  const findings = Object.assign(repeated?.findings ?? {}, noFindings());
  let names = repeated?.names ?? [];
  const { differentiated = true, measured = false } = of;
  const approximations: Approximation[] = [];
  // A density may be evaluated several times, at one draw after another.
  const onApproximation = (own: Approximation, measure?: Measured) => {
    const isKnown = approximations.some(({ name, of: [first] }) => name === own.name && first === own.of[0]);
    if (!isKnown) approximations.push({ ...own, ...measure?.() });
  };
  const sum = (values: TensorMap) => {
    const context = termContext(of, { ...heardBy(findings), ...(measured && { onApproximation }) });
    const parts = termsWithPriors(assembly, layout, values, context);
    names = Object.keys(parts);
    return Object.values(parts);
  };
  const shapes = () => shapesSeen(layout, assembly, of.batch);
  const { values, gradients } = differentiatedSum(layout, natural, shapes, differentiated, sum, repeated?.gradients);
  if (repeated !== undefined) repeated.names = names;
  const terms: Record<string, number> = {};
  let total = 0;
  for (let i = 0; i < names.length; i++) {
    terms[names[i]!] = values[i]!;
    total += values[i]!;
  }
  const { jitter, rank, drowned } = findings;
  const found = { value: total, terms, gradients, jitter, ...(measured && { approximations }) };
  return rank === undefined && drowned === undefined
    ? found
    : { ...found, ...(rank !== undefined && { rank }), ...(drowned !== undefined && { drowned }) };
}

const heardBy = (findings: Findings): Pick<TermContext, 'onJitter' | 'onRank'> => ({
  onJitter: (needed, meanSquare = 0) => {
    findings.jitter = Math.max(findings.jitter, needed);
    if (meanSquare > 0 && needed > meanSquare) findings.drowned = meanSquare;
  },
  onRank: (found) => {
    findings.rank = Math.max(findings.rank ?? 0, found);
  },
});

/** The gradients of each of a model's terms, by the terms' names, in the order of the layout; undefined if none arrives. */
export function termGradients(
  assembly: Assembly,
  layout: VariableLayout,
  natural: readonly Float64Array[],
  of: EvaluationOptions,
): Readonly<Record<string, readonly (Float64Array | undefined)[]>> {
  return withFloat64(() => {
    const found: Record<string, readonly (Float64Array | undefined)[]> = {};
    let names: readonly string[] | undefined;
    const next = () => names?.find((name) => !Object.hasOwn(found, name));
    do {
      let current = '';
      const { gradients } = differentiatedSum(
        layout,
        natural,
        () => shapesSeen(layout, assembly, of.batch),
        true,
        (values) => {
          const parts = termsWithPriors(assembly, layout, values, termContext(of, { onJitter: () => {} }));
          names ??= Object.keys(parts);
          current = next()!;
          return [parts[current]!];
        },
      );
      found[current] = gradients;
    } while (next() !== undefined);
    return found;
  });
}

const freePlaces = new WeakMap<VariableLayout, readonly number[]>();

/** Indices of the free variables. */
function placesOfFree(layout: VariableLayout): readonly number[] {
  let places = freePlaces.get(layout);
  if (places === undefined) {
    places = layout.variables.flatMap(({ start }, i) => (start >= 0 ? [i] : []));
    freePlaces.set(layout, places);
  }
  return places;
}

/** Scalar functions of the natural values, and the gradients of their sum in the free ones, in the order of the layout. */
function differentiatedSum(
  layout: VariableLayout,
  natural: readonly Float64Array[],
  shapesOf: () => readonly (readonly number[])[],
  differentiated: boolean,
  sum: (values: TensorMap) => readonly Scalar[],
  repeated?: RepeatedGradients,
): { values: Float64Array; gradients: (Float64Array | undefined)[] } {
  const { variables } = layout;
  const free = differentiated ? placesOfFree(layout) : [];
  const make = () => {
    const shapes = shapesOf();
    const tensors = natural.map((entries, i) => op.tensor(entries, [...shapes[i]!]));
    const byPath: TensorMap = Object.fromEntries(variables.map(({ path }, i) => [path, tensors[i]!]));
    return { xs: free.map((i): Tensor => tensors[i]!), f: () => sum(byPath) };
  };
  const all = new Array<Float64Array | undefined>(variables.length).fill(undefined);
  if (free.length === 0) {
    return { values: withFloat64(() => Float64Array.from(make().f(), op.valueOf)), gradients: all };
  }
  const differentiate = () => {
    const { f, xs } = make();
    return valueAndGradients(f, xs);
  };
  const { values, gradients } = repeated === undefined ? differentiate() : repeated.at(entriesAt(natural, free), make);
  for (let k = 0; k < free.length; k++) all[free[k]!] = gradients[k];
  return { values, gradients: all };
}

function entriesAt(natural: readonly Float64Array[], places: readonly number[]): Float64Array[] {
  const entries: Float64Array[] = [];
  for (let k = 0; k < places.length; k++) entries.push(natural[places[k]!]!);
  return entries;
}

/** The shapes of the values in an evaluation: in a batch, parameters with one row per point have the batch's rows. */
function shapesSeen({ variables }: VariableLayout, { pointwise }: Assembly, batch?: Batch): (readonly number[])[] {
  return variables.map(({ path, shape }) =>
    batch !== undefined && pointwise?.includes(path) ? [batch.rows.length, ...shape.slice(1)] : shape,
  );
}

/** Terms of a model, including the priors of its parameters. */
function termsWithPriors(
  assembly: Assembly,
  layout: VariableLayout,
  values: TensorMap,
  context: TermContext,
): Record<string, Scalar> {
  const terms = assembly.terms(values, context);
  const priors = hyperparameterTerms(layout, values);
  const name = Object.keys(priors).find((one) => Object.hasOwn(terms, one));
  if (name === undefined) return { ...terms, ...priors };
  throw new InvalidInputError(
    `The model has two terms of the name '${name}', one of them a parameter's prior. Rename the other.`,
  );
}

function termContext(
  { seed = 0, iteration = 0, batch }: EvaluationOptions,
  heard: Pick<TermContext, 'onJitter' | 'onRank' | 'onApproximation'>,
): TermContext {
  const plain = { iteration, ...heard, ...(batch !== undefined && { batch }) };
  // Most models draw nothing, and a stream is not free.
  return withGetters(plain, { random: lazily(() => seededRandom(seed + STREAMS * iteration)) });
}

/** The negative log density as a function of the solver's variables. */
export interface Objective {
  /** The value with its gradient. In a batch, the gradient is with respect to the variables that the batch involves: see `placesOf`. */
  (
    unconstrained: Float64Array,
    of?: Pick<EvaluationOptions, 'iteration' | 'batch'>,
  ): { value: number; gradient: Float64Array; terms: Readonly<Record<string, number>>; jitter: number };
  /** The largest jitter that any evaluation so far needed. */
  jitter(): number;
  /** The curvature of the objective at the point with this gradient, if the model defines it. */
  curvature(unconstrained: Float64Array, gradient: Float64Array): Curvature | undefined;
}

/**
 * The objective of a solver: the negative log density, in the unconstrained variables.
 *
 * @param gradients - replays repeated evaluations of all rows: the model's functions are then called only in the first few
 * @throws OptimizationError if a free parameter receives no gradient, naming its path; NumericalError if a gradient is not finite although the log
 *   density is, naming its term
 */
export function objectiveOf(
  assembly: Assembly,
  layout: VariableLayout,
  seed = 0,
  gradients?: RepeatedGradients,
): Objective {
  let largest = 0;
  const repeated = gradients && { gradients, names: [], findings: noFindings() };
  const objective = (unconstrained: Float64Array, of?: Pick<EvaluationOptions, 'iteration' | 'batch'>) => {
    const seen = seenVariables(layout, unconstrained, assembly.pointwise, of?.batch);
    const natural: Float64Array[] = [];
    for (let i = 0; i < seen.length; i++) natural.push(seen[i]!.natural);
    const {
      value,
      gradients: inNatural,
      terms,
      jitter,
    } = logDensity(
      assembly,
      layout,
      natural,
      { seed, ...of },
      // Draws and batches differ between iterations.
      of?.batch === undefined && of?.iteration === undefined ? repeated : undefined,
    );
    if (jitter > largest) largest = jitter;
    const gradient = ascent(layout, seen, inNatural);
    const sum = negate(gradient);
    if (!Number.isFinite(sum) && Number.isFinite(value)) {
      checkGradients(assembly, layout, natural, inNatural, { seed, ...of });
    }
    return { value: -value, gradient, terms, jitter };
  };
  const curvature = (unconstrained: Float64Array, gradient: Float64Array) =>
    curvatureOf(assembly, layout, unconstrained, gradient);
  return Object.assign(objective, { jitter: () => largest, curvature });
}

/** The gradient of the log density in the free variables, concatenated. */
function ascent(
  { variables }: VariableLayout,
  seen: readonly SeenVariables[],
  gradients: readonly (Float64Array | undefined)[],
): Float64Array {
  let length = 0;
  for (let i = 0; i < seen.length; i++) {
    const { unconstrained } = seen[i]!;
    if (unconstrained === undefined) continue;
    if (gradients[i] === undefined) throw idle(variables, seen, gradients);
    length += unconstrained.length;
  }
  let gradient: Float64Array | undefined;
  let at = 0;
  for (let i = 0; i < seen.length; i++) {
    const { natural, unconstrained } = seen[i]!;
    if (unconstrained === undefined) continue;
    const own = variables[i]!.transform.pullBack(gradients[i]!, natural, unconstrained);
    // The gradient of a single parameter is complete.
    if (own.length === length) return own;
    gradient ??= new Float64Array(length);
    gradient.set(own, at);
    at += unconstrained.length;
  }
  return gradient ?? new Float64Array(length);
}

function idle(
  variables: VariableLayout['variables'],
  seen: readonly SeenVariables[],
  gradients: readonly (Float64Array | undefined)[],
): OptimizationError {
  const isIdle = (i: number) => seen[i]!.unconstrained !== undefined && gradients[i] === undefined;
  const named = variables.flatMap(({ path }, i) => (isIdle(i) ? [`'${path}'`] : []));
  return new OptimizationError(
    `No gradient arrives at ${named.join(', ')}: the objective does not depend on it through operations that TensorFlow.js ` +
      'differentiates. Use it in the covariance or prior with tensor operations, or fix it with fixed(…).',
  );
}

/** Negates entries; short, so that it is compiled soon. Returns the sum, which is not finite if an entry is not. */
function negate(entries: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < entries.length; i++) {
    entries[i] = -entries[i]!;
    sum += entries[i]!;
  }
  return sum;
}

/**
 * Throws if a gradient is not finite although the log density is.
 *
 * @throws NumericalError that names the parameter, and the term whose gradient it is
 */
export function checkGradients(
  assembly: Assembly,
  layout: VariableLayout,
  natural: readonly Float64Array[],
  gradients: LogDensity['gradients'],
  of: EvaluationOptions,
): void {
  const oddEntry = (own: Float64Array | undefined) => (own === undefined ? -1 : firstNotFinite(own));
  const i = gradients.findIndex((own) => oddEntry(own) >= 0);
  if (i < 0) return;
  const entry = oddEntry(gradients[i]);
  const terms = Object.entries(termGradients(assembly, layout, natural, of)).filter(([, own]) => oddEntry(own[i]) >= 0);
  const whose = terms.length === 0 ? '' : ` of ${terms.map(([name]) => `term '${name}'`).join(' and ')}`;
  throw new NumericalError(
    `The gradient${whose} in '${layout.variables[i]!.path}' is ${gradients[i]![entry]} (entry ${entry}), though the log density is finite. Check the ` +
      'operations that lead there with checkGradient or checkDensity of latentfield/testing: a square root or quotient at 0, perhaps.',
  );
}

/** Throws a NumericalError that names the terms that are not finite. */
export function checkFinite({ value, terms }: LogDensity): void {
  if (Number.isFinite(value)) return;
  throw new NumericalError(
    `The log density is ${signed(value)}: ${brokenTerms(terms)}. Check the values that were given, or start from other ones.`,
  );
}

/** The terms that are not finite, in words. */
export const brokenTerms = (terms: Readonly<Record<string, number>>): string =>
  Object.entries(terms)
    .filter(([, term]) => !Number.isFinite(term))
    .map(([name, term]) => `term '${name}' is ${signed(term)}`)
    .join(', ');

const signed = (value: number): string => String(value).replace('Infinity', '∞').replace('-', '−');
