import { exp, log, pow } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Random } from '../../core/random.ts';
import { dot } from '../vectors.ts';
import { lgamma } from './gamma.ts';

/**
 * A draw of the gamma distribution of scale 1.
 *
 * @param shape - a > 0
 * @see Marsaglia & Tsang, A simple method for generating gamma variables, ACM Trans. Math. Softw. 26 (2000)
 */
export function gammaDraw(shape: number, random: Random): number {
  if (shape < 1) return gammaDraw(shape + 1, random) * pow(1 - random.uniform(), 1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root * root * root;
    if (log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
  }
}

/** Rate above which counts are drawn by rejection; below, by a product of uniform numbers. */
const LARGE_RATE = 10;

/**
 * A draw of the Poisson distribution.
 *
 * @param rate - λ ≥ 0
 * @see Hörmann, The transformed rejection method for generating Poisson random variables (PTRS), Insurance: Mathematics and Economics 12 (1993)
 */
export function poissonDraw(rate: number, random: Random): number {
  if (!Number.isFinite(rate)) return Number.NaN;
  if (rate < LARGE_RATE) {
    const least = exp(-rate);
    let count = 0;
    for (let product = 1 - random.uniform(); product > least; product *= 1 - random.uniform()) count++;
    return count;
  }
  const b = 0.931 + 2.53 * Math.sqrt(rate);
  const a = -0.059 + 0.02483 * b;
  const inverse = 1.1239 + 1.1328 / (b - 3.4);
  const quick = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const u = random.uniform() - 0.5;
    const v = 1 - random.uniform();
    const edge = 0.5 - Math.abs(u);
    const count = Math.floor(((2 * a) / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= quick) return count;
    if (count < 0 || (edge < 0.013 && v > edge)) continue;
    const density = count * log(rate) - rate - lgamma(count + 1);
    if (log((v * inverse) / (a / (edge * edge) + b)) <= density) return count;
  }
}

/**
 * Standard normal numbers for n draws, in columns with exact mean 0 and variance 1 that are uncorrelated with the previous n/4 columns, so that
 * moments of linear functions are exact.
 *
 * @see Barraquand, Numerical valuation of high dimensional multivariate European securities, Management Science 41 (1995)
 */
export function matchedNormals(n: number, random: Random): (columns: number) => Matrix {
  const known: Float64Array[] = [];
  const column = () => {
    const own = Float64Array.from({ length: n }, () => random.normal());
    const mean = own.reduce((sum, entry) => sum + entry, 0) / n;
    own.forEach((entry, i) => {
      own[i] = entry - mean;
    });
    for (const other of known.slice(-Math.floor(n / 4))) {
      const part = dot(own, other) / n;
      other.forEach((entry, i) => {
        own[i]! -= part * entry;
      });
    }
    const scale = Math.sqrt(n / dot(own, own));
    known.push(own.map((entry) => scale * entry));
    return known.at(-1)!;
  };
  return (columns) => {
    const made = Array.from({ length: columns }, column);
    return Matrix.zeros(n, columns).map((_, i, c) => made[c]![i]!);
  };
}
