/** Sweeps that are gathered before they are applied: each column panel is then loaded once for all of them. */
const SWEEPS = 32;
const WIDTH = 8;

/** Sweeps of plane rotations on neighbouring rows of a matrix, applied many at a time. */
export interface RotationQueue {
  /** Where the next sweep's cosine and sine of rows i and i + 1 go: at [2i] and [2i + 1] from `start`. */
  readonly coefficients: Float64Array;
  start(): number;
  /** The sweep just written runs from row `last` − 1 down to row `first`. */
  push(first: number, last: number): void;
  /** Applies what is still queued. */
  flush(): void;
}

/**
 * Rotations rowᵢ₊₁ ← s·rowᵢ + c·rowᵢ₊₁, rowᵢ ← c·rowᵢ − s·rowᵢ₊₁ of the n×n row-major `matrix`. They are applied to eight
 * columns at a time, copied together so that they stay in the cache for all queued sweeps.
 */
export function rotationQueue(n: number, matrix: Float64Array): RotationQueue {
  const coefficients = new Float64Array(SWEEPS * 2 * n);
  const firsts = new Int32Array(SWEEPS);
  const lasts = new Int32Array(SWEEPS);
  const panel = new Float64Array(n * WIDTH);
  let queued = 0;

  function flush(): void {
    let top = n;
    let bottom = 0;
    for (let q = 0; q < queued; q++) {
      top = Math.min(top, firsts[q]!);
      bottom = Math.max(bottom, lasts[q]!);
    }
    for (let left = 0; left < n; left += WIDTH) {
      const width = Math.min(WIDTH, n - left);
      for (let i = top; i <= bottom; i++) {
        for (let j = 0; j < width; j++) panel[i * WIDTH + j] = matrix[i * n + left + j]!;
      }
      for (let q = 0; q < queued; q++) rotatePanel(panel, coefficients, q * 2 * n, firsts[q]!, lasts[q]!);
      for (let i = top; i <= bottom; i++) {
        for (let j = 0; j < width; j++) matrix[i * n + left + j] = panel[i * WIDTH + j]!;
      }
    }
    queued = 0;
  }

  return {
    coefficients,
    start: () => queued * 2 * n,
    push(first, last) {
      firsts[queued] = first;
      lasts[queued] = last;
      queued++;
      if (queued === SWEEPS) flush();
    },
    flush,
  };
}

/** One sweep on a panel; the row that the next rotation needs is carried along in registers. */
function rotatePanel(x: Float64Array, coefficients: Float64Array, start: number, first: number, last: number): void {
  for (let half = 0; half < WIDTH; half += 4) {
    let p = last * WIDTH + half;
    let a0 = x[p]!;
    let a1 = x[p + 1]!;
    let a2 = x[p + 2]!;
    let a3 = x[p + 3]!;
    for (let i = last - 1; i >= first; i--) {
      const c = coefficients[start + 2 * i]!;
      const s = coefficients[start + 2 * i + 1]!;
      const q = p - WIDTH;
      const z0 = x[q]!;
      const z1 = x[q + 1]!;
      const z2 = x[q + 2]!;
      const z3 = x[q + 3]!;
      x[p] = s * z0 + c * a0;
      x[p + 1] = s * z1 + c * a1;
      x[p + 2] = s * z2 + c * a2;
      x[p + 3] = s * z3 + c * a3;
      a0 = c * z0 - s * a0;
      a1 = c * z1 - s * a1;
      a2 = c * z2 - s * a2;
      a3 = c * z3 - s * a3;
      p = q;
    }
    x[p] = a0;
    x[p + 1] = a1;
    x[p + 2] = a2;
    x[p + 3] = a3;
  }
}
