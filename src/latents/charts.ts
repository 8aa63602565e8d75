import { acos, atan2, sin } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import { symmetricEigenpairs } from '../engine/dense/eigenpairs.ts';
import { product } from '../engine/dense/products.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Chart } from '../model/language/mapped.ts';
import { defineMap } from './defineMap.ts';

const TURN = 2 * Math.PI;

/** A chart of angles: paths follow the shorter arc. */
const angles = (dim: number): Chart => ({
  dim,
  components: 2 * dim,
  period: TURN,
  between: (from, to, part) =>
    from.map((angle, d) => {
      const way = to[d]! - angle;
      return angle + part * (way - TURN * Math.round(way / TURN));
    }),
  start: (components) => {
    const pairs = dim === 2 && components.columns === 4 ? inPlanesOfCircles(components) : components;
    return Matrix.zeros(pairs.rows, dim).map((_, i, d) =>
      atan2(2 * d + 1 < pairs.columns ? pairs.at(i, 2 * d + 1) : 0, pairs.at(i, 2 * d)),
    );
  },
});

/**
 * Recovers the cosines and sines of two angles from an unknown rotation of them: z, four uncorrelated columns of unit variance. As cos²θ + sin²θ −
 * cos²φ − sin²φ is constant, the planes of the two circles are spanned by the eigenvectors of the symmetric A of trace 0 that minimizes the variance
 * of zᵀAz.
 */
function inPlanesOfCircles(z: Matrix): Matrix {
  const entries = [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].slice(a).map((b) => [a, b] as const));
  const n = entries.length;
  const unit = (a: number, b: number) => (a === b ? 1 : Math.SQRT2);
  const products = entries.map(([a, b]) =>
    Float64Array.from({ length: z.rows }, (_, i) => unit(a, b) * z.at(i, a) * z.at(i, b)),
  );
  const centered = products.map((own) => {
    const mean = own.reduce((sum, entry) => sum + entry / z.rows, 0);
    return own.map((entry) => entry - mean);
  });
  const covariance = Matrix.zeros(n, n).map((_, k, l) =>
    centered[k]!.reduce((sum, entry, i) => sum + (entry * centered[l]![i]!) / z.rows, 0),
  );
  // A trace would cost more than anything else.
  const most = entries.reduce((sum, _, k) => sum + covariance.at(k, k), 1);
  entries.forEach(([a, b], k) => {
    entries.forEach(([c, d], l) => {
      if (a === b && c === d) covariance.data[k * n + l]! += most;
    });
  });
  const least = symmetricEigenpairs(covariance).vectors.column(0);
  const A = Matrix.zeros(4, 4);
  entries.forEach(([a, b], k) => {
    A.data[4 * a + b] = A.data[4 * b + a] = least[k]! / unit(a, b);
  });
  const { vectors } = symmetricEigenpairs(A);
  return product(z, vectors);
}

const onCircles = (angle: Tensor2D): Tensor2D => op.concat([op.cos(angle), op.sin(angle)], 1) as Tensor2D;

/**
 * Points of a circle: an angle θ (N×1) becomes (cos θ, sin θ), N×2. Paths between points follow the shorter arc.
 *
 * @example
 * ```ts
 * const angle = latent({ dim: 1 });
 * const x = mapped(angle, circle());
 * ```
 */
export const circle = defineMap({ name: 'circle', apply: (_, angle) => onCircles(angle), chart: angles(1) });

/**
 * Points of a flat torus: two angles (N×2) become (cos θ, cos φ, sin θ, sin φ), N×4. Paths follow the shorter arc in each.
 *
 * @example
 * ```ts
 * const x = mapped(latent({ dim: 2 }), torus());
 * ```
 */
export const torus = defineMap({ name: 'torus', apply: (_, pair) => onCircles(pair), chart: angles(2) });

/**
 * Points of the unit sphere: a vector v (N×3) becomes v/‖v‖. A standard normal density on v is uniform on the sphere, and keeps the lengths of the
 * vectors bounded. Paths follow great circles.
 *
 * @example
 * ```ts
 * const v = latent({ dim: 3, density: standardNormal() });
 * const x = mapped(v, sphere());
 * ```
 */
export const sphere = defineMap({
  name: 'sphere',
  apply: (_, v) => op.div<Tensor2D>(v, op.sqrt(op.sum(op.square(v), 1, true))),
  chart: { dim: 3, components: 3, between: alongGreatCircle, start: (components) => components },
});

function alongGreatCircle(from: Float64Array, to: Float64Array, part: number): Float64Array {
  const length = (v: Float64Array) => Math.sqrt(v.reduce((sum, entry) => sum + entry * entry, 0));
  const [a, b] = [length(from), length(to)];
  const cosine = from.reduce((sum, entry, d) => sum + (entry / a) * (to[d]! / b), 0);
  const angle = acos(Math.max(-1, Math.min(1, cosine)));
  const radius = (1 - part) * a + part * b;
  // Coincident or opposite points do not determine a great circle: the straight line is as good, or the only choice.
  const weights =
    sin(angle) < 1e-9 ? [1 - part, part] : [sin((1 - part) * angle) / sin(angle), sin(part * angle) / sin(angle)];
  return from.map((entry, d) => radius * (weights[0]! * (entry / a) + weights[1]! * (to[d]! / b)));
}
