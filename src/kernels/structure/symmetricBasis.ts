import type { TensorMap } from '../../model/model.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor2D } from '../../tensors/tensorflow.ts';
import type { SymmetricBasis } from '../capabilities.ts';
import type { Kernel } from '../kernel.ts';
import { namedParts } from '../parameterNames.ts';
import { pickColumns } from '../pickColumns.ts';
import { featuresOf, type White, whiteSum } from './features.ts';

/** k(X, X) = E² + UUᵀ at a process's own inputs, white noise apart. */
export interface Basis {
  readonly at: (p: TensorMap, X: Tensor2D) => SymmetricBasis;
  /** What is on the diagonal beside, a scalar. */
  readonly white: White;
}

/**
 * The symmetric basis of a kernel that has one with such a basis among summands of finite rank: scales multiply E and U by the root of
 * their variance, features of the other summands are put beside U.
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
      return inner && scaled(inner, child!.own);
    }
    case 'select': {
      const inner = symmetricBasisOf(form.child, form.columns.length);
      const pick = pickColumns(form.columns);
      return inner && { ...inner, at: (p, X) => inner.at(p, pick.tensor(X)) };
    }
    case 'add':
      return sum(form.children, columns);
    case 'multiply':
      return undefined;
  }
}

function scaled({ at, white }: Basis, own: (p: TensorMap) => TensorMap): Basis {
  return {
    at: (p, X) => {
      const { basis, features } = at(own(p), X);
      const root = op.sqrt(p['scale.variance']!);
      return { basis: op.mul<Tensor2D>(root, basis), features: op.mul<Tensor2D>(root, features) };
    },
    white: white && ((p) => op.mul(p['scale.variance']!, white(own(p)))),
  };
}

function sum(children: readonly Kernel[], columns: number): Basis | undefined {
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
