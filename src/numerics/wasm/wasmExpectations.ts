import type { Float64Memory } from '../memory.ts';
import type { ExpectationOperations, GaussianPoints } from './expectationOperations.ts';
import { kernelsOn, type Variant } from './instance.ts';
import { type Place, transpose, withNumbers } from './transposedPoints.ts';

/** Expectations of the rbf in WebAssembly SIMD, with the kernels of one variant. */
export function expectationsOn(memory: Float64Memory, variant: Variant): ExpectationOperations {
  const kernels = kernelsOn(memory, variant);

  /** Inducing inputs dimension by dimension, and squared lengthscales. */
  function prepared({ m, q, inducing, lengthscales }: GaussianPoints, place: Place) {
    const z = transpose(memory, kernels, m, q, inducing, place);
    const squares = place(q);
    memory.float64(squares, q).set(squaresOf(lengthscales, q));
    return { z, squares };
  }

  /** −Σ_d (z_md − z_m'd)²/(4l_d²), lower triangle row by row. */
  function apartOf({ m, q, inducing, lengthscales }: GaussianPoints, place: Place): number {
    const offset = place(triangle(m));
    const target = memory.float64(offset, triangle(m));
    const Z = memory.float64(inducing, m * q);
    const quarters = squaresOf(lengthscales, q).map((square) => 0.25 / square);
    for (let i = 0, next = 0; i < m; i++) {
      for (let j = 0; j <= i; j++, next++) {
        let sum = 0;
        for (let d = 0; d < q; d++) {
          const gap = Z[i * q + d]! - Z[j * q + d]!;
          sum -= quarters[d]! * gap * gap;
        }
        target[next] = sum;
      }
    }
    return offset;
  }

  /** Puts a gradient that was made dimension by dimension (q×m) where it goes (m×q); gives that in the lengthscales. */
  function placeSlopes(points: GaussianPoints, slopes: number, dinducing: number, dsquares: number) {
    const { m, q } = points;
    const from = memory.float64(slopes, q * m);
    const to = memory.float64(dinducing, m * q);
    for (let d = 0; d < q; d++) for (let j = 0; j < m; j++) to[j * q + d] = from[d * m + j]!;
    const squares = memory.float64(dsquares, q);
    return Float64Array.from({ length: q }, (_, d) => 2 * points.lengthscales[d]! * squares[d]!);
  }

  return Object.freeze<ExpectationOperations>({
    expectedRbf(points, target) {
      const { n, m, q, mean, variance } = points;
      withNumbers(memory, q * (m + 2), (place) => {
        const { z, squares } = prepared(points, place);
        kernels.expectedRbf(n, m, q, mean, variance, z, squares, target);
      });
    },

    expectedRbfGradient(points, g, slopes) {
      const { n, m, q, mean, variance } = points;
      return withNumbers(memory, q * (2 * m + 3) + m, (place) => {
        const { z, squares } = prepared(points, place);
        const [dz, dsquares, work] = [place(q * m), place(q), place(m)] as const;
        memory.float64(dz, q * m).fill(0);
        memory.float64(dsquares, q).fill(0);
        const total = kernels.expectedRbfGradient(
          n,
          m,
          q,
          mean,
          variance,
          z,
          squares,
          g,
          slopes.mean,
          slopes.variance,
          dz,
          dsquares,
          work,
        );
        return { total, lengthscales: placeSlopes(points, dz, slopes.inducing, dsquares) };
      });
    },

    expectedRbfProducts(points, { sums, offset = 0 }, target) {
      const { n, m, q, mean, variance } = points;
      const T = triangle(m);
      withNumbers(memory, q * (2 * m + 3) + m + (sums + 2) * T, (place) => {
        const { z, squares } = prepared(points, place);
        const apart = apartOf(points, place);
        const [packed, work] = [place(sums * T), place(q * m + m + q + T)] as const;
        kernels.expectedRbfProducts(n, m, q, mean, variance, z, squares, apart, offset, sums, packed, work);
        unpack(memory.float64(packed, sums * T), m, sums, memory.float64(target, sums * m * m));
      });
    },

    expectedRbfProductsGradient(points, { sums, offset = 0 }, g, slopes) {
      const { n, m, q, mean, variance } = points;
      const T = triangle(m);
      const workspace = 2 * q * m + 2 * m + q + m * m + 2 * T;
      return withNumbers(memory, q * (2 * m + 3) + (sums + 1) * T + m * m + workspace, (place) => {
        const { z, squares } = prepared(points, place);
        const apart = apartOf(points, place);
        const packed = place(sums * T);
        const [dz, dsquares, total, work] = [place(q * m), place(q), place(m * m), place(workspace)] as const;
        pack(memory.float64(g, sums * m * m), m, sums, memory.float64(packed, sums * T));
        memory.float64(dz, q * m).fill(0);
        memory.float64(dsquares, q).fill(0);
        const sum = kernels.expectedRbfProductsGradient(
          n,
          m,
          q,
          mean,
          variance,
          z,
          squares,
          apart,
          offset,
          sums,
          packed,
          slopes.mean,
          slopes.variance,
          dz,
          dsquares,
          total,
          work,
        );
        pullTogether(points, total, dz, dsquares);
        return { total: sum, lengthscales: placeSlopes(points, dz, slopes.inducing, dsquares) };
      });
    },
  });

  /** What the distances between inducing inputs add to the gradient. */
  function pullTogether({ m, q, inducing, lengthscales }: GaussianPoints, total: number, dz: number, dsquares: number) {
    const Z = memory.float64(inducing, m * q);
    const H = memory.float64(total, m * m);
    const slopes = memory.float64(dz, q * m);
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
        slopes[d * m + i]! -= pull / square;
      }
      widths[d]! += widening / (4 * square * square);
    }
  }
}

function triangle(m: number): number {
  return (m * (m + 1)) / 2;
}

function squaresOf(lengthscales: ArrayLike<number>, q: number): Float64Array {
  return Float64Array.from({ length: q }, (_, d) => lengthscales[d]! * lengthscales[d]!);
}

/** Symmetric matrices from their lower triangles. */
function unpack(packed: Float64Array, m: number, count: number, matrices: Float64Array): void {
  for (let p = 0, next = 0; p < count; p++) {
    const start = p * m * m;
    for (let i = 0; i < m; i++) {
      for (let j = 0; j <= i; j++, next++) {
        matrices[start + i * m + j] = packed[next]!;
        matrices[start + j * m + i] = packed[next]!;
      }
    }
  }
}

/** Lower triangles of the symmetric parts of matrices. */
function pack(matrices: Float64Array, m: number, count: number, packed: Float64Array): void {
  for (let p = 0, next = 0; p < count; p++) {
    const start = p * m * m;
    for (let i = 0; i < m; i++) {
      for (let j = 0; j <= i; j++, next++) {
        packed[next] = 0.5 * (matrices[start + i * m + j]! + matrices[start + j * m + i]!);
      }
    }
  }
}
