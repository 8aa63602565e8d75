import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { lazily } from '../core/progressiveWork.ts';
import type { Random } from '../core/random.ts';
import { distinctRows, joinedColumns } from '../core/rowMatrices.ts';
import { scaledIdentity } from '../engine/dense/symmetric.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { checkSlopes, slopeKernel, slopeRows } from '../kernels/slopeKernel.ts';
import { whiteOf } from '../kernels/structure.ts';
import { noiseOfNew } from '../model/entrywise/gaussian.ts';
import { functionsOf, type Likelihood } from '../model/entrywise/likelihood.ts';
import { expectedMoments, logPredictiveEntries, observedAt } from '../model/entrywise/normalExpectation.ts';
import { jointDraw, normalEntries } from '../model/jointDraw.ts';
import type { Conditional, Density, DensityContext, RowMoments, Rows, RowsShape } from '../model/language/density.ts';
import { flooredNoise } from '../model/leastNoise.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { ownTensors, valueTensors } from '../model/part.ts';
import { isInducing, structureOf } from './approximations.ts';
import { columnScales, scaledMoments, scaledNoise } from './columnScales.ts';
import { type ObservedPattern, observedPatterns } from './covariance/covariance.ts';
import { spanningInputs } from './covariance/lowRank.ts';
import { allColumns, covariancesOf, type FunctionMoments, type MomentsAt } from './functionMoments.ts';
import type { GaussianProcess, GivenProcess } from './gaussianProcess.ts';

/** Smallest number of points that makes preparing predictions through fewer inputs worthwhile. */
const FEWEST_POINTS = 200;

/**
 * Approximations through fewer inputs, by their accuracy: the largest fraction of the N points that may represent all of them, and the largest variance
 * of the functions that remains at another point, relative to the noise.
 */
const ROUGH = { most: 1 / 4, rest: 0.01 };
export const CLOSE = { most: 1 / 2, rest: 1e-7 };

/** The members of a process that are needed to approximate it through fewer inputs. */
type ApproximatedProcess = Pick<GaussianProcess, 'kernel' | 'likelihood' | 'approximation'> &
  Partial<Pick<GaussianProcess, 'through'>>;

/**
 * Representative inputs of a process: M of its inputs that determine the functions at the others but for a small variance E. Predictions through them
 * cost O(M²) per point instead of O(N²). Their variance is v + E(x, x), where v would be exact without E; the exact variance is at least v, and at
 * most v + (√E(x, x) + √(v·tr E(X, X)/σ²))², the variance of the same prediction. Rough ones are for searches whose result is refined with the exact
 * process; close ones have tr E(X, X) ≤ N·1e-7·σ².
 *
 * @param values - natural values of the process's parameters
 * @param X - N×q
 * @returns undefined if the largest number of points is not enough, or if the exact process is as cheap
 */
function representativeInputs(
  { kernel, likelihood, approximation }: ApproximatedProcess,
  values: ParameterValues,
  X: Matrix,
  { most, rest }: typeof ROUGH,
): Matrix | undefined {
  if (approximation.name !== 'exact' || X.rows < FEWEST_POINTS) return undefined;
  if (structureOf(kernel, X.rows, X.columns).kind !== 'dense') return undefined;
  return withFloat64(() => {
    const tensors = valueTensors(values);
    const own = Object.fromEntries(Object.keys(kernel.parameters).map((name) => [name, tensors[`kernel.${name}`]!]));
    const noise = Math.min(...doublesOf(likelihood.conjugate!(tensors).variance));
    return spanningInputs(kernel, own, X, rest * noise, Math.floor(most * X.rows));
  });
}

/** Approximate moments of the functions, through representative inputs; undefined without {@link representativeInputs}. */
export function sparseMoments(
  process: ApproximatedProcess,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
  accuracy = ROUGH,
): MomentsAt | undefined {
  if (process.through === undefined) return undefined;
  const inducing = representativeInputs(process, values, X, accuracy);
  return inducing && process.through(inducing).momentsAt({ ...values, inducing }, X, patterns);
}

/** A process without its density. */
export type Process = Pick<
  GaussianProcess,
  'kernel' | 'likelihood' | 'approximation' | 'parameters' | 'given' | 'momentsAt' | 'logDensity' | 'columnScales'
> &
  Partial<Pick<GaussianProcess, 'through'>>;

/**
 * The inputs of a process: its parent variables side by side.
 *
 * @throws InvalidInputError if they have different numbers of rows
 */
function inputs(given: readonly Tensor2D[]): Tensor2D {
  if (given.length === 1) return given[0]!;
  if (given.some(({ shape }) => shape[0] !== given[0]!.shape[0])) {
    const sizes = given.map(({ shape }) => shape.join('×')).join(', ');
    throw new InvalidInputError(`Inputs of a process need the same number of rows, but they are ${sizes}.`);
  }
  return op.concat([...given], 1) as Tensor2D;
}

const calibrates = ({ columnScales }: Pick<Process, 'columnScales'>) => columnScales !== undefined;

/** Parts of a process, without its functions of observations. */
type Described = Pick<Process, 'kernel' | 'likelihood' | 'parameters'> & Partial<Pick<Process, 'approximation'>>;

/** k(X, X), for a kernel whose parameters are among the process's. */
function covarianceOf({ kernel, approximation }: Described, p: TensorMap, X: Tensor2D): Tensor2D {
  if (approximation?.gram !== undefined) return approximation.gram(kernel, p, X);
  return kernel.covariance(ownTensors('kernel', Object.keys(kernel.parameters))(p), X, X, X);
}

/** Jitter of a draw from the prior, relative to the mean variance: covariances of smooth functions have no Cholesky factor without it. */
const DRAW_JITTER = 1e-10;

/** Name and draws, common to the densities of all processes. */
export function functionsDensity(
  described: Described,
): Pick<Density, 'kind' | 'name' | 'centered' | 'takesMissing' | 'support' | 'functionStart' | 'sample'> {
  const { likelihood } = described;
  return {
    kind: 'density',
    name: 'gaussianProcess',
    centered: likelihood.conjugate !== undefined,
    takesMissing: true,
    ...(likelihood.support && { support: likelihood.support }),
    ...(likelihood.conjugate === undefined && { functionStart: (data: Matrix) => functionsOf(likelihood, data) }),
    ...((likelihood.conjugate || likelihood.sample) && {
      sample: (p: TensorMap, random: Random, [n, D]: readonly [number, number], given: readonly Tensor2D[]) => {
        const K = covarianceOf(described, p, inputs(given));
        const added = op.mul<Scalar>(DRAW_JITTER, op.mean(op.diagPart(K)));
        const factor = op.cholesky(op.addDiagonal(K, added), {
          name: 'The covariance of a prior draw',
        });
        const functions = op.matMul<Tensor2D>(factor, normalEntries(random, n, likelihood.functions * D));
        if (likelihood.conjugate === undefined) return likelihood.sample!(p, random, [n, D], [functions]);
        const noise = noiseOfNew(likelihood.conjugate(p), undefined);
        return op.add<Tensor2D>(functions, op.mul(op.sqrt(noise), normalEntries(random, n, D)));
      },
    }),
  };
}

/** Iterations before the noise is freed, for points on a chart. */
const NOISE_HELD = 100;

/** Density of a variable whose columns are draws of a Gaussian process of its parent variables, with noise. */
export function processDensity(process: Process): Density {
  const parameters = process.parameters as Readonly<Record<string, Parameter>>;
  const { noise } = parameters;
  const { approximation } = process;
  return Object.freeze<Density>({
    ...functionsDensity(process),
    normalized: !isInducing(approximation),
    exact: !isInducing(approximation),
    independent: false,
    ...(calibrates(process) && { calibrates: true as const }),
    // Noise that differs between columns gives each column another covariance.
    ...(typeof noise?.initial === 'number' &&
      approximation.name !== 'basis' && {
        gaussian: {
          precision: (p: TensorMap, { rows, given }: RowsShape, { onJitter }: DensityContext) =>
            op.choleskySolve(
              op.cholesky(op.addDiagonal(covarianceOf(process, p, inputs(given)), p.noise as Scalar), {
                name: 'The covariance of a process',
                onJitter,
              }),
              op.eye(rows),
            ),
        },
      }),
    parameters: ({ data, isOnChart, given }) => ({
      ...parameters,
      ...(isOnChart && data !== undefined && noise !== undefined && { noise: flooredNoise(noise, data) }),
      ...(!isInducing(approximation) &&
        approximation.parameters(() => joinedColumns(given.map(({ mean }) => mean)), process.kernel)),
    }),
    // On a chart, points can follow the observations at any noise level. If the noise were free at once, it would fall before the points are in the order of the manifold.
    search: {
      held: ({ isOnChart }) => (isOnChart && noise?.free ? { names: ['noise'], iterations: NOISE_HELD } : undefined),
    },
    // For fixed observations, the data of their patterns are stored. Observations that are inferred are passed to each evaluation.
    prepare: ({ data }) => (data === undefined ? undefined : process.given(observedPatterns(data), data.rows)),
    logDensity: (p, { value, given }, context) => {
      const kept = context.constants as GivenProcess | undefined;
      return kept === undefined
        ? process.logDensity(p, inputs(given), value, context)
        : kept.logDensity(p, inputs(given), context);
    },
    condition: (p, fitted, context) => conditional(process, p, fitted, context),
  });
}

function conditional(process: Process, plain: TensorMap, fitted: Rows, context: DensityContext): Conditional {
  const { kernel } = process;
  const width = fitted.value.shape[1];
  const values = context.values!;
  // The factor of the covariance for one fit, computed once when first needed.
  const known = () =>
    context.remember(process, () => {
      const X = tensorMatrix(inputs(fitted.given));
      const Y = withHoles(fitted);
      const patterns = observedPatterns(Y);
      const ofMeans = lazily(() => process.momentsAt(values, X, patterns));
      const { variance } = fitted;
      // Kept as plain numbers: tensors do not outlive the evaluation.
      const S = variance && { variance: tensorMatrix(variance), factors: fitted.factors?.map(tensorMatrix) };
      const exact = S === undefined ? ofMeans : lazily(() => uncertainGiven(process, values, X, ofMeans(), S));
      return {
        X,
        patterns,
        exact,
        scales: lazily(() => columnScales(process, values, X, Y, exact(), process.columnScales!.inputsPerEntry)),
      };
    });
  const isScaled = calibrates(process) && context.isCalibrated !== false && width > 1;
  const scaled = (moments: MomentsAt) => (isScaled ? scaledMoments(moments, known().scales()) : moments);
  return functionsConditional({
    ...process,
    // Only where it is used: the scales of columns take longer than an evaluation, and the end of a fit needs none.
    get p() {
      return isScaled ? scaledNoise(plain, known().scales()) : plain;
    },
    values,
    width,
    inputs: () => known().X,
    // Integrals over the latents of several rows share most of their points, and need no gradients.
    repeats: context.accuracy === 'close',
    momentsAt: (of) => (A) => {
      const { X, patterns, exact } = known();
      const remembered = (key: object, make: () => MomentsAt) =>
        context.remember(key, () => ({ moments: make() })).moments;
      if (of !== kernel) return scaled(remembered(patterns, () => process.momentsAt(values, X, patterns, of)))(A);
      const { accuracy } = context;
      const through = accuracy === 'rough' ? ROUGH : CLOSE;
      const quick = () => remembered(through, () => sparseMoments(process, values, X, patterns, through) ?? exact());
      // Fewer inputs leave out the variances of observations that are Gaussian rows.
      return scaled(accuracy === undefined || (through === CLOSE && fitted.variance) ? exact() : quick())(A);
    },
  });
}

/**
 * Moments given Gaussian rows instead of observations. With B = k(A, X)·(K + σ²I)⁻¹, the predictive means for the columns of I, the covariance of
 * column d grows by B·S_d·Bᵀ = (BF_d)(BF_d)ᵀ, F_d = diag(s_d)^½ for rows that are independent.
 */
function uncertainGiven(
  { momentsAt }: Process,
  values: ParameterValues,
  X: Matrix,
  ofMeans: MomentsAt,
  { variance, factors }: { readonly variance: Matrix; readonly factors: readonly Matrix[] | undefined },
): MomentsAt {
  const N = X.rows;
  const weightsAt = momentsAt(values, X, observedPatterns(scaledIdentity(N)));
  return (A) => {
    const B = allColumns(weightsAt(A), N).mean;
    /** BF_d */
    const spreadOf = (d: number) =>
      factors === undefined
        ? op.mul<Tensor2D>(B, op.sqrt(matrixTensor(new Matrix(variance.column(d), 1, N))))
        : op.matMul<Tensor2D>(B, matrixTensor(factors[d]!));
    return ofMeans(A).map((group) => {
      const columns = Array.from(group.columns);
      const added = op.concat(
        columns.map((d) => op.sum<Tensor2D>(op.square(spreadOf(d)), 1, true)),
        1,
      );
      return {
        ...group,
        variance: op.add<Tensor2D>(group.variance, added),
        covariance: (column) => {
          const spread = spreadOf(columns[column]!);
          return op.add<Tensor2D>(group.covariance(column), op.matMul<Tensor2D>(spread, spread, false, true));
        },
      };
    });
  };
}

/** Moments of the functions at new rows, given the observations. */
interface KnownFunctions {
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Natural values of the process's parameters, as tensors and as plain numbers. */
  readonly p: TensorMap;
  readonly values: ParameterValues;
  /** D, times the number of functions of the likelihood. */
  readonly width: number;
  /** True if the last parent is an offset of the functions. */
  readonly hasOffset?: boolean | undefined;
  /** Inputs similar to those with known functions. */
  readonly inputs: () => Matrix;
  /** True if inputs repeat, which are then evaluated once. Gradients would miss all but the first of them. */
  readonly repeats?: boolean;
  /** Moments of the functions, or of quantities that another kernel with the same parameters derives from them. */
  readonly momentsAt: (kernel: Kernel) => MomentsAt;
}

/** Parents of a process, and the offset of its functions, n×1, the last of them if there is one. */
export const parentsAndOffset = <T>(
  given: readonly T[],
  hasOffset: boolean | undefined,
): { readonly parents: readonly T[]; readonly offset?: T | undefined } =>
  hasOffset ? { parents: given.slice(0, -1), offset: given.at(-1)! } : { parents: given };

/** Functions with this mean, and an offset. */
export const shiftedBy = (offset: Tensor2D | undefined, mean: Tensor2D): Tensor2D =>
  offset === undefined ? mean : op.add<Tensor2D>(mean, offset);

export function functionsConditional(functions: KnownFunctions): Conditional {
  const { kernel, likelihood, width: D, momentsAt, hasOffset } = functions;
  const isOne = likelihood.functions === 1 && !likelihood.takesRows;
  const functionsAt = (given: readonly Tensor2D[]) => {
    const { parents, offset } = parentsAndOffset(given, hasOffset);
    const all = inputs(parents);
    const distinct = functions.repeats && distinctRows(tensorMatrix(all));
    const points = distinct ? op.gather<Tensor2D>(all, distinct.first) : all;
    const { mean, variance } = allColumns(momentsAt(kernel)(points), D);
    const each = (own: Tensor2D) => (distinct ? op.gather<Tensor2D>(own, distinct.at) : own);
    return { mean: shiftedBy(offset, each(mean)), variance: each(op.relu<Tensor2D>(variance)) };
  };
  const groupsAt = (given: readonly Tensor2D[]) => {
    const { parents, offset } = parentsAndOffset(given, hasOffset);
    return momentsAt(kernel)(inputs(parents)).map((own) => ({ ...own, mean: shiftedBy(offset, own.mean) }));
  };
  return {
    ...((likelihood.functions === 1 || likelihood.momentsAt) && {
      moments: (given: readonly Tensor2D[]) => {
        const groups = groupsAt(given);
        const { mean, variance } = allColumns(groups, D);
        return {
          ...momentsAround(likelihood, functions.p, mean, op.relu<Tensor2D>(variance)),
          ...(isOne && { covariances: () => covariancesOf(groups) }),
        };
      },
    }),
    // An observation of several functions is not itself a function of the latents that a process describes.
    ...(isOne && {
      slopes: (given: readonly Tensor2D[]) => {
        checkSlopesOf(functions);
        const { parents } = parentsAndOffset(given, hasOffset);
        const rows = matrixTensor(slopeRows(tensorMatrix(inputs(parents))));
        const groups = momentsAt(slopeKernel(kernel, functions.inputs()))(rows);
        return { mean: allColumns(groups, D).mean, covariances: () => covariancesOf(groups) };
      },
    }),
    sample: (given, random) => {
      const groups = groupsAt(given);
      if (likelihood.conjugate !== undefined) {
        return drawnFunctions(groups, D, noiseOfNew(likelihood.conjugate(functions.p), undefined), random);
      }
      return observedAt(likelihood, functions.p, drawnFunctions(groups, D, op.scalar(0), random), random);
    },
    logPredictive: ({ value, given, present }) => {
      const { mean, variance } = functionsAt(given);
      const entries = logPredictiveEntries(likelihood, functions.p, mean, variance, value);
      return op.sum(present === undefined ? entries : op.mul(present, entries), 1);
    },
  };
}

/** Moments of observations around functions with these moments, n×D each. For several functions, the moments of the expected observation and the variance around it. */
export function momentsAround(
  likelihood: Likelihood,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
): Pick<RowMoments, 'mean' | 'variance' | 'noise' | 'observed'> {
  if (likelihood.conjugate !== undefined)
    return { mean, variance, noise: noiseOfNew(likelihood.conjugate(p), undefined) };
  // The functions of a category mean nothing one by one: what is predicted are its probabilities, with noise or without.
  if (likelihood.takesRows) return likelihood.moments(p, mean, variance);
  if (likelihood.functions === 1) return { mean, variance, observed: () => likelihood.moments(p, mean, variance) };
  const { expected, observed } = expectedMoments(`Likelihood '${likelihood.name}'`, likelihood, p, mean, variance);
  return { ...expected, noise: observed };
}

/** @throws InvalidInputError for a kernel whose functions are not differentiable */
function checkSlopesOf({
  kernel,
  parameters,
  values,
  inputs,
}: Pick<KnownFunctions, 'kernel' | 'parameters' | 'values' | 'inputs'>): void {
  if (parameters.inducing !== undefined && whiteOf(kernel) !== undefined) {
    throw new InvalidInputError(
      'Slopes through inducing inputs need a kernel without white noise. Leave out white(): the noise of the likelihood has the same effect.',
    );
  }
  checkSlopes(kernel, ownTensors('kernel', Object.keys(kernel.parameters))(valueTensors(values)), inputs());
}

/** Joint draw of the functions, with noise of this variance added. */
function drawnFunctions(groups: readonly FunctionMoments[], D: number, noise: Tensor, random: Random): Tensor2D {
  const all = covariancesOf(groups);
  const isShared = all.length === 1;
  const { mean } = allColumns(groups, D);
  return jointDraw({ mean, covarianceOf: (c) => all[isShared ? 0 : c]!, isShared, noise }, random);
}

/** Rows with NaN where entries are missing. */
export function withHoles({ value, present }: Rows): Matrix {
  const whole = tensorMatrix(value);
  if (present === undefined) return whole;
  const seen = tensorMatrix(present);
  return whole.map((entry, i, j) => (seen.at(i, j) === 0 ? Number.NaN : entry));
}
