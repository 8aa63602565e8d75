import { cos, square } from '../../core/elementary/index.ts';
import { type GridConvolution, gridConvolution } from './gridConvolution.ts';

/**
 * Z = Σ_{i≠j} 1/(1 + ‖x_i − x_j‖²), the normalizer of the Student-t similarities of points, and its gradient.
 *
 * @param X - N×q, row by row
 * @param gradient - N×q, filled with ∂Z/∂X
 */
export type Repulsion = (X: Float64Array, gradient: Float64Array) => number;

/** Sums over every pair of points. */
export function exactRepulsion(N: number, q: number): Repulsion {
  return q === 2 ? (X, gradient) => pairsInPlane(X, N, gradient) : (X, gradient) => allPairs(X, N, q, gradient);
}

function pairsInPlane(X: Float64Array, N: number, gradient: Float64Array): number {
  let Z = 0;
  gradient.fill(0);
  for (let i = 0; i < 2 * N; i += 2) {
    const x = X[i]!;
    const y = X[i + 1]!;
    let [gx, gy] = [0, 0];
    for (let j = 0; j < i; j += 2) {
      const dx = x - X[j]!;
      const dy = y - X[j + 1]!;
      const similarity = 1 / (1 + dx * dx + dy * dy);
      Z += similarity;
      const slope = similarity * similarity;
      gx += slope * dx;
      gy += slope * dy;
      gradient[j]! += 4 * slope * dx;
      gradient[j + 1]! += 4 * slope * dy;
    }
    gradient[i]! -= 4 * gx;
    gradient[i + 1]! -= 4 * gy;
  }
  return 2 * Z;
}

function allPairs(X: Float64Array, N: number, q: number, gradient: Float64Array): number {
  let Z = 0;
  gradient.fill(0);
  for (let i = 0; i < N * q; i += q) {
    for (let j = 0; j < i; j += q) {
      let square = 1;
      for (let c = 0; c < q; c++) {
        const difference = X[i + c]! - X[j + c]!;
        square += difference * difference;
      }
      const similarity = 1 / square;
      Z += similarity;
      const slope = 4 * similarity * similarity;
      for (let c = 0; c < q; c++) {
        const force = slope * (X[i + c]! - X[j + c]!);
        gradient[i + c]! -= force;
        gradient[j + c]! += force;
      }
    }
  }
  return 2 * Z;
}

/** Number of powers of u in the smooth part, whose first derivatives equal the similarity's at the radius. */
const TERMS = 4;
/** Radius within which pairs are summed, in grid spacings. */
const REACH = 3;
/** Largest grid spacing at which splines interpolate the similarity itself. */
const FINE = 0.25;
/** Empty nodes at each side. */
const MARGIN = 3;
/** Grid sizes per side, powers of two. */
const SMALLEST = 32;
const LARGEST = 1024;
/** Grid spacings are powers of this number, so that kernels can be reused while points move little. */
const STEP = Math.sqrt(Math.SQRT2);
/** Number of cells per side used to estimate the number of near pairs. */
const COARSE = 32;
/** Measured nanoseconds: for each pair, for each near pair that is visited, and for each node of the grid. */
const COSTS = { pair: 1.6, near: 2.6, node: 90 };

/**
 * The same for points in a plane (or on a line) at a cost linear in N: with S = R² and u = (S − d²)/(1 + S),
 *
 *   1/(1 + d²) = (1 + u + … + u^{K−1})/(1 + S) + [d < R]·u^K/(1 + d²).
 *
 * The first part is smooth: it is interpolated by cubic splines on a grid whose nodes are R/3 apart, and summed by a fast Fourier transform.
 * The second part, 0 beyond R, is summed over near pairs. The gradient is exactly the derivative of the computed value, whose relative error is below
 * 1e-3. If nodes are close relative to the similarity's width, R is 0. The grid, or the sum over all pairs, is chosen by estimated speed.
 *
 * @see Hockney & Eastwood 1988, §8 (particle–particle/particle–mesh); Linderman et al. 2019 (interpolation and FFT for t-SNE)
 */
export function planarRepulsion(N: number, q: number): Repulsion {
  if (q === 2) return planar(N);
  const inPlane = planar(N);
  const X2 = new Float64Array(2 * N);
  const gradient2 = new Float64Array(2 * N);
  return (X, gradient) => {
    for (let i = 0; i < N; i++) X2[2 * i] = X[i]!;
    const Z = inPlane(X2, gradient2);
    for (let i = 0; i < N; i++) gradient[i] = gradient2[2 * i]!;
    return Z;
  };
}

function planar(N: number): Repulsion {
  const grids = new Map<number, SplineGrid>();
  const near = nearPairs(N);
  const counts = new Int32Array(COARSE * COARSE);
  return (X, gradient) => {
    const box = boxOf(X, N);
    const plan = planOf(X, N, box, counts);
    if (plan === undefined) return pairsInPlane(X, N, gradient);
    let grid = grids.get(plan.nodes);
    if (grid === undefined) {
      grid = splineGrid(N, plan.nodes);
      grids.set(plan.nodes, grid);
    }
    const Z = grid.sum(X, box, plan, gradient);
    return plan.radius === 0 ? Z : Z + near(X, box, plan.radius, gradient);
  };
}

interface Box {
  readonly x: number;
  readonly y: number;
  /** Length of the longer side. */
  readonly side: number;
}

function boxOf(X: Float64Array, N: number): Box {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < 2 * N; i += 2) {
    left = Math.min(left, X[i]!);
    right = Math.max(right, X[i]!);
    bottom = Math.min(bottom, X[i + 1]!);
    top = Math.max(top, X[i + 1]!);
  }
  return { x: left, y: bottom, side: Math.max(right - left, top - bottom) };
}

interface Plan {
  /** Number of nodes per side. */
  readonly nodes: number;
  /** Distance between nodes. */
  readonly spacing: number;
  readonly radius: number;
}

/** The grid that is estimated to be the fastest; undefined if the sum over all pairs is faster. */
function planOf(X: Float64Array, N: number, { x, y, side }: Box, counts: Int32Array): Plan | undefined {
  if (!(side > 0 && side < Number.MAX_VALUE)) return undefined;
  counts.fill(0);
  const cell = (side * (1 + 1e-9)) / COARSE;
  for (let i = 0; i < 2 * N; i += 2) {
    counts[Math.floor((X[i]! - x) / cell) * COARSE + Math.floor((X[i + 1]! - y) / cell)]!++;
  }
  let squares = 0;
  for (let c = 0; c < counts.length; c++) squares += counts[c]! * counts[c]!;
  let best: Plan | undefined;
  let least = 0.5 * N * N * COSTS.pair;
  for (let nodes = SMALLEST; nodes <= LARGEST; nodes *= 2) {
    const spacing = rounded(side / (nodes - 1 - 2 * MARGIN));
    const radius = spacing <= FINE ? 0 : REACH * spacing;
    const looked = Math.min(0.5 * N * N, (4.5 * radius * radius * squares) / (cell * cell));
    const cost = looked * COSTS.near + nodes * nodes * COSTS.node;
    if (cost >= least) continue;
    least = cost;
    best = { nodes, spacing, radius };
  }
  return best;
}

/** A length, rounded up to a power of the step. */
function rounded(length: number): number {
  let spacing = 2 ** -20;
  while (spacing < length) spacing *= 2;
  while (spacing / STEP >= length) spacing /= STEP;
  return spacing;
}

interface SplineGrid {
  /** Σ_{i≠j} over the smooth part, and its gradient. */
  sum(X: Float64Array, box: Box, plan: Plan, gradient: Float64Array): number;
}

function splineGrid(N: number, n: number): SplineGrid {
  const convolution: GridConvolution = gridConvolution(n);
  const { field } = convolution;
  const charges = new Float64Array(n * n);
  const corners = new Int32Array(N);
  const offsets = new Float64Array(2 * N);
  const wx = new Float64Array(4);
  const wy = new Float64Array(4);
  const sx = new Float64Array(4);
  const sy = new Float64Array(4);
  /** The squared spectrum of a cubic B-spline at the nodes: interpolating splines are B-splines divided by it, at both ends of a pair. */
  const filter = Float64Array.from({ length: n + 1 }, (_, k) => square(splineSpectrum(k, 2 * n)));
  let prepared = 0;

  return {
    sum(X, { x, y }, { spacing, radius }, gradient) {
      if (prepared !== spacing) convolution.prepare(smoothKernel(n, spacing, radius), filter);
      prepared = spacing;
      charges.fill(0);
      for (let i = 0; i < N; i++) {
        const u = (X[2 * i]! - x) / spacing + MARGIN;
        const v = (X[2 * i + 1]! - y) / spacing + MARGIN;
        const a = Math.floor(u);
        const b = Math.floor(v);
        weights(u - a, wx);
        weights(v - b, wy);
        const corner = (a - 1) * n + b - 1;
        corners[i] = corner;
        offsets[2 * i] = u - a;
        offsets[2 * i + 1] = v - b;
        for (let r = 0; r < 4; r++) {
          const at = corner + r * n;
          const w = wx[r]!;
          charges[at]! += w * wy[0]!;
          charges[at + 1]! += w * wy[1]!;
          charges[at + 2]! += w * wy[2]!;
          charges[at + 3]! += w * wy[3]!;
        }
      }
      field.set(charges);
      convolution.apply();
      let total = 0;
      for (let i = 0; i < n * n; i++) total += charges[i]! * field[i]!;
      const factor = 2 / spacing;
      for (let i = 0; i < N; i++) {
        weights(offsets[2 * i]!, wx);
        weights(offsets[2 * i + 1]!, wy);
        slopes(offsets[2 * i]!, sx);
        slopes(offsets[2 * i + 1]!, sy);
        let gx = 0;
        let gy = 0;
        for (let r = 0; r < 4; r++) {
          const at = corners[i]! + r * n;
          const f0 = field[at]!;
          const f1 = field[at + 1]!;
          const f2 = field[at + 2]!;
          const f3 = field[at + 3]!;
          gx += sx[r]! * (wy[0]! * f0 + wy[1]! * f1 + wy[2]! * f2 + wy[3]! * f3);
          gy += wx[r]! * (sy[0]! * f0 + sy[1]! * f1 + sy[2]! * f2 + sy[3]! * f3);
        }
        gradient[2 * i] = factor * gx;
        gradient[2 * i + 1] = factor * gy;
      }
      return total - N * smoothPart(0, radius * radius);
    },
  };
}

/** Σ_{k<K} u^k/(1 + S) */
function smoothPart(square: number, S: number): number {
  const u = (S - square) / (1 + S);
  return square >= S ? 1 / (1 + square) : (1 + u * (1 + u * (1 + u))) / (1 + S);
}

function smoothKernel(n: number, spacing: number, radius: number): Float64Array {
  const kernel = new Float64Array((n + 1) * (n + 1));
  const S = radius * radius;
  for (let i = 0; i <= n; i++) {
    for (let j = 0; j <= n; j++) kernel[i * (n + 1) + j] = smoothPart((i * i + j * j) * spacing * spacing, S);
  }
  return kernel;
}

/** The four nonzero cubic B-splines at t in [0, 1) after a node. */
function weights(t: number, w: Float64Array): void {
  const s = 1 - t;
  const t2 = t * t;
  const t3 = t2 * t;
  w[0] = (s * s * s) / 6;
  w[1] = (4 - 6 * t2 + 3 * t3) / 6;
  w[2] = (1 + 3 * t + 3 * t2 - 3 * t3) / 6;
  w[3] = t3 / 6;
}

/** Their derivatives. */
function slopes(t: number, w: Float64Array): void {
  const s = 1 - t;
  w[0] = -0.5 * s * s;
  w[1] = 1.5 * t * t - 2 * t;
  w[2] = 0.5 + t - 1.5 * t * t;
  w[3] = 0.5 * t * t;
}

const splineSpectrum = (k: number, size: number) => (2 + cos((2 * Math.PI * k) / size)) / 3;

/** Σ_{i≠j} [d < R]·u^K/(1 + d²), adding its gradient: points of a cell of side R interact with each other and with the surrounding cells. */
function nearPairs(N: number) {
  const cellOf = new Int32Array(N);
  const order = new Int32Array(N);
  const sorted = new Float64Array(2 * N);
  const forces = new Float64Array(2 * N);
  let starts = new Int32Array(0);
  let filled = new Int32Array(0);
  return (X: Float64Array, { x, y, side }: Box, radius: number, gradient: Float64Array): number => {
    const cells = Math.floor(side / radius) + 1;
    // A ring of empty cells around, so that every cell has neighbors.
    const width = cells + 2;
    const size = width * width;
    if (starts.length <= size) {
      starts = new Int32Array(2 * size);
      filled = new Int32Array(2 * size);
    }
    starts.fill(0, 0, size + 1);
    for (let i = 0; i < N; i++) {
      const row = Math.floor((X[2 * i]! - x) / radius) + 1;
      const cell = row * width + Math.floor((X[2 * i + 1]! - y) / radius) + 1;
      cellOf[i] = cell;
      starts[cell + 1]!++;
    }
    for (let c = 0; c < size; c++) starts[c + 1]! += starts[c]!;
    filled.set(starts.subarray(0, size));
    for (let i = 0; i < N; i++) {
      const place = filled[cellOf[i]!]!++;
      order[place] = i;
      sorted[2 * place] = X[2 * i]!;
      sorted[2 * place + 1] = X[2 * i + 1]!;
    }
    forces.fill(0);
    let Z = 0;
    for (let row = 1; row <= cells; row++) {
      for (let cell = row * width + 1; cell <= row * width + cells; cell++) {
        const from = starts[cell]!;
        const to = starts[cell + 1]!;
        const after = starts[cell + 2]!;
        const below = cell + width;
        for (let i = from; i < to; i++) {
          Z += nearOnes(sorted, forces, i, i + 1, after, radius);
          Z += nearOnes(sorted, forces, i, starts[below - 1]!, starts[below + 2]!, radius);
        }
      }
    }
    for (let place = 0; place < N; place++) {
      gradient[2 * order[place]!]! += forces[2 * place]!;
      gradient[2 * order[place]! + 1]! += forces[2 * place + 1]!;
    }
    return 2 * Z;
  };
}

/** Interaction of one point with a range of points. */
function nearOnes(
  points: Float64Array,
  forces: Float64Array,
  i: number,
  from: number,
  to: number,
  radius: number,
): number {
  const S = radius * radius;
  const scale = 1 / (1 + S);
  const x = points[2 * i]!;
  const y = points[2 * i + 1]!;
  let [total, gx, gy] = [0, 0, 0];
  for (let j = 2 * from; j < 2 * to; j += 2) {
    const dx = x - points[j]!;
    const dy = y - points[j + 1]!;
    const square = dx * dx + dy * dy;
    if (square >= S) continue;
    const similarity = 1 / (1 + square);
    const u = (S - square) * scale;
    const cube = u * u * u;
    const own = cube * u * similarity;
    total += own;
    // −4·∂/∂d² of it
    const slope = 4 * similarity * (own + TERMS * cube * scale);
    gx += slope * dx;
    gy += slope * dy;
    forces[j]! += slope * dx;
    forces[j + 1]! += slope * dy;
  }
  forces[2 * i]! -= gx;
  forces[2 * i + 1]! -= gy;
  return total;
}
