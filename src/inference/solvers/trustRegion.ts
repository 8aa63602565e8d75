import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { symmetricEigenpairs } from '../../numerics/dense/eigenpairs.ts';
import { norm } from '../../numerics/vectors.ts';

/** The quadratic model gᵀd + ½dᵀHd of a function in steps d. */
export interface RegionModel {
  /** Its minimum among steps of at most this length, and by how much it falls there. */
  within(radius: number): { readonly step: Float64Array; readonly decrease: number };
}

/** Curvature below this part of the largest is that of rounding. */
const FLAT = 1e-15;
const MOST_HALVINGS = 200;

/**
 * The quadratic model of a gradient and a Hessian, which may be indefinite. With H = VΛVᵀ the minimum is d = −V(Λ + μ)⁻¹Vᵀg, μ ≥ 0 the least that
 * makes Λ + μ positive and d short enough; where no part of g lies along the smallest eigenvalue, part of its eigenvector is added (the hard case).
 *
 * @see Nocedal, Wright (2006), §4.3
 */
export function regionModel(H: Matrix, g: Float64Array): RegionModel {
  const n = g.length;
  const { values, vectors } = symmetricEigenpairs(H);
  const V = vectors.data;
  const along = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) along[k]! += V[i * n + k]! * g[i]!;
  const smallest = values[0]!;
  const flat = FLAT * Math.max(Math.abs(smallest), Math.abs(values[n - 1]!));
  const parts = (shift: number) => along.map((entry, k) => -entry / (values[k]! + shift));
  const lengthAt = (shift: number) => norm(parts(shift));
  return {
    within(radius) {
      const least = Math.max(0, flat - smallest);
      const length = lengthAt(least);
      const d = parts(length <= radius ? least : shiftFor(lengthAt, least, radius, along));
      if (smallest < -flat && length < radius) d[0] = d[0]! + (d[0]! < 0 ? -1 : 1) * longer(d[0]!, length, radius);
      let decrease = 0;
      for (let k = 0; k < n; k++) decrease -= d[k]! * (along[k]! + 0.5 * values[k]! * d[k]!);
      const step = new Float64Array(n);
      for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) step[i]! += V[i * n + k]! * d[k]!;
      return { step, decrease };
    },
  };
}

/** By how much the modulus of one entry of a step must grow for it to have this length. */
function longer(entry: number, length: number, radius: number): number {
  return Math.sqrt(Math.max(0, square(radius) - square(length) + square(entry))) - Math.abs(entry);
}

/** The shift at which the step has this length, to a thousandth. */
function shiftFor(lengthAt: (shift: number) => number, least: number, radius: number, along: Float64Array): number {
  let low = least;
  let high = least + norm(along) / radius;
  for (let k = 0; k < MOST_HALVINGS; k++) {
    const middle = low === 0 || high / low < 4 ? (low + high) / 2 : Math.sqrt(low * high);
    const length = lengthAt(middle);
    if (Math.abs(length - radius) <= 1e-3 * radius) return middle;
    if (length > radius) low = middle;
    else high = middle;
  }
  return high;
}
