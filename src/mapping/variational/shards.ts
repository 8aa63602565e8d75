import type { Matrix } from '../../core/matrix.ts';
import { type Expectations, totalsOf } from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';
import { doublesOf } from '../../tensors/doubles.ts';
import { valueAndGradients } from '../../tensors/gradients.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { CollapsedData } from './collapsedData.ts';
import { latentExpectations, noExpectations } from './latentExpectations.ts';

/** A tensor as plain data. */
export interface PlainTensor {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/** Where the sums are asked for: means and variances of the latents, N×q, the inducing inputs, M×q, and the kernel's values in its own order. */
export type ShardPoint = readonly PlainTensor[];

/** Somewhere else, where rows of the observations are kept and the sums of the collapsed bound over them are made. */
export interface Shards {
  /** Hands out the rows, N×D, and the kernel. */
  open(rows: Matrix, kernel: Kernel): OpenShards;
}

export interface OpenShards {
  /** Ψ₁ᵀY, Ψ₂ and ψ₀ one after another, M·D + M² + 1 numbers. */
  sums(at: ShardPoint): Float64Array;
  /** The gradients in the tensors of the point, the one of the last sums or another, given those in the sums. */
  gradients(at: ShardPoint, slopes: Float64Array): readonly Float64Array[];
  close(): void;
}

/** Rows that are kept here, as tensors on the active backend. */
export interface ShardRows {
  readonly kernel: Kernel;
  /** n×D */
  readonly observations: Tensor2D;
}

function sumsOf({ kernel, observations }: ShardRows, [mean, variance, Z, ...values]: readonly Tensor[]): Tensor1D {
  const p = Object.fromEntries(Object.keys(kernel.parameters).map((name, i) => [name, values[i]!]));
  const x = { mean: mean as Tensor2D, variance: variance as Tensor2D };
  const expectations = latentExpectations(kernel, p, { x, Z: Z as Tensor2D });
  if (expectations === undefined) throw noExpectations(kernel.name, Z!.shape[1]!);
  const { cross, products, diagonal } = expectations;
  const projected = op.matMul<Tensor2D>(cross, observations, true, false);
  const [psi2] = products();
  const flat = (part: Tensor) => op.reshape(part, [part.size]) as Tensor1D;
  return op.concat([flat(projected), flat(psi2!), flat(totalsOf(diagonal, undefined)[0]!)], 0) as Tensor1D;
}

const tensorsOf = (at: ShardPoint) => at.map(({ shape, data }) => op.tensor(data, [...shape]));

/**
 * The gradients in the tensors of the point, given those in the sums; called inside `withFloat64`.
 *
 * @param slopes - from the sums, Ψ₁ᵀY, Ψ₂ and ψ₀ one after another, to the gradient in each of them
 */
export function shardValues(
  rows: ShardRows,
  at: ShardPoint,
  slopes: (sums: Float64Array) => Float64Array,
): Float64Array[] {
  const xs = tensorsOf(at);
  const weighted = () => {
    const sums = sumsOf(rows, xs);
    return op.sum(op.mul(sums, op.tensor(slopes(doublesOf(sums))))) as Scalar;
  };
  const { gradients } = valueAndGradients(weighted, xs);
  return gradients.map((gradient, i) => gradient ?? new Float64Array(at[i]!.data.length));
}

/**
 * What the collapsed bound reads of expectations and observations, made elsewhere: with Ψ₁ = I and Ψ₁ᵀY in place of the observations, all of
 * it has the shapes of M rows.
 */
export function shardedStatistics(
  open: OpenShards,
  kernel: Kernel,
  p: TensorMap,
  { x, Z }: { readonly x: op.GaussianRows; readonly Z: Tensor2D },
  data: CollapsedData,
): { expectations: Expectations; data: CollapsedData } {
  const M = Z.shape[0];
  const D = data.observations.shape[1];
  const values = Object.keys(kernel.parameters).map((name) => p[name]!);
  const sums = op.customGrad((...given: [...Tensor[], op.Save]) => {
    const save = given.at(-1) as op.Save;
    const tensors = given.slice(0, -1) as Tensor[];
    save([]);
    const at = tensors.map(plain);
    return {
      value: op.tensor(open.sums(at)),
      gradFunc: (dy: Tensor) =>
        open.gradients(at, doublesOf(dy)).map((slope, i) => op.tensor(slope, [...at[i]!.shape])),
    };
  })(x.mean, x.variance, Z, ...values);
  const part = (from: number, shape: number[]) =>
    op.reshape(op.slice(sums, [from], [shape.reduce((size, length) => size * length, 1)]), shape);
  const products = [part(M * D, [M, M]) as Tensor2D];
  return {
    expectations: {
      cross: op.eye(M) as Tensor2D,
      products: () => products,
      diagonal: part(M * D + M * M, [1]) as Tensor1D,
    },
    data: { ...data, observations: part(0, [M, D]) as Tensor2D, weights: undefined },
  };
}

const plain = (tensor: Tensor): PlainTensor => ({ shape: tensor.shape, data: doublesOf(tensor) });
