import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { isFiniteArray } from '../../core/finiteArray.ts';
import type { CorrectionPairs } from './correctionPairs.ts';
import type { SolverMemory } from './solver.ts';

/** A diagonal D > 0 in the place of the inverse Hessian, which learns the scale of each variable from correction pairs. */
export interface InverseDiagonal {
  readonly entries: Float64Array;
  /** Takes in the pair that was added to the ring last. */
  learn(slot: number): void;
  clear(): void;
}

/**
 * After each pair (s, y), D is first multiplied by sᵀy / yᵀDy, so that yᵀDy = sᵀy, and then its inverse B changes as the diagonal
 * of a BFGS matrix does: b_i ← b_i + y_i²/sᵀy − (b_i s_i)²/sᵀBs. It starts from (sᵀy/yᵀy)·I at the first pair.
 *
 * @param memory - holds D, so that a run can be resumed; filled in when it is empty
 * @see Gilbert, Lemaréchal (1989), Some numerical experiments with variable-storage quasi-Newton algorithms, Math. Programming 45
 */
export function inverseDiagonal(memory: SolverMemory, pairs: CorrectionPairs, solver: string): InverseDiagonal {
  const { size, steps, changes, curvatures } = pairs;
  if (memory.diagonal === undefined && pairs.count === 0) memory.diagonal = new Float64Array(size);
  const { diagonal: entries } = memory;
  const isOne = isFiniteArray(entries, size);
  if (!isOne || !(entries.every((entry) => entry > 0) || entries.every((entry) => entry === 0))) {
    throw new InvalidInputError(
      `The state given to ${solver} does not hold the scale of ${size} variables. Resume with the same problem and release that it ` +
        'was saved from.',
    );
  }

  return {
    entries,
    learn(slot) {
      // Zeros until the first pair.
      if (entries[0] === 0) entries.fill(pairs.inverseScale);
      const start = slot * size;
      const curvature = curvatures[slot]!;
      let lengthOfChange = 0;
      for (let i = 0; i < size; i++) lengthOfChange += square(changes[start + i]!) * entries[i]!;
      const factor = curvature / lengthOfChange;
      let lengthOfStep = 0;
      for (let i = 0; i < size; i++) {
        entries[i] = entries[i]! * factor;
        lengthOfStep += square(steps[start + i]!) / entries[i]!;
      }
      for (let i = 0; i < size; i++) {
        const b = 1 / entries[i]!;
        const next = b + square(changes[start + i]!) / curvature - square(b * steps[start + i]!) / lengthOfStep;
        // Positive but for rounding, which shows where a variable moved alone and the gradient in it did not.
        if (next > Number.EPSILON * b) entries[i] = 1 / next;
      }
    },
    clear() {
      entries.fill(0);
    },
  };
}
