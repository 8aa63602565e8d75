import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import { valueAndGradients } from '../../engine/tensors/gradients.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type Expectations, type LatentNodes, totalsOf } from '../../kernels/expectations/index.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import type { TensorMap } from '../../model/model.ts';
import { type CollapsedData, latentExpectations, noExpectations } from './collapsedBound.ts';
import {
  type DensityParts,
  type DensityPoint,
  densityNodes,
  isClosed,
  nodesPerDimension,
  observedDensity,
} from './expectedDensity.ts';

/** Largest number of rows that are summed at once. */
const BLOCK = 8192;

/** Number of rows of each block, from the first row on: as equal as possible, with an even number of blocks, so that two shards have equally many. */
export const blocksOf = (rows: number): number[] =>
  divided(rows, rows <= BLOCK ? 1 : 2 * Math.ceil(rows / (2 * BLOCK)));

const divided = (rows: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, k) => Math.round(((k + 1) * rows) / parts) - Math.round((k * rows) / parts));

/**
 * The blocks of each shard, as equal as possible. With fewer blocks than shards, each shard is one block, and sums may differ from the sums of a
 * single shard by rounding, and by the error of the quadrature where a single shard would have more than 4096 rows.
 */
export function blocksOfShards(rows: number, shards: number): number[][] {
  const blocks = blocksOf(rows);
  const own = blocks.length < shards ? divided(rows, shards) : blocks;
  const counts = divided(own.length, shards);
  return counts.map((count, k) => {
    const from = counts.slice(0, k).reduce((sum, before) => sum + before, 0);
    return own.slice(from, from + count);
  });
}

/** A range of consecutive blocks. */
export interface Branch {
  readonly from: number;
  readonly to: number;
}

/**
 * Sums over blocks in the order of a binary tree. Any worker that sums whole branches follows this order, so that the bits are independent of the
 * distribution of blocks.
 *
 * @param whole - the sum over a branch that is not divided further; called for every single block
 */
export function sumOverTree<T>(
  blocks: number,
  whole: (branch: Branch) => T | undefined,
  add: (left: T, right: T) => T,
  from = 0,
): T {
  const found = whole({ from, to: from + blocks });
  if (found !== undefined) return found;
  const half = leftOf(blocks);
  return add(sumOverTree(half, whole, add, from), sumOverTree(blocks - half, whole, add, from + half));
}

/** The fewest branches that cover a range of blocks. */
export function branchesWithin(blocks: number, { from, to }: Branch, start = 0): Branch[] {
  const end = start + blocks;
  if (to <= start || end <= from) return [];
  if (from <= start && end <= to) return [{ from: start, to: end }];
  const half = leftOf(blocks);
  return [...branchesWithin(half, { from, to }, start), ...branchesWithin(blocks - half, { from, to }, start + half)];
}

/** Number of blocks in the left branch: the largest power of two below the number of blocks. */
function leftOf(blocks: number): number {
  let left = 1;
  while (2 * left < blocks) left *= 2;
  return left;
}

/** A tensor as plain data. */
export interface PlainTensor {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/**
 * Point at which the sums are evaluated: means and variances of the latents, N×q, the inducing inputs, M×q, and the kernel's values in the order of
 * its parameters; for the uncollapsed bound also the factor of K_uu, the means and the roots of q(u), and the likelihood's values.
 */
export type ShardPoint = readonly PlainTensor[];

/** Workers that store rows of the observations and sum the terms of a bound over them. */
export interface Shards {
  /** Distributes the rows, N×D, and the kernel; also a likelihood for the sum of the uncollapsed bound. */
  open(rows: Matrix, kernel: Kernel, likelihood?: Likelihood): OpenShards;
}

export interface OpenShards {
  /** Ψ₁ᵀY, Ψ₂ and ψ₀ one after another, M·D + M² + 1 numbers; for the uncollapsed bound one number, Σ_nd E[log p(y_nd | f_nd)]. */
  sums(at: ShardPoint): Float64Array;
  /** Gradients in the tensors of a point, the last one or another, from the gradients in the sums. */
  gradients(at: ShardPoint, slopes: Float64Array): readonly Float64Array[];
  close(): void;
}

/** Rows stored by this worker, as tensors on the active backend. */
interface ShardRows {
  readonly kernel: Kernel;
  /** Set for the uncollapsed bound. */
  readonly likelihood?: Likelihood | undefined;
  /** n×D */
  readonly observations: Tensor2D;
}

/** A shard: its branches of the tree of blocks, each defined by the number of rows of its blocks. */
export interface HeldShard extends ShardRows {
  readonly branches: readonly (readonly number[])[];
}

/**
 * Sums over rows, block by block. Tensors that all rows share are copied at each branch, so that their gradients too are added in the order of the
 * tree.
 *
 * @param tensors - see {@link ShardPoint}
 */
function sumsOf(rows: ShardRows, tensors: readonly Tensor[], blocks: readonly number[]): Tensor1D {
  const [mean, variance, ...shared] = tensors as [Tensor2D, Tensor2D, ...Tensor[]];
  if (blocks.length === 1) return blockSums(rows, tensors);
  const [means, variances, observations] = [mean, variance, rows.observations].map((x) =>
    tf.split<Tensor2D>(x, [...blocks]),
  );
  const over = (from: number, count: number, given: readonly Tensor[]): Tensor1D => {
    if (count === 1) {
      return blockSums({ ...rows, observations: observations![from]! }, [means![from]!, variances![from]!, ...given]);
    }
    const left = leftOf(count);
    const half = (start: number, some: number) => over(start, some, copies(given));
    return op.add(half(from, left), half(from + left, count - left));
  };
  return over(0, blocks.length, copies(shared));
}

const copies = (tensors: readonly Tensor[]) => tensors.map((x) => tf.clone(x));

function blockSums(rows: ShardRows, tensors: readonly Tensor[]): Tensor1D {
  const { kernel, likelihood, observations } = rows;
  const [mean, variance, Z, ...rest] = tensors as Tensor2D[];
  const count = Object.keys(kernel.parameters).length;
  const p = named(kernel, rest.slice(0, count));
  const x = { mean: mean!, variance: variance! };
  if (likelihood !== undefined) {
    const [factor, means, roots, ...given] = rest.slice(count);
    const point = { kernel: p, likelihood: named(likelihood, given), Z: Z!, factor: factor!, x };
    const columns = Int32Array.from({ length: observations.shape[1] }, (_, j) => j);
    const latentDim = Z!.shape[1];
    const density = observedDensity(
      { kernel, likelihood, latentDim },
      { ...point, variables: { mean: means!, roots: roots! } },
      { observations, groups: [{ columns }] },
      () => sameNodes(latentDim, kernel.name, observations.shape[0]),
    );
    return op.reshape(density, [1]) as Tensor1D;
  }
  const expectations = latentExpectations(kernel, p, { x, Z: Z! });
  if (expectations === undefined) throw noExpectations(kernel.name, Z!.shape[1]);
  const { cross, products, diagonal } = expectations;
  const projected = op.matMul<Tensor2D>(cross, observations, true, false);
  const [psi2] = products();
  const flat = (part: Tensor) => op.reshape(part, [part.size]) as Tensor1D;
  return op.concat([flat(projected), flat(psi2!), flat(totalsOf(diagonal, undefined)[0]!)], 0) as Tensor1D;
}

/** Tensors by the names of their parameters. */
const named = ({ parameters }: Kernel | Likelihood, values: readonly Tensor[]): TensorMap =>
  Object.fromEntries(Object.keys(parameters).map((name, i) => [name, values[i]!]));

const inOrder = ({ parameters }: Kernel | Likelihood, values: TensorMap): Tensor[] =>
  Object.keys(parameters).map((name) => values[name]!);

/**
 * Nodes that all latents share, on any worker.
 *
 * @throws InvalidInputError if latents would be drawn, since random numbers belong to the fit
 */
function sameNodes(latentDim: number, kernel: string, rows?: number): LatentNodes {
  const draws = () => {
    throw new InvalidInputError(
      `The kernel '${kernel}' in ${latentDim} dimensions takes draws, which shards do not support. Use at most 2 dimensions, or leave out shards.`,
    );
  };
  return densityNodes(latentDim, draws, latentDim, rows);
}

/**
 * Gradients in the tensors of the point, branch by branch, from the gradients in the sums. Called inside `withFloat64`.
 *
 * @param slopes - from the sums of each branch, Ψ₁ᵀY, Ψ₂ and ψ₀ one after another, to the gradient in each number of their total
 */
export function shardValues(
  shard: HeldShard,
  at: ShardPoint,
  slopes: (sums: Float64Array[]) => Float64Array,
): Float64Array[] {
  const rows = shard.branches.map((blocks) => blocks.reduce((sum, some) => sum + some, 0));
  const observations = tf.split<Tensor2D>(shard.observations, rows);
  // Each branch has separate tensors, for separate gradients.
  const xs = rows.map((own, b) => {
    const from = rows.slice(0, b).reduce((sum, some) => sum + some, 0);
    return at.map((tensor, i) => tensorOf(i < 2 ? rowsOf(tensor, from, from + own) : tensor));
  });
  const weighted = () => {
    const sums = xs.map((own, b) => sumsOf({ ...shard, observations: observations[b]! }, own, shard.branches[b]!));
    const given = op.tensor(slopes(sums.map(doublesOf)));
    return sums.map((own) => op.sum<Scalar>(op.mul(own, given))).reduce((total, own) => op.add(total, own));
  };
  const { gradients } = valueAndGradients(weighted, xs.flat());
  return gradients.map((gradient, i) => gradient ?? new Float64Array(xs.flat()[i]!.size));
}

const tensorOf = ({ data, shape }: PlainTensor) => op.tensor(data, [...shape]);

/** A range of rows of a tensor. */
export function rowsOf({ shape, data }: PlainTensor, from: number, to: number): PlainTensor {
  const q = shape[1]!;
  return { shape: [to - from, q], data: data.subarray(from * q, to * q) };
}

/**
 * Expectations and observations for the collapsed bound, summed block by block, by shards if there are any: with Ψ₁ = I, and Ψ₁ᵀY instead of the
 * observations, all shapes are as for M rows.
 */
export function summedStatistics(
  open: OpenShards | undefined,
  kernel: Kernel,
  p: TensorMap,
  { x, Z }: { readonly x: op.GaussianRows; readonly Z: Tensor2D },
  data: CollapsedData,
): { expectations: Expectations; data: CollapsedData } {
  const M = Z.shape[0];
  const [N, D] = data.observations.shape;
  const tensors = [x.mean, x.variance, Z, ...inOrder(kernel, p)];
  const sums = open
    ? shardSums(open, tensors)
    : sumsOf({ kernel, observations: data.observations }, tensors, blocksOf(N));
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

/** True if there are enough rows to sum them in blocks. */
export const isInBlocks = (rows: number): boolean => blocksOf(rows).length > 1;

/** True if rows have neither separate noise variances nor separate draws, so that blocks of them can be summed independently. */
export function isSameForAllRows(parts: DensityParts, at: DensityPoint) {
  if (parts.likelihood.conjugate?.(at.likelihood).per === 'row') return false;
  return nodesPerDimension(parts.latentDim) !== undefined || isClosed(parts, at);
}

/** Σ_nd E[log p(y_nd | f_nd)] over all rows, block by block, by shards if there are any. */
export function summedDensity(made: OpenShards | Tensor2D, parts: DensityParts, at: DensityPoint): Scalar {
  const { kernel, likelihood, latentDim } = parts;
  if (!isClosed(parts, at)) sameNodes(latentDim, kernel.name);
  const { x, Z, factor, variables } = at;
  const shared = [...inOrder(kernel, at.kernel), factor, variables.mean, variables.roots];
  const tensors = [x.mean, x.variance, Z, ...shared, ...inOrder(likelihood, at.likelihood)];
  const sums =
    'sums' in made
      ? shardSums(made, tensors)
      : sumsOf({ kernel, likelihood, observations: made }, tensors, blocksOf(made.shape[0]));
  return op.reshape(sums, []) as Scalar;
}

function shardSums(open: OpenShards, tensors: readonly Tensor[]): Tensor {
  return op.customGrad((...given: [...Tensor[], op.Save]) => {
    const save = given.at(-1) as op.Save;
    save([]);
    const at = (given.slice(0, -1) as Tensor[]).map(plain);
    return {
      value: op.tensor(open.sums(at)),
      gradFunc: (dy: Tensor) =>
        open.gradients(at, doublesOf(dy)).map((slope, i) => op.tensor(slope, [...at[i]!.shape])),
    };
  })(...tensors);
}

const plain = (tensor: Tensor): PlainTensor => ({ shape: tensor.shape, data: doublesOf(tensor) });
