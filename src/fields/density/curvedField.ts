import { square } from '../../core/elementary/index.ts';
import { areSame } from '../../core/plainNumbers.ts';
import { quadraticOperations } from '../../engine/dense/activeEngine.ts';
import { sharedMemory } from '../../engine/memory.ts';
import type { PairSteps } from '../../engine/operations/covariances.ts';
import type { Curvature, QuadraticDescent, QuadraticModel } from '../../model/solver.ts';
import { invertField, type Pairs, resistancesOf } from './denseField.ts';
import type { FieldFactor } from './fieldDensity.ts';

/** Log determinant of a dense precision with its second derivatives in the weights. */
export interface CurvedField extends FieldFactor {
  /**
   * Second derivatives of −c/2·log|L(w) + λI|: H_ef = c/2·(a_eᵀU a_f)², a_e = e_i − e_j.
   *
   * @param weights - retained, so they must not be changed
   */
  curvature(weights: Float64Array, base: number, copies: number): Curvature;
  /** Frees the memory of U. */
  dispose(): void;
}

/**
 * A field whose covariance is cached between evaluations, so that the curvature needs no further factorization: a coordinate-descent step in one
 * weight costs O(N + number of weights moved so far).
 */
export function curvedField(pairs: Pairs): CurvedField {
  const { size: N } = pairs;
  const bytes = 8 * N * N;
  let block: number | undefined;
  let at: { readonly base: number; readonly logDeterminant: number } | undefined;
  /** The weights of the cached covariance. */
  const cachedWeights = new Float64Array(pairs.sources.length);

  /** Address of U for these weights. */
  const inverted = (weights: Float64Array, base: number) => {
    if (at?.base !== base || !areSame(cachedWeights, weights)) {
      at = undefined;
      // First, because the argument may be in memory that an allocation moves.
      cachedWeights.set(weights);
      block ??= sharedMemory().allocate(bytes);
      at = { base, logDeterminant: invertField(pairs, cachedWeights, base, block) };
    }
    return { offset: block!, logDeterminant: at.logDeterminant };
  };

  return {
    sparse: false,
    evaluate: (weights, base) => {
      const { offset, logDeterminant } = inverted(weights, base);
      return { logDeterminant, resistances: resistancesOf(pairs, sharedMemory().float64(offset, N * N)) };
    },
    curvature: (weights, base, copies) => {
      let known: typeof at;
      const covariance = () => {
        if (known === undefined || at !== known) inverted(weights, base);
        known = at;
        return block!;
      };
      const quadratic = (model: QuadraticModel) => descentOf(pairs, model, copies / 2, covariance);
      return { quadratic, hessian: () => wholeHessian(quadratic, weights.length) };
    },
    dispose() {
      if (block !== undefined) sharedMemory().release(block, bytes);
      block = undefined;
      at = undefined;
    },
  };
}

function descentOf(pairs: Pairs, model: QuadraticModel, factor: number, covariance: () => number): QuadraticDescent {
  const { size: N, sources, targets } = pairs;
  const { variables, gradient, lower, upper } = model;
  const count = variables.length;
  const ends = new Int32Array(2 * count);
  const own = new Float64Array(count);
  const U = sharedMemory().float64(covariance(), N * N);
  for (let a = 0; a < count; a++) {
    const i = sources[variables[a]!]!;
    const j = targets[variables[a]!]!;
    ends[2 * a] = i;
    ends[2 * a + 1] = j;
    own[a] = factor * square(U[i * (N + 1)]! + U[j * (N + 1)]! - 2 * U[i * N + j]!);
  }
  const quadratic = { pairs: ends, factor, gradient, curvature: own, lower, upper };
  const steps: PairSteps = {
    places: new Int32Array(count).fill(-1),
    moved: new Int32Array(2 * count),
    steps: new Float64Array(count),
    count: 0,
  };
  const operations = () => quadraticOperations(sharedMemory());
  const endsOf = memoized((places: Int32Array) => {
    const chosen = new Int32Array(2 * places.length);
    for (let k = 0; k < places.length; k++) {
      chosen[2 * k] = ends[2 * places[k]!]!;
      chosen[2 * k + 1] = ends[2 * places[k]! + 1]!;
    }
    return chosen;
  });
  const product = (rows: Int32Array, columns: Int32Array, v: Float64Array) =>
    operations().quadraticProduct(N, covariance(), factor, rows, columns, v);
  return {
    diagonal: own,
    product: (places, v) => product(endsOf(places), endsOf(places), v),
    fill: (places, target) =>
      fillHessian(sharedMemory().float64(covariance(), N * N), N, factor, endsOf(places), target),
    slopes: (places) => {
      const { moved, count } = steps;
      const slopes = product(endsOf(places), moved.subarray(0, 2 * count), steps.steps.subarray(0, count));
      for (let k = 0; k < slopes.length; k++) slopes[k]! += gradient[places[k]!]!;
      return slopes;
    },
    move(places, d) {
      for (let k = 0; k < places.length; k++) {
        const a = places[k]!;
        if (steps.places[a]! < 0) {
          steps.places[a] = steps.count;
          steps.moved.set(ends.subarray(2 * a, 2 * a + 2), 2 * steps.count);
          steps.count++;
        }
        steps.steps[steps.places[a]!] = d[k]!;
      }
    },
    sweep: (places) => operations().quadraticSweep(N, covariance(), quadratic, places, steps),
    steps() {
      const all = new Float64Array(count);
      for (let a = 0; a < count; a++) if (steps.places[a]! >= 0) all[a] = steps.steps[steps.places[a]!]!;
      return all;
    },
  };
}

/** Fills the lower triangle of H for the pairs with these ends. */
function fillHessian(U: Float64Array, N: number, factor: number, ends: Int32Array, H: Float64Array): void {
  const count = ends.length / 2;
  const across = new Float64Array(N);
  for (let k = 0; k < count; k++) {
    const [i, j] = [ends[2 * k]! * N, ends[2 * k + 1]! * N];
    for (let n = 0; n < N; n++) across[n] = U[i + n]! - U[j + n]!;
    for (let l = 0; l <= k; l++) {
      const difference = across[ends[2 * l]!]! - across[ends[2 * l + 1]!]!;
      H[k * count + l] = factor * (difference * difference);
    }
  }
}

/** Memoizes a function for its last argument. */
function memoized<Argument extends object, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}

/** H for all variables from its quadratic model. */
function wholeHessian(quadratic: Curvature['quadratic'], n: number): Float64Array {
  const variables = Int32Array.from({ length: n }, (_, e) => e);
  const none = new Float64Array(n);
  const H = new Float64Array(n * n);
  quadratic({ variables, gradient: none, lower: none, upper: none }).fill(variables, H);
  for (let e = 0; e < n; e++) for (let f = 0; f < e; f++) H[f * n + e] = H[e * n + f]!;
  return H;
}
