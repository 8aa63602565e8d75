import type { TensorMap } from '../../model/model.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../tensors/tensorflow.ts';
import type { Kernel } from '../kernel.ts';
import { namedParts } from '../parameterNames.ts';
import { pickColumns } from '../pickColumns.ts';

/** A kernel within a sum, with what stands around it. */
export interface Summand {
  /** A leaf or a product. */
  readonly kernel: Kernel;
  /** Its tensors by its own names, out of those of the whole. */
  readonly own: (p: TensorMap) => TensorMap;
  /** The columns that it sees. */
  readonly pick: (X: Tensor2D) => Tensor2D;
  /** What scales around it multiply it by; undefined where there is none. */
  readonly factor: (p: TensorMap) => Tensor | undefined;
}

/** The kernel as a sum of leaves and products, with scales and column choices carried inwards. */
export function summands(kernel: Kernel): Summand[] {
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
export function times<T extends Tensor>(x: T, factor: Tensor | undefined): T {
  return factor === undefined ? x : op.mul<T>(factor, x);
}
