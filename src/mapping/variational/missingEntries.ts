import { exp, log, square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { type Standardization, standardized } from '../../core/observations.ts';
import type { MissingEntries } from '../../model/posterior.ts';
import { withFloat64 } from '../../tensors/float64/scope.ts';
import { tensorMatrix } from '../../tensors/matrixTensor.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor2D } from '../../tensors/tensorflow.ts';
import { type Places, scoresAt, weightedRows } from './places.ts';

/** Rows whose weights are held at a time. */
const ROWS = 256;

/**
 * Missing entries of a row as a mixture over the places of all points: of weights w_j ∝ exp(what the observed entries of the row add to the bound
 * at q(x_j)), and with the moments of an observation there. A row whose observed entries fit two clusters of latents gets both, in the place of the one
 * that a single Gaussian has to choose.
 */
export function missingEntries(places: () => Places, { mean: offset, deviation }: Standardization): MissingEntries {
  /** Weights n×K of some rows, and of each place the mean and variance of an observation, K×D, in the units of the model. */
  function mixture(Y: Matrix): { weights: Matrix; mean: Matrix; variance: Matrix } {
    return withFloat64(() => {
      const at = places();
      const scores = scoresAt(at, weightedRows(standardized(Y, { mean: offset, deviation }), at.precision));
      const variance = op.add(op.relu(op.sub(at.second, op.square(at.mean))), op.div(1, at.precision));
      return {
        weights: tensorMatrix(softmax(scores)),
        mean: tensorMatrix(at.mean),
        variance: tensorMatrix(variance as Tensor2D),
      };
    });
  }

  function each(Y: Matrix, visit: (row: number, weights: Float64Array, mean: Matrix, variance: Matrix) => void): void {
    for (let from = 0; from < Y.rows; from += ROWS) {
      const rows = Math.min(ROWS, Y.rows - from);
      const block = new Matrix(Y.data.slice(from * Y.columns, (from + rows) * Y.columns), rows, Y.columns);
      const { weights, mean, variance } = mixture(block);
      for (let i = 0; i < rows; i++) visit(from + i, weights.row(i), mean, variance);
    }
  }

  return {
    impute(Y) {
      const D = Y.columns;
      const filled = { mean: Matrix.from(Y), variance: Matrix.zeros(Y.rows, D) };
      each(Y, (row, weights, mean, variance) => {
        for (let j = 0; j < D; j++) {
          if (!Number.isNaN(Y.at(row, j))) continue;
          const m = weights.reduce((sum, w, k) => sum + w * mean.at(k, j), 0);
          const second = weights.reduce((sum, w, k) => sum + w * (variance.at(k, j) + square(mean.at(k, j) - m)), 0);
          filled.mean.data[row * D + j] = offset[j]! + deviation[j]! * m;
          filled.variance.data[row * D + j] = square(deviation[j]!) * second;
        }
      });
      return filled;
    },

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
