import * as op from '../../tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../tensors/tensorflow.ts';
import { type ExpectationInputs, type Expectations, totals, weightedProducts } from './expectations.ts';

/** The expectations of one number between all points: itself, and its square. */
export function constantExpectations(value: Tensor, { x, Z, weights }: ExpectationInputs): Expectations {
  const [n, m] = [x.mean.shape[0], Z.shape[0]];
  const cross = op.mul(value, op.ones([n, m])) as Tensor2D;
  return {
    diagonal: op.mul(value, op.ones([n])),
    cross,
    products: () =>
      totals(n, weights).map((total) => op.mul(op.mul(op.square(value), total), op.ones([m, m])) as Tensor2D),
    moments: () => weightedProducts(cross, x.mean, weights),
    constant: value,
  };
}

/** Expectations of white noise, which is 0 between latents and inducing inputs. */
export function whiteExpectations(variance: Tensor, { x, Z, weights }: ExpectationInputs): Expectations {
  const [n, m] = [x.mean.shape[0], Z.shape[0]];
  return {
    diagonal: op.mul(variance, op.ones([n])),
    cross: op.zeros([n, m]),
    products: () => totals(n, weights).map(() => op.zeros<Tensor2D>([m, m])),
    moments: () => totals(n, weights).map(() => op.zeros<Tensor2D>([m, x.mean.shape[1]])),
    apart: true,
  };
}
