/** Plain formulas on arrays of arrays, independent of the library's linear algebra. */

/** Lower Cholesky factor. */
export function choleskyOf(K: readonly (readonly number[])[]): number[][] {
  const n = K.length;
  const L = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = K[i]![j]!;
      for (let k = 0; k < j; k++) sum -= L[i]![k]! * L[j]![k]!;
      L[i]![j] = i === j ? Math.sqrt(sum) : sum / L[j]![j]!;
    }
  }
  return L;
}

/** L⁻¹b */
export function forward(L: readonly (readonly number[])[], b: readonly number[]): number[] {
  const x: number[] = [];
  for (let i = 0; i < b.length; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= L[i]![k]! * x[k]!;
    x.push(sum / L[i]![i]!);
  }
  return x;
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);

/** One column of a Gaussian process: log N(y | 0, K + diag(noise)). */
export function logDensityOf(
  K: readonly (readonly number[])[],
  noise: readonly number[],
  y: readonly number[],
): number {
  const L = choleskyOf(withNoise(K, noise));
  const half = forward(L, y);
  const logDeterminant = L.reduce((sum, row, i) => sum + 2 * Math.log(row[i]!), 0);
  return -0.5 * (y.length * Math.log(2 * Math.PI) + logDeterminant + dot(half, half));
}

/** Its mean and variance at a new input with covariances k to the points and prior variance v. */
export function momentsOf(
  K: readonly (readonly number[])[],
  noise: readonly number[],
  y: readonly number[],
  k: readonly number[],
  v: number,
): { mean: number; variance: number } {
  const L = choleskyOf(withNoise(K, noise));
  const [half, own] = [forward(L, y), forward(L, k)];
  return { mean: dot(own, half), variance: v - dot(own, own) };
}

const withNoise = (K: readonly (readonly number[])[], noise: readonly number[]) =>
  K.map((row, i) => row.map((entry, j) => (i === j ? entry + noise[i]! : entry)));
