import * as op from '../../tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import { columnsOf, type ExpectationInputs, type Expectations, weightedProducts } from './expectations.ts';

/**
 * The expectations of a sum of covariances: ψ₀ and Ψ₁ add, and Ψ₂ with Σ_n ω_n·⟨k(z, x_n)·k'(x_n, z')⟩ and its transpose for every two of them.
 *
 * @returns undefined when two of them have no such product in closed form
 */
export function summedExpectations(
  parts: readonly Expectations[],
  inputs: ExpectationInputs,
): Expectations | undefined {
  const pairs = parts.flatMap((left, i) => parts.slice(i + 1).map((right) => pairOf(left, right, inputs)));
  if (!pairs.every((pair) => pair !== undefined)) return undefined;
  const moments = parts.every((part) => part.moments !== undefined)
    ? () => parts.map((part) => part.moments!()).reduce(addEach)
    : undefined;
  return {
    diagonal: parts.map(({ diagonal }) => diagonal).reduce((sum, part) => op.add(sum, part) as Tensor1D),
    cross: parts
      .filter(({ apart }, i) => !apart || i === 0)
      .map(({ cross }) => cross)
      .reduce((sum, part) => op.add(sum, part) as Tensor2D),
    products: () => [...parts.map((part) => part.products()), ...pairs.map((pair) => pair())].reduce(addEach),
    ...(moments && { moments }),
  };
}

const addEach = (left: readonly Tensor2D[], right: readonly Tensor2D[]): readonly Tensor2D[] =>
  left.length === 0 || right.length === 0
    ? [...left, ...right]
    : left.map((matrix, i) => op.add(matrix, right[i]!) as Tensor2D);

type Pair = () => readonly Tensor2D[];

/** ⟨k(z, x)·k'(x, z')⟩ with its transpose, summed over points; undefined where there is no closed form. */
function pairOf(a: Expectations, b: Expectations, { x, weights }: ExpectationInputs): Pair | undefined {
  if (a.apart || b.apart) return () => [];
  const product =
    constantTimes(a, b, x, weights) ?? constantTimes(b, a, x, weights) ?? linearTimes(a, b) ?? linearTimes(b, a);
  return product && (() => product().map((matrix) => op.add(matrix, op.transpose(matrix)) as Tensor2D));
}

function constantTimes(
  { constant }: Expectations,
  other: Expectations,
  { mean }: op.GaussianRows,
  weights: Tensor2D | undefined,
): Pair | undefined {
  if (constant === undefined) return undefined;
  return () =>
    columnsOf(weights).map((column) => {
      const all = column ?? op.ones<Tensor2D>([mean.shape[0], 1]);
      const [sums] = weightedProducts(other.cross, all, undefined);
      return op.mul(op.mul(constant, sums!), op.ones([1, other.cross.shape[1]])) as Tensor2D;
    });
}

function linearTimes({ linear }: Expectations, other: Expectations): Pair | undefined {
  if (linear === undefined || other.moments === undefined) return undefined;
  return () => other.moments!().map((moment) => op.matMul<Tensor2D>(moment, linear, false, true));
}
