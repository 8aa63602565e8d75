import { doublesOf } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { slopeVariances } from '../../kernels/slopeKernel.ts';
import { whiteOf } from '../../kernels/structure.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import {
  type Conditional,
  type Density,
  type DensityContext,
  type DensityStart,
  parametersOf,
  type Rows,
  type RowsShape,
} from '../../model/language/density.ts';
import type { ParameterValues, TensorMap } from '../../model/model.ts';
import { type Parameter, real } from '../../model/parameter.ts';
import { valueTensors } from '../../model/part.ts';
import {
  functionsConditional,
  functionsDensity,
  momentsAround,
  type Process,
  parentsAndOffset,
  processDensity,
  shiftedBy,
  withHoles,
} from '../processDensity.ts';
import { type BoundOptions, fittedPosterior, inputsStart, isCollapsed, startedParameters } from './boundPosterior.ts';
import {
  inducingDivergence,
  inducingFactor,
  inducingMoments,
  inducingStart,
  inputsOf,
  ofKernel,
  ofLikelihood,
  Q_MEAN,
  tensorsOf,
  uncertainColumns,
  variablesFrom,
} from './inducingVariables.ts';
import { type OpenBound, openBound } from './openBound.ts';
import { placedDensity, placesRows, uncertainMoments } from './uncertainMoments.ts';

/** The process of one view: its density and its components. */
export interface ViewProcess {
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  /** Parameters that do not depend on the initial latents. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly density: Density;
}

/**
 * Iterations before the noise of a collapsed bound with at most this many rows is freed: if it were free at once, it would grow to explain variation
 * that the latents do not yet explain. With more rows, the bound is higher if it is free at once: −271 084 instead of −276 999 for 1797 digits.
 */
const NOISE_HELD = 100;
const MOST_HELD = 1000;

/**
 * Y ~ p(y|f(X)), where every column of f is a Gaussian process, through M inducing inputs Z with u = f(Z). Its density is a bound on log p(Y|X), or
 * on its expectation if the inputs X are Gaussian rows: collapsed, with the optimal q(u) (`collapsedBound`), or with q(u) as variables under
 * `variational.…`,
 * Σ_nd E[log p(y_nd | f_nd)] − Σ_d KL(q(u_d)‖p(u_d)),
 * for any likelihood, any kernel and batches of rows.
 *
 * @see Titsias & Lawrence 2010; Hensman, Fusi & Lawrence 2013; Hensman, Matthews & Ghahramani 2015; Lalchand et al. 2022
 */
export function boundProcess(options: BoundOptions): ViewProcess {
  const { kernel, likelihood } = options;
  const parameters: Readonly<Record<string, Parameter>> = Object.freeze({
    ...Object.fromEntries(Object.entries(kernel.parameters).map(([name, own]) => [`kernel.${name}`, own])),
    ...likelihood.parameters,
  });
  const bound = (p: TensorMap, rows: Rows<Tensor2D | op.GaussianRows>, context: DensityContext) =>
    (context.constants as OpenBound).bound(p, rows, context);
  const functions = functionsDensity({ kernel, likelihood, parameters });
  const density: Density = Object.freeze<Density>({
    ...functions,
    ...(options.hasOffset && functions.sample && { sample: drawnWithOffset({ kernel, likelihood, parameters }) }),
    normalized: false,
    exact: false,
    independent: true,
    countsRows: true,
    parameters: (start) => startedParameters(options, start),
    prepare: (start: DensityStart) => openBound(options, start),
    search: {
      held: (start: DensityStart) =>
        isCollapsed(options, start) && start.rows <= MOST_HELD
          ? { names: ['noise'], iterations: NOISE_HELD }
          : undefined,
    },
    logDensity: bound,
    gaussian: { expected: bound, over: 'given' },
    once: (p: TensorMap) => (Q_MEAN in p ? op.neg(inducingDivergence(variablesFrom(p))) : undefined),
    condition: (p: TensorMap, fitted: Rows, context: DensityContext) => conditional(options, p, fitted, context),
  });
  return Object.freeze<ViewProcess>({ kernel, likelihood, parameters, density });
}

type Sample = NonNullable<Density['sample']>;

/** Draws from the prior, with an offset of the functions as the last parent. */
function drawnWithOffset({ likelihood, ...described }: Parameters<typeof functionsDensity>[0]): Sample {
  return (p, random, shape, given) => {
    const { parents, offset } = parentsAndOffset(given, true);
    const sample: Sample = (...[own, draws, size, [f]]) =>
      likelihood.sample!(own, draws, size, [shiftedBy(offset, f!)]);
    const shifted = functionsDensity({ ...described, likelihood: { ...likelihood, sample } });
    return shifted.sample!(p, random, shape, parents);
  };
}

function conditional(options: BoundOptions, p: TensorMap, fitted: Rows, context: DensityContext): Conditional {
  const { kernel, likelihood } = options;
  const values = context.values!;
  const own = ofKernel(kernel, values);
  // q(u) of one fit, computed once when first needed.
  const posterior = () =>
    context.remember(options, () =>
      fittedPosterior(options, values, () => ({
        x: inputsOf(fitted.given, fitted.givenVariances),
        Y: withHoles(fitted),
        counts: fitted.weights && doublesOf(fitted.weights),
      })),
    );
  const momentsAt = (of: Kernel) => (A: Tensor2D) => inducingMoments(of, valueTensors(own), tensorsOf(posterior()), A);
  // If q(u) is among the values, the fitted rows are not needed.
  const width = (p[Q_MEAN] ?? fitted.value).shape[1]!;
  const functions = functionsConditional({
    kernel,
    likelihood,
    parameters: {},
    p,
    values,
    width,
    hasOffset: options.hasOffset,
    momentsAt,
    inputs: () => posterior().inducing,
  });
  return {
    ...functions,
    uncertainMoments: (given) => {
      const { parents, offset } = parentsAndOffset(given, options.hasOffset);
      const { mean, variance } = uncertainMoments(kernel, valueTensors(own), tensorsOf(posterior()), inputsOf(parents));
      return momentsAround(likelihood, p, shiftedBy(offset?.mean, mean), op.relu<Tensor2D>(variance));
    },
    ...(placesRows(likelihood) && {
      hasGaussianNoise: likelihood.conjugate !== undefined,
      expected: ({ value, given, present }: Rows<Tensor2D | op.GaussianRows>) => {
        const { parents, offset } = parentsAndOffset(given, options.hasOffset);
        return placedDensity(
          options,
          {
            ...{ kernel: valueTensors(own), likelihood: ofLikelihood(likelihood, p), x: inputsOf(parents) },
            offset: offset as Tensor2D | undefined,
          },
          tensorsOf(posterior()),
          value as Tensor2D,
          present,
          uncertainColumns(parents),
        );
      },
    }),
    relevance: () => relevanceOf(kernel, own, p.inducing!.shape[1]!, fitted.givenVariances?.[0]?.shape[1]),
  };
}

/**
 * Variation of the mapping along each dimension of the latents, relative to the largest; 0 everywhere if none is positive, undefined if it is unknown
 * for the kernel.
 */
function relevanceOf(
  kernel: Kernel,
  values: ParameterValues,
  inputs: number,
  latentDim: number | undefined,
): Float64Array | undefined {
  const slopes = slopeVariances(kernel, values, inputs)?.slice(0, latentDim);
  if (slopes === undefined) return undefined;
  const largest = slopes.reduce((most, slope) => Math.max(most, slope), 0);
  return largest === 0 ? slopes : slopes.map((slope) => slope / largest);
}

/** The variance of the noise, with the white noise of the kernel. */
function totalNoise(kernel: Kernel, p: TensorMap): Scalar {
  const white = whiteOf(kernel)?.(ofKernel(kernel, p));
  return (white === undefined ? p.noise : op.add(p.noise!, white)) as Scalar;
}

/** (ΦΦᵀ + σ²I)⁻¹ = [I − Φ(σ²I + ΦᵀΦ)⁻¹Φᵀ]/σ², N×N, with the features Φ = k(X, Z)L⁻ᵀ, LLᵀ = k(Z, Z). */
function lowRankPrecision(
  { kernel, jitter }: BoundOptions,
  p: TensorMap,
  X: Tensor2D,
  onJitter: (jitter: number) => void,
): Tensor2D {
  const own = ofKernel(kernel, p);
  const Z = p.inducing as Tensor2D;
  const noise = totalNoise(kernel, p);
  const L = inducingFactor(kernel, own, Z, { jitter, white: whiteOf(kernel)?.(own), onJitter });
  const features = op.triangularSolve(L, op.transpose(kernel.covariance(own, X, Z, Z)) as Tensor2D);
  const inner = op.cholesky(op.addDiagonal(op.matMul<Tensor2D>(features, features, false, true), noise), { onJitter });
  const half = op.triangularSolve(inner, features);
  return op.div<Tensor2D>(op.sub(op.eye(X.shape[0]), op.matMul(half, half, true)), noise);
}

/**
 * Density of a process through inducing inputs: a direct bound if all rows are used, the inputs are points and the noise is Gaussian (Titsias 2009),
 * otherwise the bound of {@link boundProcess}, which also supports weights of rows.
 */
export function sparseDensity(process: Process, options: BoundOptions): Density {
  const bound = boundProcess(options).density;
  if (!options.collapses) return bound;
  const { kernel, likelihood, approximation, parameters, given, momentsAt, logDensity, columnScales } = process;
  // It goes through few inputs already.
  const own = processDensity({
    ...{ kernel, likelihood, approximation, parameters, given, momentsAt, logDensity },
    ...(columnScales && { columnScales }),
  });
  const isOwn = (start: DensityStart) =>
    !start.batched && start.weights === undefined && start.given.every(({ variance }) => variance === undefined);
  const opened = new WeakSet<object>();
  return Object.freeze<Density>({
    ...bound,
    ...(own.calibrates && { calibrates: own.calibrates }),
    ...(own.gaussian && {
      gaussian: {
        ...bound.gaussian,
        precision: (p: TensorMap, { rows, given }: RowsShape, { constants, onJitter }: DensityContext) =>
          // Rows are independent given q(u), if it is a variable.
          opened.has(constants as object)
            ? op.div<Tensor2D>(op.eye(rows), totalNoise(options.kernel, p))
            : lowRankPrecision(options, p, inputsOf(given).mean, onJitter),
      },
    }),
    parameters: (start) =>
      isOwn(start)
        ? { ...process.parameters, inducing: real(inducingStart(options.inducing, inputsStart(start))) }
        : parametersOf(bound, start),
    prepare: (start) => {
      if (isOwn(start)) return own.prepare!(start);
      const open = bound.prepare!(start) as object;
      opened.add(open);
      return open;
    },
    search: { held: (start) => (isOwn(start) ? undefined : bound.search!.held!(start)) },
    logDensity: (p, rows, context) =>
      (opened.has(context.constants as object) ? bound : own).logDensity(p, rows, context),
    condition: (p, fitted, context) =>
      (Q_MEAN in p || (fitted.weights ?? fitted.givenVariances) !== undefined ? bound : own).condition!(
        p,
        fitted,
        context,
      ),
  });
}
