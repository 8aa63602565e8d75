import type { Float64Memory } from '../memory.ts';
import {
  type CompiledProfile,
  type FusedOperations,
  goesByPoints,
  type ObservedPoints,
  type QuadraticOperations,
  type RadialLogDensity,
  type RadialOperations,
  type RadialProfile,
  type RadialSum,
  type SquaredDistanceOperations,
} from '../operations/covariances.ts';
import type { ElementaryFunctions, LinearAlgebraEngine, Strided } from '../operations/linearAlgebra.ts';
import {
  radialOperations,
  radialSums,
  typescriptSquaredDistances,
  withGradientsAtZero,
} from '../typescript/covariances.ts';
import { QUADRATIC, RADIAL } from './engineModule.ts';
import {
  countOperation,
  FULL,
  kernelsOn,
  type LinkedKernels,
  LOWER,
  type Place,
  packedProduct,
  placeRecord,
  rows,
  transpose,
  transposeBack,
  type Values,
  withNumbers,
  withPacking,
} from './instance.ts';

/**
 * Dense linear algebra in WebAssembly SIMD, on the memory in place: packed products, and recursive halving down to products for everything else.
 * Results equal the plain TypeScript engine's up to rounding, and have the same bits in every process on one kind of processor.
 */
export function wasmEngine(memory: Float64Memory): LinearAlgebraEngine {
  const kernels = kernelsOn(memory);

  const count = (multiplications: number) => countOperation(kernels, multiplications);

  return Object.freeze<LinearAlgebraEngine>({
    name: 'wasm',

    gemm(m, n, k, alpha, a, b, beta, c) {
      count(m * n * k);
      packedProduct(memory, kernels, m, n, k, alpha, a, b, beta, c, FULL);
    },

    syrk(n, k, alpha, a, beta, c) {
      count((n * n * k) / 2);
      const transposed = { offset: a.offset, rowStride: a.columnStride, columnStride: a.rowStride };
      packedProduct(memory, kernels, n, n, k, alpha, a, transposed, beta, rows(n, c), LOWER);
    },

    cholesky(n, a) {
      count((n * n * n) / 6);
      return withPacking(memory, kernels, n, n, () => kernels.cholesky(n, a, n));
    },

    triangularSolve(n, m, l, b, transpose) {
      count((n * n * m) / 2);
      withPacking(memory, kernels, Math.max(n, m), n, () => {
        if (transpose) {
          // L⁻ᵀB: reversing rows and columns makes the upper triangular Lᵀ lower.
          kernels.solveTransposed(m, n, lastRow(b, n, m), 1, -m, lastEntry(l, n), -1, -n);
        } else {
          kernels.solveTransposed(m, n, b, 1, m, l, n, 1);
        }
      });
    },

    triangularMultiply(n, m, l, b, transpose) {
      count((n * n * m) / 2);
      withPacking(memory, kernels, Math.max(n, m), n, () => {
        if (transpose) kernels.multiplyTriangular(m, n, b, 1, m, l, n, 1);
        else kernels.multiplyTriangular(m, n, lastRow(b, n, m), 1, -m, lastEntry(l, n), -1, -n);
      });
    },

    choleskyInverse(n, l, part) {
      count((n * n * n) / 3);
      withPacking(memory, kernels, n, n, () => kernels.choleskyInverse(n, l, n));
      if (part !== 'lower') kernels.mirrorLower(n, l);
    },

    mirrorLower: (n, a) => kernels.mirrorLower(n, a),

    symmetricEigen(n, a, w) {
      if (n === 0) return 0;
      const numbers = kernels.symmetricEigenWorkspace(n);
      return memory.withBlock(8 * numbers, (work) => {
        const failed = withPacking(memory, kernels, n, n, () => kernels.symmetricEigen(n, a, w, work));
        if (failed !== 0) return failed;
        // The part of the workspace after the eigenvectors is free again.
        const order = work + 8 * n * n;
        memory.int32(order, n).set(sortAscending(memory.float64(w, n)));
        kernels.placeEigenvectors(n, work, order, a);
        return 0;
      });
    },
  });
}

const lastRow = (b: number, n: number, m: number) => b + 8 * (n - 1) * m;
const lastEntry = (l: number, n: number) => l + 8 * (n * n - 1);

/** Sorts in place; returns the previous index of each value. */
function sortAscending(values: Float64Array): Int32Array {
  const before = values.slice();
  const order = Int32Array.from(before.keys()).sort((i, j) => before[i]! - before[j]! || i - j);
  order.forEach((from, to) => {
    values[to] = before[from]!;
  });
  return order;
}

/** Elementary functions in WebAssembly SIMD, two entries at a time, with the same bits in every process on one kind of processor. */
export function wasmElementaryFunctions(memory: Float64Memory): ElementaryFunctions {
  const kernels = kernelsOn(memory);
  return Object.freeze<ElementaryFunctions>({
    exponential: (n, x, y) => kernels.exponential(n, x, y),
    logarithm: (n, x, y) => kernels.logarithm(n, x, y),
    hyperbolicTangent: (n, x, y) => kernels.hyperbolicTangent(n, x, y),
  });
}

/** Lower triangle of C ← alpha·A·B + beta·C with A n×k, B k×n in any strides, C n×n contiguous; the upper triangle is not touched. */
export function wasmLowerProduct(
  memory: Float64Memory,
  n: number,
  k: number,
  alpha: number,
  a: Strided,
  b: Strided,
  beta: number,
  c: number,
): void {
  packedProduct(memory, kernelsOn(memory), n, n, k, alpha, a, b, beta, rows(n, c), LOWER);
}

/** The fused operations in WebAssembly SIMD. */
export function wasmFusedOperations(memory: Float64Memory): FusedOperations {
  const kernels = kernelsOn(memory);
  const radial = wasmRadialOperations(memory, kernels);
  const compiled = compiledRadial(memory, kernels);
  const general = radialSums(memory, radial, (n, a) => kernels.mirrorLower(n, a));

  return withGradientsAtZero(memory, {
    ...radial,

    radialLogDensity: (observed, profile, parameters, wantsPoints) =>
      isRbf(profile) && observed.n <= FEW_POINTS && parameters.variance !== 0
        ? logDensityOfFew(memory, kernels, observed, parameters, wantsPoints)
        : undefined,

    radialSum(n, q, x, profile, parameters, target, part) {
      if (!isRbf(profile)) return general.radialSum(n, q, x, profile, parameters, target, part);
      const { variance, lengthscales, bias, noise } = parameters;
      const given = {
        profile: PROFILE_NUMBERS.rbf,
        variance,
        shift: bias,
        diagonal: variance + bias + noise,
        k: target,
      };
      compiled.gram(n, q, x, { ...given, mirrored: part !== 'lower' }, inverted(lengthscales, q));
    },

    radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part) {
      if (!isRbf(profile)) {
        return general.radialSumGradient(n, q, x, profile, parameters, covariance, gradient, dx, part);
      }
      const { variance, lengthscales, bias } = parameters;
      const inverses = inverted(lengthscales, q);
      const given = { shift: bias, readsEntries: true, symmetric: part === 'lower', k: covariance, g: gradient };
      const sums = compiled.gradient(n, q, x, given, dx, inverses);
      const trace = sums[q + 2]!;
      const slopes = new Float64Array(q);
      for (let d = 0; d < q; d++) slopes[d] = sums[d]! * inverses[d]!;
      return { variance: sums[q]! / variance + trace, lengthscales: slopes, bias: sums[q + 1]!, noise: trace };
    },
  });
}

/** Largest number of points whose density is computed in one call: no thread would share the work. */
const FEW_POINTS = 128;

/** The log density of few points. The routine defines the layout of its workspace, which begins with the results. */
function logDensityOfFew(
  memory: Float64Memory,
  kernels: LinkedKernels,
  { n, q, x, y, width, columns }: ObservedPoints,
  { variance, lengthscales, bias, noise }: RadialSum,
  wantsPoints: boolean,
): RadialLogDensity | undefined {
  const bytes = 8 * kernels.logDensityWorkspace(n, q, width);
  const work = memory.allocate(bytes);
  try {
    for (let d = 0; d < q; d++) memory.setNumber(work + 8 * d, lengthscales[d]!);
    if (kernels.radialLogDensity(n, q, width, x, y, variance, bias, noise, columns, work) >= 0) return undefined;
    const slopes = new Float64Array(q);
    for (let d = 0; d < q; d++) slopes[d] = memory.number(work + 8 * (5 + d));
    return {
      logDeterminant: memory.number(work),
      quadratic: memory.number(work + 8),
      slopes: {
        variance: memory.number(work + 16),
        lengthscales: slopes,
        bias: memory.number(work + 24),
        noise: memory.number(work + 32),
      },
      points: wantsPoints ? memory.float64(work + 8 * (5 + q), n * q).slice() : undefined,
    };
  } finally {
    memory.release(work, bytes);
  }
}

/** True for the rbf, which has a separate gradient: it reads exponentials from K instead of recomputing them. */
const isRbf = ({ compiled }: RadialProfile) => compiled === 'rbf';

/** Inverse lengthscales, read before anything is allocated, which may detach a view. */
function inverted(lengthscales: ArrayLike<number>, q: number): Float64Array {
  const inverses = new Float64Array(q);
  for (let d = 0; d < q; d++) inverses[d] = 1 / lengthscales[d]!;
  return inverses;
}

/** Numbers of the profiles in `assembly/radialProfiles.ts`. */
const PROFILE_NUMBERS: Readonly<Record<CompiledProfile, number>> = {
  thinPlate1: 1,
  thinPlate2: 2,
  thinPlate3: 3,
  thinPlate4: 4,
  matern12: 5,
  matern32: 6,
  matern52: 7,
  rbf: 8,
};

/** Size of a thread's workspace for `radialGram`. */
const GRAM_WORKSPACE = 64;
/** Workspace per row of a block for kernels between two sets. */
const ROW = 98;

/** K of a compiled profile and its gradient, from points whose coordinates are multiplied by factors (1). */
function compiledRadial(memory: Float64Memory, kernels: LinkedKernels) {
  return {
    gram(n: number, q: number, x: number, given: Values<typeof RADIAL>, factors?: Float64Array): void {
      const rows = GRAM_WORKSPACE * kernels.threads;
      withNumbers(memory, q * (n + 1) + rows, (place) => {
        const points = transpose(memory, kernels, n, q, x, place, factors);
        kernels.radialGram(placeRecord(memory, place, RADIAL, { ...given, n, q, x: points, work: place(rows) }));
      });
    },

    /** The gradient: q sums for the columns, followed by the others. */
    gradient(n: number, q: number, x: number, given: Values<typeof RADIAL>, dx: number, factors?: Float64Array) {
      const length = n * q + q + 4;
      const workspace = kernels.gradientWorkspace(n, q);
      return withNumbers(memory, q * (n + 1) + length + workspace, (place) => {
        const points = transpose(memory, kernels, n, q, x, place, factors);
        const [result, work] = [place(length), place(workspace)];
        kernels.radialGradient(placeRecord(memory, place, RADIAL, { ...given, n, q, x: points, dx: result, work }));
        transposeBack(memory, n, q, result, dx, factors);
        return memory.float64(result, length).slice(n * q);
      });
    },
  };
}

/** Radial covariances in WebAssembly SIMD; profiles without compiled loops use squared distances. */
export function wasmRadialOperations(memory: Float64Memory, kernels: LinkedKernels): RadialOperations {
  const compiled = compiledRadial(memory, kernels);
  const general = radialOperations(memory, wasmSquaredDistances(memory));

  return Object.freeze<RadialOperations>({
    radialGram(n, q, x, profile, variance, k) {
      if (profile.compiled === undefined) return general.radialGram(n, q, x, profile, variance, k);
      const [number, diagonal] = [PROFILE_NUMBERS[profile.compiled], variance * atZero(profile)];
      compiled.gram(n, q, x, { profile: number, variance, diagonal, mirrored: true, k });
    },

    radialGramGradient(n, q, x, profile, variance, k, g, dx) {
      if (profile.compiled === undefined) return general.radialGramGradient(n, q, x, profile, variance, k, g, dx);
      const given = { profile: PROFILE_NUMBERS[profile.compiled], variance, k, g };
      return compiled.gradient(n, q, x, given, dx)[q]! / variance;
    },

    radialCross(n, m, q, a, b, profile, variance, k) {
      if (profile.compiled === undefined) return general.radialCross(n, m, q, a, b, profile, variance, k);
      const number = PROFILE_NUMBERS[profile.compiled];
      withNumbers(memory, q * (n + m + 2) + ROW, (place) => {
        const [x, y] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        const given = { profile: number, n, m, q, x, y, variance, k, work: place(ROW) };
        kernels.radialCross(placeRecord(memory, place, RADIAL, given));
      });
    },

    radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db) {
      if (profile.compiled === undefined) {
        return general.radialCrossGradient(n, m, q, a, b, profile, variance, k, g, da, db);
      }
      const number = PROFILE_NUMBERS[profile.compiled];
      return withNumbers(memory, 2 * q * (n + m + 1) + ROW, (place) => {
        const [x, y] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        const dx = place(q * (n + m));
        memory.float64(dx, q * (n + m)).fill(0);
        const dy = dx + 8 * n * q;
        const given = { profile: number, n, m, q, x, y, variance, k, g, dx, dy, work: place(ROW) };
        const sum = kernels.radialCrossGradient(placeRecord(memory, place, RADIAL, given));
        transposeBack(memory, n, q, dx, da);
        transposeBack(memory, m, q, dy, db);
        return sum / variance;
      });
    },
  });
}

function atZero(profile: RadialProfile): number {
  const zero = new Float64Array(1);
  profile.value(zero);
  return zero[0]!;
}

/** Largest number of coordinate differences for a plain loop; above it, transposing the points for the compiled loop pays. */
const SMALL = 1000;
const isSmall = (n: number, m: number, q: number) => n * m * q <= SMALL;

/** Squared distances in WebAssembly SIMD. */
export function wasmSquaredDistances(memory: Float64Memory): SquaredDistanceOperations {
  const kernels = kernelsOn(memory);
  const reference = typescriptSquaredDistances(memory);

  return Object.freeze<SquaredDistanceOperations>({
    squaredDistances(n, m, q, a, b, target) {
      if (isSmall(n, m, q)) return reference.squaredDistances(n, m, q, a, b, target);
      withNumbers(memory, q * (n + m + 2), (place) => {
        const [at, bt] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        kernels.squaredDistances(n, m, q, at, bt, target);
      });
      const distances = memory.float64(target, n * m);
      if (a === b) for (let i = 0; i < n; i++) distances[i * (n + 1)] = 0;
    },

    squaredDistancesGradient(n, m, q, a, b, weights, da, db) {
      if (isSmall(n, m, q)) return reference.squaredDistancesGradient(n, m, q, a, b, weights, da, db);
      withNumbers(memory, 2 * q * (n + m + 1), (place) => {
        const [at, bt] = [transpose(memory, kernels, n, q, a, place), transpose(memory, kernels, m, q, b, place)];
        const [dat, dbt] = [place(n * q), place(m * q)];
        kernels.squaredDistancesGradient(n, m, q, at, bt, weights, dat, dbt);
        transposeBack(memory, n, q, dat, da);
        transposeBack(memory, m, q, dbt, db);
      });
    },
  });
}

/** Coordinate descent in WebAssembly. */
export function wasmQuadraticOperations(memory: Float64Memory): QuadraticOperations {
  const kernels = kernelsOn(memory);
  return Object.freeze<QuadraticOperations>({
    quadraticProduct(n, u, factor, rows, columns, v) {
      const count = rows.length / 2;
      const byPoints = goesByPoints(n, count, v.length);
      const work = byPoints ? n * n + n + 3 * v.length : 4 * n + 16;
      return withNumbers(memory, 2 * count + 2 * v.length + work, (place) => {
        const y = place(count);
        const record = placeRecord(memory, place, QUADRATIC, {
          ...{ factor, n, u, count, known: v.length, y },
          pairs: integers(memory, place, rows),
          moved: integers(memory, place, columns),
          steps: doubles(memory, place, v),
          ...(byPoints ? { b: place(n * n), lists: place(n + 3 * v.length) } : { work: place(4 * n + 16) }),
        });
        if (byPoints) kernels.quadraticProductByPoints(record);
        else kernels.quadraticProduct(record);
        return memory.float64(y, count).slice();
      });
    },

    quadraticSweep(n, u, { pairs, factor, gradient, curvature, lower, upper }, visits, steps) {
      const m = gradient.length;
      return withNumbers(memory, 7 * m + halves(m) + halves(visits.length) + 4 * n + 16, (place) => {
        const places = integers(memory, place, steps.places);
        const moved = integers(memory, place, steps.moved);
        const taken = doubles(memory, place, steps.steps);
        const work = place(4 * n + 16);
        const record = placeRecord(memory, place, QUADRATIC, {
          ...{ factor, n, u, count: visits.length, known: steps.count, places, moved, steps: taken, work },
          pairs: integers(memory, place, pairs),
          visits: integers(memory, place, visits),
          gradient: doubles(memory, place, gradient),
          curvature: doubles(memory, place, curvature),
          lower: doubles(memory, place, lower),
          upper: doubles(memory, place, upper),
        });
        steps.count = kernels.quadraticSweep(record);
        steps.places.set(memory.int32(places, m));
        steps.moved.set(memory.int32(moved, 2 * m));
        steps.steps.set(memory.float64(taken, m));
        return memory.float64(work, 1)[0]!;
      });
    },
  });
}

const halves = (count: number) => Math.ceil(count / 2);

function doubles(memory: Float64Memory, place: Place, values: Float64Array): number {
  const offset = place(values.length);
  memory.float64(offset, values.length).set(values);
  return offset;
}

function integers(memory: Float64Memory, place: Place, values: Int32Array): number {
  const offset = place(halves(values.length));
  memory.int32(offset, values.length).set(values);
  return offset;
}
