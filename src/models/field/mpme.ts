import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers, observationsFrom } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { edgeDistances } from '../../fields/density/edgeSquaredDistances.ts';
import { observedSquaredDistances } from '../../fields/observed/observedSquaredDistances.ts';
import { covariance } from '../../kernels/covariance.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Graph } from '../../numerics/graph/graph.ts';
import { completeGraph } from '../../numerics/graph/index.ts';
import { latentDimOption, numberAboveZero, savedSpectral, slackPenaltyOption } from '../spectral/embedding/options.ts';
import { type FieldModel, fieldModel } from './fieldModel.ts';

export interface MpmeOptions {
  /** d, from 1; 2 unless given. */
  readonly latentDim?: number;
  /** λ > 0; 1 unless given. */
  readonly basePrecision?: number;
  /** C > 0, the price of breaking a constraint; Infinity, none may be broken, unless given. */
  readonly slackPenalty?: number;
  /** φ: 'squared' Euclidean distances (unless given), 'plain' ones, or those of a kernel, k_ii + k_jj − 2k_ij. */
  readonly distances?: 'squared' | 'plain' | Kernel;
  /** How latents are read off the field; 'kernelPca' unless given. */
  readonly embedding?: 'kernelPca' | 'eigenmap';
}

const schema = v.strictObject({
  latentDim: latentDimOption,
  basePrecision: v.optional(numberAboveZero, 1),
  slackPenalty: slackPenaltyOption,
  distances: v.optional(v.any(), 'squared'),
  embedding: v.optional(v.picklist(['kernelPca', 'eigenmap'], "'kernelPca' or 'eigenmap'"), 'kernelPca'),
});

/**
 * Maximum posterior manifold embedding: the graph of all pairs of points learned with the field over them,
 * max d/2·log|L(w) + λI| − ½·Σ_{i<j} w_ij·φ_ij over 0 ≤ w_ij ≤ 4C. Most weights are 0 at the maximum; the rest are the learned
 * neighbourhood graph, from whose field the embedding is read. There is one maximum, which a fit reaches from any start: `restarts` find nothing else.
 *
 * `project` and `reconstruct` take new points as those of `meu` do, but may join them to any points; there is no density, as the field is
 * one of the latents.
 *
 * @param Y - N×D observations
 * @param options - see {@link MpmeOptions}
 * @returns a model for `fit` and `evaluate`; its fit has `graph`, `precision()`, `covariance()`, `impute(Y)` and `eigenvalues`, and a `message` that
 * says how many components the graph has
 * @throws InvalidInputError for observations that are not finite numbers, and points that are the same while C = ∞
 * @see Mao et al. 2017, eqs. 10–16
 * @example
 * ```ts
 * const result = await fit(mpme(Y, { latentDim: 2, basePrecision: 1, slackPenalty: 10 }));
 * result.graph!.sources.length; // edges of positive weight
 * ```
 */
export function mpme(Y: MatrixLike, options: MpmeOptions = {}): FieldModel {
  const checked = checkOptions(schema, options, 'mpme');
  const points = observationsFrom(Y);
  const graph = completeGraph(points.rows);
  return fieldModel({
    ...checked,
    name: 'mpme',
    graph,
    squaredDistances: pairDistances(points, graph, checked.distances as MpmeOptions['distances']),
    copies: checked.latentDim,
    observations: points,
    neighbours: 'all',
    density: false,
    distancesTo: distancesTo(points, checked.distances as MpmeOptions['distances']),
    toJSON: () => savedSpectral('mpme', points, checked),
  });
}

/** Of the variances of two points, what may be left of the squared distance between equal ones. */
const ROUNDING = 1e-12;

function pairDistances(points: Matrix, graph: Graph, distances: MpmeOptions['distances']): Float64Array {
  if (distances === 'squared') return edgeDistances(points, graph);
  if (distances === 'plain') return edgeDistances(points, graph).map(Math.sqrt);
  if (typeof distances !== 'object') {
    throw new InvalidInputError(
      `Option 'distances' of mpme must be 'squared', 'plain' or a kernel, but ${describe(distances)} was given.`,
    );
  }
  const K = covariance(distances, points);
  const { sources, targets } = graph;
  return Float64Array.from(sources, (i, e) => {
    const j = targets[e]!;
    const distance = K.at(i, i) + K.at(j, j) - 2 * K.at(i, j);
    // Below 0 by more than rounding, the kernel is none, which the layer says.
    return Math.abs(distance) <= ROUNDING * (K.at(i, i) + K.at(j, j)) ? Math.max(0, distance) : distance;
  });
}

/** φ between a new row and every point. */
function distancesTo(points: Matrix, distances: MpmeOptions['distances']): (row: Float64Array) => Float64Array {
  const squared = observedSquaredDistances(points);
  if (typeof distances !== 'object') {
    return distances === 'plain' ? (row) => squared(row).map(Math.sqrt) : squared;
  }
  let variances: Float64Array | undefined;
  return (row) => {
    const point = checkNumbers(new Matrix(row, 1, row.length), 'A row to place by the distances of a kernel');
    variances ??= Float64Array.from({ length: points.rows }, (_, j) => {
      const own = new Matrix(points.row(j), 1, points.columns);
      return covariance(distances, own).data[0]!;
    });
    const own = covariance(distances, point).data[0]!;
    return covariance(distances, point, points).data.map((across, j) => Math.max(0, own + variances![j]! - 2 * across));
  };
}
