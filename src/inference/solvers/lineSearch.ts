import { dot } from '../../numerics/vectors.ts';
import { moreThuente } from './moreThuente.ts';
import type { Box, Evaluation, Iterate, Step } from './solver.ts';

/** Searches along directions from successive iterates, with storage that is allocated once. */
export interface LineSearch {
  /** The point that the last successful search settled on. */
  readonly accepted: Iterate;
  /**
   * Evaluates points iterate.x + α·direction until one satisfies the strong Wolfe conditions.
   *
   * @param iterate - where the search starts; not changed
   * @param direction - a descent direction
   * @param slope - gradientᵀ·direction, negative
   * @param firstStep - α to try first
   * @param longestStep - largest α allowed
   * @returns whether a point of lower value was found; it is then in `accepted`
   */
  along(
    iterate: Iterate,
    direction: Float64Array,
    slope: number,
    firstStep: number,
    longestStep: number,
  ): Generator<Step, boolean, Evaluation>;
}

/**
 * A strong Wolfe line search for vectors of length `size`. Where rounding would leave the box, the point is put on its
 * boundary. When the search stalls, the best point seen is accepted if its value is lower at all.
 */
export function lineSearch(size: number, box?: Box): LineSearch {
  const search = moreThuente();
  const point = new Float64Array(size);
  const accepted: Iterate = { x: new Float64Array(size), value: Number.NaN, gradient: new Float64Array(size) };
  const request: Step = { kind: 'evaluate', point };

  return {
    accepted,
    *along(iterate, direction, slope, firstStep, longestStep) {
      search.begin(iterate.value, slope, firstStep, longestStep);
      accepted.value = iterate.value;
      for (;;) {
        moveTo(point, iterate.x, search.step, direction, box);
        const { value, gradient } = yield request;
        const verdict = Number.isNaN(value) ? search.retreat() : search.advance(value, dot(gradient, direction));
        if (verdict === 'found' || value < accepted.value) {
          accepted.x.set(point);
          accepted.value = value;
          accepted.gradient.set(gradient);
        }
        if (verdict === 'found') return true;
        if (verdict === 'stalled') return accepted.value < iterate.value;
      }
    },
  };
}

/** point ← x + step·direction, put on the boundary of the box where only rounding keeps it off. */
function moveTo(point: Float64Array, x: Float64Array, step: number, direction: Float64Array, box?: Box): void {
  for (let i = 0; i < point.length; i++) point[i] = x[i]! + step * direction[i]!;
  if (box === undefined) return;
  for (let i = 0; i < point.length; i++) {
    const rounding = 2 * Number.EPSILON * (Math.abs(x[i]!) + Math.abs(point[i]!));
    if (direction[i] === 0) point[i] = x[i]!;
    else if (point[i]! <= box.lower[i]! + rounding) point[i] = box.lower[i]!;
    else if (point[i]! >= box.upper[i]! - rounding) point[i] = box.upper[i]!;
  }
}
