import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import type { ScaledObjective } from '../minimize/scaledObjective.ts';
import { copyIterate } from '../minimize/solution.ts';
import type { BatchedObjective } from './fitProblem.ts';

/** The objective of batches for the driver of solvers: in each evaluation the gradient is that in the variables at `placesOf` it. */
export function batchObjective({ at, placesOf }: BatchedObjective, size: number): ScaledObjective {
  const everywhere = (bound: number) => new Float64Array(size).fill(bound);
  let reason = '';
  return {
    box: { lower: everywhere(Number.NEGATIVE_INFINITY), upper: everywhere(Number.POSITIVE_INFINITY) },
    get reason() {
      return reason;
    },
    placesOf,
    evaluate(x, { iteration }) {
      const places = placesOf(iteration);
      const failed = (why: string) => {
        reason = why;
        return { value: Number.NaN, gradient: new Float64Array(places.length), places };
      };
      try {
        const { value, gradient } = at(x, iteration);
        const bad = gradient.findIndex((entry) => !Number.isFinite(entry));
        if (!Number.isFinite(value)) return failed(`its value is ${value}`);
        if (bad >= 0) return failed(`entry ${places[bad]} of its gradient is ${gradient[bad]}`);
        return { value, gradient, places };
      } catch (error) {
        if (!(error instanceof NumericalError)) throw error;
        return failed(`it threw a NumericalError: ${error.message}`);
      }
    },
    curvature() {
      throw new InvalidInputError('Batches have no curvature. Use adam().');
    },
    toScaled: (x) => x.slice(),
    toOriginalPoint: (x) => x.slice(),
    toOriginal: copyIterate,
  };
}
