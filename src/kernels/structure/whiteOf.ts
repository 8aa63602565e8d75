import type { Kernel } from '../kernel.ts';
import { isOffset, offsetOf } from '../offsets.ts';
import type { White } from './features.ts';
import { whiteSum } from './features.ts';
import { summands, times } from './summands.ts';

/** The white noises among a kernel's summands, added up: what its Gram matrix has on its diagonal and nowhere else. */
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
