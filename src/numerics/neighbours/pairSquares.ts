import type { Matrix } from '../../core/matrix.ts';
import { compiledKernels } from '../dense/index.ts';
import { sharedMemory } from '../memory.ts';
import { squaredDistances } from './squaredDistance.ts';

/** Squared distances between the points of short lists. */
export interface PairSquares {
  /**
   * Of the first points of a list from all that follow them there: that of the points at places p < q is entry p·most + q. The array is reused.
   *
   * @param list - row numbers, of which `count` are looked at
   */
  of(list: Int32Array, first: number, count: number): Float64Array;
  /** Gives back the memory that it took. */
  release(): void;
}

/** Coordinates of all points at most that are copied for the compiled kernels, 1 GiB. */
const MOST_NUMBERS = 2 ** 27;

/**
 * By direct differences added in the order of the coordinates: on every engine the same bits.
 *
 * @param most - the longest list, a multiple of four
 */
export function pairSquares(points: Matrix, most: number): PairSquares {
  const { data, columns: D } = points;
  const memory = sharedMemory();
  const kernels = data.length > MOST_NUMBERS ? undefined : compiledKernels(memory);
  if (kernels === undefined) {
    const squares = new Float64Array(most * most);
    const row = new Float64Array(most);
    return {
      of(list, first, count) {
        for (let p = 0; p < first; p++) {
          squaredDistances(data, list[p]! * D, data, 0, D, count - p - 1, row, list.subarray(p + 1));
          for (let q = p + 1; q < count; q++) squares[p * most + q] = row[q - p - 1]!;
        }
        return squares;
      },
      release: () => undefined,
    };
  }
  const bytes = 8 * (data.length + most * most) + 4 * most;
  const x = memory.allocate(bytes);
  const squares = x + 8 * data.length;
  const places = squares + 8 * most * most;
  memory.float64(x, data.length).set(data);
  return {
    of(list, first, count) {
      memory.int32(places, count).set(list.length === count ? list : list.subarray(0, count));
      kernels.pairSquares(first, count, D, x, places, most, squares);
      return memory.float64(squares, most * most);
    },
    release: () => memory.release(x, bytes),
  };
}
