import { lazily } from '../../core/progressiveWork.ts';
import { type DensityOptions, radialLogDensity } from '../../engine/tensors/ops/radialLogDensity.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import { type Kernel, namedParts, pickColumns } from '../kernel.ts';
import { type White, whiteSum } from './finiteRank.ts';
import { isOffset, type Offset, offsetOf } from './radial.ts';

/** A summand of a kernel, with the scales and selections around it. */
interface Summand {
  /** A leaf or a product. */
  readonly kernel: Kernel;
  /** Its tensors under its own names, out of those of the whole kernel. */
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

/** A lazy Gram matrix, formed when its entries are asked for. */
export interface Gram {
  matrix(): Tensor2D;
  /** Log density of data with this covariance; see `gaussianLogDensity`. */
  logDensity(data: op.GaussianData, options: DensityOptions): Scalar;
}

/** k(X, X) + σ²I, or k(X, X) without a noise. */
export type NoisyGram = (p: TensorMap, X: Tensor2D, noise?: Tensor) => Gram;

/**
 * Gram matrix of a kernel with noise on its diagonal. One radial kernel with constants and white noises, scaled or restricted to columns, is a single
 * operation, and so is a density with this covariance. Any other kernel is evaluated as it is, with the noise added.
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
