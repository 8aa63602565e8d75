import { LatentFieldError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { AnyKernelFactory, KernelCatalogue } from '../kernels/catalogue.ts';
import { builtInKernels } from '../kernels/catalogue.ts';
import { covariance } from '../kernels/covariance.ts';
import { describe } from '../kernels/describe.ts';
import { kernelFromJSON, kernelToJSON } from '../kernels/json.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { parseKernel } from '../kernels/parse.ts';
import { startedAt } from '../kernels/startedAt.ts';
import { agreement } from './agreement.ts';

/** JSON and back gives the same JSON, paths and covariance, bit for bit. */
export function jsonRoundTrip(kernel: Kernel, X: Matrix): string {
  const text = JSON.stringify(kernelToJSON(kernel));
  const again = kernelFromJSON(JSON.parse(text), ownFactories(kernel));
  same('JSON', JSON.stringify(kernelToJSON(again)), text);
  return sameKernel(again, kernel, X);
}

/** Text and back gives the same text, paths and covariance, bit for bit. */
export function textRoundTrip(kernel: Kernel, X: Matrix): string {
  const text = describe(kernel);
  const again = parseKernel(text, ownFactories(kernel));
  same('text', describe(again), text);
  return sameKernel(again, kernel, X);
}

function sameKernel(again: Kernel, kernel: Kernel, X: Matrix): string {
  same('list of parameters', Object.keys(again.parameters).join(), Object.keys(kernel.parameters).join());
  const K = (k: Kernel) => covariance(startedAt(k, X), X).data;
  return agreement(K(again), K(kernel), 0);
}

function same(what: string, again: string, before: string): void {
  if (again === before) return;
  throw new LatentFieldError(`the ${what} comes back as ${again}, and was ${before}`);
}

/** Factories of the kernels that do not come with the library, made from the kernel itself. */
function ownFactories(kernel: Kernel): KernelCatalogue {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf': {
      const remade: AnyKernelFactory = (overrides = {}) => form.remade(overrides);
      return Object.hasOwn(builtInKernels, kernel.name) ? {} : { [kernel.name]: remade };
    }
    case 'scale':
    case 'select':
      return ownFactories(form.child);
    default:
      return Object.assign({}, ...form.children.map(ownFactories));
  }
}
