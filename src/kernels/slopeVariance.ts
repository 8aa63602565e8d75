import { square } from '../core/elementary/index.ts';
import type { ParameterValues } from '../model/model.ts';
import { entriesOf } from '../model/parameter.ts';
import type { Kernel } from './kernel.ts';
import { namedParts } from './parameterNames.ts';

/**
 * How much a function with this covariance varies along each of q input dimensions, up to a factor for each kind of kernel: the variance of its slope
 * at 0, ∂²k/∂x_d∂x'_d, is v/l_d² for an rbf, proportional to that for other functions of distance, v_d for a linear kernel and 0 for a constant. Sums
 * add.
 *
 * @returns q entries; undefined if they are unknown for a part of the kernel
 */
export function slopeVariances(kernel: Kernel, values: ParameterValues, q: number): Float64Array | undefined {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return leafSlopes(kernel, values, q);
    case 'scale': {
      const [child] = namedParts([form.child], ['scale']);
      const variance = values['scale.variance'] as number;
      return slopeVariances(form.child, renamed(child!, values), q)?.map((slope) => variance * slope);
    }
    case 'select': {
      const own = slopeVariances(form.child, values, form.columns.length);
      return own && Float64Array.from({ length: q }, (_, d) => own[form.columns.indexOf(d)] ?? 0);
    }
    case 'multiply':
      return undefined;
    case 'add': {
      const parts = namedParts(form.children);
      const slopes = form.children.map((child, i) => slopeVariances(child, renamed(parts[i]!, values), q));
      return slopes.every((own) => own !== undefined)
        ? slopes.reduce((sum, own) => sum.map((slope, d) => slope + own[d]!))
        : undefined;
    }
  }
}

/** The values under a part's own parameter names. */
function renamed({ own }: ReturnType<typeof namedParts>[number], values: ParameterValues): ParameterValues {
  return own(values as never) as unknown as ParameterValues;
}

function leafSlopes({ name, form }: Kernel, values: ParameterValues, q: number): Float64Array | undefined {
  if (form.type !== 'leaf') return undefined;
  const entry = (parameter: string) => {
    const entries = entriesOf(values[`${name}.${parameter}`]!);
    return (d: number) => entries[entries.length === 1 ? 0 : d]!;
  };
  switch (form.capabilities.structure?.type) {
    case 'constant':
    case 'white':
      return new Float64Array(q);
    case 'radial': {
      const [variance, lengthscale] = [entry('variance'), entry('lengthscale')];
      return Float64Array.from({ length: q }, (_, d) => variance(0) / square(lengthscale(d)));
    }
    default:
      return name === 'linear' ? Float64Array.from({ length: q }, (_, d) => entry('variance')(d)) : undefined;
  }
}
