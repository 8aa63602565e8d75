import { InvalidInputError } from '../core/errors.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor } from '../tensors/tensorflow.ts';
import type { TensorMap } from './model.ts';
import type { Parameter } from './parameter.ts';
import { softplus } from './transform.ts';
import type { VariableLayout } from './variables.ts';

/** A term `hyper.<path>` for every free parameter that carries a prior: Σ log p over its entries. */
export function hyperparameterTerms({ variables }: VariableLayout, values: TensorMap): Record<string, Scalar> {
  const terms: Record<string, Scalar> = {};
  for (const { path, parameter } of variables) {
    const { prior } = parameter;
    if (prior === undefined || !parameter.free) continue;
    const x = prior.on === 'natural' ? values[path]! : unconstrained(values[path]!, parameter, path);
    terms[`hyper.${path}`] = op.sum<Scalar>(prior.logDensity(x));
  }
  return terms;
}

/** What the solver sees of natural values: the inverse of `transforms` in transform.ts, with a gradient. */
function unconstrained(x: Tensor, { support, lower, upper, transform }: Parameter, path: string): Tensor {
  // u = log(exp(x) − 1), which must not overflow.
  if (transform === softplus) return op.add(x, op.log(op.neg(op.expm1(op.neg(x)))));
  if (transform !== undefined) {
    throw new InvalidInputError(
      `The prior of '${path}' is on an unconstrained value, but that parameter has variables of its own kind. Put it on the natural value.`,
    );
  }
  if (support === 'real') return x;
  if (support === 'positive') return op.log(x);
  return op.sub(op.log(op.sub(x, lower)), op.log(op.sub(upper, x)));
}
