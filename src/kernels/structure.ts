import { square } from '../core/elementary/index.ts';
import type { Matrix } from '../core/matrix.ts';
import { lazily } from '../core/progressiveWork.ts';
import { type DensityOptions, radialLogDensity } from '../engine/tensors/ops/radialGramMatrix.ts';
import type { RadialProfile } from '../engine/tensors/ops.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model/model.ts';
import {
  checkLengthscales,
  isOffset,
  type Kernel,
  type KernelBasis,
  type KernelFeatures,
  namedParts,
  type Offset,
  offsetOf,
  pickColumns,
  type Spectrum,
  type SymmetricBasis,
} from './kernel.ts';

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
  /** f″ by central differences of the slope; 0 where points coincide, since it has no effect there. */
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

/** A covariance of finite rank with white noise kept apart: k(A, B) = Φ(A)·Φ(B)ᵀ, plus w on the diagonal of a Gram matrix. */
export interface Features {
  readonly rank: number;
  /** Φ, n×rank, for the rows of A (n×q). */
  readonly at: (p: TensorMap, A: Tensor2D) => Tensor2D;
  /** w, a scalar; undefined without white noise. */
  readonly white: White;
}

/** White noise as a scalar at these parameter values; undefined without white noise. */
type White = ((p: TensorMap) => Tensor) | undefined;

/** Features that replace a radial covariance with this spectral density, which depends on these columns of the points. */
export type RadialFeatures = (spectrum: Spectrum, columns: readonly number[]) => KernelFeatures;

/**
 * Features of a kernel for points with this number of columns, derived from the features of its leaves: sums concatenate them, products multiply each
 * with each, scales multiply them by the square root of the variance.
 *
 * @param ofRadial - features of radial leaves, whose kernels define none
 * @param at - numbers of the columns in the points of the whole kernel
 * @returns undefined if some part has no features, or is a white noise inside a product
 */
export function featuresOf(
  kernel: Kernel,
  columns: number,
  ofRadial?: RadialFeatures,
  at: readonly number[] = Array.from({ length: columns }, (_, d) => d),
): Features | undefined {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return leafFeatures(kernel, at, ofRadial);
    case 'scale': {
      const inner = featuresOf(form.child, columns, ofRadial, at);
      const [child] = namedParts([form.child], ['scale']);
      return inner && scaled(renamed(inner, child!.own), (p) => p['scale.variance']!);
    }
    case 'select': {
      const own = form.columns.map((column) => at[column]!);
      const inner = featuresOf(form.child, form.columns.length, ofRadial, own);
      const pick = pickColumns(form.columns);
      return inner && { ...inner, at: (p, A) => inner.at(p, pick.tensor(A)) };
    }
    default: {
      const parts = namedParts(form.children);
      const inner = form.children.map((child, i) => {
        const own = featuresOf(child, columns, ofRadial, at);
        return own && renamed(own, parts[i]!.own);
      });
      if (!inner.every((own) => own !== undefined)) return undefined;
      if (form.type === 'add') return inner.reduce(sideBySide);
      return inner.some(({ white }) => white !== undefined) ? undefined : inner.reduce(eachWithEach);
    }
  }
}

function leafFeatures(
  { form }: Kernel,
  at: readonly number[],
  ofRadial: RadialFeatures | undefined,
): Features | undefined {
  if (form.type !== 'leaf') return undefined;
  const { own, capabilities } = form;
  const { structure } = capabilities;
  switch (structure?.type) {
    case 'constant':
      return {
        rank: 1,
        at: (p, A) => op.mul<Tensor2D>(op.sqrt(own(p)[structure.parameter]!), op.ones([A.shape[0], 1])),
        white: undefined,
      };
    case 'white':
      return { rank: 0, at: (_p, A) => op.zeros([A.shape[0], 0]), white: (p) => own(p)[structure.parameter]! };
    case 'features':
      return finite(structure, own, at.length);
    case 'radial':
      if (ofRadial === undefined || structure.spectrum === undefined) return undefined;
      return finite(ofRadial(structure.spectrum, at), own, at.length);
    default:
      return undefined;
  }
}

const finite = (structure: KernelFeatures, own: (p: TensorMap) => TensorMap, columns: number): Features => ({
  rank: structure.rank(columns),
  at: (p, A) => structure.at(own(p), A),
  white: undefined,
});

const renamed = ({ rank, at, white }: Features, own: (p: TensorMap) => TensorMap): Features => ({
  rank,
  at: (p, A) => at(own(p), A),
  white: white && ((p) => white(own(p))),
});

/** Features of v times the covariance. */
const scaled = ({ rank, at, white }: Features, variance: (p: TensorMap) => Tensor): Features => ({
  rank,
  at: (p, A) => op.mul<Tensor2D>(op.sqrt(variance(p)), at(p, A)),
  white: white && ((p) => op.mul(variance(p), white(p))),
});

const sideBySide = (a: Features, b: Features): Features => ({
  rank: a.rank + b.rank,
  at: (p, A) => {
    if (a.rank === 0) return b.at(p, A);
    return b.rank === 0 ? a.at(p, A) : op.concat([a.at(p, A), b.at(p, A)], 1);
  },
  white: whiteSum([a.white, b.white]),
});

/** Sum of white noises. */
function whiteSum(all: readonly White[]): White {
  return all.reduce((a, b) => (a && b ? (p) => op.addScalars(a(p), b(p)) : (a ?? b)));
}

/** Products of every feature of one covariance with every feature of the other, which are the features of their product. */
const eachWithEach = (a: Features, b: Features): Features => ({
  rank: a.rank * b.rank,
  at: (p, A) => {
    const n = A.shape[0];
    const pairs = op.mul(op.reshape(a.at(p, A), [n, a.rank, 1]), op.reshape(b.at(p, A), [n, 1, b.rank]));
    return op.reshape<Tensor2D>(pairs, [n, a.rank * b.rank]);
  },
  white: undefined,
});

/** k(X, X) = E² + UUᵀ at the inputs of a process, with white noise kept apart. */
export interface Basis {
  readonly at: (p: TensorMap, X: Tensor2D) => SymmetricBasis;
  readonly logDensity: KernelBasis['logDensity'];
  /** The white noise on the diagonal, a scalar. */
  readonly white: White;
}

/**
 * Symmetric basis of a kernel with one such basis among summands of finite rank: scales multiply E and U by the square root of their variance, and
 * features of other summands are appended to U.
 *
 * @returns undefined for any other kernel
 */
export function symmetricBasisOf(kernel: Kernel, columns: number): Basis | undefined {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf': {
      const { structure } = form.capabilities;
      if (structure?.type !== 'symmetricBasis') return undefined;
      return { ...structure, at: (p, X) => structure.at(form.own(p), X), white: undefined };
    }
    case 'scale': {
      const inner = symmetricBasisOf(form.child, columns);
      const [child] = namedParts([form.child], ['scale']);
      return inner && scaledBasis(inner, child!.own);
    }
    case 'select': {
      const inner = symmetricBasisOf(form.child, form.columns.length);
      const pick = pickColumns(form.columns);
      return inner && { ...inner, at: (p, X) => inner.at(p, pick.tensor(X)) };
    }
    case 'add':
      return sumOfBases(form.children, columns);
    case 'multiply':
      return undefined;
  }
}

function scaledBasis({ at, logDensity, white }: Basis, own: (p: TensorMap) => TensorMap): Basis {
  return {
    logDensity,
    at: (p, X) => {
      const { basis, features } = at(own(p), X);
      const root = op.sqrt(p['scale.variance']!);
      return { basis: op.mul<Tensor2D>(root, basis), features: op.mul<Tensor2D>(root, features) };
    },
    white: white && ((p) => op.mul(p['scale.variance']!, white(own(p)))),
  };
}

function sumOfBases(children: readonly Kernel[], columns: number): Basis | undefined {
  const parts = namedParts(children).map(({ own }, i) => ({ own, basis: symmetricBasisOf(children[i]!, columns) }));
  const [main, ...more] = parts.flatMap(({ own, basis }) => (basis === undefined ? [] : [{ own, basis }]));
  if (main === undefined || more.length > 0) return undefined;
  const rest = parts.flatMap(({ own, basis }, i) => {
    return basis === undefined ? [{ own, features: featuresOf(children[i]!, columns) }] : [];
  });
  const known = rest.flatMap(({ own, features }) => (features === undefined ? [] : [{ own, features }]));
  if (known.length < rest.length) return undefined;
  const whites = [{ own: main.own, white: main.basis.white }].concat(
    known.map(({ own, features: { white } }) => ({ own, white })),
  );
  return {
    logDensity: main.basis.logDensity,
    at: (p, X) => {
      const { basis, features } = main.basis.at(main.own(p), X);
      const others = known.filter(({ features: { rank } }) => rank > 0);
      const all = [features, ...others.map((other) => other.features.at(other.own(p), X))];
      return { basis, features: all.length === 1 ? features : op.concat<Tensor2D>(all, 1) };
    },
    white: whiteSum(whites.map(({ own, white }) => white && ((p) => white(own(p))))),
  };
}

/** A summand of a kernel, with the scales and selections around it. */
interface Summand {
  /** A leaf or a product. */
  readonly kernel: Kernel;
  /** Extracts its tensors from the whole kernel's and renames them to its parameter names. */
  readonly own: (p: TensorMap) => TensorMap;
  /** Selects the columns that it depends on. */
  readonly pick: (X: Tensor2D) => Tensor2D;
  /** Product of the scales around it; undefined if there are none. */
  readonly factor: (p: TensorMap) => Tensor | undefined;
}

/** The kernel as a sum of leaves and products, with scales and column selections moved inwards. */
function summands(kernel: Kernel): Summand[] {
  const { form } = kernel;
  switch (form.type) {
    case 'add': {
      const parts = namedParts(form.children);
      return form.children.flatMap((child, i) => summands(child).map((summand) => under(parts[i]!.own, summand)));
    }
    case 'scale': {
      const [child] = namedParts([form.child], ['scale']);
      const variance = (p: TensorMap) => p['scale.variance']!;
      return summands(form.child).map((inner) => {
        const summand = under(child!.own, inner);
        return {
          ...summand,
          factor: (p) => {
            const within = summand.factor(p);
            return within === undefined ? variance(p) : op.mul(variance(p), within);
          },
        };
      });
    }
    case 'select': {
      const pick = pickColumns(form.columns);
      return summands(form.child).map((summand) => ({ ...summand, pick: (X) => summand.pick(pick.tensor(X)) }));
    }
    default:
      return [{ kernel, own: (p) => p, pick: (X) => X, factor: () => undefined }];
  }
}

function under(own: (p: TensorMap) => TensorMap, summand: Summand): Summand {
  return { ...summand, own: (p) => summand.own(own(p)), factor: (p) => summand.factor(own(p)) };
}

/** The tensor times the factor, if there is one. */
function times<T extends Tensor>(x: T, factor: Tensor | undefined): T {
  return factor === undefined ? x : op.mul<T>(factor, x);
}

/** Sum of the white noises among a kernel's summands, which are on the diagonal of a Gram matrix only. */
export function whiteOf(kernel: Kernel): White {
  const whites = summands(kernel)
    .filter((summand) => isWhite(summand.kernel))
    .map<NonNullable<White>>(({ kernel: own, own: values, factor }) => (p) => {
      return times(offsetOf(own, values(p))!.variance, factor(p));
    });
  return whites.length === 0 ? undefined : whiteSum(whites);
}

function isWhite(kernel: Kernel): boolean {
  const { form } = kernel;
  return isOffset(kernel) && form.type === 'leaf' && form.capabilities.structure?.type === 'white';
}

/** A lazy Gram matrix, formed when its entries are needed. */
export interface Gram {
  matrix(): Tensor2D;
  /** Log density of data with this covariance; see `gaussianLogDensity`. */
  logDensity(data: op.GaussianData, options: DensityOptions): Scalar;
}

/** k(X, X) + σ²I, or k(X, X) without a noise. */
type NoisyGram = (p: TensorMap, X: Tensor2D, noise?: Tensor) => Gram;

/**
 * Gram matrix of a kernel with noise on its diagonal. One radial kernel with constants and white noises, scaled or restricted to columns, is a single
 * operation, and so is a density with this covariance. Any other kernel is evaluated separately, and the noise is added.
 */
export function noisyGram(kernel: Kernel): NoisyGram {
  return fused(summands(kernel)) ?? ((p, X, noise) => gramOf(() => withNoise(kernel.covariance(p, X, X, X), noise)));
}

/** A Gram matrix without a fused density. */
export function gramOf(form: () => Tensor2D): Gram {
  const matrix = lazily(form);
  return { matrix, logDensity: (data, options) => op.gaussianLogDensity(matrix(), data, options) };
}

const withNoise = (K: Tensor2D, noise: Tensor | undefined) => (noise === undefined ? K : op.addDiagonal(K, noise));

/** The fused form of a sum of one radial kernel and offsets. */
function fused(parts: readonly Summand[]): NoisyGram | undefined {
  const offsets = parts.filter(({ kernel }) => isOffset(kernel));
  const [main, ...more] = parts.filter(({ kernel }) => !isOffset(kernel));
  const form = main?.kernel.form;
  if (form?.type !== 'leaf' || more.length > 0) return undefined;
  const { structure } = form.capabilities;
  if (structure?.type !== 'radial') return undefined;
  const { profile } = structure;
  return (p, X, noise) => {
    const own = form.own(main!.own(p));
    const variance = times(own.variance!, main!.factor(p));
    const added = offsets.map(({ kernel, own, factor }) => {
      const { type, variance } = offsetOf(kernel, own(p))!;
      return { type, variance: times(variance, factor(p)) };
    });
    const total = (type: Offset['type'], given: Tensor | undefined) =>
      added
        .filter((offset) => offset.type === type)
        .reduce((sum: Tensor | undefined, { variance: v }) => (sum === undefined ? v : op.addScalars(sum, v)), given);
    const points = main!.pick(X);
    checkLengthscales(main!.kernel.name, own, points);
    const parameters = {
      variance,
      lengthscale: own.lengthscale!,
      bias: total('constant', undefined) ?? op.scalar(0),
      noise: total('white', noise) ?? op.scalar(0),
    };
    return {
      matrix: lazily(() => op.radialGramMatrix(points, profile, parameters)),
      logDensity: (data, options) => radialLogDensity(points, profile, parameters, data, options),
    };
  };
}
