import type { Float64Memory } from '../memory.ts';
import type { ExpectationOperations, GaussianPoints, Kept } from '../operations/covariances.ts';
import { EXPECTATIONS } from './engineModule.ts';
import { countOperation, kernelsOn, type Place, placeRecord, withNumbers } from './instance.ts';

/** Expectations of the rbf in WebAssembly SIMD. */
export function expectationsOn(memory: Float64Memory): ExpectationOperations {
  const kernels = kernelsOn(memory);

  /** The points, the inducing inputs dimension by dimension (q×width, padded with 0), and squared lengthscales. */
  function prepared({ n, m, q, mean, variance, inducing, lengthscales }: GaussianPoints, width: number, place: Place) {
    const [z, squares] = [place(q * width), place(q)] as const;
    const rows = memory.float64(z, q * width).fill(0);
    const Z = memory.float64(inducing, m * q);
    for (let d = 0; d < q; d++) for (let j = 0; j < m; j++) rows[d * width + j] = Z[j * q + d]!;
    memory.float64(squares, q).set(squaresOf(lengthscales, q));
    return { n, m, width, q, mean, variance, z, squares };
  }

  /** −Σ_d (z_md − z_m'd)²/(4l_d²), in tiles. */
  function apartOf({ m, q, inducing, lengthscales }: GaussianPoints, place: Place): number {
    const Z = memory.float64(inducing, m * q);
    const quarters = squaresOf(lengthscales, q).map((square) => 0.25 / square);
    const apart = new Float64Array(m * m);
    for (let i = 0; i < m; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let d = 0; d < q; d++) {
          const gap = Z[i * q + d]! - Z[j * q + d]!;
          sum -= quarters[d]! * gap * gap;
        }
        apart[i * m + j] = sum;
        apart[j * m + i] = sum;
      }
    }
    const offset = place(tiledLength(m));
    toTiles(apart, m, 1, memory.float64(offset, tiledLength(m)));
    return offset;
  }

  /** Transposes a gradient stored dimension by dimension (q×width) to its target (m×q); returns the gradient in the lengthscales. */
  function placeSlopes(points: GaussianPoints, width: number, slopes: number, dinducing: number, dsquares: number) {
    const { m, q } = points;
    const from = memory.float64(slopes, q * width);
    const to = memory.float64(dinducing, m * q);
    for (let d = 0; d < q; d++) for (let j = 0; j < m; j++) to[j * q + d] = from[d * width + j]!;
    const squares = memory.float64(dsquares, q);
    return Float64Array.from({ length: q }, (_, d) => 2 * points.lengthscales[d]! * squares[d]!);
  }

  return Object.freeze<ExpectationOperations>({
    expectedRbf(points, target) {
      const { m, q } = points;
      withNumbers(memory, q * (m + 1), (place) => {
        const given = prepared(points, m, place);
        kernels.expectedRbf(placeRecord(memory, place, EXPECTATIONS, { ...given, target }));
      });
    },

    expectedRbfGradient(points, g, slopes) {
      const { m, q } = points;
      const width = wholeTiles(m);
      return withNumbers(memory, 2 * q * (width + 1) + width, (place) => {
        const given = prepared(points, width, place);
        const [dz, dsquares, work] = [place(q * width), place(q), place(width)] as const;
        memory.float64(dz, q * width).fill(0);
        memory.float64(dsquares, q).fill(0);
        const into = { dmean: slopes.mean, dvariance: slopes.variance, dz, dsquares };
        const total = kernels.expectedRbfGradient(
          placeRecord(memory, place, EXPECTATIONS, { ...given, g, ...into, work }),
        );
        return { total, lengthscales: placeSlopes(points, width, dz, slopes.inducing, dsquares) };
      });
    },

    keptOfPoint: tiledLength,

    expectedRbfProducts(points, { sums, offset: weights = 0 }, target, kept = NONE) {
      const { n, m, q } = points;
      const [width, T] = [wholeTiles(m), tiledLength(m)] as const;
      const parts = partsOf(n, sums * T);
      countOperation(kernels, n * T * (q + EXPONENTIAL));
      const workspace = 4 * (q + 2) * width + T;
      withNumbers(memory, q * (width + 1) + T + parts * (sums * T + workspace), (place) => {
        const given = prepared(points, width, place);
        const apart = apartOf(points, place);
        const [tiles, work] = [place(parts * sums * T), place(parts * workspace)] as const;
        const how = { parts, apart, weights, sums, kept: kept.offset, keptPoints: kept.points };
        kernels.expectedRbfProducts(
          placeRecord(memory, place, EXPECTATIONS, { ...given, ...how, target: tiles, work }),
        );
        fromTiles(memory.float64(tiles, sums * T), m, sums, memory.float64(target, sums * m * m));
      });
    },

    expectedRbfProductsGradient(points, { sums, offset: weights = 0 }, g, slopes, kept = NONE) {
      const { n, m, q } = points;
      const [width, T] = [wholeTiles(m), tiledLength(m)] as const;
      const parts = partsOf(n, width * width + T);
      countOperation(kernels, 2 * n * T * (q + EXPONENTIAL));
      const workspace = (6 * q + 16) * width + width * width + 2 * T;
      const resultLength = q * width + q + T + 2;
      return withNumbers(memory, q * (width + 1) + (sums + 1) * T + parts * (resultLength + workspace), (place) => {
        const given = prepared(points, width, place);
        const apart = apartOf(points, place);
        const tiles = place(sums * T);
        const [target, work] = [place(parts * resultLength), place(parts * workspace)] as const;
        toTiles(memory.float64(g, sums * m * m), m, sums, memory.float64(tiles, sums * T));
        const how = { parts, apart, weights, sums, kept: kept.offset, keptPoints: kept.points, g: tiles };
        const into = { dmean: slopes.mean, dvariance: slopes.variance, target, work };
        kernels.expectedRbfProductsGradient(placeRecord(memory, place, EXPECTATIONS, { ...given, ...how, ...into }));
        const [dz, dsquares, total, sum] = [0, q * width, q * width + q, q * width + q + T].map(
          (length) => target + BYTES * length,
        ) as [number, number, number, number];
        pullTogether(points, width, total, dz, dsquares);
        const lengthscales = placeSlopes(points, width, dz, slopes.inducing, dsquares);
        return { total: memory.float64(sum, 1)[0]!, lengthscales };
      });
    },
  });

  /** Adds the contribution of the distances between inducing inputs to the gradient. */
  function pullTogether(
    { m, q, inducing, lengthscales }: GaussianPoints,
    width: number,
    total: number,
    dz: number,
    dsquares: number,
  ) {
    const Z = memory.float64(inducing, m * q);
    const H = new Float64Array(m * m);
    fromTiles(memory.float64(total, tiledLength(m)), m, 1, H);
    const slopes = memory.float64(dz, q * width);
    const widths = memory.float64(dsquares, q);
    const squares = squaresOf(lengthscales, q);
    for (let d = 0; d < q; d++) {
      const square = squares[d]!;
      let widening = 0;
      for (let i = 0; i < m; i++) {
        let pull = 0;
        for (let j = 0; j < m; j++) {
          const gap = Z[i * q + d]! - Z[j * q + d]!;
          pull += H[i * m + j]! * gap;
          widening += H[i * m + j]! * gap * gap;
        }
        slopes[d * width + i]! -= pull / square;
      }
      widths[d]! += widening / (4 * square * square);
    }
  }
}

const BYTES = 8;
const NONE: Kept = { points: 0, offset: 0 };
const TILE = 4;
/** Least number of points of a part, and largest number of parts. Both are independent of the number of threads. */
const LEAST_POINTS = 64;
const MOST_PARTS = 8;
/** Size of a part's sums above which there is only one part: eight of them would take 64 MB. */
const MOST_NUMBERS = 2 ** 20;

/** Cost of an exponential, in multiplications of a product. */
const EXPONENTIAL = 10;

/** Number of parts into which n points are divided, each with this many numbers of workspace. */
function partsOf(n: number, numbers: number): number {
  return numbers > MOST_NUMBERS ? 1 : Math.max(1, Math.min(MOST_PARTS, Math.floor(n / LEAST_POINTS)));
}

/** m, rounded up to whole tiles. */
const wholeTiles = (m: number): number => TILE * Math.ceil(m / TILE);

/** Numbers in the tiles of the lower triangle of an m×m matrix. */
function tiledLength(m: number): number {
  const count = Math.ceil(m / TILE);
  return ((count * (count + 1)) / 2) * TILE * TILE;
}

/** Index of entry (i, j) among the tiles of a lower triangle, which must contain j's tile. */
function placeInTiles(i: number, j: number): number {
  const [I, J] = [Math.floor(i / TILE), Math.floor(j / TILE)] as const;
  return (((I * (I + 1)) / 2 + J) * TILE + (i % TILE)) * TILE + (j % TILE);
}

function squaresOf(lengthscales: ArrayLike<number>, q: number): Float64Array {
  return Float64Array.from({ length: q }, (_, d) => lengthscales[d]! * lengthscales[d]!);
}

/** Symmetric matrices from the tiles of their lower triangles. */
function fromTiles(tiles: Float64Array, m: number, count: number, matrices: Float64Array): void {
  for (let p = 0; p < count; p++) {
    const [start, from] = [p * m * m, p * tiledLength(m)] as const;
    for (let i = 0; i < m; i++) {
      for (let j = 0; j <= i; j++) {
        const entry = tiles[from + placeInTiles(i, j)]!;
        matrices[start + i * m + j] = entry;
        matrices[start + j * m + i] = entry;
      }
    }
  }
}

/** The symmetric parts of matrices as tiles of lower triangles, with 0 beyond the matrices. */
function toTiles(matrices: Float64Array, m: number, count: number, tiles: Float64Array): void {
  tiles.fill(0);
  for (let p = 0; p < count; p++) {
    const [start, to] = [p * m * m, p * tiledLength(m)] as const;
    for (let i = 0; i < m; i++) {
      const end = Math.min(m, wholeTiles(i + 1));
      for (let j = 0; j < end; j++) {
        tiles[to + placeInTiles(i, j)] = 0.5 * (matrices[start + i * m + j]! + matrices[start + j * m + i]!);
      }
    }
  }
}
