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
import {
  checkName,
  checkOptions,
  givenList,
  isMatrixLike,
  missingOption,
  type OptionsIn,
  typed,
} from '../../core/options.ts';
import type { RowSource } from '../../core/rowMatrices.ts';
import { checkKernel, isOpen, startedAt } from '../../kernels/algebra.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { type KernelJSON, kernelToJSON } from '../../kernels/kernelToJson.ts';
import { checkNoise, gaussian, hasOptimum } from '../../model/entrywise/gaussian.ts';
import {
  checkObserved,
  functionsOf,
  isLikelihood,
  type Likelihood,
  type LikelihoodJSON,
} from '../../model/entrywise/likelihood.ts';
import { known } from '../../model/language/known.ts';
import { isObservations, type Observations, readObservations } from '../../model/language/observations.ts';
import type { KnownVariable } from '../../model/language/variable.ts';
import { flooredNoise, meanVariance, noiseStart } from '../../model/leastNoise.ts';
import { fixed, isParameter, type ParameterLike, parameterFrom, positive } from '../../model/parameter.ts';
import { plainData } from '../../model/plainData.ts';
import {
  approximationFrom,
  type InducingApproximation,
  inducing,
  isApproximation,
  isInducing,
  type ProcessApproximation,
} from '../../processes/approximations.ts';
import { observedPatterns } from '../../processes/covariance/covariance.ts';
import { gaussianProcess } from '../../processes/gaussianProcess.ts';
import type { BoundOptions } from '../../processes/variational/boundPosterior.ts';
import { boundProcess, type ViewProcess } from '../../processes/variational/boundProcess.ts';
import { checkInducing, type Inducing } from '../../processes/variational/inducingVariables.ts';

/** View of the points: its observations, and their dependence on the latents. */
export interface ViewOptions<K extends Kernel = Kernel> extends Omit<OptionsIn<typeof viewEntries>, 'kernel'> {
  /** Covariance of the mapping from latents to observations. */
  readonly kernel: K;
}

/** Kernels of views, by name. */
export type KernelsByView = Readonly<Record<string, Kernel>>;

/** Options of views with these kernels. */
export type ViewsOptions<Kernels extends KernelsByView> = {
  readonly [View in keyof Kernels]: ViewOptions<Kernels[View]>;
};

/** Options of a process of named models, which define their kernel and scales separately. */
export const processEntries = {
  kernel: v.optional(typed<Kernel>()),
  /**
   * Variance σ² > 0 of the Gaussian noise, or a list with one per column; it starts at a hundredth of the observations' mean variance and stays above
   * a millionth of it, or above a thousandth if at least a tenth of the rows repeat others. Fixed at its start unless there are more columns than
   * latent dimensions: the latents could otherwise equal the observations, and the density would be unbounded as σ² goes to 0. Short for
   * `likelihood: gaussian({ variance })`.
   */
  noise: v.optional(typed<ParameterLike>()),
  /** Distribution of the observations around the functions; default Gaussian. Not together with `noise`. */
  likelihood: v.optional(v.custom<Likelihood>(isLikelihood, 'a likelihood, such as poisson()')),
  /** Treatment of missing entries (NaN): 'ignore' uses the observed entries only, and `predict` at the latents imputes the others; by default they are an error. */
  missing: missingOption,
  /** Whether column means are subtracted before fitting and added back by `predict`; default true. */
  center: v.optional(v.boolean()),
  /**
   * Whether columns are divided by their standard deviations, undone by `predict`. 'auto', the default of named models, divides if these differ by a
   * factor of more than ten, and uses one scale per column for predictions, y_d ~ N(0, s_d²·(K + σ²I)) with s_d at its maximum likelihood, so that
   * variances match each column.
   */
  scale: v.optional(scaleOption),
  /**
   * Number of inducing inputs of the mapping, from 1 to N, or their initial values (M×q). The log density is then a bound, at cost O(N·M·(M + D))
   * instead of O(N³), and they are variables under `mapping.inducing`, or `views.<name>.inducing`.
   */
  inducing: v.optional(typed<Inducing>()),
  /**
   * Weights of the rows, N numbers from 0: a row's log density given its latents is multiplied by its weight, like repeated observations. Requires
   * inducing inputs, whose bound is a sum over rows; new rows have weight 1. Default 1 for all.
   */
  rowWeights: v.optional(typed<ArrayLike<number>>()),
  /**
   * Offset of each row, N numbers that are added to the functions of all columns, for counts and labels: the logarithm of an exposure for
   * `poisson` and `negativeBinomial`, log odds for `bernoulli`. New rows need theirs: `project(Y, { given: { offset } })`, N×1. Default none.
   */
  offset: v.optional(typed<ArrayLike<number>>()),
};
/** Options of a process with any approximation of its covariance. */
export const approximatedEntries = {
  ...processEntries,
  /**
   * How the covariance of the mapping is computed: `exact()`, `inducing(M)` or `basis(m)`; not together with `inducing`, the short form of the second.
   */
  approximation: v.optional(v.custom<ProcessApproximation>(isApproximation, 'exact(), inducing(50) or basis(20)')),
};
/** Options of a view. */
export const viewEntries = {
  ...approximatedEntries,
  /** Observations, N×D with points as rows, or the result of `readObservations`. */
  observations: typed<MatrixLike | Observations>(),
  /** Covariance of the mapping from latents to observations. */
  kernel: typed<Kernel>(),
  /**
   * Whether columns are divided by their standard deviations, undone by `predict`. 'auto', the default of named models, divides if these differ by a
   * factor of more than ten, and uses one scale per column for predictions, y_d ~ N(0, s_d²·(K + σ²I)) with s_d at its maximum likelihood, so that
   * variances match each column.
   */
  scale: v.optional(scaleOption, false),
};
const schema = v.strictObject(viewEntries);

/** True for real numbers with Gaussian noise, which may be shifted and scaled. */
export const isReal = ({ likelihood }: { readonly likelihood?: Likelihood | undefined }) =>
  likelihood?.conjugate !== undefined || likelihood === undefined;

/** Observations for a likelihood: counts and labels are not scaled, and shifted only on request, which their likelihood rejects. */
export function readUnder(
  values: MatrixLike | RowSource | Observations,
  {
    likelihood,
    missing,
    center,
    scale,
    offset,
  }: Pick<ViewOptions, 'likelihood' | 'missing' | 'center' | 'scale' | 'offset'>,
): Observations {
  if (isObservations(values)) return values;
  const real = isReal({ likelihood });
  const read = readObservations(values, { missing, center: center ?? real, scale: real && scale });
  if (offset !== undefined) checkOffset(offset, likelihood, read.raw.rows);
  return real ? read : Object.freeze({ ...read, scale: scale ?? false });
}

/** @throws InvalidInputError for a likelihood whose functions cannot be shifted, and unless the offset has a finite number for each of N rows */
function checkOffset(offset: ArrayLike<number>, likelihood: Likelihood | undefined, rows: number): void {
  if (likelihood === undefined || isReal({ likelihood })) {
    throw new InvalidInputError(
      'An offset is for counts and labels, such as likelihood: poisson(). Subtract it from real numbers.',
    );
  }
  if (likelihood.functions > 1 || likelihood.takesRows) {
    throw new InvalidInputError(
      `Likelihood '${likelihood.name}' has several functions, and takes no offset. Leave it out.`,
    );
  }
  const list = Array.from(givenList(offset, 'offset', 'a list of numbers, one per row'));
  const wrong = list.findIndex((entry) => !Number.isFinite(entry));
  if (list.length === rows && wrong < 0) return;
  throw new InvalidInputError(
    `The offset has a finite number for each of ${rows} rows, but ${wrong < 0 ? `${list.length} were given` : `row index ${wrong} has ${list[wrong]}`}.`,
  );
}

/** Mean variance of the functions: for real observations, in the squared unit of the fit; otherwise at least 1. */
export function functionVariance(
  y: Observations,
  likelihood: Likelihood | undefined,
  offset?: ArrayLike<number>,
): number {
  if (likelihood === undefined || isReal({ likelihood })) return meanVariance(y.data);
  const functions = withoutOffset(functionsOf(likelihood, y.raw), offset);
  return Math.max(1, meanVariance(standardized(functions, standardizationOf(functions, true, false))));
}

/** Functions without the offset of each row. */
export const withoutOffset = (functions: Matrix, offset: ArrayLike<number> | undefined): Matrix =>
  offset === undefined ? functions : functions.map((entry, i) => entry - offset[i]!);

/** Checked view: its options and its observations. */
export interface CheckedView {
  /** Name of the view, '' for the only view of a model without names. */
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

/** Throws unless rows of all views are the same points, with an entry of each in some view. */
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
    throw new InvalidInputError(`Row index ${i} is missing in every view of ${model}. Leave that point out.`);
  }
}

/** Settings that the process of a view depends on, apart from its options. */
export interface ProcessSetting {
  /** Initial latents, for kernels with options that depend on them. */
  readonly start: () => Matrix;
  /** Observations with missing entries filled in, which determine the start and lower limit of the noise. */
  readonly completed: Matrix;
  /** True if the latents could equal the observations, so that the noise is not bounded away from 0. */
  readonly isCopied?: boolean;
  /** Number of fitted latent coordinates per observed entry; undefined for Gaussian rows, which have no column scales. */
  readonly inputsPerEntry?: number | undefined;
}

/** Process of a view, and the approximation of its covariance. */
export interface MadeProcess extends ViewProcess {
  readonly approximation: ProcessApproximation;
  /** Offset of the functions, N×1, the last of its inputs. */
  readonly offset?: KnownVariable | undefined;
}

/** Process from points to a view's observations. */
export function pointProcess(
  { owner, name, options, y }: CheckedView,
  { start, completed, isCopied, inputsPerEntry }: ProcessSetting,
): MadeProcess {
  const described = checkKernel(options.kernel, `Option 'kernel'${name === '' ? '' : ` of ${owner}`}`);
  const likelihood = likelihoodFrom(owner, options, completed, isCopied);
  if (options.inducing !== undefined && options.approximation === undefined)
    checkInducing(options.inducing, owner, y.raw.rows);
  const approximation = approximationFrom(options, owner);
  checkObserved(y.raw, likelihood, y.center || y.isScaled);
  const isConjugate = isReal({ likelihood });
  if (!isConjugate && !isInducing(approximation)) {
    throw new InvalidInputError(
      `Under likelihood '${likelihood.name}' ${owner} goes through inducing inputs. Give their number, such as inducing: 50 (--inducing 50).`,
    );
  }
  if (isConjugate) gaussianProcess({ kernel: described, likelihood });
  const kernel = startedKernel(described, start);
  if (!isConjugate) {
    const { options: inputs } = approximation as InducingApproximation;
    const offset = knownOffset(options);
    const hasOffset = offset !== undefined;
    return Object.freeze({
      ...boundProcess({ kernel, likelihood, ...inputs, collapses: false, hasOffset }),
      ...{ approximation, offset },
    });
  }
  // Fixed noise keeps its value.
  const { noise } = likelihood.parameters;
  const hasScales =
    inputsPerEntry !== undefined && y.scale === 'auto' && typeof noise?.initial === 'number' && noise.free;
  const process = gaussianProcess({
    kernel,
    likelihood,
    approximation,
    ...(hasScales && { columnScales: { inputsPerEntry } }),
  });
  const { parameters, density } = process;
  return Object.freeze({ kernel, likelihood, parameters, density, approximation });
}

/** Default maximum number of inducing inputs of latents that are integrated out. */
const MOST_INDUCING = 50;

/** Process from Gaussian rows, which are integrated out, to a view's observations. */
export function rowsProcess(
  { owner, name, options, y }: CheckedView,
  { start, completed }: ProcessSetting,
  {
    collapses = true,
    points,
    jitter,
    ...more
  }: Partial<Pick<BoundOptions, 'collapses' | 'points' | 'jitter' | 'shards' | 'startedAt'>> = {},
): MadeProcess {
  const described = checkKernel(options.kernel, `Option 'kernel'${name === '' ? '' : ` of ${owner}`}`);
  const kernel = startedKernel(described, start);
  const likelihood = likelihoodFrom(owner, options, completed);
  checkObserved(y.raw, likelihood, y.center || y.isScaled);
  // Before the rows are read, only their number is known.
  const rows = y.raw.rows === 0 ? points! : y.raw.rows;
  const inputs = options.inducing ?? Math.min(MOST_INDUCING, rows);
  const approximation = options.approximation ?? inducing(checkInducing(inputs, owner, rows), { jitter });
  if (!isInducing(approximation)) {
    throw new InvalidInputError(
      `Latents of ${owner} that are distributions are integrated out through inducing inputs. Use approximation: inducing(50), or leave it out.`,
    );
  }
  const offset = knownOffset(options);
  const process = boundProcess({
    ...{ kernel, likelihood, ...approximation.options, points, collapses: collapses && hasOptimum(likelihood) },
    ...{ ...more, hasOffset: offset !== undefined },
  });
  return Object.freeze({ ...process, approximation, offset });
}

const knownOffset = ({ offset }: CheckedView['options']): KnownVariable | undefined =>
  offset && known(Array.from(offset, (entry) => [entry]));

/** Kernel with its open options set at the initial latents of the model. */
const startedKernel = (kernel: Kernel, start: () => Matrix): Kernel =>
  isOpen(kernel) ? startedAt(kernel, start()) : kernel;

/** Specified likelihood, or the Gaussian one that `noise` abbreviates, checked against the observations. */
function likelihoodFrom(
  name: string,
  { noise, likelihood: given }: { noise?: unknown; likelihood?: Likelihood | undefined },
  observations: Matrix,
  isCopied = false,
): Likelihood {
  if (noise !== undefined && given !== undefined) {
    throw new InvalidInputError(
      `${name} takes either noise or a likelihood, but both were given. Set it in the likelihood: gaussian({ variance }).`,
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
  readonly basis?: unknown;
  readonly rowWeights?: readonly number[];
  readonly offset?: readonly number[];
}

export function viewToJSON(
  y: Observations,
  { kernel, likelihood, approximation, offset }: MadeProcess,
  rowWeights: Float64Array | undefined,
): ViewJSON {
  const { inducing, jitter } = isInducing(approximation) ? approximation.options : {};
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
    ...(approximation.name === 'basis' && { basis: plainData(approximation.options) }),
    ...(rowWeights && { rowWeights: Array.from(rowWeights) }),
    ...(offset && { offset: Array.from(offset.data.data) }),
  };
}
