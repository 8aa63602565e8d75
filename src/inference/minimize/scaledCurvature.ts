import { square } from '../../core/elementary/index.ts';
import { quotients } from '../../numerics/vectors.ts';
import type { Curvature } from '../solvers/solver.ts';

/** The curvature with respect to z = x / scale. */
export function scaledCurvature({ quadratic, hessian }: Curvature, scale: Float64Array): Curvature {
  const n = scale.length;
  return {
    hessian: () => hessian().map((entry, k) => entry * scale[Math.floor(k / n)]! * scale[k % n]!),
    quadratic: ({ variables, gradient, lower, upper }) => {
      const own = new Float64Array(variables.length);
      for (let a = 0; a < own.length; a++) own[a] = scale[variables[a]!]!;
      const descent = quadratic({
        variables,
        gradient: quotients(gradient, own),
        lower: lower.map((entry, a) => entry * own[a]!),
        upper: upper.map((entry, a) => entry * own[a]!),
      });
      const times = (places: Int32Array, v: Float64Array) => {
        const product = new Float64Array(v.length);
        for (let k = 0; k < v.length; k++) product[k] = v[k]! * own[places[k]!]!;
        return product;
      };
      return {
        diagonal: descent.diagonal.map((entry, a) => entry * square(own[a]!)),
        product: (places, v) => times(places, descent.product(places, times(places, v))),
        fill(places, target) {
          descent.fill(places, target);
          const count = places.length;
          const units = new Float64Array(count);
          for (let k = 0; k < count; k++) units[k] = own[places[k]!]!;
          for (let k = 0; k < count; k++) {
            const unit = units[k]!;
            for (let l = 0; l <= k; l++) target[k * count + l]! *= unit * units[l]!;
          }
        },
        slopes: (places) => times(places, descent.slopes(places)),
        move: (places, d) => descent.move(places, times(places, d)),
        sweep: (places) => descent.sweep(places),
        steps: () => quotients(descent.steps(), own),
      };
    },
  };
}
