import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  isObserved,
  isScaled,
  observationsFrom,
  SCALED_NOTE,
  type ScaleOption,
  type Standardization,
  scaleOption,
  standardizationOf,
  standardized,
  unobservedRow,
} from '../../core/observations.ts';
import { checkName, checkOptions, isMatrixLike, missingOption, numberFromZero } from '../../core/options.ts';
import { lazily } from '../../core/progressiveWork.ts';
import { checkKernel, isOpen, startedAt } from '../../kernels/algebra.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type KernelJSON, kernelToJSON } from '../../kernels/kernelToJson.ts';
import type { LatentDistribution } from '../../latents/latentDistribution.ts';
import { type Latents, latentsOf } from '../../latents/latents.ts';
import { joinedColumns } from '../../model/language/graph.ts';
import { flooredNoise, noiseStart } from '../../model/leastNoise.ts';
import { fixed, isParameter, type ParameterLike, parameterFrom, positive } from '../../model/parameter.ts';
import { imputed } from '../../model/posterior.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { type ObservedPattern, observedPatterns } from '../../processes/covariance/covariance.ts';
import { type ColumnScales, gaussianProcess } from '../../processes/gaussianProcess.ts';
import { checkNoise, gaussian } from '../../processes/likelihoods/gaussian.ts';
import {
  checkObserved,
  isLikelihood,
  type Likelihood,
  type LikelihoodJSON,
} from '../../processes/likelihoods/likelihood.ts';
import { boundProcess, type ViewProcess } from '../../processes/variational/boundProcess.ts';
import { checkInducing, type Inducing, inducingStart } from '../../processes/variational/inducingVariables.ts';

/** Fixed seed of random initial latents at which a kernel's open options are decided, so that a model is independent of the seed of its fit. */
const SEED = 0;

/** Initial latents, N×q, computed once when first asked for. */
function startOf(latents: Latents, Y: Matrix, latentDim: number): () => Matrix {
  return lazily(() => {
    const start = Object.entries(latents.parameters(Y, latentDim, SEED)).map(([path, { initial }]) => [path, initial]);
    return latentsOf(latents, Object.fromEntries(start), Y, Y);
  });
}

/** The kernel with its open options decided at the initial latents of the model. */
export function startedKernel(kernel: Kernel, start: () => Matrix): Kernel {
  return isOpen(kernel) ? startedAt(kernel, start()) : kernel;
}

/** One view of the points: what was observed of them, and how it follows from the latents. */
export interface ViewOptions<K extends Kernel = Kernel> {
  /** N×D, rows are points. */
  readonly observations: MatrixLike;
  /** Covariance of the mapping from latents to observations. */
  readonly kernel: K;
  /**
   * Variance σ² > 0 of the Gaussian noise, or a list with one a column; starts at a hundredth of the observations' mean variance, and is kept above a
   * millionth of it, or above a thousandth where a tenth of the rows or more repeat others. It is held at its start when there are no more columns than
   * latent dimensions: the latents could then be the observations, and the density has no bound as σ² goes to 0. Short for `likelihood: gaussian({ variance })`.
   */
  readonly noise?: ParameterLike | undefined;
  /** How observations are distributed around the functions; Gaussian unless given. Not together with `noise`. */
  readonly likelihood?: Likelihood | undefined;
  /**
   * What to do about missing entries (NaN) of the observations: without it they are an error; 'ignore' lets the mapping see the
   * observed entries only. `predict` at the latents imputes the others.
   */
  readonly missing?: 'ignore' | undefined;
  /** Whether column means are removed before fitting and put back by `predict`; on unless turned off. */
  readonly center?: boolean | undefined;
  /**
   * Whether columns are divided by their standard deviations, undone by `predict`. 'auto' does so where these differ by more than ten times, and gives predictions
   * a scale a column, y_d ~ N(0, s_d²·(K + σ²I)) with s_d at its maximum of likelihood, so that their variances are in each column's own measure.
   */
  readonly scale?: ScaleOption | undefined;
  /**
   * How many inducing inputs the mapping goes through, from 1 to N, or where they start (M×q). The log density is then its bound, at cost
   * O(N·M·(M + D)) in the place of O(N³), and they are variables under `mapping.inducing`, or `views.<name>.inducing`.
   */
  readonly inducing?: Inducing | undefined;
  /** Added to the diagonal of the covariance of the inducing inputs, ≥ 0; 1e-8 of its mean unless given. */
  readonly jitter?: number | undefined;
}

/** Kernels of views, by name. */
export type KernelsByView = Readonly<Record<string, Kernel>>;

/** Options of views with these kernels. */
export type ViewsOptions<Kernels extends KernelsByView> = {
  readonly [View in keyof Kernels]: ViewOptions<Kernels[View]>;
};

/** Whether observations are real numbers with Gaussian noise, which may be shifted and scaled. */
export const isReal = ({ likelihood }: { readonly likelihood?: Likelihood | undefined }) =>
  likelihood?.conjugate !== undefined || likelihood === undefined;

/** Options of a view. */
export const viewEntries = {
  observations: v.any(),
  kernel: v.any(),
  noise: v.optional(v.any()),
  likelihood: v.optional(v.custom<Likelihood>(isLikelihood, 'a likelihood, such as gaussian({ variance: 0.1 })')),
  missing: missingOption,
  center: v.optional(v.boolean()),
  scale: v.optional(scaleOption, false),
  inducing: v.optional(v.any()),
  jitter: v.optional(numberFromZero),
};
const schema = v.strictObject(viewEntries);

/** A view as plain JSON; missing observations are null. */
interface ViewJSON {
  readonly observations: readonly (readonly (number | null)[])[];
  readonly kernel: KernelJSON;
  readonly likelihood: LikelihoodJSON;
  readonly missing?: 'ignore';
  readonly center: boolean;
  readonly scale: ScaleOption;
  readonly inducing?: number | number[][];
  /** 'relative' is 1e-8 of the diagonal's mean; where it is not said, in fits of earlier versions, 1e-8. */
  readonly jitter?: number | 'relative';
}

/** The name of the only view's term, and the segment of its parameters' paths. */
export const MAPPING = 'mapping';

/** One view of the points, checked and with defaults filled in. */
export interface FamilyView {
  /** Its name, in a model with several views. */
  readonly name: string | undefined;
  /** Name of its term. */
  readonly term: string;
  /** Prefix of its parameters' paths. */
  readonly path: string;
  /** The observed entries as the mapping sees them: centered, scaled. */
  readonly patterns: readonly ObservedPattern[];
  /** The observations, NaN where missing, and their form in the mapping. */
  readonly raw: Matrix;
  readonly seenAs: Pick<CheckedView['given'], 'missing' | 'center'> & { readonly scale: boolean };
  /** Shifts and divisors of the columns, where they come from more rows than are here. */
  readonly standardization?: Standardization;
  /** A sentence about the centering and scaling of the columns, for the fit's message. */
  readonly note?: string;
  readonly process: ViewProcess;
  /** Start of its inducing inputs, given that of the latents; used where none was given. */
  readonly inducingAt?: (latents: Matrix) => Matrix;
  toJSON(): ViewJSON;
}

/** A prior in its place in a model: two of one name are distinguished. */
interface PlacedPrior {
  readonly name: string;
  readonly prior: Prior;
}

/** The path that the parameters of a prior begin with. */
export const pathOf = ({ name }: PlacedPrior) => `priors.${name}`;

/** The views of a model, checked, and their observations side by side without holes. */
interface MadeViews {
  readonly observations: Matrix;
  /** At least one. */
  readonly views: readonly FamilyView[];
}

/** The parts of a Gaussian-process latent variable model, with everything checked and defaults filled in. */
export interface FamilyParts extends MadeViews {
  readonly latentDim: number;
  readonly latents: Latents | LatentDistribution;
  readonly priors: readonly PlacedPrior[];
}

export interface CheckedView {
  readonly owner: string;
  readonly given: v.InferOutput<typeof schema> & { readonly center: boolean };
  /** Whether columns are divided by their deviations. */
  readonly scaled: boolean;
  readonly raw: Matrix;
  readonly seen: Matrix;
  readonly patterns: readonly ObservedPattern[];
  readonly standardization: Standardization;
}

/**
 * The views of a model with `latentDim` latent dimensions.
 *
 * @param given - options of each view by its name; of the only view of a model without names, under ''
 * @param areTied - whether something beside the observations says where a point lies: its place itself, or a prior that ties it to others
 */
export function madeViews(
  model: string,
  given: Readonly<Record<string, ViewOptions>>,
  latentDim: number,
  latents: Latents,
  areTied: boolean,
): MadeViews {
  const checked = Object.entries(given).map(([name, options]) => [name, checkedView(model, name, options)] as const);
  if (!areTied || checked.length > 1) checkRows(model, checked);
  const observations = imputed(joinedColumns(checked.map(([, { seen }]) => seen)), latentDim);
  let from = 0;
  const views = checked.map(([name, view]) => {
    const own = columnsOf(observations, from, view.seen.columns);
    from += view.seen.columns;
    return madeView(name, view, own, {
      isCopied: observations.columns <= latentDim,
      inputsPerEntry: inputsPerEntry(
        latents,
        latentDim,
        checked.map(([, each]) => each),
      ),
      start: startOf(latents, observations, latentDim),
    });
  });
  return { observations, views };
}

/** How many numbers of the latents are fitted for each observed entry: q a row, unless they are fixed. */
function inputsPerEntry({ name }: Latents, latentDim: number, checked: readonly CheckedView[]): number {
  const entries = checked.reduce(
    (sum, { patterns }) => sum + patterns.reduce((own, { rows, columns }) => own + rows.length * columns.length, 0),
    0,
  );
  return name === 'fixedAt' ? 0 : (latentDim * checked[0]!.raw.rows) / entries;
}

/** Some columns that lie together. */
function columnsOf(Y: Matrix, from: number, count: number): Matrix {
  const result = Matrix.zeros(Y.rows, count);
  for (let i = 0; i < Y.rows; i++) result.data.set(Y.row(i).subarray(from, from + count), i * count);
  return result;
}

export function checkedView(model: string, name: string, options: ViewOptions): CheckedView {
  const owner = name === '' ? model : `view '${name}' of ${model}`;
  if (name !== '') checkName(name, 'A view');
  if (isMatrixLike(options)) {
    throw new InvalidInputError(
      `${owner} takes observations and a kernel, but a matrix was given. Write { observations: Y, kernel: rbf() }.`,
    );
  }
  const checked = checkOptions(schema, options, owner);
  // Counts and labels are what they are: only real observations are shifted.
  const given = { ...checked, center: checked.center ?? isReal(checked) };
  const raw = observationsFrom(given.observations as MatrixLike, given.missing === 'ignore', given.scale === true);
  const scaled = isReal(checked) && isScaled(raw, given.scale);
  const standardization = standardizationOf(raw, given.center, scaled);
  const seen = standardized(raw, standardization);
  return { owner, given, scaled, raw, seen, patterns: observedPatterns(seen), standardization };
}

export function checkRows(model: string, views: readonly (readonly [string, CheckedView])[]): void {
  const [[first, { raw }], ...others] = views as readonly [readonly [string, CheckedView], ...(typeof views)[number][]];
  const other = others.find(([, view]) => view.raw.rows !== raw.rows);
  if (other !== undefined) {
    throw new InvalidInputError(
      `Rows of all views of ${model} are the same points, but view '${first}' has ${raw.rows} and '${other[0]}' has ${other[1].raw.rows}. ` +
        "Rows that a view lacks are NaN, with missing: 'ignore'.",
    );
  }
  for (let i = 0; i < raw.rows; i++) {
    if (views.some(([, view]) => isObserved(view.raw, i))) continue;
    if (views.length === 1) throw unobservedRow(i, 'the observations');
    throw new InvalidInputError(`Row ${i} is missing in every view of ${model}. Leave that point out.`);
  }
}

function madeView(
  name: string,
  { owner, given, scaled, raw, patterns }: CheckedView,
  completed: Matrix,
  {
    isCopied,
    inputsPerEntry,
    start,
  }: { readonly isCopied: boolean; readonly inputsPerEntry: number; readonly start: () => Matrix },
): MadeViews['views'][number] {
  const described = checkKernel(given.kernel, `Option 'kernel'${name === '' ? '' : ` of ${owner}`}`);
  const likelihood = likelihoodFrom(owner, given, completed, isCopied);
  const inducing = given.inducing === undefined ? undefined : checkInducing(given.inducing, raw.rows, owner);
  checkObserved(raw, likelihood, given.center || scaled);
  // Open options of the kernel are decided when the model is first used; invalid parts are refused now.
  if (isReal({ likelihood })) gaussianProcess({ kernel: described, likelihood });
  else if (inducing === undefined) throw needsInducing(owner, likelihood.name);
  // Noise that is held is what it was said to be.
  const { noise } = likelihood.parameters;
  const hasScales = given.scale === 'auto' && typeof noise?.initial === 'number' && noise.free;
  const columnScales = hasScales ? { inputsPerEntry } : undefined;
  const process = lazily(() =>
    processOf(startedKernel(described, start), { likelihood, columnScales, jitter: given.jitter }, inducing, start),
  );
  return {
    name: name === '' ? undefined : name,
    term: name === '' ? MAPPING : name,
    path: name === '' ? MAPPING : `views.${name}`,
    patterns,
    raw,
    seenAs: { missing: given.missing, center: given.center, scale: scaled },
    ...(scaled && given.scale === 'auto' && { note: SCALED_NOTE }),
    get process() {
      return process();
    },
    ...(typeof inducing === 'number' && { inducingAt: (latents: Matrix) => inducingStart(inducing, latents) }),
    toJSON: () => viewToJSON({ given, raw }, process().kernel, likelihood, inducing),
  };
}

/** A view of these parts as plain JSON. */
export function viewToJSON(
  { given, raw }: Pick<CheckedView, 'given' | 'raw'>,
  kernel: Kernel,
  likelihood: Likelihood,
  inducing: Inducing | undefined,
): ViewJSON {
  return {
    observations: raw.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry))),
    kernel: kernelToJSON(kernel),
    likelihood: likelihood.toJSON(),
    ...(given.missing === undefined ? {} : { missing: given.missing }),
    center: given.center,
    scale: given.scale,
    ...(inducing !== undefined && {
      inducing: typeof inducing === 'number' ? inducing : Matrix.from(inducing).toArrays(),
      jitter: given.jitter ?? 'relative',
    }),
  };
}

function processOf(
  kernel: Kernel,
  {
    likelihood,
    columnScales,
    jitter,
  }: {
    readonly likelihood: Likelihood;
    readonly columnScales: ColumnScales | undefined;
    readonly jitter: number | undefined;
  },
  given: Inducing | undefined,
  start: () => Matrix,
): ViewProcess {
  if (given !== undefined && !isReal({ likelihood })) {
    return boundProcess({ kernel, likelihood, inducing: given, jitter, collapses: false });
  }
  const inducing = given === undefined ? undefined : inducingStart(given, start());
  return gaussianProcess({
    kernel,
    likelihood,
    ...(columnScales && { columnScales }),
    ...(inducing && { inducing, jitter }),
  });
}

function needsInducing(owner: string, likelihood: string): InvalidInputError {
  return new InvalidInputError(
    `Under likelihood '${likelihood}' the functions of ${owner} are not integrated out exactly, but by a bound through inducing inputs. Give their number, such as inducing: 50.`,
  );
}

/**
 * The likelihood that was given, or the Gaussian one that `noise` is short for, checked against the observations.
 *
 * @param isCopied - whether latents may be a copy of the observations, so that nothing keeps the noise from 0
 */
export function likelihoodFrom(
  name: string,
  { noise, likelihood: given }: { noise?: unknown; likelihood?: Likelihood | undefined },
  observations: Matrix,
  isCopied = false,
): Likelihood {
  if (noise !== undefined && given !== undefined) {
    throw new InvalidInputError(
      `${name} takes either noise or a likelihood, but both were given. Say it in the likelihood: gaussian({ variance }).`,
    );
  }
  const start = noiseStart(observations);
  const standard = positive(start);
  const own = (noise as ParameterLike | undefined) ?? (isCopied ? fixed(start) : standard);
  const variance = parameterFrom(own, standard, `'noise' of ${name}`);
  const likelihood =
    given ?? gaussian({ variance: isParameter(noise) ? variance : flooredNoise(variance, observations) });
  checkNoise(likelihood, observations.rows, observations.columns);
  return likelihood;
}
