import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { CENTRAL_DIFFERENCES, differenceStep } from '../../engine/centralDifferences.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../../engine/tensors/doubles.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { FittedGraph } from './fittedGraph.ts';
import type { Node } from './graph.ts';

/**
 * Expected metric of the noise-free functions at rows Z of the only root, for one observed variable or summed over all.
 *
 * @throws InvalidInputError for a model with an intermediate random variable, or without moments
 */
export function expectedMetric(of: FittedGraph, Z: Matrix, view?: string): PullBack {
  const { model, latents, known, observed, roots, values } = of;
  const { graph, owner, seen, columns } = model;
  // Without a latent variable, the metric of variables mapped from known rows.
  const root = latents.length > 0 ? roots[0] : graph.shown.variable.role === 'mapped' ? graph.shown.name : undefined;
  if (root === undefined || roots.length > 1 || known.length > 0 || latents.length > 1) {
    const others = [...latents, ...known].map(({ name }) => `'${name}'`).join(', ');
    throw new InvalidInputError(
      `A metric is one of the points of a single latent variable, but what is observed of ${owner} depends on ${others || 'no latent variable'}.`,
    );
  }
  return of.at((fitted) => {
    const step = differenceStep(values[root]!.data, values[root]!.columns);
    const before = (node: Node, z: Matrix) => {
      const current = of.newValues(fitted, new Map([[root, matrixTensor(z)]]), {});
      return node.given.map((each) => current.get(each)!);
    };
    const parts = observed
      .filter(({ name }) => view === undefined || view === name)
      .map((node): PullBack => {
        const conditional = fitted.conditional(node.densities[0]!, node);
        const deviation =
          seen.get(node.name)?.standardization.deviation ?? new Float64Array(columns.get(node.name)!).fill(1);
        if (conditional.slopes !== undefined) {
          const given = before(node, Z);
          const { mean, covariances } = conditional.slopes(given);
          const width = given.reduce((sum, { shape }) => sum + shape[1], 0);
          const own = pullBackOf(tensorMatrix(mean), covariances().map(tensorMatrix), deviation, width);
          if (node.given.length === 1 && node.given[0] === root) return own;
          const around = op.concat(before(node, pointsAround(Z, step)), 1) as Tensor2D;
          return pulledBack(own, slopesFrom(tensorMatrix(around), step));
        }
        const moments = conditional.moments?.(before(node, pointsAround(Z, step)));
        if (moments === undefined) {
          throw new InvalidInputError(
            `There is no metric of '${node.name}' of ${owner}: its density '${node.densities[0]!.density.name}' gives no moments of new rows.`,
          );
        }
        const isCertain = doublesOf(moments.variance).every((variance) => variance === 0);
        const slopes = slopesFrom(tensorMatrix(moments.mean), step);
        const { mean } = pullBackOf(slopes, undefined, deviation, Z.columns);
        return { mean, spread: isCertain ? Matrix.zeros(mean.rows, mean.columns) : undefined };
      });
    return pullBackSum(parts);
  });
}

/** The expected metric JᵀJ of a mapping at n latent points, in squared units of the observations: the sum of two parts, each n×q², with one q×q matrix per row. */
export interface PullBack {
  /** E[J]ᵀE[J] */
  readonly mean: Matrix;
  /** Σ_d Cov(J_d) over the D columns; undefined if the covariances of the mapping's functions are unknown. */
  readonly spread: Matrix | undefined;
}

/**
 * The metric from slopes at n points.
 *
 * @param mean - n·q×D, row i·q + k the mean slope at point i along column k
 * @param covariances - n·q×n·q, between the slopes, one for all columns or D
 * @param deviation - units of the D columns
 */
export function pullBackOf(
  mean: Matrix,
  covariances: readonly Matrix[] | undefined,
  deviation: Float64Array,
  q: number,
): PullBack {
  const n = mean.rows / q;
  const D = mean.columns;
  const [first, second] = [Matrix.zeros(n, q * q), Matrix.zeros(n, q * q)];
  const scales = deviation.map(square);
  const total = scales.reduce((sum, scale) => sum + scale, 0);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < q; k++) {
      for (let l = 0; l < q; l++) {
        const [row, column] = [i * q + k, i * q + l];
        let sum = 0;
        for (let d = 0; d < D; d++) sum += scales[d]! * mean.data[row * D + d]! * mean.data[column * D + d]!;
        first.data[(i * q + k) * q + l] = sum;
        if (covariances === undefined) continue;
        const shared = covariances.length === 1;
        let spread = 0;
        if (shared) spread = total * covariances[0]!.at(row, column);
        else for (let d = 0; d < D; d++) spread += scales[d]! * covariances[d]!.at(row, column);
        second.data[(i * q + k) * q + l] = spread;
      }
    }
  }
  return { mean: first, spread: covariances && second };
}

/** The points of central differences around each of n points: offset by offset, point by point, column by column. */
export function pointsAround({ data, rows: n, columns: q }: Matrix, step: number): Matrix {
  const result = Matrix.zeros(CENTRAL_DIFFERENCES.length * n * q, q);
  let at = 0;
  for (const [offset] of CENTRAL_DIFFERENCES) {
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < q; k++) {
        result.data.set(data.subarray(i * q, (i + 1) * q), at);
        result.data[at + k]! += offset * step;
        at += q;
      }
    }
  }
  return result;
}

/** Slopes n·q×D from values at the points around. */
export function slopesFrom({ data, rows, columns: D }: Matrix, step: number): Matrix {
  const count = rows / CENTRAL_DIFFERENCES.length;
  const result = Matrix.zeros(count, D);
  CENTRAL_DIFFERENCES.forEach(([, weight], s) => {
    for (let e = 0; e < count * D; e++) result.data[e]! += (weight / step) * data[s * count * D + e]!;
  });
  return result;
}

/** AᵀGA for each point: the metric of x pulled back to z, with slopes A of x along z (n·q×r, row i·q + k along column k of z). */
function pulledBack({ mean, spread }: PullBack, slopes: Matrix): PullBack {
  const n = mean.rows;
  const [r, q] = [slopes.columns, slopes.rows / n];
  const pull = (G: Matrix): Matrix => {
    const result = Matrix.zeros(n, q * q);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < q; k++) {
        for (let l = 0; l < q; l++) {
          let sum = 0;
          for (let a = 0; a < r; a++) {
            for (let b = 0; b < r; b++) {
              sum += slopes.at(i * q + k, a) * G.data[(i * r + a) * r + b]! * slopes.at(i * q + l, b);
            }
          }
          result.data[(i * q + k) * q + l] = sum;
        }
      }
    }
    return result;
  };
  return { mean: pull(mean), spread: spread && pull(spread) };
}

/** Sum of the metrics of several mappings from the same latents; its spread is known if it is known for each mapping. */
function pullBackSum(parts: readonly PullBack[]): PullBack {
  const sum = (a: Matrix, b: Matrix) => a.map((entry, i, j) => entry + b.at(i, j));
  return parts.reduce((total, part) => ({
    mean: sum(total.mean, part.mean),
    spread: total.spread && part.spread && sum(total.spread, part.spread),
  }));
}
