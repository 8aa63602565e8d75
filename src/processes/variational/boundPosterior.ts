import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { joinedColumns, rowsOf } from '../../core/rowMatrices.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { certainExpectations, closedExpectations, type Expectations } from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { isApart } from '../../model/entrywise/gaussian.ts';
import { type Likelihood, startedFunctions } from '../../model/entrywise/likelihood.ts';
import type { DensityStart } from '../../model/language/density.ts';
import type { ParameterValues, TensorMap } from '../../model/model.ts';
import { type Parameter, real } from '../../model/parameter.ts';
import { valueTensors } from '../../model/part.ts';
import { parentsAndOffset } from '../processDensity.ts';
import { type CollapsedData, collapsedData, collapsedStatistics, solvedStatistics } from './collapsedBound.ts';
import {
  type Inducing,
  type InducingPosterior,
  inducingFactor,
  inducingStart,
  inducingVariables,
  ofKernel,
  ofLikelihood,
  Q_MEAN,
  variablesFrom,
} from './inducingVariables.ts';
import { isInBlocks, type Shards, summedStatistics } from './shards.ts';

/** Options of a bound through inducing inputs. */
export interface BoundOptions {
  readonly kernel: Kernel;
  /** Any likelihood, Gaussian or not. */
  readonly likelihood: Likelihood;
  /** Number of inducing inputs, or their initial values. */
  readonly inducing: Inducing;
  /** Added to the diagonal of the covariance of the inducing inputs; default 1e-8 of its mean. */
  readonly jitter?: number | undefined;
  /** True if q(u) is optimized in closed form when all rows are used, for Gaussian noise with one variance, or one per column (`hasOptimum`). */
  readonly collapses: boolean;
  /** Kernel parameters whose initial values depend on the inputs, by path. */
  readonly startedAt?: ((start: DensityStart) => Readonly<Record<string, Parameter>>) | undefined;
  /** Number of rows N of the model, if the observations are a subset. */
  readonly points?: number | undefined;
  /** True if the last parent is an offset of the functions, one known number per row; for likelihoods without optimum in closed form. */
  readonly hasOffset?: boolean | undefined;
  /** Workers that sum over the rows, if any. */
  readonly shards?: Shards | undefined;
}

export const isCollapsed = ({ collapses }: BoundOptions, { batched }: DensityStart): boolean => collapses && !batched;

/** Parameters of a process, its inducing inputs, and q(u) unless it is optimized in closed form. */
export function startedParameters(options: BoundOptions, start: DensityStart): Readonly<Record<string, Parameter>> {
  const { kernel, likelihood } = options;
  if (start.batched && options.shards !== undefined) {
    throw new InvalidInputError('A fit in batches does not support shards. Omit batchSize or shards.');
  }
  const parameters = {
    inducing: real(inducingStart(options.inducing, inputsStart(withoutLast(options, start)))),
    ...Object.fromEntries(Object.entries(kernel.parameters).map(([name, own]) => [`kernel.${name}`, own])),
    ...likelihood.parameters,
    ...options.startedAt?.(start),
  };
  if (isCollapsed(options, start)) return parameters;
  const { data } = start as { readonly data: Matrix };
  const width = likelihood.functions * data.columns;
  return { ...parameters, ...inducingVariables(startPosterior(options, start, parameters), width, likelihood) };
}

/** Initial inputs: the initial values of all parents side by side. */
export const inputsStart = ({ given }: DensityStart): Matrix => joinedColumns(given.map(({ mean }) => mean));

/** Parents other than the offset. */
const withoutLast = <T extends Pick<DensityStart, 'given'>>({ hasOffset }: BoundOptions, start: T): T => ({
  ...start,
  given: parentsAndOffset(start.given, hasOffset).parents,
});

/** Largest number of rows used to initialize q(u). */
const MOST_START_ROWS = 4096;

/** All rows, or evenly spaced ones if there are many. Columns that would otherwise have no observation keep their first one. */
function someRows(Y: Matrix): number[] {
  const every = Math.ceil(Y.rows / MOST_START_ROWS);
  const chosen = new Set(Array.from({ length: Math.ceil(Y.rows / every) }, (_, k) => k * every));
  for (let j = 0; every > 1 && j < Y.columns; j++) {
    if ([...chosen].some((i) => !Number.isNaN(Y.at(i, j)))) continue;
    chosen.add(Y.column(j).findIndex((entry) => !Number.isNaN(entry)));
  }
  return [...chosen].sort((a, b) => a - b);
}

/** Initial q(u): the optimum for the functions' initial values at the observations, with unit noise if the likelihood has none. */
function startPosterior(
  options: BoundOptions,
  start: DensityStart,
  parameters: Readonly<Record<string, Parameter>>,
): InducingPosterior {
  const { kernel, likelihood, jitter, points } = options;
  const { data: Y } = start;
  const { given } = withoutLast(options, start);
  const offset = options.hasOffset ? start.given.at(-1)!.mean.data : undefined;
  const rows = someRows(Y!);
  const started = startedFunctions(likelihood, rowsOf(Y!, rows));
  const functions = offset === undefined ? started : started.map((entry, i) => entry - offset[rows[i]!]!);
  const side = (of: 'mean' | 'variance') =>
    matrixTensor(
      joinedColumns(given.map((own) => rowsOf(own[of] ?? Matrix.zeros(own.mean.rows, own.mean.columns), rows))),
    );
  const isPoint = given.every(({ variance }) => variance === undefined);
  return withFloat64(() => {
    const data = collapsedData(functions);
    const values = valueTensors(
      Object.fromEntries(Object.entries(parameters).map(([name, { initial }]) => [name, initial])),
    );
    const p = ofKernel(kernel, values);
    const Z = values.inducing as Tensor2D;
    const mean = side('mean');
    const weights = data.weights && { weights: data.weights };
    const expectations =
      (isPoint
        ? undefined
        : closedExpectations(kernel, p, { x: { mean, variance: side('variance') }, Z, ...weights })) ??
      certainExpectations(kernel, p, mean, Z, data.weights);
    const noise = likelihood.conjugate?.(ofLikelihood(likelihood, values)).variance;
    // Each row stands for those that were left out, too.
    const share = rows.length / (points ?? Y!.rows);
    const variance = op.mul(share, noise === undefined ? op.scalar(1) : op.mean(noise));
    const result = optimalPosterior(Z, inducingFactor(kernel, p, Z, { jitter }), expectations, variance, data);
    data.dispose();
    return result;
  });
}

/**
 * q(u) at these values of the process's parameters: the variables themselves, or the optimum given the observations Y (NaN where missing) at Gaussian
 * inputs x, which are computed only in this case; `counts` are multiplicities of the rows.
 */
export function fittedPosterior(
  { kernel, likelihood, jitter }: BoundOptions,
  values: ParameterValues,
  fitted: () => { readonly x: op.GaussianRows; readonly Y: Matrix; readonly counts?: Float64Array | undefined },
): InducingPosterior {
  const p: TensorMap = valueTensors(values);
  const own = ofKernel(kernel, p);
  const Z = p.inducing as Tensor2D;
  const factor = inducingFactor(kernel, own, Z, { jitter });
  if (Q_MEAN in p) {
    const { mean, roots } = variablesFrom(p);
    const columns = Int32Array.from({ length: mean.shape[1] }, (_, j) => j);
    return {
      inducing: tensorMatrix(Z),
      factor: tensorMatrix(factor),
      groups: [{ columns, mean: tensorMatrix(mean), roots: tensorMatrix(roots) }],
    };
  }
  const { x, Y, counts } = fitted();
  const data = collapsedData(Y, { counts, apart: isApart(likelihood) });
  const inBlocks = data.weights === undefined && isInBlocks(Y.rows);
  // All rows are here, and a single evaluation is not worth sending to shards.
  const found = inBlocks
    ? summedStatistics(undefined, kernel, own, { x, Z }, data)
    : { expectations: collapsedStatistics(kernel, own, { x, Z }, data), data };
  const result = optimalPosterior(Z, factor, found.expectations, p.noise!, found.data);
  data.dispose();
  return result;
}

/**
 * The optimal q(u), whitened, which makes the bound equal to the collapsed one: for a group of columns, m = L_B⁻ᵀc and covariance B⁻¹, so that C =
 * L_B⁻ᵀ.
 *
 * @see Titsias 2009, eq. 10
 */
function optimalPosterior(
  Z: Tensor2D,
  factor: Tensor2D,
  expectations: Expectations,
  noise: Tensor,
  data: CollapsedData,
): InducingPosterior {
  const groups = solvedStatistics(factor, expectations, noise, data).map(({ group, root, moments }) => ({
    columns: group.columns,
    mean: tensorMatrix(op.triangularSolve(root, moments, { transpose: true })),
    roots: tensorMatrix(op.triangularSolve(root, op.eye(root.shape[0]) as Tensor2D)),
  }));
  return {
    inducing: tensorMatrix(Z),
    factor: tensorMatrix(factor),
    // Columns with separate covariances are one group, with their roots below each other.
    groups:
      noise.rank === 0
        ? groups
        : [
            {
              columns: Int32Array.from(groups, ({ columns }) => columns[0]!),
              mean: joinedColumns(groups.map(({ mean }) => mean)),
              roots: Matrix.from(groups.flatMap(({ roots }) => roots.toArrays())),
            },
          ],
  };
}
