import type { Kernel } from '../../src/index.ts';

/** The same covariance of which nothing but its values is known. */
export function withoutStructure(kernel: Kernel): Kernel {
  const { form } = kernel;
  return form.type === 'leaf' ? { ...kernel, form: { ...form, capabilities: {} } } : kernel;
}
