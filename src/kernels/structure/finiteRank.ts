import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import { type Kernel, type KernelFeatures, namedParts, pickColumns, type SymmetricBasis } from '../kernel.ts';

/** A covariance of finite rank with white noise kept apart: k(A, B) = Φ(A)·Φ(B)ᵀ, plus w on the diagonal of a Gram matrix. */
export interface Features {
  readonly rank: number;
  /** Φ, n×rank, of the rows of A (n×q). */
  readonly at: (p: TensorMap, A: Tensor2D) => Tensor2D;
  /** w, a scalar; undefined without white noise. */
  readonly white: White;
}

/** White noise as a scalar at the given values; undefined if there is none. */
export type White = ((p: TensorMap) => Tensor) | undefined;

/**
 * Features of a kernel for points with this number of columns, derived from those of its leaves: sums concatenate them, products multiply each with
 * each, scales multiply them by the square root of the variance.
 *
 * @returns undefined if some part has no features, or is a white noise inside a product
 */
export function featuresOf(kernel: Kernel, columns: number): Features | undefined {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return leafFeatures(kernel, columns);
    case 'scale': {
      const inner = featuresOf(form.child, columns);
      const [child] = namedParts([form.child], ['scale']);
      return inner && scaled(renamed(inner, child!.own), (p) => p['scale.variance']!);
    }
    case 'select': {
      const inner = featuresOf(form.child, form.columns.length);
      const pick = pickColumns(form.columns);
      return inner && { ...inner, at: (p, A) => inner.at(p, pick.tensor(A)) };
    }
    default: {
      const parts = namedParts(form.children);
      const inner = form.children.map((child, i) => {
        const own = featuresOf(child, columns);
        return own && renamed(own, parts[i]!.own);
      });
      if (!inner.every((own) => own !== undefined)) return undefined;
      if (form.type === 'add') return inner.reduce(sideBySide);
      return inner.some(({ white }) => white !== undefined) ? undefined : inner.reduce(eachWithEach);
    }
  }
}

function leafFeatures({ form }: Kernel, columns: number): Features | undefined {
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
      return finite(structure, own, columns);
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
export function whiteSum(all: readonly White[]): White {
  return all.reduce((a, b) => (a && b ? (p) => op.addScalars(a(p), b(p)) : (a ?? b)));
}

/** Products of every feature of one with every feature of the other: those of the product of the covariances. */
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
      return { at: (p, X) => structure.at(form.own(p), X), white: undefined };
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

function scaledBasis({ at, white }: Basis, own: (p: TensorMap) => TensorMap): Basis {
  return {
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
    at: (p, X) => {
      const { basis, features } = main.basis.at(main.own(p), X);
      const others = known.filter(({ features: { rank } }) => rank > 0);
      const all = [features, ...others.map((other) => other.features.at(other.own(p), X))];
      return { basis, features: all.length === 1 ? features : op.concat<Tensor2D>(all, 1) };
    },
    white: whiteSum(whites.map(({ own, white }) => white && ((p) => white(own(p))))),
  };
}
