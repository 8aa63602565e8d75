import { exp, log, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { type Standardization, standardized } from '../../core/observations.ts';
import { paddedRows } from '../../core/rowMatrices.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import { valueAndGradients } from '../../engine/tensors/gradients.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { LatentMoments, MissingEntries, PlacedBound } from '../posterior.ts';
import type { RowModel } from '../rowModel.ts';
import type { RowMoments } from './density.ts';
import type { Fitted, FittedGraph } from './fittedGraph.ts';
import type { Node } from './graph.ts';

/** Quantities derived for Gaussian rows. */
export interface OfGaussianRows extends Pick<RowModel, 'bound' | 'missingEntries'> {
  /** Variation of each observed variable along the columns of the shown variable, its only parent; for variables that define it. */
  readonly relevance: Readonly<Record<string, Float64Array>>;
}

/**
 * Derived quantities if the shown variable consists of Gaussian rows and is the first parent of all observed variables, whose other parents are known
 * or mapped from known variables.
 */
export function ofGaussianRows(of: FittedGraph): OfGaussianRows {
  const { model, latents, observed, variances, at, seenRows, known } = of;
  const { seen } = model;
  const { shown } = model.graph;
  const { name: z, densities } = shown;
  const variance = variances[z];
  const none = { bound: undefined, missingEntries: undefined, relevance: {} };
  const isKnown = (name: string): boolean => {
    const { variable, given } = of.nodeOf(name);
    return known.some((own) => own.name === name) || (variable.role === 'mapped' && given.every(isKnown));
  };
  const isOnly =
    variance !== undefined &&
    latents.length === 1 &&
    observed.every(
      ({ given: [first, ...others], densities }) => first === z && others.every(isKnown) && densities.length === 1,
    );
  if (!isOnly) return none;
  const conditionalOf = (fitted: Fitted, node: Node) => fitted.conditional(node.densities[0]!, node);
  const divergencesOf = (fitted: Fitted, x: op.GaussianRows): Tensor | undefined => {
    const { path, density } = densities[0]!;
    const p = model.ownTensors(path, fitted.tensors);
    if (density.gaussian?.divergence !== undefined) return density.gaussian.divergence(p, x);
    const expected = density.gaussian?.expected?.(p, { value: x, given: [] }, fitted.contextOf(shown, densities[0]!));
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
    // Functions at the points of other rows would have the covariates of these.
    const isFilled =
      observed.length === 1 && known.length === 0 && conditionalOf(fitted, node).hasGaussianNoise === true;
    return {
      relevance,
      bound: (given, x, isValue) =>
        at((fitted) => {
          const there = observed.filter(({ name }) => given[name] !== undefined);
          const rows = there.map(({ name }) => seenRows(name, paddedRows(given[name]!)));
          const padded = Object.fromEntries(known.map(({ name }) => [name, paddedRows(given[name]!)]));
          const start = new Map(Object.entries(padded).map(([name, own]) => [name, matrixTensor(own)]));
          const current = of.newValues(fitted, start, padded);
          const densities = (q: op.GaussianRows) => {
            const lost = op.neg(divergences(fitted, q)) as Tensor1D;
            return there.reduce((sum, node, i) => {
              const { value, present } = rows[i]!;
              const others = node.given.slice(1).map((name) => current.get(name)!);
              const seen = { value, given: [q, ...others], ...(present && { present }) };
              return op.add<Tensor1D>(sum, conditionalOf(fitted, node).expected!(seen));
            }, lost);
          };
          return placedBound(x, densities, isValue);
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

/** One number per row: n entries unchanged, or the sums over k of n×k entries. */
const perRow = (numbers: Tensor): Tensor1D =>
  numbers.rank === 2 ? op.sum<Tensor1D>(numbers, 1) : (numbers as Tensor1D);

/** Entropy of each Gaussian row, ½·Σ_d log(2πe·s_d), n entries. */
const entropies = (variance: Tensor2D): Tensor1D =>
  op.mul<Tensor1D>(0.5, op.sum(op.add(1, op.log(op.mul(2 * Math.PI, variance))), 1));

/**
 * Contribution of new rows to a bound at these Gaussians, and its gradients in their means and variances. Called on the float64 backend.
 *
 * @param densities - n numbers, one for each row
 * @see Titsias & Lawrence 2010, §4
 */
function placedBound(x: LatentMoments, densities: (x: op.GaussianRows) => Tensor1D, isValue = false): PlacedBound {
  const { rows, columns } = x.mean;
  const q = { mean: matrixTensor(paddedRows(x.mean)), variance: matrixTensor(paddedRows(x.variance)) };
  let values: Float64Array = new Float64Array(0);
  const total = () => {
    const own = densities(q);
    values = doublesOf(own);
    return op.sum<Scalar>(own);
  };
  const gradients = isValue ? undefined : valueAndGradients(total, [q.mean, q.variance]).gradients;
  if (isValue) total();
  const like = (gradient: Float64Array | undefined) =>
    new Matrix((gradient ?? new Float64Array(rows * columns)).slice(0, rows * columns), rows, columns);
  return { values: values.slice(0, rows), mean: like(gradients?.[0]), variance: like(gradients?.[1]) };
}

/** The Gaussians of all fitted points, as possible latents of a row. */
interface Places {
  /** Moments of the functions there, and the variance of the noise: K×D, and a scalar or D entries. */
  readonly moments: Pick<RowMoments, 'mean' | 'variance' | 'noise'>;
  /** KL(q(x_j)‖p(x)), K entries. */
  readonly divergences: Tensor1D;
}

/** Number of rows whose weights are computed at a time. */
const ROWS = 256;

/**
 * Missing entries of a row as a mixture over the Gaussians q(x_j) of all points, with the moments of an observation at each. The logarithm of a
 * weight is the contribution of the row's observed entries to the bound, Σ_d (y_d·E f_d − ½·E f_d²)/σ_d² − KL(q(x_j)‖p(x)) up to a constant. A row
 * whose observed entries fit two clusters of latents has both in its mixture, whereas a single Gaussian would have to choose one.
 *
 * @param at - calls a function with the Gaussians, on the float64 backend
 */
function mixtureOfPlaces(
  at: <T>(work: (places: Places) => T) => T,
  { mean: offset, deviation }: Standardization,
): MissingEntries {
  /** Weights of some rows, n×K, and mean and variance of an observation at each Gaussian, K×D, in the units of the model. */
  const mixture = (Y: Matrix) =>
    at(({ moments, divergences }) => {
      const { mean, variance } = moments;
      const precision = op.mul<Tensor1D>(op.div(1, moments.noise!), op.ones<Tensor1D>([Y.columns]));
      const seen = standardized(Y, { mean: offset, deviation });
      const entries = (of: (y: number) => number) => matrixTensor(seen.map(of));
      const weights = op.mul<Tensor2D>(
        entries((y) => (Number.isNaN(y) ? 0 : 1)),
        precision,
      );
      const products = op.mul<Tensor2D>(
        weights,
        entries((y) => (Number.isNaN(y) ? 0 : y)),
      );
      const second = op.add<Tensor2D>(op.square(mean), variance);
      const fits = op.sub(
        op.matMul<Tensor2D>(products, mean, false, true),
        op.mul(0.5, op.matMul<Tensor2D>(weights, second, false, true)),
      );
      const scores = op.sub<Tensor2D>(fits, op.reshape(divergences, [1, divergences.shape[0]]));
      return {
        weights: tensorMatrix(softmax(scores)),
        mean: tensorMatrix(mean),
        variance: tensorMatrix(op.add<Tensor2D>(variance, op.div(1, precision))),
      };
    });

  function each(Y: Matrix, visit: (row: number, weights: Float64Array, mean: Matrix, variance: Matrix) => void): void {
    for (let from = 0; from < Y.rows; from += ROWS) {
      const rows = Math.min(ROWS, Y.rows - from);
      const block = new Matrix(Y.data.slice(from * Y.columns, (from + rows) * Y.columns), rows, Y.columns);
      const { weights, mean, variance } = mixture(block);
      for (let i = 0; i < rows; i++) visit(from + i, weights.row(i), mean, variance);
    }
  }

  return {
    logDensity(Y, full) {
      const D = Y.columns;
      const result = new Matrix(new Float64Array(Y.rows * D).fill(Number.NaN), Y.rows, D);
      each(Y, (row, weights, mean, variance) => {
        for (let j = 0; j < D; j++) {
          if (!Number.isNaN(Y.at(row, j)) || Number.isNaN(full.at(row, j))) continue;
          const y = (full.at(row, j) - offset[j]!) / deviation[j]!;
          const logs = weights.map((w, k) => log(w) + normalLog(y - mean.at(k, j), variance.at(k, j)));
          result.data[row * D + j] = logOfSum(logs) - log(deviation[j]!);
        }
      });
      return result;
    },
  };
}

function softmax(scores: Tensor2D): Tensor2D {
  const shifted = op.exp(op.sub(scores, op.max(scores, 1, true)));
  return op.div<Tensor2D>(shifted, op.sum(shifted, 1, true));
}

const normalLog = (gap: number, variance: number) => -0.5 * (log(2 * Math.PI * variance) + square(gap) / variance);

function logOfSum(logs: Float64Array): number {
  const most = logs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return most + log(logs.reduce((sum, own) => sum + exp(own - most), 0));
}
