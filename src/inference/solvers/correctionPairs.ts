import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import type { Iterate, SolverMemory } from '../../model/solver.ts';

const atLeastOne = 'a whole number of at least 1';

/** Options of the solvers that keep correction pairs. */
export const pairOptions = v.strictObject({
  history: v.optional(v.pipe(v.number(atLeastOne), v.integer(atLeastOne), v.minValue(1, atLeastOne))),
});

/**
 * The newest `history` correction pairs s = x₊ − x, y = g₊ − g, in a ring allocated once: pair k of `count`, counted from
 * the oldest, is row `slot(k)` of `steps` and `changes`.
 */
export interface CorrectionPairs {
  readonly history: number;
  readonly size: number;
  readonly count: number;
  /** s, history × size. */
  readonly steps: Float64Array;
  /** y, history × size. */
  readonly changes: Float64Array;
  /** sᵀy of each slot. */
  readonly curvatures: Float64Array;
  /** sᵀy / yᵀy of the newest pair, the scale of the inverse Hessian; 1 without pairs. */
  readonly inverseScale: number;
  slot(k: number): number;
  /** Adds the pair that leads from one iterate to the next, unless its curvature is lost in rounding. Returns its slot or −1. */
  add(from: Iterate, to: Iterate): number;
  clear(): void;
}

/** @param memory - holds the ring; filled in when it is empty, so that it always is the state to resume from */
export function correctionPairs(memory: SolverMemory, history: number, size: number): CorrectionPairs {
  const ring = ringOf(memory, history, size);
  const { steps, changes, curvatures } = ring;

  return {
    history,
    size,
    steps,
    changes,
    curvatures,
    get count() {
      return ring.count;
    },
    get inverseScale() {
      return ring.inverseScale;
    },
    slot: (k) => (ring.newest - ring.count + 1 + k + 2 * history) % history,

    add(from, to) {
      let curvature = 0;
      let changeNorm = 0;
      let slope = 0;
      for (let i = 0; i < size; i++) {
        const s = to.x[i]! - from.x[i]!;
        const y = to.gradient[i]! - from.gradient[i]!;
        curvature += s * y;
        changeNorm += y * y;
        slope += s * from.gradient[i]!;
      }
      if (!(curvature > Number.EPSILON * Math.abs(slope)) || !(changeNorm > 0)) return -1;
      const slot = (ring.newest + 1) % history;
      for (let i = 0; i < size; i++) {
        steps[slot * size + i] = to.x[i]! - from.x[i]!;
        changes[slot * size + i] = to.gradient[i]! - from.gradient[i]!;
      }
      curvatures[slot] = curvature;
      ring.newest = slot;
      ring.count = Math.min(ring.count + 1, history);
      ring.inverseScale = curvature / changeNorm;
      return slot;
    },

    clear() {
      ring.count = 0;
      ring.inverseScale = 1;
    },
  };
}

interface Ring {
  steps: Float64Array;
  changes: Float64Array;
  curvatures: Float64Array;
  count: number;
  newest: number;
  inverseScale: number;
}

function ringOf(memory: SolverMemory, history: number, size: number): Ring {
  if (Object.keys(memory).length === 0) {
    Object.assign(memory, {
      steps: new Float64Array(history * size),
      changes: new Float64Array(history * size),
      curvatures: new Float64Array(history),
      count: 0,
      newest: history - 1,
      inverseScale: 1,
    });
  }
  return memory as unknown as Ring;
}

/**
 * Refuses what is no ring of pairs, or a damaged one.
 *
 * @param memory - what an earlier run is said to have left
 * @param solver - named in the error
 * @throws InvalidInputError
 */
export function checkPairs(memory: SolverMemory, history: number, size: number, solver: string): void {
  const { steps, changes, curvatures, count, newest, inverseScale } = memory;
  const fits =
    isFiniteArray(steps, history * size) &&
    isFiniteArray(changes, history * size) &&
    isFiniteArray(curvatures, history) &&
    isCount(count, 0, history) &&
    isCount(newest, 0, history - 1) &&
    curvatures.every((curvature, slot) => curvature > 0 || (newest - slot + history) % history >= count) &&
    typeof inverseScale === 'number' &&
    inverseScale > 0 &&
    Number.isFinite(inverseScale);
  if (fits) return;
  throw new InvalidInputError(
    `The state given to ${solver} does not hold ${history} correction pairs of ${size} variables. Resume with the same ` +
      'history and the same problem that it was saved from.',
  );
}
