import type { TensorMap } from '../../model/model.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { Kernel } from '../kernel.ts';
import { namedParts } from '../parameterNames.ts';
import { pickColumns } from '../pickColumns.ts';
import { type ExpectationInputs, type Expectations, weightedProducts } from './expectations.ts';
import { leafExpectations } from './leaf.ts';
import { summedExpectations } from './sum.ts';

/**
 * The expectations of a kernel in closed form, from those of its leaves: of sums with the products of every two of them, of scales and of
 * choices of columns.
 *
 * @returns undefined where there is none: a leaf without, a product, or a sum of two rbfs
 */
export function closedExpectations(kernel: Kernel, p: TensorMap, inputs: ExpectationInputs): Expectations | undefined {
  const { form } = kernel;
  switch (form.type) {
    case 'leaf':
      return leafExpectations(kernel, p, inputs);
    case 'multiply':
      return undefined;
    case 'scale': {
      const [child] = namedParts([form.child], ['scale']);
      const inner = closedExpectations(form.child, child!.own(p), inputs);
      return inner && scaled(inner, p['scale.variance']!);
    }
    case 'select': {
      const pick = pickColumns(form.columns).tensor;
      const x = { mean: pick(inputs.x.mean), variance: pick(inputs.x.variance) };
      const inner = closedExpectations(form.child, p, { ...inputs, x, Z: pick(inputs.Z) });
      return inner && spreadOut(inner, form.columns, inputs);
    }
    case 'add': {
      const parts = namedParts(form.children);
      const inner = form.children.map((child, i) => closedExpectations(child, parts[i]!.own(p), inputs));
      return inner.every((part) => part !== undefined) ? summedExpectations(inner, inputs) : undefined;
    }
  }
}

/** Those of v·k. */
function scaled(inner: Expectations, v: op.Tensor): Expectations {
  const times = <T extends op.Tensor>(x: T) => op.mul(v, x) as T;
  const { diagonal, cross, products, moments, apart, constant, linear } = inner;
  return {
    diagonal: times(diagonal) as Tensor1D,
    cross: times(cross),
    products: () => products().map((matrix) => op.mul(op.square(v), matrix) as Tensor2D),
    ...(moments && { moments: () => moments().map(times) }),
    ...(apart !== undefined && { apart }),
    ...(constant && { constant: times(constant) }),
    ...(linear && { linear: times(linear) }),
  };
}

/** What is linear in chosen columns is linear in all of them; the moments of the others are those of the latents themselves. */
function spreadOut(inner: Expectations, columns: readonly number[], { x, weights }: ExpectationInputs): Expectations {
  const q = x.mean.shape[1];
  const places = new Float64Array(columns.length * q);
  columns.forEach((column, i) => {
    places[i * q + column] = 1;
  });
  const spread = (matrix: Tensor2D) => op.matMul<Tensor2D>(matrix, op.tensor(places, [columns.length, q]));
  const others = Float64Array.from({ length: q }, (_, d) => (columns.includes(d) ? 0 : 1));
  const { moments, linear } = inner;
  return {
    ...inner,
    ...(linear && { linear: spread(linear) }),
    ...(moments && {
      moments: () => {
        const means = op.mul(x.mean, op.tensor(others)) as Tensor2D;
        const rest = weightedProducts(inner.cross, means, weights);
        return moments().map((moment, i) => op.add(spread(moment), rest[i]!) as Tensor2D);
      },
    }),
  };
}
