import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { matrixTensor } from '../../engine/tensors/matrixTensor.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model.ts';
import type { CompiledGraph } from './compiled.ts';
import type { DensityContext } from './density.ts';
import type { Node } from './graph.ts';
import type { KnownVariable } from './variable.ts';

/** Gaussian rows whose columns are N(m_d, S_d), with covariances between the rows; `variance` is diag S_d. */
export interface CorrelatedRows extends op.GaussianRows {
  /** F_d of each column, n×n: S_d = F_dF_dᵀ. */
  readonly factors: readonly Tensor2D[];
  /** Entropy of all of them, ½·Σ_d log|2πe·S_d|. */
  readonly entropy: Scalar;
}

export const isCorrelated = (rows: op.GaussianRows): rows is CorrelatedRows => 'factors' in rows;

/** What correlated rows take of the density of their variable. */
export interface PriorPrecision {
  /** Q, n×n. */
  readonly precision: Tensor2D;
  onJitter(jitter: number): void;
}

/**
 * Gaussian rows with S_d = (Q + diag λ_d)⁻¹: the form that the optimal q has for any likelihood of row by row, with 2n numbers a column. With Q + diag λ_d = LLᵀ,
 * F_d = L⁻ᵀ and log|S_d| = −2·Σ log L_ii.
 *
 * @param mean - m, n×q
 * @param lambda - λ, n×q, above 0
 * @see Opper & Archambeau 2009; Damianou, Titsias & Lawrence 2011, eq. 14
 */
export function correlatedRows(
  mean: Tensor2D,
  lambda: Tensor2D,
  { precision, onJitter }: PriorPrecision,
): CorrelatedRows {
  const [n, q] = mean.shape;
  const identity = op.eye(n);
  const lowers = Array.from({ length: q }, (_, d) =>
    op.cholesky(op.add<Tensor2D>(precision, op.diag(op.reshape(op.slice(lambda, [0, d], [n, 1]), [n]))), {
      name: 'The precision of correlated latents',
      onJitter,
    }),
  );
  const factors = lowers.map((L) => op.triangularSolve(L, identity, { transpose: true }));
  const variance = op.concat(
    factors.map((F) => op.sum<Tensor2D>(op.square(F), 1, true)),
    1,
  ) as Tensor2D;
  const logDeterminants = lowers.map((L) => op.sum<Scalar>(op.log(op.diagPart(L))));
  const entropy = logDeterminants.reduce(
    (sum, own) => op.sub<Scalar>(sum, own),
    op.scalar((n * q * (1 + log(2 * Math.PI))) / 2),
  );
  return { mean, variance, factors, entropy };
}

/** Σ_d tr(QS_d). */
export function expectedForm(Q: Tensor2D, rows: op.GaussianRows): Scalar {
  if (!isCorrelated(rows)) return op.sum<Scalar>(op.mul(op.diagPart(Q), op.sum(rows.variance, 1)));
  return rows.factors
    .map((F) => op.sum<Scalar>(op.mul(op.matMul<Tensor2D>(Q, F), F)))
    .reduce((sum, own) => op.add<Scalar>(sum, own));
}

/** Rows whose precision is made as an N×N matrix, at most. */
export const MOST_DENSE = 4000;

/** The precision that correlated rows of a variable have from its density. */
export function precisionOf(
  { owner, graph, ownTensors, startOf }: CompiledGraph,
  node: Node,
  values: TensorMap,
  context: DensityContext,
): PriorPrecision {
  const { name, given, densities } = node;
  const said = `The rows of '${name}' of ${owner} are correlated as its density says`;
  const placed = densities.find(({ isFactor }) => !isFactor);
  const parents = given.map((each) => graph.nodes.find((node) => node.name === each)!.variable);
  if (parents.some(({ role }) => role !== 'known')) {
    throw new InvalidInputError(`${said}, which is given variables that are inferred. Give it known variables only.`);
  }
  const { rows } = startOf(node);
  if (rows > MOST_DENSE) {
    throw new InvalidInputError(
      `${said} for at most ${MOST_DENSE} rows, but there are ${rows}. Leave correlated out of gaussianLatents.`,
    );
  }
  const known = parents.map((parent) => matrixTensor((parent as KnownVariable).data));
  const precision = placed?.density.precision?.(ownTensors(placed.path, values), { rows, given: known }, context);
  if (precision !== undefined) return { precision, onJitter: context.onJitter };
  throw new InvalidInputError(
    `${said}, but ${placed === undefined ? 'it has none' : `'${placed.density.name}' has no precision between rows`}. Take laplacian, markov, maxEntropy({ expect }) or ` +
      'gaussianProcess for it, or leave correlated out of gaussianLatents.',
  );
}
