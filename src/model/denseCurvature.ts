import type { Curvature, QuadraticDescent, QuadraticModel } from './solver.ts';

/**
 * Curvature based on a dense Hessian.
 *
 * @param H - n×n row by row, symmetric; retained
 * @param n - number of variables
 */
export function denseCurvature(H: Float64Array, n: number): Curvature {
  return { hessian: () => H.slice(), quadratic: (model) => descentOf(H, n, model) };
}

function descentOf(
  H: Float64Array,
  n: number,
  { variables, gradient, lower, upper }: QuadraticModel,
): QuadraticDescent {
  const d = new Float64Array(variables.length);
  const entry = (a: number, b: number) => H[variables[a]! * n + variables[b]!]!;
  const slope = (a: number) => d.reduce((sum, step, b) => sum + entry(a, b) * step, gradient[a]!);
  return {
    diagonal: d.map((_, a) => entry(a, a)),
    product: (places, v) =>
      Float64Array.from(places, (a) => v.reduce((sum, factor, l) => sum + entry(a, places[l]!) * factor, 0)),
    fill(places, target) {
      places.forEach((a, k) => {
        for (let l = 0; l <= k; l++) target[k * places.length + l] = entry(a, places[l]!);
      });
    },
    slopes: (places) => Float64Array.from(places, slope),
    move(places, steps) {
      places.forEach((a, k) => {
        d[a] = steps[k]!;
      });
    },
    sweep(places) {
      let largest = 0;
      for (const a of places) {
        const moved = Math.max(lower[a]!, Math.min(upper[a]!, d[a]! - slope(a) / entry(a, a)));
        largest = Math.max(largest, Math.abs(moved - d[a]!) * Math.sqrt(entry(a, a)));
        d[a] = moved;
      }
      return largest;
    },
    steps: () => d.slice(),
  };
}
