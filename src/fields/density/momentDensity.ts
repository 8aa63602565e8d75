import { log } from '../../core/elementary/index.ts';
import type { Matrix } from '../../core/matrix.ts';
import { type EdgeFactor, isSparse } from '../../engine/sparse/index.ts';
import * as op from '../../engine/tensors/ops.ts';
import { scalarWithSlopes } from '../../engine/tensors/tape.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type EdgePrecision, marginals } from '../../priors/sparsePrecision.ts';
import { type MomentProblem, type PrecisionEntries, withInverse } from '../solvers/momentProblem.ts';

type Ends = Pick<MomentProblem, 'size' | 'sources' | 'targets'>;

/** A precision in the solver's variables, Θ_ij = b − a. */
export interface SignedPrecision {
  /** Θ_ii, N. */
  readonly diagonal: Tensor1D;
  /** a ≥ 0, one per edge. */
  readonly attraction: Tensor1D;
  /** b ≥ 0, one per edge. */
  readonly repulsion: Tensor1D;
}

/**
 * The log density of the columns of latents X (N×q) in the field of precision Θ: q/2·log|Θ| − ½·tr(XᵀΘX) − qN/2·log 2π.
 *
 * @throws NumericalError if Θ is not positive definite
 */
export function fieldLogDensity(
  { diagonal, edges }: EdgePrecision,
  X: Tensor2D,
  ends: Ends,
  factor: () => EdgeFactor,
): Scalar {
  const q = X.shape[1];
  const { variances, covariances } = latentMoments(X, ends, 1, 0);
  const energy = op.add(op.sum(op.mul(variances, diagonal)), op.mul(2, op.sum(op.mul(covariances, edges))));
  const determinant = precisionLogDeterminant(diagonal as Tensor1D, edges as Tensor1D, ends, factor);
  const constant = (q * ends.size * log(2 * Math.PI)) / 2;
  return op.sub(op.sub(op.mul(q / 2, determinant), op.mul(0.5, energy)), constant) as Scalar;
}

/** Second moments S on the diagonal and at the edges. */
export interface MomentTensors {
  /** S_ii, N. */
  readonly variances: Tensor1D;
  /** S_ij, one per edge. */
  readonly covariances: Tensor1D;
}

/**
 * c/2·[log|Θ| − tr(SΘ) − 2ρ·Σ_e(a_e + b_e)]: smooth within the bounds of a and b. At its maximum a_e or b_e is 0, so that a_e + b_e = |Θ_ij|.
 *
 * @throws NumericalError if Θ is not positive definite
 * @see Lawrence 2012, §3; Friedman, Hastie & Tibshirani 2008
 */
export function momentDensity(
  { diagonal, attraction, repulsion }: SignedPrecision,
  { variances, covariances }: MomentTensors,
  ends: Ends,
  penalty: number,
  copies: number,
): Scalar {
  const edges = op.sub(repulsion, attraction) as Tensor1D;
  const onDiagonal = op.sum(op.mul(variances, diagonal));
  const onEdges = op.mul(2, op.sum(op.mul(covariances, edges)));
  const cost = op.mul(2 * penalty, op.sum(op.add(attraction, repulsion)));
  const gain = op.sub(precisionLogDeterminant(diagonal, edges, ends), op.add(onDiagonal, onEdges));
  return op.mul(copies / 2, op.sub(gain, cost)) as Scalar;
}

/** The precision at a maximum, and the value of log|Θ| − tr(SΘ) − 2ρ·Σ_e|Θ_e|. */
interface MomentMaximum {
  readonly value: number;
  readonly entries: PrecisionEntries;
}

/**
 * max_Θ c/2·[log|Θ| − tr(SΘ) − 2ρ·Σ_e|Θ_e|] as a function of S; the gradient is −c/2·Θ_ii and −c·Θ_ij at the maximum.
 *
 * @param maximum - maximizes over Θ for these moments
 */
export function profiledMoments(
  { variances, covariances }: MomentTensors,
  maximum: (moments: Pick<MomentProblem, 'variances' | 'covariances'>) => MomentMaximum,
  copies: number,
): Scalar {
  return scalarWithSlopes([variances, covariances], (own, across) => {
    const { value, entries } = maximum({ variances: own, covariances: across });
    const slopes = [
      entries.diagonal.map((entry) => (-copies / 2) * entry),
      entries.edges.map((entry) => -copies * entry),
    ];
    return { value: (copies / 2) * value, slopes };
  });
}

/** log|Θ| from Θ's diagonal and its entries at edges; the gradient is W_ii and 2W_ij, W = Θ⁻¹. With the factor of a graph of few edges, no N×N matrix is formed. */
export function precisionLogDeterminant(
  diagonal: Tensor1D,
  edges: Tensor1D,
  ends: Ends,
  factor?: () => EdgeFactor,
): Scalar {
  if (factor !== undefined && isSparse(ends)) return marginals({ diagonal, edges }, factor()).logDeterminant;
  const { size: N, sources, targets } = ends;
  return scalarWithSlopes([diagonal, edges], (onDiagonal, onEdges) =>
    withInverse(ends, { diagonal: onDiagonal, edges: onEdges }, (value, W) => ({
      value,
      slopes: [
        Float64Array.from({ length: N }, (_, i) => W[i * (N + 1)]!),
        Float64Array.from(sources, (i, edge) => 2 * W[targets[edge]! * N + i]!),
      ],
    })),
  );
}

/** S = XXᵀ/c for latents X (N×q), on the diagonal and at the edges, with `raised` added to the diagonal. */
export function latentMoments(X: Tensor2D, { sources, targets }: Ends, copies: number, raised: number): MomentTensors {
  const across = op.mul(op.gather(X, sources), op.gather(X, targets));
  return {
    variances: op.add(op.div(op.sum(op.square(X), 1), copies), raised) as Tensor1D,
    covariances: op.div(op.sum(across, 1), copies) as Tensor1D,
  };
}

/** The same as plain numbers. */
export function pointMoments(
  { data, columns: q }: Matrix,
  { size, sources, targets }: Ends,
  copies: number,
  raised = 0,
): Pick<MomentProblem, 'variances' | 'covariances'> {
  const moment = (i: number, j: number) => {
    let sum = 0;
    for (let c = 0; c < q; c++) sum += data[i * q + c]! * data[j * q + c]!;
    return sum / copies;
  };
  return {
    variances: Float64Array.from({ length: size }, (_, i) => moment(i, i) + raised),
    covariances: Float64Array.from(sources, (i, e) => moment(i, targets[e]!)),
  };
}
