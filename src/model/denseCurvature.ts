import type { Assembly } from './model.ts';
import type { Curvature, QuadraticDescent, QuadraticModel } from './solver.ts';
import { lazyValues, toNatural, type Variable, type VariableLayout } from './variables.ts';

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

/**
 * The curvature of the negative log density in the solver's variables u, at the point with this gradient g: with x = x(u) entry by entry and H the
 * Hessian in x, it is x′·H·x′ + diag(g·(log x′)′). Undefined for a model without curvature, a parameter with a prior, or variables of another kind.
 */
export function curvatureOf(
  assembly: Assembly,
  layout: VariableLayout,
  unconstrained: Float64Array,
  gradient: Float64Array,
): Curvature | undefined {
  const free = layout.variables.filter(({ start }) => start >= 0);
  const starts = new Map(free.map(({ path, start }) => [path, start]));
  const entries = toNatural(layout, unconstrained);
  const natural = new Map(layout.variables.map(({ path }, i) => [path, entries[i]!]));
  const inNatural = () => assembly.curvature?.(lazyValues(layout, entries), { size: layout.size, starts, natural });
  const isItself = ({ parameter: { support }, transform }: Variable) =>
    (support === 'box' || support === 'real') && transform.variables === undefined;
  if (free.every(isItself)) return inNatural();
  if (free.some(({ parameter: { prior }, transform }) => prior !== undefined || transform.variables !== undefined))
    return undefined;
  const slopes = new Float64Array(layout.size);
  const bends = new Float64Array(layout.size);
  for (const { start, size, transform } of free) {
    const u = unconstrained.subarray(start, start + size);
    const change = transform.logJacobian?.(u);
    if (change === undefined) return undefined;
    slopes.set(transform.pullBack(new Float64Array(size).fill(1), transform.toNatural(u), u), start);
    bends.set(change.gradient, start);
  }
  const H = inNatural()?.hessian();
  if (H === undefined) return undefined;
  const n = layout.size;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) H[i * n + j]! *= slopes[i]! * slopes[j]!;
    H[i * (n + 1)]! += gradient[i]! * bends[i]!;
  }
  return denseCurvature(H, n);
}
