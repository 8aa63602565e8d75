import { addScaled, dot } from '../../engine/vectors.ts';
import type { Box, Iterate } from '../../model/solver.ts';
import type { CompactHessian } from './compactHessian.ts';

/** The generalised Cauchy point of the quadratic model, with storage that is allocated once. */
export interface CauchyPoint {
  readonly point: Float64Array;
  /** Wᵀ·(point − x), which the subspace minimisation goes on with. */
  readonly displacement: Float64Array;
  /** Finds it from an iterate. */
  find(iterate: Iterate): void;
}

/**
 * First local minimiser of the quadratic model along the projected steepest descent path P(x − t·g), t ≥ 0. The path is
 * piecewise linear; each break point, where one more variable meets its bound, updates the model's slope and curvature
 * along it with the row of W of that variable.
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
  /** Time of each variable; Infinity for one that never meets a bound. */
  readonly times: Float64Array;
  /** Takes all variables with a positive finite time. */
  order(): void;
  /** The variable with the least time of those left, or −1; `pop` takes it off. */
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
