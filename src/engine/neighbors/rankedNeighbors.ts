import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { compiledKernels } from '../dense/activeEngine.ts';
import { type Float64Memory, sharedMemory } from '../memory.ts';
import { RANKED_ROWS } from '../wasm/engineModule.ts';
import { countOperation, type LinkedKernels, RECORD_BYTES, writeRecord } from '../wasm/instance.ts';
import { boundsAreFinite } from './nearestNeighbors.ts';
import { pointProducts, type Slack } from './pointProducts.ts';
import { squaredDistance, squaredDistances } from './squaredDistance.ts';

/** All neighbors of some rows. Its arrays are valid until the next allocation, or the next block. */
export interface RankedBlock {
  /** The first row, and the number of rows. */
  readonly first: number;
  readonly count: number;
  /** Ranks of all N points as neighbors of row first + p: 1 for the nearest one, 0 for the row itself. */
  ranks(p: number): Int32Array;
  /** Squared distances from row first + p to all points. */
  squares(p: number): Float64Array;
  /** True if two points are equally far from row first + p. */
  areTied(p: number, a: number, b: number): boolean;
}

/** Distances below this fraction of the distance to the mean are computed by differences, because products about the mean have lost digits. */
const NEAR = 1e-4;

/** Number of multiplications that take as long as ranking one point of a row. */
const COST = 200;

/**
 * Ranks of all points by their distances from each, in blocks of rows, so that no N×N array is kept. Distances are computed as products at the speed of the linear
 * algebra; distances that are equal within rounding are compared by differences, so that the order agrees with the squared distances Σ_d (x_id −
 * x_jd)² added in the order of the coordinates. Among equally near points, the one with the lowest index comes first. Rows of a block are shared
 * among threads.
 *
 * @param points - N×D, N at least 2
 * @throws InvalidInputError if squared distances are too large for a double
 */
export function* rankedNeighbors(points: Matrix): Generator<RankedBlock, void, void> {
  const N = points.rows;
  if (!boundsAreFinite(points, points)) {
    throw new InvalidInputError(
      'Squared distances between the points are larger than the largest double. Rescale them.',
    );
  }
  const memory = sharedMemory();
  const kernels = compiledKernels(memory);
  let block = { first: 0, count: 0, products: 0 };
  let found: { norms: Float64Array; slack: Slack } | undefined;
  const work = pointProducts(points, points, 'all', (i, _, norms, products, slack) => {
    if (block.count === 0) block = { first: i, count: 0, products: products.byteOffset };
    block.count++;
    found = { norms, slack };
  });
  const numbers = points.data.length + N;
  const bytes = RECORD_BYTES + 8 * numbers;
  const record = memory.allocate(bytes);
  let [ranks, ranksBytes] = [0, 0];
  try {
    while (!work.next().done) {
      if (ranks === 0) {
        ranksBytes = 4 * block.count * N;
        ranks = memory.allocate(ranksBytes);
        memory.float64(record + RECORD_BYTES, numbers).set(points.data);
        memory.float64(record + RECORD_BYTES + 8 * points.data.length, N).set(found!.norms);
      }
      const { first, count, products } = block;
      const own: RankedBlock = {
        first,
        count,
        ranks: (p) => memory.int32(ranks + 4 * p * N, N),
        squares: (p) => memory.float64(products + 8 * p * N, N),
        areTied: (p, a, b) => {
          const squares = memory.float64(products + 8 * p * N, N);
          const { norms, slack } = found!;
          const reach = norms[first + p]! + Math.max(norms[a]!, norms[b]!);
          if (Math.abs(squares[a]! - squares[b]!) > 4 * slack.relative * reach + 2 * slack.absolute) return false;
          const { data, columns: D } = points;
          const between = (j: number) => squaredDistance(data, (first + p) * D, j * D, D);
          return between(a) === between(b);
        },
      };
      if (kernels === undefined) rankPlainly(points, own);
      else rankByKernels(memory, kernels, { ...block, ranks, record }, points, found!);
      yield own;
      block = { first: 0, count: 0, products: 0 };
    }
  } finally {
    work.return(undefined as never);
    if (ranks > 0) memory.release(ranks, ranksBytes);
    memory.release(record, bytes);
  }
}

function rankByKernels(
  memory: Float64Memory,
  kernels: LinkedKernels,
  block: { first: number; count: number; products: number; ranks: number; record: number },
  { rows: n, columns, data }: Matrix,
  { norms, slack }: { norms: Float64Array; slack: Slack },
): void {
  const { first, count, products: squares, ranks, record } = block;
  const x = record + RECORD_BYTES;
  countOperation(kernels, COST * count * n);
  memory.withBlock(kernels.threads * kernels.rankedRowsWorkspace(n), (work) => {
    kernels.rankedRows(
      writeRecord(memory, RANKED_ROWS, record, {
        near: NEAR,
        // (a + b)² ≤ 2·(a² + b²), for each of the two distances that are compared.
        relative: 4 * slack.relative,
        absolute: 2 * slack.absolute,
        ...{ first, count, n, columns, x, norms: x + 8 * data.length },
        largest: norms.reduce((most, norm) => Math.max(most, norm), 0),
        ...{ squares, ranks, work },
      }),
    );
  });
}

function rankPlainly({ rows: N, columns: D, data }: Matrix, { first, count, ranks, squares }: RankedBlock): void {
  for (let p = 0; p < count; p++) {
    const own = squares(p);
    squaredDistances(data, (first + p) * D, data, 0, D, N, own);
    const order = Int32Array.from(own.keys()).sort((a, b) => own[a]! - own[b]! || a - b);
    const places = ranks(p);
    let rank = 0;
    for (const j of order) places[j] = j === first + p ? 0 : ++rank;
  }
}

/**
 * The blocks of two lists of equally many points, row by row. Points that are equally far in one list are ranked as in the other, so that ties count
 * neither for nor against a map and the order of the rows does not matter.
 */
export function* rankedTogether(Y: Matrix, X: Matrix): Generator<readonly [RankedBlock, RankedBlock], void, void> {
  const [ofY, ofX] = [rankedNeighbors(Y), rankedNeighbors(X)];
  const N = Y.rows;
  const order = new Int32Array(N);
  const before = [new Int32Array(N), new Int32Array(N)] as const;
  try {
    for (;;) {
      const [y, x] = [ofY.next(), ofX.next()];
      if (y.done || x.done) return;
      for (let p = 0; p < y.value.count; p++) {
        before[0].set(y.value.ranks(p));
        before[1].set(x.value.ranks(p));
        rankTies(y.value, p, before[1], order);
        rankTies(x.value, p, before[0], order);
      }
      yield [y.value, x.value];
    }
  } finally {
    ofY.return();
    ofX.return();
  }
}

/** Ranks points that are equally far from row p of a block by another list's ranks, in place. */
function rankTies(block: RankedBlock, p: number, other: Int32Array, order: Int32Array): void {
  const ranks = block.ranks(p);
  for (let j = 0; j < ranks.length; j++) order[ranks[j]!] = j;
  for (let first = 1, r = 2; r <= ranks.length; r++) {
    if (r < ranks.length && block.areTied(p, order[r - 1]!, order[r]!)) continue;
    if (r - first > 1) {
      order.subarray(first, r).sort((a, b) => other[a]! - other[b]!);
      for (let at = first; at < r; at++) ranks[order[at]!] = at;
    }
    first = r;
  }
}
