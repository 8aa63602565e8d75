import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { lazily } from '../core/progressiveWork.ts';
import type { Random } from '../core/random.ts';
import { checkSlopes, slopeKernel, slopeRows } from '../kernels/slopeKernel.ts';
import { whiteOf } from '../kernels/structure/index.ts';
import { jointDraw, normalEntries } from '../model/jointDraw.ts';
import type { Conditional, Density, DensityContext, Rows } from '../model/language/density.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { ownTensors } from '../model/part.ts';
import { valueTensors } from '../model/valueTensors.ts';
import { doublesOf } from '../tensors/doubles.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import * as op from '../tensors/ops.ts';
import type { Tensor2D } from '../tensors/tensorflow.ts';
import { columnScales, scaledMoments, scaledNoise } from './columnScales.ts';
import type { MomentsAt } from './conditionedProcess.ts';
import { logPredictiveEntries } from './conditionedProcess.ts';
import { allColumns, covariancesOf, type FunctionMoments } from './functionMoments.ts';
import type { GaussianProcess, GivenProcess } from './gaussianProcess.ts';
import { noiseOfNew } from './likelihoods/gaussian.ts';
import { type ObservedPattern, observedPatterns } from './observedPatterns.ts';
import { sparseMoments } from './sparseApproximation.ts';

/** A process before its density is added to it; `logDensity` and `through` are those of processes that are integrated out exactly. */
export type Process = Pick<GaussianProcess, 'kernel' | 'likelihood' | 'parameters' | 'given' | 'momentsAt'> &
  Partial<Pick<GaussianProcess, 'logDensity' | 'through' | 'columnScales'>>;

/** What the variables given are for a process: inputs side by side. */
const inputs = (given: readonly Tensor2D[]): Tensor2D =>
  given.length === 1 ? given[0]! : (op.concat([...given], 1) as Tensor2D);

/** The density of a variable whose columns are draws of a Gaussian process of the variables that it is given, with noise. */
export function processDensity(process: Process, jitter: number): Density {
  const { likelihood, kernel } = process;
  const parameters = process.parameters as Readonly<Record<string, Parameter>>;
  return Object.freeze<Density>({
    kind: 'density',
    name: 'gaussianProcess',
    normalised: parameters.inducing === undefined,
    exact: parameters.inducing === undefined,
    centred: likelihood.conjugate !== undefined,
    takesMissing: true,
    independent: false,
    scales: Object.keys(parameters).filter((name) => name === 'noise' || /^kernel\..*variance$/i.test(name)),
    parameters: () => parameters,
    // Observations stay the same: what their patterns need is kept. Those of a variable that is inferred come with each evaluation.
    prepare: ({ data }) => (data === undefined ? undefined : process.given(observedPatterns(data), data.rows)),
    logDensity: (p, { value, given }, context) => {
      const kept = context.constants as GivenProcess | undefined;
      return kept === undefined
        ? process.logDensity!(p, inputs(given), value, context)
        : kept.logDensity(p, inputs(given), context);
    },
    condition: (p, fitted, context) => conditional(process, p, fitted, context),
    ...((likelihood.conjugate || likelihood.density.sample) && {
      sample: (p: TensorMap, random: Random, [n, D]: readonly [number, number], given: readonly Tensor2D[]) => {
        const own = Object.fromEntries(Object.keys(kernel.parameters).map((key) => [key, p[`kernel.${key}`]!]));
        const X = inputs(given);
        const K = kernel.covariance(own, X, X, X);
        const factor = op.cholesky(op.addDiagonal(K, op.scalar(jitter)), { name: 'The covariance of a prior draw' });
        const functions = op.matMul<Tensor2D>(factor, normalEntries(random, n, D));
        if (likelihood.conjugate === undefined) return likelihood.density.sample!(p, random, [n, D], [functions]);
        const noise = noiseOfNew(likelihood.conjugate(p), undefined);
        return op.add<Tensor2D>(functions, op.mul(op.sqrt(noise), normalEntries(random, n, D)));
      },
    }),
  });
}

function conditional(process: Process, plain: TensorMap, fitted: Rows, context: DensityContext): Conditional {
  const { likelihood } = process;
  const D = fitted.value.shape[1];
  const values = context.values!;
  // Of one fit made once, when it is first needed: the factor of the covariance.
  const known = () =>
    context.remember(process, () => {
      const X = tensorMatrix(inputs(fitted.given));
      const Y = withHoles(fitted);
      const patterns = observedPatterns(Y);
      const exact = lazily(() => process.momentsAt(values, X, patterns));
      return {
        X,
        patterns,
        exact,
        slopes: lazily(() => slopeMoments(process, values, X, patterns)),
        scales: lazily(() => columnScales(process, values, X, Y, exact(), process.columnScales!.freedom)),
      };
    });
  const isScaled = process.columnScales !== undefined && D > 1;
  const p = isScaled ? scaledNoise(plain, known().scales()) : plain;
  const momentsAt: MomentsAt = (A) => {
    const { X, patterns, exact, scales } = known();
    const quick = () =>
      context.remember(exact, () => ({ moments: sparseMoments(process, values, X, patterns) ?? exact() })).moments;
    const moments = context.isRough ? quick() : exact();
    return (isScaled ? scaledMoments(moments, scales()) : moments)(A);
  };
  const functionsAt = (given: readonly Tensor2D[]) => {
    const { mean, variance } = allColumns(momentsAt(inputs(given)), D);
    return { mean, variance: op.relu<Tensor2D>(variance) };
  };
  return {
    moments: (given) => {
      const groups = momentsAt(inputs(given));
      const { mean, variance } = allColumns(groups, D);
      return {
        mean,
        variance: op.relu<Tensor2D>(variance),
        ...(likelihood.conjugate === undefined
          ? { observed: () => likelihood.moments(p, mean, op.relu<Tensor2D>(variance)) }
          : { noise: noiseOfNew(likelihood.conjugate(p), undefined) }),
        covariances: () => covariancesOf(groups),
      };
    },
    slopes: (given) => {
      const { slopes, scales } = known();
      const slopesAt = isScaled ? scaledMoments(slopes(), scales()) : slopes();
      const groups = slopesAt(matrixTensor(slopeRows(tensorMatrix(inputs(given)))));
      return { mean: allColumns(groups, D).mean, covariances: () => covariancesOf(groups) };
    },
    ...(likelihood.conjugate === undefined && {
      sample: (given: readonly Tensor2D[], random: Random) => {
        if (likelihood.density.sample === undefined) {
          throw new InvalidInputError(
            `Observations of likelihood '${likelihood.name}' cannot be drawn: give defineLikelihood its sample, or draw the functions behind them: sample(X, { noise: false }).`,
          );
        }
        const functions = drawnFunctions(momentsAt(inputs(given)), D, random);
        return likelihood.density.sample(p, random, functions.shape, [functions]);
      },
    }),
    logPredictive: ({ value, given, present }) => {
      const { mean, variance } = functionsAt(given);
      const entries = logPredictiveEntries(likelihood, p, mean, variance, value);
      return op.sum(present === undefined ? entries : op.mul(present, entries), 1);
    },
  };
}

/**
 * Moments of the functions' slopes: those of a process whose kernel is that of the slopes.
 *
 * @throws InvalidInputError when they are asked for, for a kernel whose functions have none
 */
export function slopeMoments(
  { kernel, parameters, momentsAt }: Process,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
): MomentsAt {
  const made = lazily(() => {
    if (parameters.inducing !== undefined && whiteOf(kernel) !== undefined) {
      throw new InvalidInputError(
        'Slopes of functions through inducing inputs are known without white noise in their kernel. Leave out white(): the noise of the likelihood says the same.',
      );
    }
    const p = valueTensors(values);
    checkSlopes(kernel, ownTensors('kernel', Object.keys(kernel.parameters))(p), X);
    return momentsAt(values, X, patterns, slopeKernel(kernel, X));
  });
  return (A) => made()(A);
}

function drawnFunctions(groups: readonly FunctionMoments[], D: number, random: Random): Tensor2D {
  const all = covariancesOf(groups);
  const isShared = all.length === 1;
  const { mean } = allColumns(groups, D);
  return jointDraw({ mean, covarianceOf: (c) => all[isShared ? 0 : c]!, isShared, noise: op.scalar(0) }, random);
}

/** Rows with NaN where entries are missing. */
function withHoles({ value, present }: Rows): Matrix {
  const whole = tensorMatrix(value);
  if (present === undefined) return whole;
  const seen = doublesOf(present);
  return new Matrix(
    whole.data.map((entry, i) => (seen[i] === 0 ? Number.NaN : entry)),
    whole.rows,
    whole.columns,
  );
}
