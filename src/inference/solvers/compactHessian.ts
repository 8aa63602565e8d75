import { addScaled, dot } from '../../engine/vectors.ts';
import type { Box, Iterate } from '../../model/solver.ts';
import type { CorrectionPairs } from './lbfgs.ts';

/**
 * BFGS matrix of k correction pairs in compact form, B = θI − W·M·Wᵀ, W = [Y θS], n×2k. Pairs are in order of age;
 * vectors of length 2k contain the Y part first.
 *
 * @see Byrd, Nocedal, Schnabel (1994); Byrd, Lu, Nocedal, Zhu (1995), A limited memory algorithm for bound constrained
 *   optimization, SIAM J. Sci. Comput. 16(5), eq. 3.2–3.4
 */
export interface CompactHessian {
  readonly pairs: CorrectionPairs;
  /** 2k. */
  readonly rank: number;
  /** θ = yᵀy / sᵀy of the newest pair. */
  readonly theta: number;
  /** sᵀ·y of pairs i and j by age. */
  stepChange(i: number, j: number): number;
  /** yᵀ·y. */
  changeChange(i: number, j: number): number;
  /** Adds the pair that was just stored in a slot. */
  add(slot: number): void;
  /** Prepares M for the current pairs; false if it is singular. */
  prepare(): boolean;
  /** into ← row i of W. */
  row(i: number, into: Float64Array): void;
  /** into ← Wᵀ·vector. */
  project(vector: Float64Array, into: Float64Array): void;
  /** vector ← M·vector. */
  applyMiddle(vector: Float64Array): void;
}

/** Compact form of a ring of pairs, with inner products recomputed from the ring. */
export function compactHessian(pairs: CorrectionPairs): CompactHessian {
  const { history, size, steps, changes } = pairs;
  const stepSteps = new Float64Array(history * history);
  const stepChanges = new Float64Array(history * history);
  const changeChanges = new Float64Array(history * history);
  const middle = linearSystem(2 * history);

  const inner = (a: Float64Array, i: number, b: Float64Array, j: number) => {
    let sum = 0;
    for (let n = 0; n < size; n++) sum += a[i * size + n]! * b[j * size + n]!;
    return sum;
  };
  const add = (slot: number) => {
    for (let k = 0; k < pairs.count; k++) {
      const other = pairs.slot(k);
      stepSteps[slot * history + other] = inner(steps, slot, steps, other);
      stepSteps[other * history + slot] = stepSteps[slot * history + other]!;
      changeChanges[slot * history + other] = inner(changes, slot, changes, other);
      changeChanges[other * history + slot] = changeChanges[slot * history + other]!;
      stepChanges[slot * history + other] = inner(steps, slot, changes, other);
      stepChanges[other * history + slot] = inner(steps, other, changes, slot);
    }
  };
  const at = (products: Float64Array, i: number, j: number) => products[pairs.slot(i) * history + pairs.slot(j)]!;

  for (let k = 0; k < pairs.count; k++) add(pairs.slot(k));

  return {
    pairs,
    get rank() {
      return 2 * pairs.count;
    },
    get theta() {
      return 1 / pairs.inverseScale;
    },
    stepChange: (i, j) => at(stepChanges, i, j),
    changeChange: (i, j) => at(changeChanges, i, j),
    add,

    // M⁻¹ = [−D Lᵀ; L θSᵀS], D the diagonal and L the strictly lower part of SᵀY (eq. 3.4).
    prepare() {
      const { count } = pairs;
      const { matrix, rowLength } = middle;
      for (let i = 0; i < count; i++) {
        for (let j = 0; j < count; j++) {
          const lower = i > j ? at(stepChanges, i, j) : 0;
          matrix[i * rowLength + j] = i === j ? -at(stepChanges, i, i) : 0;
          matrix[(count + i) * rowLength + j] = lower;
          matrix[j * rowLength + count + i] = lower;
          matrix[(count + i) * rowLength + count + j] = at(stepSteps, i, j) / pairs.inverseScale;
        }
      }
      return middle.factor(2 * count);
    },

    row(i, into) {
      const { count } = pairs;
      for (let k = 0; k < count; k++) {
        const start = pairs.slot(k) * size;
        into[k] = changes[start + i]!;
        into[count + k] = steps[start + i]! / pairs.inverseScale;
      }
    },

    project(vector, into) {
      const { count } = pairs;
      for (let k = 0; k < count; k++) {
        const start = pairs.slot(k) * size;
        let onChange = 0;
        let onStep = 0;
        for (let n = 0; n < size; n++) {
          onChange += changes[start + n]! * vector[n]!;
          onStep += steps[start + n]! * vector[n]!;
        }
        into[k] = onChange;
        into[count + k] = onStep / pairs.inverseScale;
      }
    },

    applyMiddle: (vector) => middle.solve(vector),
  };
}

/** Small square system, factored in place: P·A = L·U with partial pivoting. */
interface LinearSystem {
  /** A, row-major with `most` as the row length; overwritten by its factors. */
  readonly matrix: Float64Array;
  readonly rowLength: number;
  /** Factors the leading order × order block; false if it is singular to rounding. */
  factor(order: number): boolean;
  /** right ← A⁻¹·right. */
  solve(right: Float64Array): void;
}

/**
 * Scratch memory for systems of up to `most` unknowns.
 *
 * @see Golub, Van Loan (2013), Matrix Computations, 4th ed., Algorithm 3.4.1
 */
export function linearSystem(most: number): LinearSystem {
  const matrix = new Float64Array(most * most);
  const pivots = new Int32Array(most);
  let size = 0;

  const swap = (a: number, b: number) => {
    for (let j = 0; j < size; j++) {
      const kept = matrix[a * most + j]!;
      matrix[a * most + j] = matrix[b * most + j]!;
      matrix[b * most + j] = kept;
    }
  };

  return {
    matrix,
    rowLength: most,

    factor(order) {
      size = order;
      for (let k = 0; k < size; k++) {
        let pivot = k;
        for (let i = k + 1; i < size; i++) {
          if (Math.abs(matrix[i * most + k]!) > Math.abs(matrix[pivot * most + k]!)) pivot = i;
        }
        pivots[k] = pivot;
        if (pivot !== k) swap(pivot, k);
        const diagonal = matrix[k * most + k]!;
        if (diagonal === 0 || !Number.isFinite(diagonal)) return false;
        for (let i = k + 1; i < size; i++) {
          const factor = matrix[i * most + k]! / diagonal;
          matrix[i * most + k] = factor;
          for (let j = k + 1; j < size; j++) {
            matrix[i * most + j] = matrix[i * most + j]! - factor * matrix[k * most + j]!;
          }
        }
      }
      return true;
    },

    solve(right) {
      for (let k = 0; k < size; k++) {
        const pivot = pivots[k]!;
        const kept = right[pivot]!;
        right[pivot] = right[k]!;
        right[k] = kept;
      }
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < i; j++) right[i] = right[i]! - matrix[i * most + j]! * right[j]!;
      }
      for (let i = size - 1; i >= 0; i--) {
        for (let j = i + 1; j < size; j++) right[i] = right[i]! - matrix[i * most + j]! * right[j]!;
        right[i] = right[i]! / matrix[i * most + i]!;
      }
    },
  };
}

/** Generalized Cauchy point of the quadratic model, with storage that is allocated once. */
export interface CauchyPoint {
  readonly point: Float64Array;
  /** Wᵀ·(point − x), used by the subspace minimization. */
  readonly displacement: Float64Array;
  /** Computes the point from an iterate. */
  find(iterate: Iterate): void;
}

/**
 * First local minimizer of the quadratic model along the projected steepest descent path P(x − t·g), t ≥ 0. The path is
 * piecewise linear; at each breakpoint another variable reaches its bound, and the row of W of that variable updates the model's slope and curvature
 * along the path.
 *
 * @see Byrd, Lu, Nocedal, Zhu (1995), Algorithm CP
 */
export function cauchyPoint(hessian: CompactHessian, box: Box): CauchyPoint {
  const { size, history } = hessian.pairs;
  const free = !box.lower.some(Number.isFinite) && !box.upper.some(Number.isFinite);
  const point = new Float64Array(size);
  const direction = new Float64Array(size);
  const breaks = breakpoints(size);
  const displacement = new Float64Array(2 * history);
  const projection = new Float64Array(2 * history);
  const row = new Float64Array(2 * history);
  const product = new Float64Array(2 * history);

  /** aᵀ·M·b. */
  const throughMiddle = (a: Float64Array, b: Float64Array) => {
    product.set(b);
    hessian.applyMiddle(product);
    let sum = 0;
    for (let k = 0; k < hessian.rank; k++) sum += a[k]! * product[k]!;
    return sum;
  };

  const startPath = ({ x, gradient }: Iterate) => {
    for (let i = 0; i < size; i++) {
      const g = gradient[i]!;
      const distance = g < 0 ? box.upper[i]! - x[i]! : x[i]! - box.lower[i]!;
      breaks.times[i] = g === 0 ? Number.POSITIVE_INFINITY : distance / Math.abs(g);
      direction[i] = breaks.times[i]! > 0 ? -g : 0;
    }
    breaks.order();
  };

  return {
    point,
    displacement,

    find(iterate) {
      const { x, gradient } = iterate;
      const { theta } = hessian;
      startPath(iterate);
      point.set(x);
      displacement.fill(0);
      if (free && hessian.rank > 0) return;
      hessian.project(direction, projection);

      let slope = -dot(direction, direction);
      let curvature = -theta * slope - throughMiddle(projection, projection);
      // Rounding must not let the model lose its convexity.
      const leastCurvature = Number.EPSILON * -theta * slope;
      curvature = Math.max(curvature, leastCurvature);
      let time = 0;
      let toMinimum = slope < 0 ? -slope / curvature : 0;

      for (let b = breaks.peek(); b >= 0; b = breaks.peek()) {
        const interval = breaks.times[b]! - time;
        if (toMinimum < interval) break;
        breaks.pop();
        const g = gradient[b]!;
        point[b] = g < 0 ? box.upper[b]! : box.lower[b]!;
        const moved = point[b]! - x[b]!;
        addScaled(displacement, interval, projection);
        hessian.row(b, row);
        slope += interval * curvature + g * g + theta * g * moved - g * throughMiddle(row, displacement);
        curvature -= theta * g * g + 2 * g * throughMiddle(row, projection) + g * g * throughMiddle(row, row);
        curvature = Math.max(curvature, leastCurvature);
        addScaled(projection, g, row);
        direction[b] = 0;
        time = breaks.times[b]!;
        toMinimum = slope < 0 ? -slope / curvature : 0;
      }

      addScaled(displacement, toMinimum, projection);
      for (let i = 0; i < size; i++) {
        if (direction[i] === 0) continue;
        const along = x[i]! + (time + toMinimum) * direction[i]!;
        point[i] = Math.max(box.lower[i]!, Math.min(box.upper[i]!, along));
      }
    },
  };
}

/** Variables in order of the time at which each meets its bound, taken one at a time. */
interface Breakpoints {
  /** Time of each variable; Infinity if it never reaches a bound. */
  readonly times: Float64Array;
  /** Inserts all variables with a positive finite time. */
  order(): void;
  /** Remaining variable with the least time, or −1; `pop` removes it. */
  peek(): number;
  pop(): void;
}

/** A binary heap over `size` variables: only the breakpoints that are passed get sorted. */
export function breakpoints(size: number): Breakpoints {
  const times = new Float64Array(size);
  const heap = new Int32Array(size);
  let count = 0;

  const before = (a: number, b: number) => times[a]! < times[b]! || (times[a] === times[b] && a < b);
  const sink = (start: number) => {
    const moving = heap[start]!;
    let place = start;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= count) break;
      if (child + 1 < count && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, moving)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = moving;
  };

  return {
    times,
    order() {
      count = 0;
      for (let i = 0; i < size; i++) {
        if (times[i]! > 0 && times[i]! < Number.POSITIVE_INFINITY) heap[count++] = i;
      }
      for (let place = (count >> 1) - 1; place >= 0; place--) sink(place);
    },
    peek: () => (count > 0 ? heap[0]! : -1),
    pop() {
      count--;
      heap[0] = heap[count]!;
      if (count > 0) sink(0);
    },
  };
}
