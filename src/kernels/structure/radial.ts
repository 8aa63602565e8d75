import { square } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import type { RadialProfile } from '../../engine/tensors/ops.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import { type Kernel, namedParts } from '../kernel.ts';

/** Parameter names of a kernel v·f(r²) + Σb + Σs·[i = j]: one radial covariance of all columns, constants and white noises. */
export interface RadialSumNames {
  readonly profile: RadialProfile;
  readonly variance: string;
  readonly lengthscale: string;
  readonly constants: readonly string[];
  readonly whites: readonly string[];
}

/** The kernel as a radial covariance with offsets; undefined for any other kernel. */
export function radialSumOf(kernel: Kernel): RadialSumNames | undefined {
  const children = kernel.form.type === 'add' ? kernel.form.children : [kernel];
  let radial: Pick<RadialSumNames, 'profile' | 'variance' | 'lengthscale'> | undefined;
  const offsets = { constant: [] as string[], white: [] as string[] };
  for (const [i, part] of namedParts(children).entries()) {
    const { form, parameters } = children[i]!;
    const structure = form.type === 'leaf' ? form.capabilities.structure : undefined;
    const own = Object.keys(parameters);
    const named = (name: string) => Object.keys(part.parameters)[own.findIndex((key) => key.endsWith(`.${name}`))]!;
    if (structure?.type === 'constant' || structure?.type === 'white') {
      offsets[structure.type].push(named(structure.parameter));
    } else if (structure?.type === 'radial' && radial === undefined) {
      radial = { profile: structure.profile, variance: named('variance'), lengthscale: named('lengthscale') };
    } else return undefined;
  }
  return radial && { ...radial, constants: offsets.constant, whites: offsets.white };
}

/** Step of the differences of a profile's slope, and the largest fraction of s that it may be. */
const STEP = 1e-4;
const PART = 0.5;

/** f(s), f′(s) and f″(s) of all pairs of points, s = Σ_d ((x_id − x_jd)/l_d)², N×N row by row each. */
export interface RadialTerms {
  readonly value: Float64Array;
  readonly slope: Float64Array;
  /** f″ by central differences of the slope; 0 where points coincide, since nothing depends on it there. */
  readonly bend: Float64Array;
  readonly squaredDistances: Float64Array;
}

/** Terms of the second derivatives of a radial Gram matrix. */
export function radialTerms({ value, slope }: RadialProfile, X: Matrix, lengthscales: Float64Array): RadialTerms {
  const s = squaredDistances(X, lengthscales);
  const at = (loop: (s: Float64Array) => void, points: Float64Array) => {
    const result = points.slice();
    loop(result);
    return result;
  };
  const steps = s.map((distance) => Math.min(STEP, PART * distance));
  const above = at(
    slope,
    s.map((distance, k) => distance + steps[k]!),
  );
  const below = at(
    slope,
    s.map((distance, k) => distance - steps[k]!),
  );
  const bend = steps.map((step, k) => (step === 0 ? 0 : (above[k]! - below[k]!) / (2 * step)));
  return { value: at(value, s), slope: at(slope, s), bend, squaredDistances: s };
}

function squaredDistances({ data: x, rows: N, columns: q }: Matrix, lengthscales: Float64Array): Float64Array {
  const s = new Float64Array(N * N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < i; j++) {
      let sum = 0;
      for (let d = 0; d < q; d++) {
        const length = lengthscales[lengthscales.length === 1 ? 0 : d]!;
        sum += square((x[i * q + d]! - x[j * q + d]!) / length);
      }
      s[i * N + j] = sum;
      s[j * N + i] = sum;
    }
  }
  return s;
}

/** Contribution of a constant or white noise to a Gram matrix: one number on every entry, or on the diagonal. */
export interface Offset {
  readonly type: 'constant' | 'white';
  readonly variance: Tensor;
}

/** True for a constant or a white noise. */
export function isOffset({ form }: Kernel): boolean {
  const type = form.type === 'leaf' ? form.capabilities.structure?.type : undefined;
  return type === 'constant' || type === 'white';
}

/** The offset of a constant or a white noise at these values; undefined for any other kernel. */
export function offsetOf({ form }: Kernel, p: TensorMap): Offset | undefined {
  if (form.type !== 'leaf') return undefined;
  const { structure } = form.capabilities;
  if (structure?.type !== 'constant' && structure?.type !== 'white') return undefined;
  return { type: structure.type, variance: form.own(p)[structure.parameter]! };
}

/** Adds a constant or a white noise to K; `gram` says whether K is a Gram matrix. */
export function withOffset(K: Tensor2D, kernel: Kernel, p: TensorMap, gram: boolean): Tensor2D {
  const { type, variance } = offsetOf(kernel, p)!;
  if (type === 'constant') return op.add<Tensor2D>(K, variance);
  return gram ? op.addDiagonal(K, variance) : K;
}
