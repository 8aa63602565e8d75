import { square } from '../../core/elementary/index.ts';
import type { Curvature } from '../solvers/solver.ts';

/** The curvature with respect to z = x / scale. */
export function scaledCurvature({ quadratic, hessian }: Curvature, scale: Float64Array): Curvature {
  const n = scale.length;
  return {
    hessian: () => hessian().map((entry, k) => entry * scale[Math.floor(k / n)]! * scale[k % n]!),
    quadratic: ({ variables, gradient, lower, upper }) => {
      const own = Float64Array.from(variables, (i) => scale[i]!);
      const descent = quadratic({
        variables,
        gradient: gradient.map((entry, a) => entry / own[a]!),
        lower: lower.map((entry, a) => entry * own[a]!),
        upper: upper.map((entry, a) => entry * own[a]!),
      });
      const times = (places: Int32Array, v: Float64Array) => v.map((entry, k) => entry * own[places[k]!]!);
      return {
        diagonal: descent.diagonal.map((entry, a) => entry * square(own[a]!)),
        product: (places, v) => times(places, descent.product(places, times(places, v))),
        fill(places, target) {
          descent.fill(places, target);
          const count = places.length;
          for (let k = 0; k < count; k++) {
            const unit = own[places[k]!]!;
            for (let l = 0; l <= k; l++) target[k * count + l]! *= unit * own[places[l]!]!;
          }
        },
        slopes: (places) => times(places, descent.slopes(places)),
        move: (places, d) => descent.move(places, times(places, d)),
        sweep: (places) => descent.sweep(places),
        steps: () => descent.steps().map((entry, a) => entry / own[a]!),
      };
    },
  };
}
