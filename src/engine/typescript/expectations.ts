import { exp, square } from '../../core/elementary/index.ts';
import type { Float64Memory } from '../memory.ts';
import type {
  ExpectationOperations,
  ExpectationSlopes,
  GaussianPoints,
  PointWeights,
} from '../operations/covariances.ts';

/** Expectations of the rbf in plain TypeScript, formula by formula: the reference for the compiled ones. */
export function typescriptExpectations(memory: Float64Memory): ExpectationOperations {
  function inputsOf({ n, m, q, mean, variance, inducing, lengthscales }: GaussianPoints) {
    return {
      mean: memory.float64(mean, n * q),
      variance: memory.float64(variance, n * q),
      inducing: memory.float64(inducing, m * q),
      squares: Float64Array.from({ length: q }, (_, d) => square(lengthscales[d]!)),
    };
  }

  function slopesOf({ n, m, q }: GaussianPoints, { mean, variance, inducing }: ExpectationSlopes) {
    return {
      mean: memory.float64(mean, n * q).fill(0),
      variance: memory.float64(variance, n * q).fill(0),
      inducing: memory.float64(inducing, m * q).fill(0),
      squares: new Float64Array(q),
    };
  }

  const lengthscaleSlopes = ({ lengthscales }: GaussianPoints, squares: Float64Array) =>
    squares.map((slope, d) => 2 * lengthscales[d]! * slope);

  return Object.freeze<ExpectationOperations>({
    expectedRbf(points, target) {
      const { n, m } = points;
      const out = memory.float64(target, n * m);
      const x = inputsOf(points);
      for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) out[i * m + j] = expected(points, x, i, j);
    },

    expectedRbfGradient(points, g, into) {
      const { n, m, q } = points;
      const G = memory.float64(g, n * m);
      const x = inputsOf(points);
      const slopes = slopesOf(points, into);
      let total = 0;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < m; j++) {
          const h = G[i * m + j]! * expected(points, x, i, j);
          total += h;
          for (let d = 0; d < q; d++) {
            const [scale, s] = [x.squares[d]!, x.variance[i * q + d]!];
            const gap = (x.mean[i * q + d]! - x.inducing[j * q + d]!) / (scale + s);
            slopes.mean[i * q + d]! -= h * gap;
            slopes.inducing[j * q + d]! += h * gap;
            slopes.variance[i * q + d]! += 0.5 * h * (gap * gap - 1 / (scale + s));
            slopes.squares[d]! += 0.5 * h * (gap * gap + s / (scale * (scale + s)));
          }
        }
      }
      return { total, lengthscales: lengthscaleSlopes(points, slopes.squares) };
    },

    keptOfPoint: () => 0,

    expectedRbfProducts(points, weights, target) {
      const { n, m } = points;
      const out = memory.float64(target, weights.sums * m * m).fill(0);
      const omega = weightsOf(points, weights);
      const x = inputsOf(points);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < m; j++) {
          for (let k = 0; k < m; k++) {
            const product = expectedProduct(points, x, i, j, k);
            for (let p = 0; p < weights.sums; p++) out[(p * m + j) * m + k]! += omega(i, p) * product;
          }
        }
      }
    },

    expectedRbfProductsGradient(points, weights, g, into) {
      const { n, m, q } = points;
      const G = memory.float64(g, weights.sums * m * m);
      const omega = weightsOf(points, weights);
      const x = inputsOf(points);
      const slopes = slopesOf(points, into);
      let total = 0;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < m; j++) {
          for (let k = 0; k < m; k++) {
            let h = 0;
            for (let p = 0; p < weights.sums; p++) h += omega(i, p) * G[(p * m + j) * m + k]!;
            h *= expectedProduct(points, x, i, j, k);
            total += h;
            for (let d = 0; d < q; d++) {
              const [scale, s] = [x.squares[d]!, x.variance[i * q + d]!];
              const [left, right] = [x.inducing[j * q + d]!, x.inducing[k * q + d]!];
              const spread = scale + 2 * s;
              const gap = (x.mean[i * q + d]! - 0.5 * (left + right)) / spread;
              const apart = (left - right) / (2 * scale);
              slopes.mean[i * q + d]! -= 2 * h * gap;
              slopes.inducing[j * q + d]! += h * (gap - apart);
              slopes.inducing[k * q + d]! += h * (gap + apart);
              slopes.variance[i * q + d]! += h * (2 * gap * gap - 1 / spread);
              slopes.squares[d]! += h * (gap * gap + apart * apart + s / (scale * spread));
            }
          }
        }
      }
      return { total, lengthscales: lengthscaleSlopes(points, slopes.squares) };
    },
  });

  function weightsOf({ n }: GaussianPoints, { sums, offset }: PointWeights): (i: number, p: number) => number {
    if (offset === undefined) return () => 1;
    const values = memory.float64(offset, n * sums);
    return (i, p) => values[i * sums + p]!;
  }
}

interface Inputs {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  readonly inducing: Float64Array;
  readonly squares: Float64Array;
}

/** Π_d (1 + s_d/l_d²)^−½·exp(−½·Σ_d (μ_d − z_d)²/(l_d² + s_d)) */
function expected({ q }: GaussianPoints, x: Inputs, i: number, j: number): number {
  let [factor, exponent] = [1, 0];
  for (let d = 0; d < q; d++) {
    const [scale, s] = [x.squares[d]!, x.variance[i * q + d]!];
    factor *= scale / (scale + s);
    exponent -= (0.5 * square(x.mean[i * q + d]! - x.inducing[j * q + d]!)) / (scale + s);
  }
  return Math.sqrt(factor) * exp(exponent);
}

/** Π_d (1 + 2s_d/l_d²)^−½·exp(−Σ_d (z_d − z'_d)²/(4l_d²) + (μ_d − z̄_d)²/(l_d² + 2s_d)) */
function expectedProduct({ q }: GaussianPoints, x: Inputs, i: number, j: number, k: number): number {
  let [factor, exponent] = [1, 0];
  for (let d = 0; d < q; d++) {
    const [scale, spread] = [x.squares[d]!, x.squares[d]! + 2 * x.variance[i * q + d]!];
    const [left, right] = [x.inducing[j * q + d]!, x.inducing[k * q + d]!];
    factor *= scale / spread;
    exponent -= square(left - right) / (4 * scale) + square(x.mean[i * q + d]! - 0.5 * (left + right)) / spread;
  }
  return Math.sqrt(factor) * exp(exponent);
}
