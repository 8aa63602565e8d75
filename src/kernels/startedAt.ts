import type { Matrix } from '../core/matrix.ts';
import { add, multiply, scale, select } from './algebra.ts';
import type { Kernel } from './kernel.ts';
import { pickColumns } from './kernel.ts';

/**
 * The kernel with all open options decided for a process that starts at these inputs; the same kernel if none is open.
 *
 * @param kernel - any kernel
 * @param inputs - N×q
 * @returns a kernel with the same parameters
 * @example
 * ```ts
 * startedAt(thinPlateSpline({ centres: 4 }), Matrix.from(X)); // with 4 centres chosen by k-means
 * ```
 */
export function startedAt(kernel: Kernel, inputs: Matrix): Kernel {
  const { form } = kernel;
  if (!isOpen(kernel)) return kernel;
  switch (form.type) {
    case 'leaf':
      return form.remade(form.capabilities.decidedAt!(inputs));
    case 'add':
      return add(...form.children.map((child) => startedAt(child, inputs)));
    case 'multiply':
      return multiply(...form.children.map((child) => startedAt(child, inputs)));
    case 'scale':
      return scale(startedAt(form.child, inputs), form.variance);
    case 'select':
      return select(startedAt(form.child, pickColumns(form.columns).matrix(inputs)), form.columns);
  }
}

/** True if some part of the kernel is only decided when a process starts. */
export function isOpen({ form }: Kernel): boolean {
  switch (form.type) {
    case 'leaf':
      return form.capabilities.decidedAt !== undefined;
    case 'scale':
    case 'select':
      return isOpen(form.child);
    default:
      return form.children.some(isOpen);
  }
}
