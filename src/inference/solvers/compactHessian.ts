import type { CorrectionPairs } from './correctionPairs.ts';
import { linearSystem } from './linearSystem.ts';

/**
 * The BFGS matrix of k correction pairs in compact form, B = θI − W·M·Wᵀ, W = [Y θS], n×2k. Pairs are in order of age;
 * vectors of length 2k hold the Y part first.
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
  /** Takes in the pair that was just stored in a slot. */
  add(slot: number): void;
  /** Prepares M for the pairs there are; false when it is singular. */
  prepare(): boolean;
  /** into ← row i of W. */
  row(i: number, into: Float64Array): void;
  /** into ← Wᵀ·vector. */
  project(vector: Float64Array, into: Float64Array): void;
  /** vector ← M·vector. */
  applyMiddle(vector: Float64Array): void;
}

/** The compact form over a ring of pairs, its inner products computed anew from those that the ring holds. */
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
