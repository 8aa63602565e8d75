import { add, checkKernel, multiply, scale, select } from './algebra.ts';
import type { Kernel } from './kernel.ts';

/**
 * The same covariance as a sum of products: products, scales and column choices of sums are distributed over them. A factor that goes
 * into several summands has parameters of its own in each: values are the same at the start, and a fit has more freedom. Nothing is
 * distributed unless this is called.
 *
 * @param kernel - any kernel
 * @returns a kernel with no sum inside a product, scale or select
 * @throws InvalidInputError when it is not a kernel
 * @example
 * ```ts
 * describe(expand(multiply(add(rbf(), bias()), linear()))); // rbf(…) * linear(1) + bias(1) * linear(1)
 * ```
 */
export function expand(kernel: Kernel): Kernel {
  return add(...summands(checkKernel(kernel, 'expand')));
}

function summands(kernel: Kernel): Kernel[] {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return [kernel];
    case 'add':
      return form.children.flatMap(summands);
    case 'scale':
      return summands(form.child).map((child) => scale(child, form.variance));
    case 'select':
      return summands(form.child).map((child) => select(child, form.columns));
    case 'multiply':
      return form.children
        .map(summands)
        .reduce((products, factors) => products.flatMap((left) => factors.map((right) => multiply(left, right))));
  }
}
