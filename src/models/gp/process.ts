import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import {
  isObserved,
  type ScaleOption,
  scaleOption,
  standardizationOf,
  standardized,
  unobservedRow,
} from '../../core/observations.ts';
import { checkName, checkOptions, isMatrixLike, missingOption, numberFromZero } from '../../core/options.ts';
import type { RowSource } from '../../core/rowMatrices.ts';
import { checkKernel, isOpen, startedAt } from '../../kernels/algebra.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type KernelJSON, kernelToJSON } from '../../kernels/kernelToJson.ts';
import { isObservations, type Observations, readObservations } from '../../model/language/observations.ts';
import { flooredNoise, meanVariance, noiseStart } from '../../model/leastNoise.ts';
import { fixed, isParameter, type ParameterLike, parameterFrom, positive } from '../../model/parameter.ts';
import { observedPatterns } from '../../processes/covariance/covariance.ts';
import { gaussianProcess } from '../../processes/gaussianProcess.ts';
import { checkNoise, gaussian } from '../../processes/likelihoods/gaussian.ts';
import {
  checkObserved,
  functionsOf,
  isLikelihood,
  type Likelihood,
  type LikelihoodJSON,
} from '../../processes/likelihoods/likelihood.ts';
import type { BoundOptions } from '../../processes/variational/boundPosterior.ts';
import { boundProcess, type ViewProcess } from '../../processes/variational/boundProcess.ts';
import { checkInducing, type Inducing } from '../../processes/variational/inducingVariables.ts';

/** One view of the points: what was observed of them, and how it follows from the latents. */
export interface ViewOptions<K extends Kernel = Kernel> {
  /** N×D, rows are points; or what `readObservations` returned. */
  readonly observations: MatrixLike | Observations;
  /** Covariance of the mapping from latents to observations. */
  readonly kernel: K;
  /**
   * Variance σ² > 0 of the Gaussian noise, or a list with one per column; starts at a hundredth of the observations' mean variance and stays above a
   * millionth of it, or above a thousandth where at least a tenth of the rows repeat others. Fixed at its start without more columns than latent
   * dimensions: the latents could then be the observations, and the density has no bound as σ² goes to 0. Short for `likelihood: gaussian({ variance })`.
   */
  readonly noise?: ParameterLike | undefined;
  /** Distribution of the observations around the functions; default Gaussian. Not together with `noise`. */
  readonly likelihood?: Likelihood | undefined;
  /** Treatment of missing entries (NaN): 'ignore' uses the observed entries only, and `predict` at the latents imputes the others; default an error. */
  readonly missing?: 'ignore' | undefined;
  /** Whether column means are removed before fitting and put back by `predict`; on unless turned off. */
  readonly center?: boolean | undefined;
  /**
   * Whether columns are divided by their standard deviations, undone by `predict`. 'auto', the default of named models, divides where these differ by more
   * than ten times, and gives predictions one scale per column, y_d ~ N(0, s_d²·(K + σ²I)) with s_d at its maximum of likelihood, so that their variances
   * are in each column's own measure.
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

/** Options of a process of named models, which have a kernel and a treatment of scales of their own. */
export const processEntries = {
  kernel: v.optional(v.any()),
  noise: v.optional(v.any()),
  likelihood: v.optional(v.custom<Likelihood>(isLikelihood, 'a likelihood, such as poisson()')),
  missing: missingOption,
  center: v.optional(v.boolean()),
  scale: v.optional(scaleOption),
  inducing: v.optional(v.any()),
  jitter: v.optional(numberFromZero),
};
/** Options of a view. */
export const viewEntries = {
  ...processEntries,
  observations: v.any(),
  kernel: v.any(),
  scale: v.optional(scaleOption, false),
};
const schema = v.strictObject(viewEntries);

/** True for real numbers with Gaussian noise, which may be shifted and scaled. */
export const isReal = ({ likelihood }: { readonly likelihood?: Likelihood | undefined }) =>
  likelihood?.conjugate !== undefined || likelihood === undefined;

/** Observations under a likelihood: counts and labels are not scaled, and shifted only if that is asked for, which their likelihood refuses. */
export function readUnder(
  values: MatrixLike | RowSource | Observations,
  { likelihood, missing, center, scale }: Pick<ViewOptions, 'likelihood' | 'missing' | 'center' | 'scale'>,
): Observations {
  if (isObservations(values)) return values;
  const real = isReal({ likelihood });
  const read = readObservations(values, { missing, center: center ?? real, scale: real && scale });
  return real ? read : Object.freeze({ ...read, scale: scale ?? false });
}

/** The mean variance of the functions: of real observations as they are fitted, which goes with the square of their unit; of others, at least 1. */
export function functionVariance(y: Observations, likelihood: Likelihood | undefined): number {
  if (likelihood === undefined || isReal({ likelihood })) return meanVariance(y.data);
  const functions = functionsOf(likelihood, y.raw);
  return Math.max(1, meanVariance(standardized(functions, standardizationOf(functions, true, false))));
}

/** A view, checked: its options, and its observations as they were read. */
export interface CheckedView {
  /** Its name, '' for the only view of a model without names. */
  readonly name: string;
  readonly owner: string;
  readonly options: Omit<v.InferOutput<typeof schema>, 'observations'>;
  readonly y: Observations;
}

export function checkedView(model: string, name: string, given: ViewOptions): CheckedView {
  const owner = name === '' ? model : `view '${name}' of ${model}`;
  if (name !== '') checkName(name, 'A view');
  if (isMatrixLike(given)) {
    throw new InvalidInputError(
      `${owner} takes observations and a kernel, but a matrix was given. Write { observations: Y, kernel: rbf() }.`,
    );
  }
  const { observations, ...options } = checkOptions(schema, given, owner);
  return { name, owner, options, y: readUnder(observations as MatrixLike, options) };
}

/** Throws unless rows of all views are the same points, and some view has an entry of each. */
export function checkRows(model: string, views: readonly CheckedView[]): void {
  const [first, ...others] = views as readonly [CheckedView, ...CheckedView[]];
  const { rows } = first.y.raw;
  const other = others.find(({ y }) => y.raw.rows !== rows);
  if (other !== undefined) {
    throw new InvalidInputError(
      `Rows of all views of ${model} are the same points, but view '${first.name}' has ${rows} and '${other.name}' has ${other.y.raw.rows}. ` +
        "Rows that a view lacks are NaN, with missing: 'ignore'.",
    );
  }
  for (let i = 0; i < rows; i++) {
    if (views.some(({ y }) => isObserved(y.raw, i))) continue;
    if (views.length === 1) throw unobservedRow(i, 'the observations');
    throw new InvalidInputError(`Row ${i} is missing in every view of ${model}. Leave that point out.`);
  }
}

/** What the process of a view depends on beside its options. */
export interface ProcessSetting {
  /** Where the latents start, for kernels whose options are decided there. */
  readonly start: () => Matrix;
  /** Observations that the noise starts from and is kept above a part of: complete ones, where missing entries were filled in. */
  readonly completed: Matrix;
  /** True if the latents could be a copy of the observations, so that nothing keeps the noise from 0. */
  readonly isCopied?: boolean;
  /** Number of latent coordinates that are fitted for each observed entry; for Gaussian rows, which have no scales of columns, undefined. */
  readonly inputsPerEntry?: number | undefined;
}

/** The process of a view, and what it was made with. */
export interface MadeProcess extends ViewProcess {
  readonly inducing: Inducing | undefined;
  readonly jitter: number | undefined;
}

/** The process from points to a view's observations. */
export function pointProcess(
  { owner, name, options, y }: CheckedView,
  { start, completed, isCopied, inputsPerEntry }: ProcessSetting,
): MadeProcess {
  const described = checkKernel(options.kernel, `Option 'kernel'${name === '' ? '' : ` of ${owner}`}`);
  const likelihood = likelihoodFrom(owner, options, completed, isCopied);
  const { jitter } = options;
  const inducing = options.inducing === undefined ? undefined : checkInducing(options.inducing, y.raw.rows, owner);
  checkObserved(y.raw, likelihood, y.center || y.isScaled);
  const isConjugate = isReal({ likelihood });
  if (!isConjugate && inducing === undefined) {
    throw new InvalidInputError(
      `Under likelihood '${likelihood.name}' the functions of ${owner} are not integrated out exactly, but by a bound through inducing inputs. Give their number, such as inducing: 50.`,
    );
  }
  if (isConjugate) gaussianProcess({ kernel: described, likelihood });
  const kernel = startedKernel(described, start);
  if (!isConjugate) {
    const bound = boundProcess({ kernel, likelihood, inducing: inducing!, jitter, collapses: false });
    return Object.freeze({ ...bound, inducing, jitter });
  }
  // Noise that is held is what it was said to be.
  const { noise } = likelihood.parameters;
  const hasScales =
    inputsPerEntry !== undefined && y.scale === 'auto' && typeof noise?.initial === 'number' && noise.free;
  const process = gaussianProcess({
    kernel,
    likelihood,
    ...(hasScales && { columnScales: { inputsPerEntry } }),
    ...(inducing !== undefined && { inducing, jitter }),
  });
  const { parameters, density } = process;
  return Object.freeze({ kernel, likelihood, parameters, density, inducing, jitter });
}

/** Inducing inputs of latents that are integrated out, at most, unless more are asked for. */
const MOST_INDUCING = 50;

/** True where q(u) can be worked out: under Gaussian noise with one variance. */
export const collapses = ({ conjugate, parameters }: Likelihood): boolean =>
  conjugate !== undefined && typeof parameters.noise?.initial === 'number';

/** The process from Gaussian rows, which are integrated out, to a view's observations. */
export function rowsProcess(
  { owner, name, options, y }: CheckedView,
  { start, completed }: ProcessSetting,
  {
    collapses: mayCollapse = true,
    points,
    ...more
  }: Partial<Pick<BoundOptions, 'collapses' | 'points' | 'shards' | 'startedAt'>> = {},
): MadeProcess {
  const described = checkKernel(options.kernel, `Option 'kernel'${name === '' ? '' : ` of ${owner}`}`);
  const kernel = startedKernel(described, start);
  const likelihood = likelihoodFrom(owner, options, completed);
  checkObserved(y.raw, likelihood, y.center || y.isScaled);
  const { jitter } = options;
  // Of rows that are not read yet, their number alone is known.
  const rows = y.raw.rows === 0 ? points! : y.raw.rows;
  const inducing = checkInducing(options.inducing ?? Math.min(MOST_INDUCING, rows), rows, owner);
  const isCollapsed = collapses(likelihood) && mayCollapse;
  const process = boundProcess({ kernel, likelihood, inducing, jitter, collapses: isCollapsed, points, ...more });
  return Object.freeze({ ...process, inducing, jitter });
}

/** The kernel with its open options decided at the initial latents of the model. */
const startedKernel = (kernel: Kernel, start: () => Matrix): Kernel =>
  isOpen(kernel) ? startedAt(kernel, start()) : kernel;

/** The likelihood that was given, or the Gaussian one that `noise` is short for, checked against the observations. */
function likelihoodFrom(
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

/** Number of observed entries. */
export const entriesOf = ({ data }: Observations): number =>
  observedPatterns(data).reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0);

/** A view as plain JSON; missing observations are null. */
interface ViewJSON {
  readonly observations: readonly (readonly (number | null)[])[];
  readonly kernel: KernelJSON;
  readonly likelihood: LikelihoodJSON;
  readonly missing?: 'ignore';
  readonly center: boolean;
  readonly scale: ScaleOption;
  readonly inducing?: number | number[][];
  /** 'relative' is 1e-8 of the diagonal's mean. */
  readonly jitter?: number | 'relative';
}

export function viewToJSON(y: Observations, { kernel, likelihood, inducing, jitter }: MadeProcess): ViewJSON {
  return {
    observations: y.raw.toArrays().map((row) => row.map((entry) => (Number.isNaN(entry) ? null : entry))),
    kernel: kernelToJSON(kernel),
    likelihood: likelihood.toJSON(),
    ...(y.missing === undefined ? {} : { missing: y.missing }),
    center: y.center,
    scale: y.scale,
    ...(inducing !== undefined && {
      inducing: typeof inducing === 'number' ? inducing : Matrix.from(inducing).toArrays(),
      jitter: jitter ?? 'relative',
    }),
  };
}
