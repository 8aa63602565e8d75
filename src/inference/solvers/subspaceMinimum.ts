import type { CauchyPoint } from './cauchyPoint.ts';
import type { CompactHessian } from './compactHessian.ts';
import { linearSystem } from './linearSystem.ts';
import type { Box, Iterate } from './solver.ts';

/** Minimises the quadratic model over the variables that the Cauchy point left free, with storage allocated once. */
export interface SubspaceMinimum {
  readonly point: Float64Array;
  /** Finds it; false when the reduced system is singular. */
  find(iterate: Iterate, cauchy: CauchyPoint): boolean;
}

/**
 * The minimiser of the model over the free variables, all others held at the Cauchy point, brought back into the box by
 * projection, or by shortening the step when the projection would not be a descent direction.
 *
 * With Z the free and A the fixed variables, the step is −r/θ − ZᵀW·v/θ², (M⁻¹ − WᵀZZᵀW/θ)·v = WᵀZ·r. The system is summed
 * over Z or A, entry by entry, such that nothing cancels.
 *
 * @see Byrd, Lu, Nocedal, Zhu (1995), §5.1; Morales, Nocedal (2011), Remark on Algorithm 778, ACM TOMS 38(1)
 */
export function subspaceMinimum(hessian: CompactHessian, box: Box): SubspaceMinimum {
  const { pairs } = hessian;
  const { size, history, steps, changes } = pairs;
  const point = new Float64Array(size);
  const reduced = new Float64Array(size);
  const indices = new Int32Array(size);
  const right = new Float64Array(2 * history);
  const weights = new Float64Array(2 * history);
  const system = linearSystem(2 * history);
  let free = 0;

  /** Free variables first, then the fixed ones. */
  const split = (cauchy: Float64Array) => {
    free = 0;
    let fixed = size;
    for (let i = 0; i < size; i++) {
      if (cauchy[i]! > box.lower[i]! && cauchy[i]! < box.upper[i]!) indices[free++] = i;
      else indices[--fixed] = i;
    }
  };

  const sum = (a: Float64Array, i: number, b: Float64Array, j: number, from: number, to: number) => {
    const startA = pairs.slot(i) * size;
    const startB = pairs.slot(j) * size;
    let total = 0;
    for (let n = from; n < to; n++) total += a[startA + indices[n]!]! * b[startB + indices[n]!]!;
    return total;
  };
  const overFree = (a: Float64Array, i: number, b: Float64Array, j: number) => sum(a, i, b, j, 0, free);
  const overFixed = (a: Float64Array, i: number, b: Float64Array, j: number) => sum(a, i, b, j, free, size);

  const assemble = () => {
    const { count } = pairs;
    const { theta } = hessian;
    const { matrix, rowLength } = system;
    const allFree = free === size;
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        // −SᵀZZᵀY, to which L adds SᵀY below the diagonal.
        let stepChange: number;
        if (i > j) stepChange = allFree ? 0 : overFixed(steps, i, changes, j);
        else stepChange = allFree ? -hessian.stepChange(i, j) : -overFree(steps, i, changes, j);
        matrix[(count + i) * rowLength + j] = stepChange;
        matrix[j * rowLength + count + i] = stepChange;
        if (j > i) continue;
        const changeChange = allFree ? hessian.changeChange(i, j) : overFree(changes, i, changes, j);
        const curvature = -changeChange / theta - (i === j ? hessian.stepChange(i, i) : 0);
        matrix[i * rowLength + j] = curvature;
        matrix[j * rowLength + i] = curvature;
        const stepStep = allFree ? 0 : theta * overFixed(steps, i, steps, j);
        matrix[(count + i) * rowLength + count + j] = stepStep;
        matrix[(count + j) * rowLength + count + i] = stepStep;
      }
    }
    return system.factor(2 * count);
  };

  /** reduced ← reduced + factor·W·weights, for each free variable. */
  const addProduct = (factor: number, weights: Float64Array) => {
    const { count } = pairs;
    for (let k = 0; k < count; k++) {
      const start = pairs.slot(k) * size;
      const onChange = factor * weights[k]!;
      const onStep = factor * weights[count + k]! * hessian.theta;
      for (let n = 0; n < free; n++) {
        const i = indices[n]!;
        reduced[i] = reduced[i]! + onChange * changes[start + i]! + onStep * steps[start + i]!;
      }
    }
  };

  /** right ← Wᵀ·reduced over the free variables. */
  const project = () => {
    const { count } = pairs;
    for (let k = 0; k < count; k++) {
      const start = pairs.slot(k) * size;
      let onChange = 0;
      let onStep = 0;
      for (let n = 0; n < free; n++) {
        const i = indices[n]!;
        onChange += changes[start + i]! * reduced[i]!;
        onStep += steps[start + i]! * reduced[i]!;
      }
      right[k] = onChange;
      right[count + k] = onStep * hessian.theta;
    }
  };

  /** reduced ← step from the Cauchy point, for each free variable. */
  const solveReduced = ({ x, gradient }: Iterate, cauchy: CauchyPoint) => {
    const { theta } = hessian;
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      reduced[i] = gradient[i]! + theta * (cauchy.point[i]! - x[i]!);
    }
    weights.set(cauchy.displacement);
    hessian.applyMiddle(weights);
    addProduct(-1, weights);
    project();
    system.solve(right);
    for (let n = 0; n < free; n++) reduced[indices[n]!] = -reduced[indices[n]!]! / theta;
    addProduct(-1 / (theta * theta), right);
  };

  /** point ← P(cauchy + reduced); returns the slope of the way there from x. */
  const projectStep = ({ x, gradient }: Iterate, cauchy: Float64Array) => {
    point.set(cauchy);
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      point[i] = Math.max(box.lower[i]!, Math.min(box.upper[i]!, cauchy[i]! + reduced[i]!));
    }
    let slope = 0;
    for (let i = 0; i < size; i++) slope += (point[i]! - x[i]!) * gradient[i]!;
    return slope;
  };

  /** point ← cauchy + α·reduced, α ≤ 1 the longest that stays in the box. */
  const shortenStep = (cauchy: Float64Array) => {
    let longest = 1;
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      const step = reduced[i]!;
      if (step === 0) continue;
      const reach = (step < 0 ? box.lower[i]! - cauchy[i]! : box.upper[i]! - cauchy[i]!) / step;
      longest = Math.min(longest, reach);
    }
    for (let n = 0; n < free; n++) {
      const i = indices[n]!;
      const moved = cauchy[i]! + longest * reduced[i]!;
      point[i] = Math.max(box.lower[i]!, Math.min(box.upper[i]!, moved));
    }
  };

  return {
    point,
    find(iterate, cauchy) {
      point.set(cauchy.point);
      split(cauchy.point);
      if (free === 0 || pairs.count === 0) return true;
      if (!assemble()) return false;
      solveReduced(iterate, cauchy);
      if (projectStep(iterate, cauchy.point) > 0) shortenStep(cauchy.point);
      return true;
    },
  };
}
