import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { distanceOperations } from '../../engine/dense/activeEngine.ts';
import type { Edges, Graph } from '../../engine/graph/graph.ts';
import { sharedMemory } from '../../engine/memory.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import type { Save } from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';

type Ends = Pick<Edges, 'sources' | 'targets'>;

/**
 * ‖x_i − x_j‖² for every edge (i, j) of a graph, by direct differences.
 *
 * @param X - N×q
 * @param graph - on N points
 * @throws InvalidInputError if X has a different number of rows
 */
export function edgeSquaredDistances(X: Tensor2D, graph: Ends & { readonly size: number }): Tensor1D {
  if (X.shape[0] !== graph.size) {
    throw new InvalidInputError(`The graph has ${graph.size} points, but X is ${X.shape.join('×')}.`);
  }
  return tf.customGrad((...args: unknown[]) => {
    const [x, save] = args as [Tensor2D, Save];
    save([x]);
    const value = op.tensor(squaredDistancesAt(doublesOf(x), x.shape[1], graph));
    const gradFunc = (dy: Tensor, [points]: Tensor[]) =>
      op.tensor(pullBack(doublesOf(dy), doublesOf(points!), points!.shape[1]!, graph), points!.shape);
    return { value, gradFunc };
  })(X) as Tensor1D;
}

/** ‖y_i − y_j‖² for every edge (i, j) between rows of a matrix, with the same bits whether or not the graph contains all pairs. */
export function edgeDistances(points: Matrix, ends: Ends & Pick<Graph, 'complete'>): Float64Array {
  const { data, columns, rows: N } = points;
  const isOfAllPairs = ends.complete?.count === 1 && ends.sources.length === (N * (N - 1)) / 2;
  return isOfAllPairs ? distancesOfAllPairs(points) : squaredDistancesAt(data, columns, ends);
}

/** Rows whose distances are computed at once. */
const BLOCK = 64;

/** Squared distances of all pairs i < j, by rows, computed below the diagonal. */
function distancesOfAllPairs({ data, rows: N, columns: q }: Matrix): Float64Array {
  const distances = new Float64Array((N * (N - 1)) / 2);
  const memory = sharedMemory();
  const points = 8 * N * q;
  memory.withBlock(points + 8 * BLOCK * N, (start) => {
    memory.float64(start, N * q).set(data);
    for (let first = 0; first < N; first += BLOCK) {
      const end = Math.min(N, first + BLOCK);
      const own = start + 8 * first * q;
      distanceOperations(memory).squaredDistances(end - first, end, q, own, start, start + points);
      const block = memory.float64(start + points, BLOCK * N);
      for (let j = first; j < end; j++) {
        const row = (j - first) * end;
        for (let i = 0; i < j; i++) distances[pairIndex(i, j, N)] = block[row + i]!;
      }
    }
  });
  return distances;
}

/** Index of (i, j), i < j, among all pairs of N points by rows. */
const pairIndex = (i: number, j: number, N: number) => i * N - (i * (i + 1)) / 2 + j - i - 1;

function squaredDistancesAt(x: Float64Array, q: number, { sources, targets }: Ends): Float64Array {
  const distances = new Float64Array(sources.length);
  let e = 0;
  // Three edges at a time: their sums do not wait for each other.
  for (; e + 3 <= distances.length; e += 3) {
    const [i0, i1, i2] = [sources[e]! * q, sources[e + 1]! * q, sources[e + 2]! * q];
    const [j0, j1, j2] = [targets[e]! * q, targets[e + 1]! * q, targets[e + 2]! * q];
    let [sum0, sum1, sum2] = [0, 0, 0];
    for (let d = 0; d < q; d++) {
      const difference0 = x[i0 + d]! - x[j0 + d]!;
      const difference1 = x[i1 + d]! - x[j1 + d]!;
      const difference2 = x[i2 + d]! - x[j2 + d]!;
      sum0 += difference0 * difference0;
      sum1 += difference1 * difference1;
      sum2 += difference2 * difference2;
    }
    distances[e] = sum0;
    distances[e + 1] = sum1;
    distances[e + 2] = sum2;
  }
  for (; e < distances.length; e++) {
    const i = sources[e]! * q;
    const j = targets[e]! * q;
    let sum = 0;
    for (let d = 0; d < q; d++) {
      const difference = x[i + d]! - x[j + d]!;
      sum += difference * difference;
    }
    distances[e] = sum;
  }
  return distances;
}

function pullBack(dy: Float64Array, x: Float64Array, q: number, { sources, targets }: Ends): Float64Array {
  const gradient = new Float64Array(x.length);
  for (let e = 0; e < dy.length; e++) {
    const i = sources[e]! * q;
    const j = targets[e]! * q;
    for (let d = 0; d < q; d++) {
      const change = 2 * dy[e]! * (x[i + d]! - x[j + d]!);
      gradient[i + d]! += change;
      gradient[j + d]! -= change;
    }
  }
  return gradient;
}
